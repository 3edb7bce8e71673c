import assert from "node:assert/strict";
import { test } from "node:test";
import { present } from "#src/lib/assert.ts";
import { expectStatus } from "#test/harness.ts";
import { dollars } from "#test/payments/files/abroad-samples.ts";
import { sampleInitiation, sampleJson, sampleXml } from "#test/payments/files/samples.ts";
import type { Customer } from "./customer.ts";
import { type JourneyBed, openBefore } from "./journey-bed.ts";
import { dayText, openMarket, type Page, picture, testPages, tuesday } from "./page-bed.ts";
import type { Resource } from "./payments.ts";
import { uploadFile } from "./upload-file.ts";

// What a customer sees of a file before approving. Source: customer experience guidelines, Payment
// Initiation Services.

let opened: JourneyBed;
openBefore(async (bed) => {
  opened = bed;
  await openMarket(bed);
});

const upload = (fileType: string, text: string, initiation: object = {}): Promise<string> =>
  uploadFile(opened, fileType, text, initiation);

/** Approves a file's consent from an account, and submits the order. */
async function orderFile(consentId: string, customer: string, account: string): Promise<string> {
  const { bank, client } = opened;
  const approval = { scope: "payments" as const, consentId, customer, accounts: [account] };
  return submitFile(consentId, (await bank.approve(client, approval)).access_token);
}

/** Submits the order of an approved file. */
async function submitFile(consentId: string, granted: string): Promise<string> {
  const { client } = opened;
  const token = await client.clientToken("payments");
  const path = `/v4.0/pisp/file-payment-consents/${consentId}`;
  const { Initiation } = (await client.call<Resource>({ path, token })).body.Data;
  const answer = await client.call<Resource>({
    path: "/v4.0/pisp/file-payments",
    token: granted,
    body: { Data: { ConsentId: consentId, Initiation } },
  });
  expectStatus(answer, 201);
  return String(answer.body.Data.FilePaymentId);
}

async function statusOf(orderId: string): Promise<unknown> {
  const { client } = opened;
  const token = await client.clientToken("payments");
  const path = `/v4.0/pisp/file-payments/${orderId}`;
  return (await client.call<Resource>({ path, token })).body.Data.Status;
}

/** Opens one of the bank's own pages as a logged-in customer. */
async function visitBank(login: string, path: string): Promise<Customer> {
  const customer = await opened.customers.enterBank(opened.bank, login);
  await picture(customer, `own-${login}`);
  await customer.follow(`a[href="${path}"]`);
  return customer;
}

const payroll = (n: number, more: object = {}): string =>
  sampleJson({
    DomesticPayments: Array.from({ length: n }, (_, at) =>
      sampleInitiation({ amount: "1.25" }, at),
    ),
    ...more,
  });

/** Makes a file of domestic and international payments in these currencies. */
function mixedFile(currencies: readonly string[]): string {
  const payments = currencies.map((CurrencyOfTransfer, at) => ({
    ...dollars(),
    EndToEndIdentification: `E-${at}`,
    CurrencyOfTransfer,
    InstructedAmount: { Amount: "100", Currency: CurrencyOfTransfer },
  }));
  const creditorPays = { ...payments[0], ChargeBearer: "BorneByCreditor" };
  return sampleJson({
    InternationalPayments: [...payments, creditorPays],
    DomesticPayments: [sampleInitiation({ amount: "2.50" }, 9)],
  });
}

const later = dayText(tuesday);

const pages: Record<string, Page> = {
  "a file: reference, number of payments, total, date, account": {
    kind: "file-payment",
    lodge: () =>
      upload("UK.OBIE.PaymentInitiation.4.0", payroll(1250), { FileReference: "Payroll June" }),
    shows: ["Total £1,562.50", "1,250 payments in one file", "Payroll June", "Payment dateNow"],
  },
  "a file that others must approve too: it is not paid now": {
    kind: "file-payment-several",
    lodge: () => upload("UK.OBIE.PaymentInitiation.4.0", payroll(4)),
    login: "dev",
    several: true,
    shows: ["Payment dateOnce all have approved", /until Elin Nystrom has approved it too/],
  },
  "an XML file with a date: the date, and until when it can be cancelled": {
    kind: "file-payment-later",
    lodge: async () => {
      const [account] = await opened.bank.currentAccounts("amara");
      const debtor = present(account, "an account").identification;
      const group = { date: tuesday.toString(), debtor, payments: [{}, {}] };
      return upload("UK.OBIE.pain.001.001.08", sampleXml({ groups: [group] }));
    },
    shows: ["£2.00", "M-1", later, /You can cancel in online banking until then/],
  },
  "a file with international payments: totals by currency, charges, debit": {
    kind: "file-payment-abroad",
    lodge: () => upload("UK.OBIE.PaymentInitiation.4.0", mixedFile(["USD", "EUR"])),
    login: "iris",
    shows: [
      "TotalUS$200.00, €100.00 and £2.50",
      "4 payments in one file",
      "US$200.00, 2 payments",
      "€100.00, 1 payment",
      "3 payments, each at the exchange rate at the time it is made",
      "Bank charges£20.00 for all payments",
      "Deducted from payees£10.00",
      /Taken from your account About £\d+\.\d\d including £20\.00 in charges/,
    ],
  },
  "a file in many currencies: their number, and each currency on a separate line": {
    kind: "file-payment-currencies",
    lodge: () =>
      upload("UK.OBIE.PaymentInitiation.4.0", mixedFile(["USD", "EUR", "JPY", "CHF", "NOK"])),
    login: "iris",
    shows: ["Amounts in 6 currencies", "Total in JPYJP¥100, 1 payment", "Total in GBP£2.50"],
  },
  "a file with a date per payment: the first and the last date": {
    kind: "file-payment-days",
    lodge: () =>
      upload(
        "UK.OBIE.PaymentInitiation.4.0",
        sampleJson({
          DomesticPayments: [sampleInitiation({}, 1)],
          DomesticScheduledPayments: [
            {
              ...sampleInitiation({ localInstrument: "UK.OBIE.CHAPS" }, 2),
              RequestedExecutionDateTime: `${tuesday}T00:00:00+01:00`,
            },
          ],
        }),
      ),
    shows: [
      "Taken from your account £22.00 including £20.00 in charges",
      ...["Total£2.00", `From today to Tuesday ${later}`, "Bank charges£20.00 for all payments"],
    ],
  },
};
testPages(() => opened, pages);

test("the second signatory sees the file as a whole, not its first payment", async () => {
  const dev = (await opened.bank.customers()).find(({ login }) => login === "dev");
  const account = dev?.accounts.find(({ signatoriesRequired }) => signatoriesRequired > 1);
  const consentId = await upload("UK.OBIE.PaymentInitiation.4.0", payroll(4), {
    FileReference: "Payroll June",
  });
  const orderId = await orderFile(consentId, "dev", present(account, "an account").accountId);
  const elin = await opened.customers.enterBank(opened.bank, "elin");
  const link = elin.page.locator(`a[href="/bank/approvals/${orderId}"]`);
  assert.match(
    (await link.textContent()) ?? "",
    /^Review 4 payments in one file, £5\.00 in total,\s1 of 2 approvals$/,
  );
  await elin.follow(link);
  const text = await elin.text();
  await picture(elin, "file-payment-approval");
  for (const shown of [
    "£5.00",
    "4 payments in one file",
    "Payroll June",
    "1 of 2",
    "Once all have approved",
  ]) {
    assert.ok(text.includes(shown), `${shown} in ${text}`);
  }
  assert.ok(text.includes("Payment dateOnce all have approved"), text);
  assert.match(text, /Check this file of payments/);
  await elin.press("decline");
  assert.match(await elin.text(), /Decline this file of payments\?/);
  await elin.press("stop");
  assert.match(
    await elin.text(),
    /You have declined 4 payments in one file, £5\.00 in total\. Nothing will be paid\./,
  );
  await elin.leave();
  assert.equal(await statusOf(orderId), "INFA");
});

test("both signatories of a dated file read its day: in the list, on the pages and when it is approved", async () => {
  const { bank, client, customers } = opened;
  const friends = (await bank.customers()).find(({ login }) => login === "dev");
  const joint = friends?.accounts.find(({ signatoriesRequired }) => signatoriesRequired > 1);
  const consentId = await upload("UK.OBIE.PaymentInitiation.4.0", payroll(4), {
    RequestedExecutionDateTime: `${tuesday}T00:00:00+01:00`,
  });
  const dev = await customers.arrive({ javaScriptEnabled: false });
  await dev.open(await client.authorizationUrl({ scope: "payments", consentId }));
  await dev.goToApproval("dev", present(joint, "an account").accountId);
  await dev.press("approve");
  const approved = await dev.text();
  await picture(dev, "file-payment-later-approved");
  const onDay = `to be paid on Tuesday ${later}.`;
  assert.match(approved, /You approved 4 payments in one file, £5\.00 in total from /);
  assert.ok(approved.includes(onDay), approved);
  const { access_token: token } = await client.exchangeCode((await dev.comeBack()).url);
  await dev.leave();
  const orderId = await submitFile(consentId, token);
  const elin = await customers.enterBank(bank, "elin");
  const waiting = await elin.page.getByRole("region", { name: "Waiting" }).textContent();
  assert.ok(waiting?.includes(`Payment date: Tuesday ${later}`), waiting ?? "");
  await elin.follow(`a[href="/bank/approvals/${orderId}"]`);
  const shown = await elin.text();
  await picture(elin, "file-payment-later-approval");
  assert.match(shown, /We will make none of its payments until all have approved it\./);
  assert.match(shown, /The money leaves your account on that day\./);
  await elin.press("approve");
  await elin.factor();
  assert.ok((await elin.text()).includes(onDay), await elin.text());
  await elin.follow(`a[href="/bank/upcoming/${orderId}"]`);
  await elin.press("stop");
  await elin.factor();
  await elin.leave();
});

test("the second signatory sees the totals of a file that begins with an international payment", async () => {
  const dev = (await opened.bank.customers()).find(({ login }) => login === "dev");
  const account = dev?.accounts.find(({ signatoriesRequired }) => signatoriesRequired > 1);
  const consentId = await upload("UK.OBIE.PaymentInitiation.4.0", mixedFile(["USD"]));
  const orderId = await orderFile(consentId, "dev", present(account, "an account").accountId);
  const elin = await visitBank("elin", `/bank/approvals/${orderId}`);
  const text = await elin.text();
  await picture(elin, "file-payment-abroad-approval");
  for (const shown of [
    "US$200.00 and £2.50",
    "3 payments in one file",
    "2 payments, each at the exchange rate at the time it is made",
    "Taken from your account About £",
  ]) {
    assert.ok(text.includes(shown), `${shown} in ${text}`);
  }
  await elin.press("decline");
  await elin.press("stop");
  await elin.leave();
});

test("a future-dated file is listed as an upcoming payment and can be cancelled there", async () => {
  const [account] = await opened.bank.currentAccounts("amara");
  const consentId = await upload("UK.OBIE.PaymentInitiation.4.0", mixedFile(["USD"]), {
    RequestedExecutionDateTime: `${tuesday}T00:00:00+01:00`,
  });
  const orderId = await orderFile(consentId, "amara", present(account, "an account").accountId);
  assert.equal(await statusOf(orderId), "PDNG");
  const amara = await visitBank("amara", `/bank/upcoming/${orderId}`);
  const text = await amara.text();
  await picture(amara, "file-payment-upcoming");
  for (const shown of [
    "Cancel a file of payments",
    "US$200.00 and £2.50",
    "3 payments in one file",
    later,
  ]) {
    assert.ok(text.includes(shown), `${shown} in ${text}`);
  }
  await amara.press("stop");
  await amara.factor();
  assert.equal(await amara.page.locator(`a[href="/bank/upcoming/${orderId}"]`).count(), 0);
  await amara.leave();
  assert.equal(await statusOf(orderId), "INFA");
});
