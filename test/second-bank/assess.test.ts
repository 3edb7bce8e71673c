import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Visitor } from "#test/auth/visitor.ts";
import { openBank } from "#test/harness.ts";
import { consentDevice } from "#test/journeys/approved-kind.ts";
import { type JourneyBed, openBefore } from "#test/journeys/journey-bed.ts";
import { picture } from "#test/journeys/page-bed.ts";
import { lodge, lodgeAccess } from "#test/journeys/payments.ts";
import { assessed } from "./core-that-assesses.ts";
import { type SecondBank, startSecondBank } from "./second-bank.ts";

const modulePath = fileURLToPath(new URL("core-that-assesses.ts", import.meta.url));

let second: SecondBank;
let bed: JourneyBed;
before(async () => {
  second = await startSecondBank();
});
openBefore(
  (opened) => {
    bed = opened;
  },
  () => openBank({ BANK_MODULE: modulePath }),
);
after(() => second?.close());

const refusal = {
  result: "refuse",
  customerText: "You can pay at most £300 a day with other apps. Tomorrow you can pay again.",
  reason: { code: "AM14", text: "The daily limit of the customer would be exceeded." },
};

const allow = { result: "allow" };

/** Opens the journey of a payment, up to the page with the approval. */
async function toApproval(consentId: string): Promise<Visitor> {
  const visitor = new Visitor(bed.bank);
  await visitor.open(await bed.client.authorizationUrl({ scope: "payments", consentId }));
  await visitor.submit({ login: "ada", password: "ada's own password", decision: "continue" });
  await visitor.confirm();
  await visitor.submit({ account: "second-current", decision: "continue" });
  assert.equal(visitor.step, "review", visitor.shown.body); // the payee's name does not match
  return visitor;
}

const statusOf = async (consentId: string) => {
  const token = await bed.client.clientToken("payments");
  const path = `/v4.0/pisp/domestic-payment-consents/${consentId}`;
  const { body } = await bed.client.call<{
    Data: { Status: string; StatusReason?: Record<string, string>[] };
  }>({ path, token });
  return body.Data;
};

const heardDevices = {
  consent: {
    ipAddress: consentDevice["x-fapi-customer-ip-address"],
    userAgent: consentDevice["x-customer-user-agent"],
  },
};

test("the core hears who asks, for whom, what was sent, and what the payee's bank said", async () => {
  assessed.answer = () => allow;
  assessed.asked.length = 0;
  const { consentId } = await lodge(bed.client, { amount: "12.34" }, consentDevice);
  const given = { scope: "payments" as const, consentId, customer: "ada" };
  await bed.bank.approve(bed.client, { ...given, accounts: ["second-current"] });
  const [asked] = assessed.asked;
  assert.equal(assessed.asked.length, 1);
  const { tpp, sent, ...rest } = asked ?? assert.fail("the core was asked");
  assert.deepEqual(rest, {
    consentId,
    kind: "domestic-payment",
    customerId: "second-ada",
    accountIds: ["second-current"],
    isRenewal: false,
    hasSteppedUp: false,
    payeeCheck: { result: "no match" },
    file: null,
  });
  assert.equal(tpp.clientId, bed.client.tpp.clientId);
  assert.ok(tpp.organisationName && tpp.softwareName);
  assert.equal(sent.apiVersion, "pisp-v4.0");
  assert.deepEqual(sent.devices, heardDevices);
  const { InstructedAmount } = sent.consent.Data.Initiation as Record<string, unknown>;
  assert.deepEqual(InstructedAmount, { Amount: "12.34", Currency: "GBP" });
});

test("the core is asked about access to accounts too", async () => {
  assessed.answer = () => allow;
  assessed.asked.length = 0;
  const consentId = await lodgeAccess(bed.client, {}, consentDevice);
  const given = { scope: "accounts" as const, consentId, customer: "ada" };
  await bed.bank.approve(bed.client, { ...given, accounts: ["second-current", "second-poor"] });
  assert.deepEqual(
    assessed.asked.map(({ kind, accountIds, payeeCheck }) => ({ kind, accountIds, payeeCheck })),
    [
      {
        kind: "account-access",
        accountIds: ["second-current", "second-poor"],
        payeeCheck: null,
      },
    ],
  );
  assert.deepEqual(assessed.asked[0]?.sent.devices, heardDevices);
});

test("a refusal shows the core's text to the customer, and its reason to the TPP", async () => {
  assessed.answer = () => refusal;
  const { consentId } = await lodge(bed.client);
  const customer = await bed.customers.arrive({ javaScriptEnabled: false });
  await customer.open(await bed.client.authorizationUrl({ scope: "payments", consentId }));
  await customer.login("ada", "ada's own password");
  await customer.goOnToApproval(["second-current"]);
  await customer.press("approve");
  assert.match(await customer.text(), /We cannot go ahead with this request/);
  assert.ok((await customer.text()).includes(refusal.customerText));
  assert.match(await customer.text(), /Nothing was paid/);
  await picture(customer, "refused-by-the-core");
  const { answer } = await customer.comeBack();
  assert.equal(answer.error, "access_denied");
  assert.equal(answer.error_description, `AM14: ${refusal.reason.text}`);
  await customer.leave();
  const { Status, StatusReason } = await statusOf(consentId);
  assert.equal(Status, "RJCT");
  assert.deepEqual(StatusReason, [
    { StatusReasonCode: "AM14", StatusReasonDescription: refusal.reason.text },
  ]);
});

const unusable: readonly [name: string, answer: () => unknown][] = [
  ["fails", () => Promise.reject(new Error("out of order"))],
  ["answers what the port does not define", () => ({ result: "perhaps" })],
  ["gives a code that is not published", () => withReason({ code: "ZZ99" })],
  ["gives a reason that OAuth cannot carry", () => withReason({ text: "Too much: £300" })],
  ["gives an empty text", () => ({ ...refusal, customerText: "" })],
  ["gives a text that is too long", () => ({ ...refusal, customerText: "a".repeat(501) })],
];

const withReason = (more: object) => ({ ...refusal, reason: { ...refusal.reason, ...more } });

for (const [name, answer] of unusable) {
  test(`if the core ${name}, nothing is authorised, and the customer can try again`, async () => {
    assessed.answer = answer;
    const { consentId } = await lodge(bed.client);
    const visitor = await toApproval(consentId);
    const page = { url: visitor.shown.url, hidden: visitor.hidden };
    const outage = await visitor.submit({ decision: "approve" });
    assert.equal(outage.status, 503, outage.body);
    assert.ok(Number(outage.headers.get("retry-after")) >= 1);
    assert.equal((await statusOf(consentId)).Status, "AWAU");
    assessed.answer = () => allow;
    await visitor.open(page.url, { ...page.hidden, decision: "approve" });
    assert.equal((await statusOf(consentId)).Status, "AUTH");
  });
}
