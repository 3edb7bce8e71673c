import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import type { PaymentKind } from "#src/payments/definitions/payment-kind.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { PaymentKindId } from "#src/standard/kind-id.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { until } from "#test/until.ts";
import { kindSample } from "./kind-sample.ts";
import { nextMonday } from "./next-monday.ts";
import type { Resource } from "./payments.ts";

// The members of a consent and an order of each kind, if the request has every optional member.
// Orders are from an account with one signatory and from one with two. Source: PISP OpenAPI file,
// /domestic-payments, /file-payments.

type Data = Record<string, unknown>;
type Row = {
  /** The optional members in the consent's request. */
  asks: Data;
  risk: boolean;
  /** The members that not every kind has. */
  consentHas: string[];
  orderHas: string[];
  /** The order's status once it is stored, once all have signed, and once it is processed. */
  ends: string;
};

const expected = ["ExpectedExecutionDateTime", "ExpectedSettlementDateTime"];
const refundable = { ReadRefundAccount: "Yes" };
const later = { ...refundable, Permission: "Create" };

// variable recurring payments are in vrp.test.ts: their consents pay more than once
const matrix: Record<Exclude<PaymentKindId, "domestic-vrp">, Row> = {
  "domestic-payment": {
    asks: refundable,
    risk: true,
    consentHas: [...expected, "CutOffDateTime"],
    orderHas: [...expected, "Refund"],
    ends: "ACCC",
  },
  "domestic-scheduled-payment": {
    asks: later,
    risk: true,
    consentHas: expected,
    orderHas: [...expected, "Refund"],
    ends: "ACCC",
  },
  "domestic-standing-order": {
    asks: later,
    risk: true,
    consentHas: [],
    orderHas: ["Refund"],
    ends: "INCO",
  },
  "international-payment": {
    asks: refundable,
    risk: true,
    consentHas: [...expected, "CutOffDateTime", "ExchangeRateInformation"],
    orderHas: [...expected, "Refund", "ExchangeRateInformation"],
    ends: "ACCC",
  },
  "international-scheduled-payment": {
    asks: later,
    risk: true,
    consentHas: [...expected, "ExchangeRateInformation"],
    orderHas: [...expected, "Refund", "ExchangeRateInformation"],
    ends: "ACCC",
  },
  "international-standing-order": {
    asks: later,
    risk: true,
    consentHas: [],
    orderHas: ["Refund"],
    ends: "INCO",
  },
  "file-payment": {
    asks: {},
    risk: false,
    consentHas: ["CutOffDateTime"],
    orderHas: [],
    ends: "INCO",
  },
};

const all = ["ConsentId", "CreationDateTime", "Status", "StatusUpdateDateTime", "Initiation"];
const support = { RequestedSCAExemptionType: "PartyToParty", AppliedAuthenticationApproach: "CA" };
const asked = {
  SCASupportData: support,
  Authorisation: { AuthorisationType: "Any" },
};

let bank: TestBank;
let client: TppClient;
let single: string;
let joint: string;
before(async () => {
  bank = await openBank({ CUT_OFF_TIME: "23:00" });
  client = await bank.createTpp();
  await bank.control("PUT", "/clock", { now: nextMonday(bank.clock.now()).toString() });
  single = present((await bank.currentAccounts("amara"))[0], "an account").accountId;
  const dev = (await bank.customers()).find(({ login }) => login === "dev");
  const account = dev?.accounts.find(({ signatoriesRequired }) => signatoriesRequired === 2);
  joint = present(account, "an account that two must sign for").accountId;
});
after(() => bank?.close());

type Lodged = { base: string; consentId: string; Initiation: unknown; Risk: unknown };

async function lodge(kind: PaymentKind, { asks }: Row): Promise<Lodged> {
  const { consent, file } = kindSample(bank, kind);
  const { Data, ...rest } = consent;
  const base = `/v4.0/pisp/${kind.id}`;
  const token = await client.clientToken("payments");
  const lodged = await client.call<Resource>({
    path: `${base}-consents`,
    token,
    body: { Data: { ...Data, ...asks, ...asked }, ...rest },
  });
  expectStatus(lodged, 201);
  const consentId = String(lodged.body.Data.ConsentId);
  if (file) {
    const path = `${base}-consents/${consentId}/file`;
    expectStatus(await client.call({ path, token, body: file }), 200);
  }
  return { base, consentId, Initiation: Data.Initiation, Risk: rest.Risk };
}

async function read(path: string): Promise<Resource> {
  const token = await client.clientToken("payments");
  const answer = await client.call<Resource>({ path, token });
  expectStatus(answer, 200);
  return answer.body;
}

const readConsent = ({ base, consentId }: Lodged) => read(`${base}-consents/${consentId}`);

/** Approves the consent and submits the order. Returns the order's path. */
async function order(
  kind: PaymentKind,
  lodged: Lodged,
  approval: { customer: string; account: string },
): Promise<string> {
  const { base, consentId, Initiation, Risk } = lodged;
  const { access_token: token } = await bank.approve(client, {
    scope: "payments",
    consentId,
    customer: approval.customer,
    accounts: [approval.account],
  });
  const made = await client.call<Resource>({
    path: `${base}s`,
    token,
    body: { Data: { ConsentId: consentId, Initiation }, ...(Risk ? { Risk } : {}) },
  });
  expectStatus(made, 201);
  return `${base}s/${made.body.Data[kind.orderIdField]}`;
}

const sorted = (...names: string[]): string[] => names.sort();
const saysWhy = ({ Data: { Status, StatusReason } }: Resource, kind: PaymentKind): void => {
  const [reason] = StatusReason as { StatusReasonDescription?: string }[];
  assert.ok(reason?.StatusReasonDescription, `${kind.id} in ${Status} has a reason`);
};

for (const kind of paymentKinds.filter(({ consent }) => consent.use === "once")) {
  describe(kind.id, () => {
    const row = present((matrix as Record<string, Row>)[kind.id], kind.id);

    test("a consent has the request's fields and the bank's additions, and no others", async () => {
      const lodged = await lodge(kind, row);
      const consent = await readConsent(lodged);
      assert.deepEqual(
        sorted(...Object.keys(consent.Data)),
        sorted(
          ...all,
          "StatusReason",
          "Charges",
          ...Object.keys(row.asks),
          ...Object.keys(asked),
          ...row.consentHas,
        ),
      );
      assert.deepEqual(consent.Data.SCASupportData, support);
      assert.deepEqual(consent.Data.Initiation, lodged.Initiation);
      assert.equal("Risk" in consent, row.risk);
      saysWhy(consent, kind);
    });

    test("P-167, P-168: an order has its debtor and the requested fields, and no Risk", async () => {
      const lodged = await lodge(kind, row);
      const path = await order(kind, lodged, { customer: "amara", account: single });
      const consumed = await readConsent(lodged);
      assert.equal(consumed.Data.Status, "COND");
      saysWhy(consumed, kind);
      const made = await read(path);
      assert.deepEqual(
        sorted(...Object.keys(made.Data)),
        sorted(...all, kind.orderIdField, "StatusReason", "Charges", "Debtor", ...row.orderHas),
      );
      assert.deepEqual(made.Data.Initiation, lodged.Initiation);
      assert.ok(!("Risk" in made));
      saysWhy(made, kind);
    });

    test("P-169: an order that needs two signatures waits for both, then proceeds, and gives a status reason each time", async () => {
      const path = await order(kind, await lodge(kind, row), { customer: "dev", account: joint });
      const waiting = await read(path);
      const { Status, NumberRequired } = waiting.Data.MultiAuthorisation as Data;
      assert.deepEqual([Status, NumberRequired], ["AWAF", 2]);
      saysWhy(waiting, kind);
      const orderId = String(waiting.Data[kind.orderIdField]);
      await bank.control("POST", `/multi-authorisations/${orderId}`, { decision: "approve" });
      const signed = await read(path);
      assert.equal((signed.Data.MultiAuthorisation as Data).Status, "AUTH");
      saysWhy(signed, kind);
      if (row.ends === "ACCC" && kind.timing.when === "onDate") await bank.advance("P35D");
      const ended = await until(
        () => read(path),
        ({ Data }) => [row.ends, "ACSC", "RJCT"].includes(String(Data.Status)),
      );
      assert.notEqual(ended.Data.Status, "RJCT", JSON.stringify(ended.Data.StatusReason));
      saysWhy(ended, kind);
    });
  });
}
