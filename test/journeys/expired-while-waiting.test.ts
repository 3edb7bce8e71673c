// Consents that expire before their customer has authorised them, in every family that can expire.
import assert from "node:assert/strict";
import { test } from "node:test";
import { findRule } from "#src/events/collect-events.ts";
import { listChanges } from "#src/history/change.ts";
import { present } from "#src/lib/assert.ts";
import { AuthorizationError, type TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { Scope } from "#src/standard/api-version.ts";
import { expectStatus, type TestBank } from "#test/harness.ts";
import type { Json } from "#test/payments/answer-check.ts";
import { vrpConsent } from "#test/payments/limits/vrp-bed.ts";
import type { Customer, Customers } from "./customer.ts";
import { openBefore } from "./journey-bed.ts";

let bank: TestBank;
let customers: Customers;
let client: TppClient;
openBefore((bed) => {
  ({ bank, customers, client } = bed);
});

type Family = {
  name: string;
  scope: Scope;
  path: string;
  /** The request of a consent that expires at that midnight in London. */
  body(expiry: Temporal.Instant): object | Promise<object>;
  /** The status and the reasons of the consent that has expired. */
  rejected: [string, string[] | undefined];
};

const access = (expiry: Temporal.Instant) => ({
  Data: { Permissions: ["ReadAccountsBasic"], ExpirationDateTime: `${expiry}` },
  Risk: {},
});

const families: readonly Family[] = [
  {
    name: "account access of v3.1",
    scope: "accounts",
    path: "/v3.1/aisp/account-access-consents",
    body: access,
    rejected: ["Rejected", undefined],
  },
  {
    name: "account access of v4.0",
    scope: "accounts",
    path: "/v4.0/aisp/account-access-consents",
    body: access,
    rejected: ["RJCT", ["U036"]],
  },
  {
    name: "confirmation of funds",
    scope: "fundsconfirmations",
    path: "/v4.0/cbpii/funds-confirmation-consents",
    async body(expiry) {
      const account = present((await bank.currentAccounts("amara"))[0], "an account");
      const { schemeName: SchemeName, identification: Identification } = account;
      const DebtorAccount = { SchemeName, Identification };
      return { Data: { DebtorAccount, ExpirationDateTime: `${expiry}` } };
    },
    rejected: ["RJCT", ["U036"]],
  },
  {
    name: "variable recurring payments",
    scope: "payments",
    path: "/v4.0/pisp/domestic-vrp-consents",
    body: (expiry) =>
      vrpConsent(({ Data }) => {
        const lastDay = expiry.toZonedDateTimeISO("Europe/London").subtract({ days: 1 });
        Data.ControlParameters.ValidToDateTime = `${lastDay.toPlainDate()}T12:00:00Z`;
      }),
    rejected: ["RJCT", ["U036"]],
  },
];

/** Sets the clock shortly before midnight in London, and returns the midnight. */
async function goToMidnight(): Promise<Temporal.Instant> {
  const today = bank.clock.now().toZonedDateTimeISO("Europe/London").startOfDay();
  const midnight = today.add({ days: 1 }).toInstant();
  await bank.control("PUT", "/clock", { now: `${midnight.subtract({ minutes: 2 })}` });
  return midnight;
}

/** Checks that the open page says that it is too late, and that the TPP gets the error. */
async function expectTooLate(customer: Customer): Promise<void> {
  const shown = await customer.context.request.get(customer.page.url());
  assert.match(await shown.text(), /This request has expired/);
  await customer.page.reload();
  const { answer } = await customer.comeBack();
  await customer.leave();
  assert.deepEqual(
    [answer.error, answer.error_description],
    ["access_denied", "the consent has expired"],
  );
}

for (const { name, scope, path, body, rejected } of families) {
  const lodge = async (expiry: Temporal.Instant): Promise<string> => {
    const token = await client.clientToken(scope);
    const lodged = await client.call<Json>({ path, token, body: await body(expiry) });
    expectStatus(lodged, 201);
    return lodged.body.Data.ConsentId;
  };
  const urlOf = (consentId: string) => client.authorizationUrl({ scope, consentId });

  test(`V-059, V-061, A-110, C-037: a consent that expires before its customer approves is rejected as of its expiry, and an open page says that it is too late (${name})`, async () => {
    const expiry = await goToMidnight();
    const [opened, waiting] = [await lodge(expiry), await lodge(expiry)];
    const customer = await customers.arrive({ javaScriptEnabled: false });
    await customer.open(await urlOf(opened));
    await customer.login("amara");
    assert.equal(await customer.shown(), "factor");
    await bank.advance("PT3M");
    await expectTooLate(customer);
    await assert.rejects(
      bank.approve(client, { scope, consentId: waiting, customer: "amara" }),
      AuthorizationError,
    );
    for (const consentId of [opened, waiting]) {
      const token = await client.clientToken(scope);
      const { Data } = (await client.call<Json>({ path: `${path}/${consentId}`, token })).body;
      const reasons = Data.StatusReason?.map((one: Json) => one.StatusReasonCode);
      assert.deepEqual([Data.Status, reasons], rejected);
      assert.equal(`${Temporal.Instant.from(Data.StatusUpdateDateTime)}`, `${expiry}`);
      const changes = await listChanges(bank.database, consentId);
      assert.deepEqual(
        changes.map(({ after: { status }, cause }) => [status, cause]),
        [
          ["AWAU", "tpp"],
          ["RJCT", "clock"],
        ],
      );
      assert.equal(findRule(present(changes[1], "a change"))?.name, "consent ended");
    }
  });
}

test("A-110: a consent that expires while its customer authenticates again stays expired", async () => {
  const expiry = await goToMidnight();
  const path = "/v4.0/aisp/account-access-consents";
  const token = await client.clientToken("accounts");
  const lodged = await client.call<Json>({ path, token, body: access(expiry) });
  expectStatus(lodged, 201);
  const { ConsentId: consentId } = lodged.body.Data;
  const account = present((await bank.currentAccounts("amara"))[0], "an account").accountId;
  const grant = { scope: "accounts" as const, consentId, customer: "amara", accounts: [account] };
  await bank.approve(client, grant);
  const customer = await customers.arrive({ javaScriptEnabled: false });
  await customer.open(await client.authorizationUrl({ scope: "accounts", consentId }));
  await customer.login("amara");
  await bank.advance("PT3M");
  await expectTooLate(customer);
  const { Data } = (await client.call<Json>({ path: `${path}/${consentId}`, token })).body;
  assert.deepEqual([Data.Status, Data.StatusReason[0].StatusReasonCode], ["EXPD", "TKXP"]);
});
