import assert from "node:assert/strict";
import { test } from "node:test";
import { present } from "#src/lib/assert.ts";
import type { Tokens, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { AuthorizationError } from "#src/sandbox/test-tpp/tpp-client.ts";
import { setOnBehalfOf } from "#test/clients/stored-settings.ts";
import { expectStatus, type TestBank } from "#test/harness.ts";
import type { Json } from "#test/payments/answer-check.ts";
import { limit, vrpConsent, vrpOrder } from "#test/payments/limits/vrp-bed.ts";
import { quietPersonas } from "#test/sandbox/quiet-personas.ts";
import { until } from "#test/until.ts";
import type { Customer, Customers } from "./customer.ts";
import { openBefore } from "./journey-bed.ts";
import { picture } from "./page-bed.ts";
import { lodgeAccess, quickPayee, readConsent } from "./payments.ts";

// Variable recurring payments through the real pages, tokens and engine.

const stem = "/v4.0/pisp/domestic-vrp";

let bank: TestBank;
let customers: Customers;
let client: TppClient;
let accountId: string;
openBefore(async (bed) => {
  ({ bank, customers, client } = bed);
  await quietPersonas(bank.database);
  accountId = present((await bank.currentAccounts("amara"))[0], "an account").accountId;
  // the limits are per calendar month: no test runs over the end of a month
  const next = bank.clock.now().toZonedDateTimeISO("UTC").add({ months: 1 }).with({ day: 1 });
  await bank.control("PUT", "/clock", { now: next.toInstant().toString() });
});

type Consented = { consentId: string; body: Json };

/** Lodges a consent to pay an account at another bank; `change` may alter it. */
async function lodge(change: (body: Json) => void = () => undefined): Promise<Consented> {
  const body = vrpConsent((given) => {
    given.Data.Initiation = {
      CreditorAccount: quickPayee,
      RemittanceInformation: { Unstructured: ["Rainy day"] },
    };
    change(given);
  });
  const token = await client.clientToken("payments");
  const lodged = await client.call<Json>({ path: `${stem}-consents`, token, body });
  expectStatus(lodged, 201);
  return { consentId: lodged.body.Data.ConsentId, body };
}

const approve = ({ consentId }: Consented, customer = "amara", accounts = [accountId]) =>
  bank.approve(client, { scope: "payments", consentId, customer, accounts });

const pay = ({ consentId, body }: Consented, { access_token: token }: Tokens, amount: string) =>
  client.call<Json>({ path: `${stem}s`, token, body: vrpOrder(consentId, body, amount) });

async function paid(...given: Parameters<typeof pay>): Promise<string> {
  const answer = await pay(...given);
  expectStatus(answer, 201);
  return answer.body.Data.DomesticVRPId;
}

const refusal = async (...given: Parameters<typeof pay>) => {
  const { status, body } = await pay(...given);
  return [status, body.Errors[0].ErrorCode, body.Errors[0].Path];
};

async function readOrder(id: string): Promise<Json> {
  const token = await client.clientToken("payments");
  const answer = await client.call<Json>({ path: `${stem}s/${id}`, token });
  expectStatus(answer, 200);
  return answer.body.Data;
}

const untilFinal = (id: string) =>
  until(
    () => readOrder(id),
    ({ Status }) => ["ACCC", "RJCT"].includes(Status),
  );

const statusOf = ({ consentId }: Consented) =>
  readConsent(client, "domestic-vrp-consents", consentId);

const isSound = async () =>
  assert.deepEqual(await bank.control("GET", "/verify"), { holds: true, breaches: [] });

async function expectTexts(customer: Customer, ...texts: string[]): Promise<void> {
  const shown = await customer.text();
  for (const text of texts) assert.ok(shown.includes(text), `${text} in ${shown}`);
}

test("V-050, V-052, V-090, V-115, V-194, V-195, V-197: the customer reviews every limit, the TPP pays until a limit is used up, and the customer sees how much is used and cancels", async () => {
  const consented = await lodge(({ Data }) => {
    Data.ControlParameters.PeriodicLimits = [
      limit("Week", "Consent", "10.00"),
      limit("Month", "Calendar", "12.00"),
    ];
  });
  const customer = await customers.arrive({ javaScriptEnabled: false });
  const { consentId } = consented;
  await customer.open(await client.authorizationUrl({ scope: "payments", consentId }));
  await customer.login("amara");
  const texts = [
    "Up to £5.00 per payment",
    "Each week",
    "Up to £10.00, starting on 1 ",
    "Each month",
    "Up to £12.00, by calendar month",
    "Ends",
    "When you cancel it",
    quickPayee.Name,
    "00-99-00 00000001",
  ];
  await expectTexts(customer, "Allow payments", ...texts);
  await customer.factor();
  await customer.mark(accountId);
  await expectTexts(
    customer,
    "Let Test TPP make payments?",
    "Moving money between your own accounts (sweeping)",
    "Rainy day",
    "Choose the account to pay from",
    "asks you to let it make payments within these limits",
    "No payment is made now.",
    "without asking you again",
    "Limits",
    "How long, and how",
    ...texts,
  );
  assert.doesNotMatch(await customer.text(), /What it costs/, "a limit is not a cost");
  await picture(customer, "vrp-approval");
  await customer.press("approve");
  const tokens = await client.exchangeCode((await customer.comeBack()).url);
  await customer.leave();
  assert.equal((await statusOf(consented)).status, "AUTH");

  const orders = [await paid(consented, tokens, "5.00"), await paid(consented, tokens, "4.00")];
  assert.deepEqual(await refusal(consented, tokens, "1.01"), [
    400,
    "U014",
    "Data.ControlParameters.PeriodicLimits[0]",
  ]);
  for (const id of orders) assert.equal((await untilFinal(id)).Status, "ACCC");

  const own = await customers.enterBank(bank, "amara");
  await expectTexts(own, "Open Banking payments", "Up to £5.00 per payment", "Active");
  await own.open(`${bank.publicUrl}/bank/permissions/${consentId}`);
  await expectTexts(
    own,
    ...texts,
    "Used in this period",
    "£9.00 of £10.00",
    "£9.00 of £12.00",
    "£5.00",
    "£4.00",
    "Paid",
    "Payments that it has already asked us to make are not changed",
  );
  await picture(own, "vrp-own");
  await own.press("stop");
  await expectTexts(
    own,
    "can make no more payments under this permission. Payments already made are not changed.",
    "Stopped by you",
  );
  await own.open(`${bank.publicUrl}/bank/permissions/${consentId}`);
  const ended = await own.text();
  assert.match(ended, /Ended ?On \d+ \w+ \d{4}/);
  for (const gone of ["Used in this period", "Stop these payments?", "When you cancel it"]) {
    assert.ok(!ended.includes(gone), gone);
  }
  await own.leave();
  assert.deepEqual(await statusOf(consented), { status: "CANC", reasons: ["CUST"] });
  assert.deepEqual(await refusal(consented, tokens, "1.00"), [401, "TKSP", "Authorization"]);
  const renewed = client.refresh(present(tokens.refresh_token, "a refresh token"));
  await assert.rejects(renewed, /invalid_grant/);
  await isSound();
});

test("V-058, V-194: a cancelled consent is authorised again without a choice of account, and its limits continue", async () => {
  const consented = await lodge();
  const first = await approve(consented);
  await paid(consented, first, "5.00");
  await paid(consented, first, "5.00");
  const own = await customers.enterBank(bank, "amara");
  await own.open(`${bank.publicUrl}/bank/permissions/${consented.consentId}`);
  await own.press("keep");
  assert.equal((await statusOf(consented)).status, "AUTH");
  await own.open(`${bank.publicUrl}/bank/permissions/${consented.consentId}`);
  await own.press("stop");
  await own.leave();

  const customer = await customers.arrive({ javaScriptEnabled: false });
  const { consentId } = consented;
  await customer.open(await client.authorizationUrl({ scope: "payments", consentId }));
  await customer.goToApproval("amara");
  await expectTexts(customer, "Everyday", "Up to £5.00 per payment");
  await customer.press("approve");
  const again = await client.exchangeCode((await customer.comeBack()).url);
  await customer.leave();
  assert.equal((await statusOf(consented)).status, "AUTH");
  assert.deepEqual(await refusal(consented, again, "2.01"), [
    400,
    "U014",
    "Data.ControlParameters.PeriodicLimits[0]",
  ]);
  await paid(consented, again, "2.00");
  assert.equal((await pay(consented, first, "0.01")).status, 401);
});

test("a cancelled consent whose account has been closed cannot be authorised again, and the TPP gets access_denied", async () => {
  const consented = await lodge();
  await approve(consented);
  const own = await customers.enterBank(bank, "amara");
  await own.open(`${bank.publicUrl}/bank/permissions/${consented.consentId}`);
  await own.press("stop");
  await own.leave();
  const act = (name: string) => bank.control("POST", `/accounts/${accountId}/${name}`, {});
  await act("close");
  try {
    const customer = await customers.arrive({ javaScriptEnabled: false });
    const { consentId } = consented;
    await customer.open(await client.authorizationUrl({ scope: "payments", consentId }));
    await customer.login("amara");
    await customer.factor();
    assert.equal((await customer.comeBack()).answer.error, "access_denied");
    await customer.leave();
    assert.equal((await statusOf(consented)).status, "CANC");
  } finally {
    await act("reopen");
  }
});

test("V-194: the customer sees every payment of a long list, a hundred per page", async () => {
  const consented = await lodge();
  const tokens = await approve(consented);
  await Promise.all(Array.from({ length: 101 }, () => paid(consented, tokens, "0.01")));
  const own = await customers.enterBank(bank, "amara");
  await own.open(`${bank.publicUrl}/bank/permissions/${consented.consentId}`);
  const listed = () => own.page.locator("ul.lines .amount").count();
  assert.equal(await listed(), 100);
  await own.page.getByRole("link", { name: "Show earlier payments" }).click();
  assert.equal(await listed(), 1);
  assert.equal(await own.page.getByRole("link", { name: "Show earlier payments" }).count(), 0);
  await own.page.getByRole("link", { name: "Show the newest payments" }).click();
  assert.equal(await listed(), 100);
  assert.equal(await own.page.getByRole("link", { name: "Show the newest payments" }).count(), 0);
  await own.open(`${bank.publicUrl}/bank/permissions/${consented.consentId}?page=7`);
  await expectTexts(own, "There are no earlier payments.", "Show the newest payments");
  await own.leave();
});

test("V-197: every page names the firm for which a TPP acts", async () => {
  const firm = await bank.createTpp({ redirectUris: [customers.redirectUri], name: "Piggy" });
  await setOnBehalfOf(bank.database, "Piggy", "Acme Savings");
  const token = await firm.clientToken("payments");
  const path = `${stem}-consents`;
  const lodged = await firm.call<Json>({ path, token, body: vrpConsent() });
  expectStatus(lodged, 201);
  const consentId: string = lodged.body.Data.ConsentId;
  const customer = await customers.arrive({ javaScriptEnabled: false });
  await customer.open(await firm.authorizationUrl({ scope: "payments", consentId }));
  await customer.goToApproval("amara", accountId);
  await expectTexts(customer, "Piggy via Acme Savings asks you");
  await customer.press("approve");
  await customer.leave();
  const access = await lodgeAccess(firm);
  await bank.approve(firm, { scope: "accounts", consentId: access, customer: "amara" });
  const own = await customers.enterBank(bank, "amara");
  await expectTexts(own, "Piggy via Acme Savings", "Acme Savings on behalf of Piggy");
  await own.open(`${bank.publicUrl}/bank/permissions/${consentId}`);
  await expectTexts(own, "Payments that Piggy via Acme Savings makes for you");
  await own.open(`${bank.publicUrl}/bank/connections/${access}`);
  await expectTexts(own, "What Acme Savings on behalf of Piggy can see");
  await own.leave();
});

test("V-056, V-060: the expiry of an access token does not change the consent, and payments can be made with a renewed token", async () => {
  const consented = await lodge();
  const tokens = await approve(consented);
  await paid(consented, tokens, "1.00");
  await bank.advance("PT11M");
  assert.deepEqual(await refusal(consented, tokens, "1.00"), [401, "TKXP", "Authorization"]);
  // longer than the 90 days for which access to accounts lasts
  await bank.advance("P100D");
  assert.equal((await statusOf(consented)).status, "AUTH");
  const renewed = await client.refresh(present(tokens.refresh_token, "a refresh token"));
  await paid(consented, renewed, "1.00");
  assert.equal((await statusOf(consented)).status, "AUTH");
});

const decline = async (consented: Consented): Promise<Record<string, string>> => {
  const { consentId } = consented;
  const customer = await customers.arrive({ javaScriptEnabled: false });
  await customer.open(await client.authorizationUrl({ scope: "payments", consentId }));
  await customer.goToApproval("amara", accountId);
  await customer.press("cancel");
  const { answer } = await customer.comeBack();
  await customer.leave();
  return answer;
};

test("V-051, V-059, V-077: a declined consent is RJCT, and declined and deleted consents cannot be authorised", async () => {
  const declined = await lodge();
  assert.equal((await decline(declined)).error, "access_denied");
  assert.equal((await statusOf(declined)).status, "RJCT");
  await assert.rejects(approve(declined), AuthorizationError);
  const deleted = await lodge();
  const token = await client.clientToken("payments");
  const path = `${stem}-consents/${deleted.consentId}`;
  expectStatus(await client.call({ path, method: "DELETE", token }), 204);
  await assert.rejects(approve(deleted), AuthorizationError);
});

test("V-059: a consent whose last day has passed cannot be authorised, for the first time or again", async () => {
  const today = bank.clock.now().toZonedDateTimeISO("Europe/London").toPlainDate();
  const valid = ({ Data }: Json) => {
    Data.ControlParameters.ValidToDateTime = `${today}T12:00:00Z`;
  };
  const [waiting, authorised] = [await lodge(valid), await lodge(valid)];
  await approve(authorised);
  // a day later, the time for authorising has passed too, at whatever hour the test runs
  await bank.control("PUT", "/clock", { now: `${today.add({ days: 2 })}T00:10:00Z` });
  await assert.rejects(approve(waiting), AuthorizationError);
  await assert.rejects(approve(authorised), AuthorizationError);
  assert.equal((await statusOf(authorised)).status, "EXPD");
  assert.equal((await statusOf(waiting)).status, "RJCT");
});

test("V-054, V-055: a debtor account that is somebody else's, or that needs several approvers, leads to RJCT", async () => {
  const all = await bank.customers();
  const ofBen = present((await bank.currentAccounts("ben"))[0], "Ben's account");
  const dev = present(
    all.find(({ login }) => login === "dev"),
    "Dev",
  );
  const joint = present(
    dev.accounts.find(({ signatoriesRequired }) => signatoriesRequired > 1),
    "an account that two must sign for",
  );
  for (const [account, login] of [
    [ofBen, "amara"],
    [joint, "dev"],
  ] as const) {
    const consented = await lodge(({ Data }) => {
      const { schemeName: SchemeName, identification: Identification } = account;
      Data.Initiation.DebtorAccount = { SchemeName, Identification };
    });
    await assert.rejects(approve(consented, login, []), AuthorizationError);
    assert.equal((await statusOf(consented)).status, "RJCT");
  }
  const open = await lodge();
  await assert.rejects(approve(open, "dev", [joint.accountId]));
});

test("V-061: a consent that nobody authorises in time is RJCT", async () => {
  const consented = await lodge();
  await bank.advance("PT25H");
  const ended = await until(
    () => statusOf(consented),
    ({ status }) => status !== "AWAU",
  );
  assert.deepEqual(ended, { status: "RJCT", reasons: ["U036"] });
});

test("V-124, V-126: a payment without funds is RJCT with AM04, and its amount can be paid again", async () => {
  const consented = await lodge(({ Data }) => {
    Data.ControlParameters.MaximumIndividualAmount.Amount = "240000.00";
    Data.ControlParameters.PeriodicLimits = [limit("Month", "Consent", "240000.00")];
  });
  const tokens = await approve(consented);
  const id = await paid(consented, tokens, "240000.00");
  const ended = await untilFinal(id);
  assert.equal(ended.Status, "RJCT");
  assert.equal(ended.StatusReason[0].StatusReasonCode, "AM04");
  const again = await paid(consented, tokens, "240000.00");
  assert.equal((await untilFinal(again)).Status, "RJCT");
  assert.deepEqual((await statusOf(consented)).status, "AUTH");
  await isSound();
});

test("V-126: a payment above the bank's own limit is RJCT with AM14, and the ledger has no trace of it", async () => {
  const consented = await lodge(({ Data }) => {
    Data.ControlParameters.MaximumIndividualAmount.Amount = "300000.00";
    Data.ControlParameters.PeriodicLimits = [limit("Month", "Consent", "300000.00")];
  });
  const tokens = await approve(consented);
  const { Status, StatusReason } = await readOrder(await paid(consented, tokens, "250000.01"));
  assert.deepEqual([Status, StatusReason[0].StatusReasonCode], ["RJCT", "AM14"]);
  const small = await paid(consented, tokens, "1.00");
  assert.equal((await untilFinal(small)).Status, "ACCC");
  await isSound();
});
