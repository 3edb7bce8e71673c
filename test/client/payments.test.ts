import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Bank, Consent, PaymentKind } from "#packages/client/src/index.ts";
import { finalStatuses } from "#packages/client/src/payments.ts";
import { servedKinds } from "#src/payments/definitions/payment-kind.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { demoOf, examplesIn } from "#src/server/examples/examples.ts";
import { versionName } from "#src/standard/api-version.ts";
import { statusValues } from "#src/standard/descriptions/status-values.ts";
import { type ClientBed, openClientBed, tenPounds } from "./client-bed.ts";

const payee = { SchemeName: "UK.OBIE.SortCodeAccountNumber", Identification: "", Name: "Ben" };
// what the library's methods return for every kind
type AnyConsent = Consent<{ Data: object }, { Data: { Status: string } }>;
type AnyOrder = { Data: { Status: string; ConsentId: string } };

let bed: ClientBed;
before(async () => {
  bed = await openClientBed();
  const [account] = await bed.bank.currentAccounts("ben");
  payee.Identification = String(account?.identification);
});
after(() => bed.close());

test("a domestic payment is made, from its consent to its settlement", async () => {
  const client = await bed.connect();
  const payments = client.payments("domestic-payment");
  const consent = await payments.createConsent(tenPounds);
  assert.equal(consent.answer.Data.Status, "AWAU");
  const grant = await bed.approve(client, consent);
  const funds = await payments.confirmFunds(consent, grant);
  assert.equal(funds.Data.FundsAvailableResult?.FundsAvailable, true);
  const order = await payments.submit(consent, grant);
  assert.equal((await payments.waitUntilFinal(order)).Data.Status, "ACCC");
  assert.equal((await payments.readConsent(consent)).Data.Status, "COND");
});

describe("a payment that the payee's bank refuses after the payer is debited", () => {
  const cases = [
    { version: "v4.0", debited: "ACSC", rejected: "RJCT" },
    { version: "v3.1", debited: "AcceptedSettlementCompleted", rejected: "Rejected" },
  ] as const;
  for (const { version, debited, rejected } of cases) {
    test(`on ${version}, is waited for until it is ${rejected}, unless ${debited} is enough`, async () => {
      const client = await bed.connect({ versions: { payments: version } });
      const payments = client.payments("domestic-payment");
      const refused = structuredClone(tenPounds);
      refused.Data.Initiation.InstructedAmount.Amount = "99.21";
      const consent = (await payments.createConsent(refused as never)) as AnyConsent;
      const grant = await bed.approve(client, consent);
      const order = payments.orderId((await payments.submit(consent, grant)) as never);
      const waited = payments.waitUntilFinal(order) as Promise<AnyOrder>;
      const enough = [debited] as never;
      const early = (await payments.waitUntilFinal(order, { enough })) as AnyOrder;
      assert.equal(early.Data.Status, debited);
      await bed.bank.control("PUT", "/clock", { advance: "PT11S" });
      assert.equal((await waited).Data.Status, rejected);
    });
  }
});

test("the library waits for the statuses that the bank's documentation calls final", () => {
  const said = Object.entries(statusValues["Order.Status"] ?? {})
    .filter(([, text]) => /\bfinal\b/.test(text))
    .map(([status]) => status);
  assert.deepEqual(Object.values(finalStatuses).flat().sort(), said.sort());
});

for (const kind of paymentKinds) {
  for (const { format } of servedKinds(kind)) {
    const version = versionName(format.version) as "v3.1" | "v4.0";
    describe(`${kind.id} on ${version}`, () => {
      let client: Bank<{ payments: "v3.1" | "v4.0" }>;
      before(async () => {
        client = await bed.connect({ versions: { payments: version } });
      });

      test("a consent is approved and its order submitted, read and explained", async () => {
        const payments = client.payments(kind.id as PaymentKind);
        const creditor = demoOf(kind).creditor ?? payee;
        const demo = examplesIn(kind, format.version.id).demo(creditor, bed.bank.clock.now());
        const consent = (await payments.createConsent(demo.consent as never)) as AnyConsent;
        if (demo.file !== undefined) {
          await payments.uploadFile(consent, demo.file, "application/json");
          assert.equal(Buffer.from(await payments.downloadFile(consent)).toString(), demo.file);
        }
        // the accounts of one signatory
        const login = await client.authorise(consent);
        const [account] = await bed.bank.currentAccounts("amara");
        const { redirectUrl: returned } = await bed.sandbox.approve(login, {
          customer: "amara",
          accounts: [String(account?.accountId)],
        });
        const grant = await client.finish(login, returned);
        if (demo.funds !== undefined) {
          const confirmed = await payments.confirmFunds(consent, grant, demo.funds.Data as never);
          assert.match(JSON.stringify(confirmed), /Available/);
        }
        // an order's body repeats the consent; the example has what comes on top
        const {
          ConsentId: _,
          Initiation: __,
          ...data
        } = demo.order.Data as Record<string, unknown>;
        const order = (await payments.submit(consent, grant, data as never)) as AnyOrder;
        assert.equal(order.Data.ConsentId, consent.id);
        const orderId = payments.orderId(order as never);
        const read = (await payments.read(orderId)) as AnyOrder;
        assert.equal(read.Data.ConsentId, consent.id);
        const details = (await payments.readDetails(orderId)) as object;
        assert.match(JSON.stringify(details), /PaymentStatus/);
      });
    });
  }
}

test("an order for another consent's grant is not sent", async () => {
  const client = await bed.connect();
  const payments = client.payments("domestic-payment");
  const [one, other] = [
    await payments.createConsent(tenPounds),
    await payments.createConsent(tenPounds),
  ];
  const grant = await bed.approve(client, one);
  assert.throws(() => payments.submit(other, grant), /The grant is for the consent/);
});

test("a grant and a consent that were stored as JSON still pay", async () => {
  const connection = await bed.sandbox.createTpp();
  const client = await bed.connect(connection);
  const consent = await client.payments("domestic-payment").createConsent(tenPounds);
  const grant = await bed.approve(client, consent);
  const stored = JSON.stringify({ consent, grant });
  const later = await bed.connect(connection);
  const restored = JSON.parse(stored) as { consent: typeof consent; grant: typeof grant };
  const order = await later.payments("domestic-payment").submit(restored.consent, restored.grant);
  assert.equal(order.Data.ConsentId, consent.id);
});

test("a consent to recurring payments pays again after a refresh, until it is deleted", async () => {
  const refreshed: string[] = [];
  const client = await bed.connect({
    onRefresh: ({ accessToken }) => void refreshed.push(accessToken),
  });
  const vrp = client.payments("domestic-vrp");
  const { CreditorAccount } = tenPounds.Data.Initiation;
  const consent = await vrp.createConsent({
    Data: {
      ControlParameters: {
        VRPType: ["UK.OBIE.VRPType.Sweeping"],
        PSUAuthenticationMethods: ["UK.OBIE.SCANotRequired"],
        MaximumIndividualAmount: { Amount: "50.00", Currency: "GBP" },
        PeriodicLimits: [
          { PeriodType: "Month", PeriodAlignment: "Consent", Amount: "200.00", Currency: "GBP" },
        ],
      },
      Initiation: { CreditorAccount },
    },
    Risk: {},
  });
  const grant = await bed.approve(client, consent);
  const pay = (id: string) =>
    vrp.submit(consent, grant, {
      PSUAuthenticationMethod: "UK.OBIE.SCANotRequired",
      VRPType: "UK.OBIE.VRPType.Sweeping",
      Instruction: {
        InstructionIdentification: id,
        EndToEndIdentification: id,
        InstructedAmount: { Amount: "20.00", Currency: "GBP" },
        CreditorAccount,
      },
    });
  await pay("first");
  const before = grant.accessToken;
  await bed.sandbox.advance("PT1H"); // the access token expires, which the library learns by a 401
  // several calls at once renew the token once
  await Promise.all([pay("second"), pay("third"), pay("fourth")]);
  assert.notEqual(grant.accessToken, before);
  assert.deepEqual(refreshed, [grant.accessToken]);
  await vrp.deleteConsent(consent);
  await assert.rejects(pay("fifth"), { name: "AuthorisationError", error: "invalid_grant" });
});
