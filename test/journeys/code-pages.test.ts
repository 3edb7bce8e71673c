import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { present } from "#src/lib/assert.ts";
import { CardIssuer, named } from "#test/funds/card-issuer.ts";
import { expectStatus } from "#test/harness.ts";
import { sampleInitiation, sampleJson } from "#test/payments/files/samples.ts";
import type { Customer } from "./customer.ts";
import { type JourneyBed, openBefore } from "./journey-bed.ts";
import { lodge, openMarket, picture, tuesday } from "./page-bed.ts";
import { lodgeAccess } from "./payments.ts";

// What the page of the second factor says: what the code confirms, whether it approves, and what
// follows. Source: SCA-RTS article 5(1).

let opened: JourneyBed;
openBefore(async (bed) => {
  opened = bed;
  await openMarket(bed);
});

const payee = {
  SchemeName: "UK.OBIE.SortCodeAccountNumber",
  Identification: "00990000000001",
  Name: "Hawthorne & Sons Joinery Ltd",
};
const domestic = {
  InstructionIdentification: "I-1",
  EndToEndIdentification: "E-1",
  InstructedAmount: { Amount: "1249.50", Currency: "GBP" },
  CreditorAccount: payee,
};

/** Logs a customer in for a consent, so that the code page is shown. */
async function atCode(
  consentId: string,
  scope: "payments" | "accounts" | "fundsconfirmations" = "payments",
  login = "amara",
) {
  const customer = await opened.customers.arrive({ javaScriptEnabled: false });
  await customer.open(await opened.client.authorizationUrl({ scope, consentId }));
  await customer.login(login);
  assert.equal(await customer.shown(), "factor");
  return customer;
}

const buttons = ({ page }: Customer): Promise<string[]> =>
  page.locator(".choices button").allTextContents();

const goesOn = async (customer: Customer): Promise<void> => {
  assert.deepEqual(await buttons(customer), ["Continue", "Cancel"]);
  assert.equal(await customer.canApprove(), false);
};

test("before the account is chosen, the code page says that nothing is paid yet, and what follows", async () => {
  const customer = await atCode(await lodge(opened, "domestic-payment", domestic));
  const text = await customer.text();
  for (const shown of [
    "This code is for this payment only.",
    "Pay£1,249.50",
    "Payee’s account00-99-00 00000001",
    "Nothing is paid yet. Next, you choose the account to pay from, and approve.",
  ]) {
    assert.ok(text.includes(shown), `${shown} in ${text}`);
  }
  await goesOn(customer);
  await picture(customer, "code-payment");
  await customer.factor();
  assert.deepEqual(await buttons(customer), ["Approve payment of £1,249.50", "Cancel"]);
  await customer.leave();
});

test("if the account is known, the code page is the approval, and its button names the amount", async () => {
  const [account] = await opened.bank.currentAccounts("amara");
  const { schemeName, identification } = present(account, "an account");
  const DebtorAccount = { SchemeName: schemeName, Identification: identification, Name: "A" };
  const customer = await atCode(
    await lodge(opened, "domestic-payment", { ...domestic, DebtorAccount }),
  );
  const text = await customer.text();
  assert.match(text, /Entering the code approves it\./);
  assert.doesNotMatch(text, /Nothing is paid yet/);
  assert.deepEqual(await buttons(customer), ["Approve payment of £1,249.50", "Cancel"]);
  await picture(customer, "code-approving");
  await customer.factor();
  assert.ok((await customer.comeBack()).answer.code, "no page follows");
  await customer.leave();
});

test("the code page of a card issuer's checks is the approval, and its button says so", async () => {
  const { bank, client } = opened;
  const [account] = await bank.currentAccounts("amara");
  const { identification } = present(account, "an account");
  const issuer = new CardIssuer(bank, client, "/v4.0/cbpii");
  const customer = await atCode(
    await issuer.consentId(named(identification)),
    "fundsconfirmations",
  );
  const text = await customer.text();
  for (const shown of [
    "Check what you allow",
    "asks to check whether your account has enough money. Entering the code approves it.",
    "only yes or no",
    "When you cancel it",
  ]) {
    assert.ok(text.includes(shown), `${shown} in ${text}`);
  }
  assert.doesNotMatch(text, /Nothing is allowed yet|Everyday/);
  assert.deepEqual(await buttons(customer), ["Allow checks", "Cancel"]);
  await picture(customer, "code-checks");
  await customer.factor();
  assert.ok((await customer.comeBack()).answer.code, "no page follows");
  await customer.leave();
});

test("if others must approve too, the code for a named account approves nothing yet, and the review says who", async () => {
  const dev = (await opened.bank.customers()).find(({ login }) => login === "dev");
  const joint = dev?.accounts.find(({ signatoriesRequired }) => signatoriesRequired > 1);
  const { schemeName, identification } = present(joint, "an account that two sign for");
  const DebtorAccount = { SchemeName: schemeName, Identification: identification };
  const consentId = await lodge(opened, "domestic-payment", { ...domestic, DebtorAccount });
  const customer = await atCode(consentId, "payments", "dev");
  const text = await customer.text();
  assert.ok(text.includes("Nothing is paid yet. Next, you check the details, and approve."), text);
  assert.ok(text.includes(`FromAccount ending ${identification.slice(-4)}`), text);
  assert.doesNotMatch(text, /Payment date/, "not now, but the bank does not say that here");
  // before the code, the bank does not say whose account it is
  assert.doesNotMatch(text, /Elin Nystrom/);
  await goesOn(customer);
  await picture(customer, "code-first-of-two");
  await customer.factor();
  const review = await customer.text();
  assert.match(review, /Payment date ?Once all have approved/);
  assert.match(review, /this payment, we will not pay until Elin Nystrom has approved it too\./);
  await picture(customer, "review-first-of-two");
  await customer.press("approve");
  const ending = await customer.text();
  assert.match(ending, /We will not pay until Elin Nystrom has approved it too\./);
  assert.match(ending, /Please continue to .+ now: until you do, nobody else can approve it\./);
  assert.ok((await customer.comeBack()).answer.code);
  await customer.leave();
});

test("the code page of a standing order shows its amounts, how often it pays, and its end", async () => {
  const consentId = await lodge(
    opened,
    "domestic-standing-order",
    {
      MandateRelatedInformation: {
        FirstPaymentDateTime: `${tuesday}T00:00:00+01:00`,
        Frequency: { Type: "WEEK", CountPerPeriod: 1 },
      },
      NumberOfPayments: "12",
      FirstPaymentAmount: { Amount: "11.00", Currency: "GBP" },
      RecurringPaymentAmount: { Amount: "12.00", Currency: "GBP" },
      FinalPaymentAmount: { Amount: "13.00", Currency: "GBP" },
      CreditorAccount: payee,
    },
    { Permission: "Create" },
  );
  const customer = await atCode(consentId);
  const text = await customer.text();
  for (const shown of [
    "This code is for this standing order only.",
    "Standing order£12.00 every Tuesday",
    "First payment£11.00 on Tuesday",
    "Last payment£13.00 on Tuesday",
    "Weekends and bank holidaysPaid on the next working day",
    "EndsAfter 12 payments",
    "Nothing is set up yet.",
  ]) {
    assert.ok(text.includes(shown), `${shown} in ${text}`);
  }
  await goesOn(customer);
  await picture(customer, "code-standing-order");
  await customer.leave();
});

test("the code page of an international standing order says what each payment is charged, and so does its end", async () => {
  const consentId = await lodge(
    opened,
    "international-standing-order",
    {
      MandateRelatedInformation: {
        FirstPaymentDateTime: `${tuesday}T00:00:00+01:00`,
        Frequency: { Type: "WEEK", CountPerPeriod: 1 },
      },
      NumberOfPayments: "12",
      CurrencyOfTransfer: "USD",
      InstructedAmount: { Amount: "250.00", Currency: "USD" },
      CreditorAccount: {
        SchemeName: "UK.OBIE.BBAN",
        Identification: "000099000001",
        Name: "Bright Harbor Inc",
      },
      CreditorAgent: { SchemeName: "UK.OBIE.BICFI", Identification: "NONEUS33" },
    },
    { Permission: "Create" },
  );
  const customer = await atCode(consentId, "payments", "iris");
  const text = await customer.text();
  for (const shown of [
    "Standing orderUS$250.00 every Tuesday",
    "Payee’s bankBIC NONEUS33",
    "Bank charges£10.00 for each payment: you pay ours",
  ]) {
    assert.ok(text.includes(shown), `${shown} in ${text}`);
  }
  await picture(customer, "code-international-standing-order");
  await customer.factor();
  const accounts = await opened.bank.currentAccounts("iris");
  const pounds = accounts.find(({ currency }) => currency === "GBP");
  await customer.choose(present(pounds, "an account in pounds").accountId);
  await picture(customer, "review-international-standing-order");
  const end = customer.page.url();
  await customer.press("approve");
  await customer.comeBack();
  await customer.open(end);
  assert.match(
    await customer.text(),
    new RegExp(
      "US\\$250\\.00 every Tuesday\\. We charge £10\\.00 for each payment\\. The first payment takes " +
        "about £\\d+\\.\\d\\d\\. We convert each payment when we make it, at our exchange rate then\\.",
    ),
  );
  await picture(customer, "approved-international-standing-order");
  await customer.leave();
});

test("the code page of a payment with a charge shows what leaves the account", async () => {
  const chaps = { ...domestic, LocalInstrument: "UK.OBIE.CHAPS" };
  const customer = await atCode(await lodge(opened, "domestic-payment", chaps));
  const text = await customer.text();
  assert.ok(text.includes("Taken from your account£1,269.50"), text);
  assert.ok(text.includes("Pay£1,249.50"), text);
  await customer.leave();
});

test("the code page of an access says when it ends, in the words of the other pages", async () => {
  const customer = await atCode(await lodgeAccess(opened.client), "accounts");
  const text = await customer.text();
  assert.ok(text.includes("EndsWhen you cancel it"), text);
  const seen = customer.page.locator(".linked div", { hasText: "To see" }).locator("dd");
  const lines = (await seen.textContent())?.split("\n") ?? [];
  assert.ok(lines.length > 1, "each kind of information has a line of its own");
  await customer.leave();
});

test("the code page of a file shows the end of its fingerprint, all of it on demand, and no account", async () => {
  const bytes = Buffer.from(
    sampleJson({ DomesticPayments: [sampleInitiation({}, 1), sampleInitiation({}, 2)] }),
  );
  const hash = createHash("sha256").update(bytes).digest("base64");
  const consentId = await lodge(opened, "file-payment", {
    FileType: "UK.OBIE.PaymentInitiation.4.0",
    FileHash: hash,
  });
  const answer = await opened.client.call({
    path: `/v4.0/pisp/file-payment-consents/${consentId}/file`,
    token: await opened.client.clientToken("payments"),
    body: bytes,
    headers: { "content-type": "application/json" },
  });
  expectStatus(answer, 200);
  const customer = await atCode(consentId);
  const labels = await customer.page.locator(".linked dt").allTextContents();
  assert.deepEqual(labels, ["Pay in total", "Payments", "File fingerprint"]);
  const details = customer.page.locator("details.fingerprint");
  assert.equal(await details.locator("summary code").textContent(), hash.slice(-8));
  assert.equal(await details.getByText(hash).isVisible(), false);
  await picture(customer, "code-file");
  await details.locator("summary").click();
  assert.equal(await details.getByText(hash).isVisible(), true);
  await customer.leave();
});

test("a refreshed access reads as a continuation, with the accounts of before", async () => {
  const consentId = await lodgeAccess(opened.client);
  const accounts = (await opened.bank.currentAccounts("amara")).map(({ accountId }) => accountId);
  await opened.bank.approve(opened.client, {
    ...{ scope: "accounts", consentId, customer: "amara", accounts },
  });
  const customer = await atCode(consentId, "accounts");
  const text = await customer.text();
  assert.match(text, /Continue sharing with Test TPP/);
  assert.match(text, /Nothing else changes\. We have sent the code to your mobile ending 118\./);
  assert.match(text, /The same (account|\d+ accounts)/);
  assert.deepEqual(await buttons(customer), ["Continue sharing", "Cancel"]);
  await picture(customer, "code-renewal");
  // the label of the code has room above it
  const gap = await customer.page.evaluate(`(() => {
    const form = document.querySelector("form");
    const before = form.previousElementSibling.getBoundingClientRect();
    return form.getBoundingClientRect().top - before.bottom;
  })()`);
  assert.ok(Number(gap) >= 16, `${gap} px`);
  await customer.leave();
});
