import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { formatIn } from "#src/payments/definitions/payment-kind.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { kindNamed, type PaymentKindId } from "#src/standard/kind-id.ts";
import { everyStatus } from "#src/standard/shared/payments/statuses.ts";
import { sql } from "#src/storage/sql.ts";
import {
  type Authorised,
  domesticConsent,
  firstFault,
  openPayments,
  type PaymentsFixture,
  scheduledConsent,
} from "./fixture.ts";

const path = "/domestic-payments";
const scheduledPath = "/domestic-scheduled-payments";
let bank: PaymentsFixture;
before(async () => {
  bank = await openPayments();
});
beforeEach(() => bank.clock.set("2027-03-02T10:00:00Z"));
after(() => bank.close());

test("P-174, P-177, D-401-23: reading an order and its details changes nothing", async () => {
  const { token, order } = await bank.authorised();
  const created = (await bank.post(path, { token, body: order })).body;
  bank.clock.set("2027-03-02T11:00:00Z");
  const details = await bank.get(`${created.Links.Self}/payment-details`);
  assert.deepEqual((await bank.get(created.Links.Self)).body, created);
  assert.deepEqual((await bank.get(created.Links.Self)).body, created);
  assert.deepEqual((await bank.get(`${created.Links.Self}/payment-details`)).body, details.body);
});

test("P-178, P-179, P-182, P-183, D-401-27: payment-details has an entry for the payment from the start", async () => {
  const body = domesticConsent(({ Data }) => {
    Data.Initiation.LocalInstrument = "UK.OBIE.FPS";
  });
  const { token, order } = await bank.authorised({ body });
  const created = (await bank.post(path, { token, body: order })).body;
  const self = `${created.Links.Self}/payment-details`;
  const { body: details } = await bank.get(self);
  const [item, ...more] = details.Data.PaymentStatus;
  assert.deepEqual(more, []);
  assert.match(item.PaymentTransactionId, /^pay-/);
  assert.deepEqual(item, {
    PaymentTransactionId: item.PaymentTransactionId,
    Status: "RCVD",
    StatusUpdateDateTime: "2027-03-02T10:00:00Z",
    StatusDetail: { LocalInstrument: "UK.OBIE.FPS", Status: "RCVD" },
  });
  assert.deepEqual(details.Links, { Self: self });
  await bank.database.query(sql`
    update payment set status = 'RJCT', status_reason_code = 'AM04',
      status_reason_text = 'InsufficientFunds' where payment_id = ${item.PaymentTransactionId}`);
  const [rejected] = (await bank.get(self)).body.Data.PaymentStatus;
  assert.equal(rejected.PaymentTransactionId, item.PaymentTransactionId);
  assert.deepEqual(rejected.StatusDetail, {
    LocalInstrument: "UK.OBIE.FPS",
    Status: "RJCT",
    StatusReason: "AM04",
    StatusReasonDescription: "InsufficientFunds",
  });
});

test("a core's reason that is too long for the schema is cut", async () => {
  const { token, order } = await bank.authorised();
  const created = (await bank.post(path, { token, body: order })).body;
  const orderId = created.Data.DomesticPaymentId;
  const reason = "The account is in arrears. ".repeat(25);
  await bank.database.query(sql`
    update payment set status = 'RJCT', status_reason_code = 'AM04',
      status_reason_text = ${reason} where order_id = ${orderId}`);
  await bank.database.query(sql`
    update payment_order set status = 'RJCT',
      status_reason = ${JSON.stringify([{ code: "AM04", text: reason }])}::json
    where order_id = ${orderId}`);
  const [shown] = (await bank.get(created.Links.Self)).body.Data.StatusReason;
  assert.equal(shown.StatusReasonDescription, reason.slice(0, 500));
  const details = await bank.get(`${created.Links.Self}/payment-details`);
  const [{ StatusDetail }] = details.body.Data.PaymentStatus;
  assert.equal(StatusDetail.StatusReasonDescription, reason.slice(0, 256));
});

test("P-175, P-176, P-180: an unknown order is U011, and another TPP's is 403", async () => {
  const { token, order } = await bank.authorised();
  const created = (await bank.post(path, { token, body: order })).body;
  for (const below of ["", "/payment-details"]) {
    const unknown = await bank.get(`${path}/nothing${below}`);
    assert.deepEqual(firstFault(unknown), ["U011", "DomesticPaymentId"]);
    const otherKind = await bank.get(`${scheduledPath}/${created.Data.DomesticPaymentId}${below}`);
    assert.deepEqual(firstFault(otherKind), ["U011", "DomesticScheduledPaymentId"]);
    const foreign = await bank.get(`${created.Links.Self}${below}`, bank.otherTpp.token);
    assert.equal(foreign.status, 403);
  }
});

const everyKind: { kind: PaymentKindId; from: Authorised; to: string }[] = [
  { kind: "domestic-payment", from: {}, to: path },
  {
    kind: "domestic-scheduled-payment",
    from: { path: "/domestic-scheduled-payment-consents", body: scheduledConsent() },
    to: scheduledPath,
  },
];

for (const { kind, from, to } of everyKind) {
  test(`D-401-21, D-401-26: an order shows only the statuses that its kind allows (${kind})`, async () => {
    const { token, order } = await bank.authorised(from);
    const { Links } = (await bank.post(to, { token, body: order })).body;
    const orderId = Links.Self.split("/").at(-1);
    const { statuses } = formatIn(kindNamed(kind, paymentKinds), "pisp-v4.0");
    for (const status of everyStatus) {
      await bank.database.query(sql`
        update payment_order set status = ${status} where order_id = ${orderId}`);
      await bank.database.query(sql`
        update payment set status = ${status} where order_id = ${orderId}`);
      const shown = (await bank.get(Links.Self)).body.Data.Status;
      assert(statuses.order.includes(shown), `${status} is shown as ${shown}`);
      if (statuses.order.includes(status)) assert.equal(shown, status);
      const [item] = (await bank.get(`${Links.Self}/payment-details`)).body.Data.PaymentStatus;
      assert(statuses.details.includes(item.Status), `${status} is detailed as ${item.Status}`);
      assert.equal(item.StatusDetail.Status, item.Status);
    }
  });
}
