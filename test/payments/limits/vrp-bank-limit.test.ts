import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "#src/storage/sql.ts";
import type { Json } from "#test/payments/answer-check.ts";
import { agree, inEachVersion } from "./vrp-bed.ts";

// A payment that its consent allows, but that is above the bank's own limit of £3.00 here.

inEachVersion((bed) => {
  const tooMuch = "A single payment may be at most 3.00 GBP.";
  const agreed = async () =>
    agree(await bed.bank.configured({ PAYMENT_LIMIT: 300 }), undefined, bed);
  const reasonOf = ({ StatusReason, StatusReasonDescription }: Json) =>
    bed.hasReasons
      ? [StatusReason[0].StatusReasonCode, StatusReason[0].StatusReasonDescription]
      : [StatusReason, StatusReasonDescription];

  test("V-126: a payment above the bank's own limit is 201 RJCT with AM14, moves no money and can be read", async () => {
    const agreement = await agreed();
    const answer = await agreement.pay("3.01", { key: "above" });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    const code = bed.hasReasons ? "AM14" : "UK.OBIE.OtherReason";
    const { Data } = answer.body;
    assert.equal(Data.Status, bed.orderWords.RJCT);
    assert.deepEqual(reasonOf(Data), [code, tooMuch]);
    const path = `${bed.orders}/${Data.DomesticVRPId}`;
    const read = (await bed.bank.get(path)).body.Data;
    assert.deepEqual([read.Status, reasonOf(read)], [Data.Status, reasonOf(Data)]);
    const [entry] = (await bed.bank.get(`${path}/payment-details`)).body.Data.PaymentStatus;
    assert.deepEqual(entry.StatusDetail, {
      Status: bed.orderWords.RJCT,
      StatusReason: bed.hasReasons ? "AM14" : "ProprietaryRejection",
      StatusReasonDescription: tooMuch,
    });
    const waiting = await bed.bank.database.query(sql`
      select 1 from payment where order_id = ${Data.DomesticVRPId} and due_at is not null`);
    assert.deepEqual(waiting, []);
    const again = await agreement.pay("3.01", { key: "above" });
    assert.deepEqual([again.status, again.body.Data.DomesticVRPId], [201, Data.DomesticVRPId]);
  });

  test("V-124, V-126: payments above the bank's own limit do not count, whether they are sent one by one or at the same time", async () => {
    const agreement = await agreed();
    const rejected = await Promise.all(Array.from({ length: 8 }, () => agreement.pay("5.00")));
    assert.deepEqual(
      rejected.map(({ status, body }) => [status, body.Data?.Status]),
      rejected.map(() => [201, bed.orderWords.RJCT]),
    );
    // in any order, the payment above the bank's limit is within what is left of the month
    const answers = await Promise.all([
      agreement.pay("3.00"),
      agreement.pay("4.00"),
      agreement.pay("2.00"),
      agreement.pay("3.00"),
    ]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 201, 201, 201],
    );
    assert.equal((await agreement.pay("3.00")).status, 201);
    assert.equal((await agreement.pay("1.00")).status, 201);
    const used = [400, ["U014", "Data.ControlParameters.PeriodicLimits[0]"]];
    assert.deepEqual(bed.refused(await agreement.pay("0.01")), used);
    // the limits of the consent come first
    assert.deepEqual(bed.refused(await agreement.pay("4.00")), used);
    assert.deepEqual(bed.refused(await agreement.pay("5.01")), [
      400,
      ["U014", "Data.ControlParameters.MaximumIndividualAmount"],
    ]);
  });
});
