import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { loadConfig } from "#src/config/config.ts";
import { systemClock } from "#src/lib/clock.ts";
import { type CutOffConfig, cutOffMistakes } from "#src/payments/calendar/timing.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { openServer } from "#src/server/open-server.ts";
import { first } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { fileConsent, json40 } from "./files/fixture.ts";
import { sampleDomestic } from "./files/samples.ts";
import {
  domesticConsent,
  type Front,
  firstFault,
  openPayments,
  type PaymentsFixture,
  scheduledConsent,
} from "./fixture.ts";
import { euroConsent } from "./international/abroad.ts";
import { agree } from "./limits/vrp-bed.ts";

const consents = "/domestic-payment-consents";
const orders = "/domestic-payments";
let bank: PaymentsFixture;
let rejecting: Front;
let accepting: Front;
before(async () => {
  bank = await openPayments();
  rejecting = await bank.configured({ CUT_OFF_TIME: "16:00", CUT_OFF_STRATEGY: "reject" });
  accepting = await bank.configured({ CUT_OFF_TIME: "16:00", CUT_OFF_STRATEGY: "accept" });
});
after(() => bank.close());

const body = domesticConsent();

test("without a cut-off no consent shows one", async () => {
  bank.clock.set("2027-03-02T23:00:00Z");
  const { Data } = (await bank.post(consents, { body })).body;
  assert.equal(Data.CutOffDateTime, undefined);
  assert.equal(Data.ExpectedExecutionDateTime, "2027-03-02T23:00:00Z");
});

test("a consent shows its cut-off in London time", async () => {
  bank.clock.set("2027-07-02T10:00:00Z");
  const { Data } = (await rejecting.post(consents, { body })).body;
  assert.equal(Data.CutOffDateTime, "2027-07-02T15:00:00Z");
});

test("P-108: after the cut-off a consent is refused if the bank rejects late payments", async () => {
  bank.clock.set("2027-03-02T16:00:00Z");
  const answer = await rejecting.post(consents, { body });
  assert.equal(answer.status, 400);
  assert.equal(firstFault(answer)[0], "U012");
});

test("a scheduled consent is accepted after the cut-off", async () => {
  bank.clock.set("2027-03-02T16:00:00Z");
  const path = "/domestic-scheduled-payment-consents";
  assert.equal((await rejecting.post(path, { body: scheduledConsent() })).status, 201);
});

test("P-164: an order after the cut-off is refused, and its consent stays AUTH", async () => {
  bank.clock.set("2027-03-02T15:00:00Z");
  const { token, order, consentId } = await rejecting.authorised();
  bank.clock.set("2027-03-02T16:00:00Z");
  const answer = await rejecting.post(orders, { token, body: order });
  assert.equal(answer.status, 400);
  assert.equal(firstFault(answer)[0], "U012");
  const { Data } = (await rejecting.get(`${consents}/${consentId}`)).body;
  assert.equal(Data.Status, "AUTH");
});

test("a bank that accepts after the cut-off executes on the next working day", async () => {
  bank.clock.set("2027-03-25T16:30:00Z"); // Maundy Thursday; Tuesday is the next working day
  const { Data } = (await accepting.post(consents, { body })).body;
  assert.equal(Data.CutOffDateTime, "2027-03-30T15:00:00Z");
  assert.equal(Data.ExpectedExecutionDateTime, "2027-03-30T05:00:00Z");
  const { token, order } = await accepting.authorised();
  const created = (await accepting.post(orders, { token, body: order })).body;
  assert.equal(created.Data.ExpectedExecutionDateTime, "2027-03-30T05:00:00Z");
  const payment = await first<{ executeAt: Temporal.Instant }>(
    bank.database,
    sql`select execute_at as "executeAt" from payment
      where order_id = ${created.Data.DomesticPaymentId}`,
  );
  assert.equal(payment?.executeAt.toString(), "2027-03-30T05:00:00Z");
});

test("the expected dates of a waiting consent move when the cut-off passes", async () => {
  bank.clock.set("2027-03-02T15:00:00Z");
  const { consentId } = await accepting.authorised();
  const expected = async () =>
    (await accepting.get(`${consents}/${consentId}`)).body.Data.ExpectedExecutionDateTime;
  assert.equal(await expected(), "2027-03-02T15:00:00Z");
  bank.clock.set("2027-03-02T16:30:00Z");
  assert.equal(await expected(), "2027-03-03T06:00:00Z");
});

describe("each kind has its own cut-off", () => {
  const kinds = {
    "domestic-payment": body,
    "international-payment": euroConsent(),
    "file-payment": fileConsent({ fileType: json40, text: sampleDomestic([{}]) }),
  };
  let own: Front;
  before(async () => {
    own = await bank.configured({
      CUT_OFF_TIME: "16:00,international-payment=15:00, file-payment=none",
      CUT_OFF_STRATEGY: "accept,international-payment=reject",
    });
  });

  async function lodge(kind: keyof typeof kinds, at: string) {
    bank.clock.set(at);
    return own.post(`/${kind}-consents`, { body: kinds[kind] });
  }

  test("a consent shows the cut-off of its kind, or none", async () => {
    const shown: Record<string, string | undefined> = {};
    for (const kind of Object.keys(kinds) as (keyof typeof kinds)[]) {
      const answer = await lodge(kind, "2027-03-02T14:00:00Z");
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      shown[kind] = answer.body.Data.CutOffDateTime;
    }
    assert.deepEqual(shown, {
      "domestic-payment": "2027-03-02T16:00:00Z",
      "international-payment": "2027-03-02T15:00:00Z",
      "file-payment": undefined,
    });
  });

  test("P-108: after the cut-off, consents are refused for kinds that reject late payments, and accepted for others", async () => {
    const late = await lodge("international-payment", "2027-03-02T15:00:00Z");
    assert.deepEqual([late.status, firstFault(late)[0]], [400, "U012"]);
    for (const kind of ["domestic-payment", "file-payment"] as const) {
      assert.equal((await lodge(kind, "2027-03-02T16:30:00Z")).status, 201, kind);
    }
  });
});

test("a cut-off for all kinds delays and refuses no variable recurring payment", async () => {
  bank.clock.set("2027-03-02T16:30:00Z");
  for (const front of [accepting, rejecting]) {
    const agreement = await agree(front);
    const answer = await agreement.pay();
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    const payment = await first<{ executeAt: Temporal.Instant | null }>(
      bank.database,
      sql`select execute_at as "executeAt" from payment
        where order_id = ${answer.body.Data.DomesticVRPId}`,
    );
    assert.equal(payment?.executeAt?.toString() ?? null, null);
    const { Data } = (await front.get(`/domestic-vrp-consents/${agreement.consentId}`)).body;
    assert.equal(Data.CutOffDateTime, undefined);
  }
});

test("a cut-off for a kind that cannot have one stops the bank from starting", async () => {
  const none = { BANK_HOLIDAYS: undefined, CUT_OFF_STRATEGY: "accept", CUT_OFF_TIME: undefined };
  const mistakes = (given: Partial<CutOffConfig>) =>
    cutOffMistakes(paymentKinds, { ...none, ...given } as CutOffConfig);
  assert.deepEqual(mistakes({ CUT_OFF_TIME: "16:00, file-payment=none" }), []);
  const [unknown] = mistakes({ CUT_OFF_STRATEGY: "card-payment=reject" });
  assert.match(unknown ?? "", /^CUT_OFF_STRATEGY: card-payment .*domestic-payment, /);
  const config = loadConfig({ CUT_OFF_TIME: "domestic-standing-order=16:00" });
  await assert.rejects(
    openServer({ config, clock: systemClock, onProgress: () => undefined }),
    /CUT_OFF_TIME: domestic-standing-order has no cut-off/,
  );
});
