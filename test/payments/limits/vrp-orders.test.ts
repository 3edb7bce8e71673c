import assert from "node:assert/strict";
import { test } from "node:test";
import { moveConsent, type StatusReason } from "#src/consents/consent.ts";
import { usedWithinLimits } from "#src/consents/states.ts";
import { byCustomer, byBank as theBank } from "#src/history/change.ts";
import type { PaymentStatus } from "#src/payments/order/order-states.ts";
import { sql } from "#src/storage/sql.ts";
import { shownReason } from "#test/consents/shown-reason.ts";
import type { Json } from "#test/payments/answer-check.ts";
import { domesticConsent, numbers } from "#test/payments/fixture.ts";
import { settleOrder } from "./drafts.ts";
import { type Agreement, inEachVersion, limit, payee, vrpOrder } from "./vrp-bed.ts";

inEachVersion((bed) => {
  const { consents, orders } = bed;
  const at = (member: string) => `Data.ControlParameters.${member}`;
  const limited =
    (...limits: object[]) =>
    (body: Json) => {
      body.Data.ControlParameters.PeriodicLimits = limits;
    };
  const monthly = [400, ["U014", at("PeriodicLimits[0]")]];

  async function paid(agreement: Agreement, amount?: string): Promise<Json> {
    const answer = await agreement.pay(amount);
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body.Data;
  }

  test("V-090, V-110, V-122, V-127, V-129: payments within limits are 201 without authentication, and the consent stays AUTH", async () => {
    const agreement = await bed.agree((body) => {
      body.Data.ControlParameters.PSUInteractionTypes = ["InSession"];
      body.Risk = { PaymentContextCode: "TransferToSelf" };
    });
    const first = await agreement.pay("3.00");
    assert.equal(first.status, 201, JSON.stringify(first.body));
    const { Data, Risk, Links } = first.body;
    const sent = vrpOrder(agreement.consentId, agreement.body, "3.00");
    assert.equal(Data.Status, bed.orderWords.RCVD);
    assert.deepEqual(
      [Data.Initiation, Data.Instruction, Risk],
      [sent.Data.Initiation, sent.Data.Instruction, sent.Risk],
    );
    assert.deepEqual(Data.DebtorAccount, {
      SchemeName: payee.SchemeName,
      Identification: numbers.current,
      Name: "Ann Example",
    });
    assert.ok(Links.Self.endsWith(`${orders}/${Data.DomesticVRPId}`));
    assert.ok(!("Refund" in Data));
    // the same identifications again
    const second = await paid(agreement, "3.00");
    assert.notEqual(second.DomesticVRPId, Data.DomesticVRPId);
    const { body } = await bed.bank.get(`${consents}/${agreement.consentId}`);
    assert.equal(body.Data.Status, bed.consentWords.AUTH);
    assert.deepEqual(body.Data.StatusReason, bed.hasReasons ? [] : undefined);
  });

  test("V-091, V-092, V-093: the consent must exist, be of this kind, and belong to the token", async () => {
    const agreement = await bed.agree();
    const other = await bed.agree();
    const count = async () =>
      (
        await bed.bank.database.query(
          sql`select 1 from payment_order where consent_id = ${agreement.consentId}`,
        )
      ).length;
    assert.equal((await agreement.pay("1.00", { token: bed.bank.tpp.token })).status, 403);
    assert.equal((await agreement.pay("1.00", { token: other.token })).status, 403);
    assert.equal(await count(), 0);
    const of = (consentId: string) => (order: Json) => {
      order.Data.ConsentId = consentId;
    };
    const unknown = await agreement.pay("1.00", { change: of("vrpc-none") });
    assert.deepEqual(bed.refused(unknown), [400, ["U011", "Data.ConsentId"]]);
    const domestic = await bed.bank.post("/domestic-payment-consents", { body: domesticConsent() });
    const wrong = await agreement.pay("1.00", { change: of(domestic.body.Data.ConsentId) });
    assert.deepEqual(bed.refused(wrong), [400, ["U011", "Data.ConsentId"]]);
  });

  const cancelled: StatusReason = {
    code: "CUST",
    text: "Cancelled.",
  };
  const cancel = ({ consentId }: Agreement, why = byCustomer(bed.bank.clock.now())) =>
    moveConsent(bed.bank.database, { consentId }, usedWithinLimits, "revoke", [cancelled], why);

  test("V-080, V-095, V-141, V-196: the tokens of a cancelled consent are 401 TKSP, and the consent and its payments can still be read", async () => {
    for (const why of [byCustomer(bed.bank.clock.now()), theBank(bed.bank.clock.now())]) {
      const agreement = await bed.agree();
      const { DomesticVRPId } = await paid(agreement);
      assert.ok(await cancel(agreement, why));
      assert.deepEqual(bed.refused(await agreement.pay()), bed.unauthorised("TKSP"));
      const { Data } = (await bed.bank.get(`${consents}/${agreement.consentId}`)).body;
      assert.equal(Data.Status, bed.consentWords.CANC);
      assert.deepEqual(Data.StatusReason, bed.hasReasons ? [shownReason(cancelled)] : undefined);
      assert.equal((await bed.bank.get(`${orders}/${DomesticVRPId}`)).status, 200);
    }
  });

  test("V-058: a cancelled consent that is authorised again pays from the same account", async () => {
    const agreement = await bed.agree();
    await cancel(agreement);
    const token = await bed.bank.authorise(agreement.consentId);
    const answer = await agreement.pay("1.00", { token });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    const { body } = await bed.bank.get(`${consents}/${agreement.consentId}`);
    assert.equal(body.Data.Status, bed.consentWords.AUTH);
  });

  test("V-027, V-056, V-057, V-096, V-097, V-098: a consent can be used from its first day to the end of its last day in London, however long it was unused", async () => {
    // in summer, a day in London begins and ends an hour earlier in UTC
    bed.bank.clock.set("2027-07-01T09:00:00Z");
    const agreement = await bed.agree((body) => {
      body.Data.ControlParameters.ValidFromDateTime = "2027-07-05T15:00:00+02:00";
      body.Data.ControlParameters.ValidToDateTime = "2028-09-05T15:00:00+02:00";
    });
    const early = [400, ["U014", at("ValidFromDateTime")]];
    bed.bank.clock.set("2027-07-04T22:59:59Z");
    assert.deepEqual(bed.refused(await agreement.pay("1.00")), early);
    bed.bank.clock.set("2027-07-04T23:00:00Z");
    await paid(agreement, "1.00");
    bed.bank.clock.set("2028-09-05T22:59:59Z");
    await paid(agreement, "1.00");
    bed.bank.clock.set("2028-09-05T23:00:00Z");
    assert.deepEqual(bed.refused(await agreement.pay("1.00")), bed.unauthorised("TKXP"));
    const { Data } = (await bed.bank.get(`${consents}/${agreement.consentId}`)).body;
    assert.equal(Data.Status, bed.consentWords.EXPD);
    assert.equal(Data.StatusReason?.[0].StatusReasonCode, bed.hasReasons ? "TKXP" : undefined);
  });

  test("V-114, V-115, V-117, V-118: a payment may equal the maximum or the amount left in a limit, and a refused payment does not count", async () => {
    const agreement = await bed.agree();
    await paid(agreement, "5.00");
    await paid(agreement, "4.00");
    const key = "too-much-then-right";
    assert.deepEqual(bed.refused(await agreement.pay("3.01", { key })), monthly);
    const right = await agreement.pay("3.00", { key });
    assert.equal(right.status, 201, JSON.stringify(right.body));
    assert.deepEqual(bed.refused(await agreement.pay("0.01")), monthly);
    const { Status } = (await bed.bank.get(`${consents}/${agreement.consentId}`)).body.Data;
    assert.equal(Status, bed.consentWords.AUTH);
    bed.bank.clock.set("2027-03-31T23:00:00Z"); // April in London
    await paid(agreement, "5.00");
  });

  test("V-018, V-116: six limits apply together, and every exceeded limit has an error entry", async () => {
    const amounts = {
      Day: "1.00",
      Week: "2.00",
      Fortnight: "3.00",
      Month: "4.00",
      "Half-year": "4.50",
      Year: "4.75",
    };
    const agreement = await bed.agree(
      limited(
        ...Object.entries(amounts).map(([type, amount]) =>
          limit(type, type === "Week" ? "Calendar" : "Consent", amount),
        ),
      ),
    );
    const exceeded = async (amount: string) =>
      bed
        .faultsOf(await agreement.pay(amount))
        .map(([, path]) => Number(/\[(\d)\]/.exec(path ?? "")?.[1]));
    assert.deepEqual(await exceeded("4.76"), [0, 1, 2, 3, 4, 5]);
    await paid(agreement, "1.00"); // Monday 1 March
    assert.deepEqual(await exceeded("0.01"), [0]);
    bed.bank.clock.set("2027-03-02T10:00:00Z");
    await paid(agreement, "1.00");
    assert.deepEqual(await exceeded("0.01"), [0, 1]);
    bed.bank.clock.set("2027-03-08T10:00:00Z");
    await paid(agreement, "1.00");
    assert.deepEqual(await exceeded("1.01"), [0, 1, 2, 3]);
    bed.bank.clock.set("2027-03-15T10:00:00Z");
    await paid(agreement, "1.00");
    assert.deepEqual(await exceeded("0.01"), [0, 3]);
    bed.bank.clock.set("2027-04-01T10:00:00Z");
    assert.deepEqual(await exceeded("0.51"), [4]);
    await paid(agreement, "0.50");
    bed.bank.clock.set("2027-09-01T10:00:00Z");
    assert.deepEqual(await exceeded("0.26"), [5]);
    await paid(agreement, "0.25");
  });

  test("V-115: a payment must fit both a weekly and a monthly limit, in the standard's example", async () => {
    bed.bank.clock.set("2026-07-16T10:00:00Z");
    const agreement = await bed.agree((body) => {
      body.Data.ControlParameters.MaximumIndividualAmount.Amount = "80.00";
      limited(limit("Week", "Consent", "100.00"), limit("Month", "Calendar", "300.00"))(body);
    });
    await paid(agreement, "80.00");
    bed.bank.clock.set("2026-07-18T10:00:00Z");
    assert.deepEqual(bed.refused(await agreement.pay("20.01")), [
      400,
      ["U014", at("PeriodicLimits[0]")],
    ]);
    await paid(agreement, "20.00");
    bed.bank.clock.set("2026-07-23T10:00:00Z");
    const last = await paid(agreement, "54.84");
    bed.bank.clock.set("2026-07-24T10:00:00Z");
    assert.deepEqual(bed.refused(await agreement.pay("0.01")), [
      400,
      ["U014", at("PeriodicLimits[1]")],
    ]);
    await settle(last.DomesticVRPId, "RJCT");
    await paid(agreement, "54.84");
    bed.bank.clock.set("2026-08-01T10:00:00Z");
    await paid(agreement, "80.00");
  });

  const settle = (orderId: string, status: PaymentStatus) =>
    settleOrder(bed.bank.database, orderId, status);

  test("V-123, V-124, V-125: a payment that becomes RJCT or BLCK frees its amount only in its own period and consent, and a settled payment does not free its amount", async () => {
    for (const status of ["RJCT", "BLCK", "ACCC"] as const) {
      bed.bank.clock.set("2027-03-01T10:00:00Z");
      const agreement = await bed.agree(limited(limit("Month", "Calendar", "5.00")));
      const other = await bed.agree(limited(limit("Month", "Calendar", "5.00")));
      const { DomesticVRPId } = await paid(agreement, "5.00");
      bed.bank.clock.set("2027-04-01T10:00:00Z");
      await paid(agreement, "5.00");
      await settle(DomesticVRPId, status);
      // the amount is freed in March
      assert.deepEqual(bed.refused(await agreement.pay("0.01")), monthly);
      bed.bank.clock.set("2027-03-20T10:00:00Z");
      assert.equal((await agreement.pay("5.00")).status, status === "ACCC" ? 400 : 201, status);
      await paid(other, "5.00");
    }
  });

  test("an order that is sent twice at once is answered twice, even if its limit has no room for another", async () => {
    const agreement = await bed.agree(limited(limit("Month", "Calendar", "9.00")));
    const pay = () => agreement.pay("5.00", { key: "at once" });
    const [first, other] = await Promise.all([pay(), pay()]);
    assert.equal(first.status, 201, JSON.stringify(first.body));
    assert.equal(other.status, 201, JSON.stringify(other.body));
    assert.equal(other.body.Data.DomesticVRPId, first.body.Data.DomesticVRPId);
    assert.deepEqual(bed.refused(await agreement.pay("5.00")), monthly);
  });

  test("V-121: a repeated request gets its payment with its current status and counts once, even when the limit is used up", async () => {
    const agreement = await bed.agree(limited(limit("Month", "Calendar", "5.00")));
    const first = await agreement.pay("5.00", { key: "once" });
    await settle(first.body.Data.DomesticVRPId, "ACSC");
    const again = await agreement.pay("5.00", { key: "once" });
    assert.deepEqual(
      [again.status, again.body.Data.DomesticVRPId, again.body.Data.Status],
      [201, first.body.Data.DomesticVRPId, bed.orderWords.ACSC],
    );
    assert.deepEqual(bed.refused(await agreement.pay("4.00", { key: "once" })), [
      bed.keyConflict,
      ["U029", "x-idempotency-key"],
    ]);
    assert.deepEqual(bed.refused(await agreement.pay("0.01")), monthly);
  });

  test("P-053: an expired key makes one new payment, even for concurrent requests with the same body", async () => {
    const agreement = await bed.agree();
    const pay = async (): Promise<string> => {
      const { status, body } = await agreement.pay("1.00", { key: "daily" });
      assert.equal(status, 201, JSON.stringify(body));
      return body.Data.DomesticVRPId;
    };
    const seen = [await pay()];
    for (const day of ["02", "03", "04"]) {
      bed.bank.clock.set(`2027-03-${day}T11:00:00Z`);
      const ids = new Set(await Promise.all(Array.from({ length: 8 }, pay)));
      assert.equal(ids.size, 1, [...ids].join());
      seen.push(...ids);
    }
    assert.equal(new Set(seen).size, 4, seen.join());
    // one payment for each order, and each counts
    assert.deepEqual(bed.refused(await agreement.pay("5.00")), [201]);
    assert.deepEqual(bed.refused(await agreement.pay("3.01")), monthly);
  });

  test("V-130, D-401-76: the refund account is shown if the consent asked for it", async () => {
    const agreement = await bed.agree((body) => {
      body.Data.ReadRefundAccount = "Yes";
    });
    const made = await paid(agreement);
    const { Data } = (await bed.bank.get(`${orders}/${made.DomesticVRPId}`)).body;
    const Account = {
      SchemeName: payee.SchemeName,
      Identification: numbers.current,
      Name: "Ann Example",
    };
    assert.deepEqual([made.Refund, Data.Refund], [bed.refund(Account), bed.refund(Account)]);
  });

  test("V-140, V-142, V-143, V-144, D-401-77: a VRP payment and its details show only the statuses of the version", async () => {
    const agreement = await bed.agree();
    const { DomesticVRPId } = await paid(agreement);
    const path = `${orders}/${DomesticVRPId}`;
    for (const [status, word] of Object.entries(bed.orderWords) as [PaymentStatus, string][]) {
      await settle(DomesticVRPId, status);
      assert.equal((await bed.bank.get(path)).body.Data.Status, word);
      const [entry] = (await bed.bank.get(`${path}/payment-details`)).body.Data.PaymentStatus;
      const shown = bed.detailWords[status];
      assert.deepEqual([entry.Status, entry.StatusDetail], [shown, { Status: shown }]);
    }
    for (const below of ["", "/payment-details"]) {
      for (const id of ["vrp-none", agreement.consentId]) {
        const unknown = await bed.bank.get(`${orders}/${id}${below}`);
        assert.deepEqual(bed.refused(unknown), [400, ["U011", "DomesticVRPId"]]);
      }
      const foreign = await bed.bank.get(`${path}${below}`, bed.bank.otherTpp.token);
      assert.equal(foreign.status, 403);
    }
  });

  test("V-076, V-078, V-145: the tokens of a deleted consent are 401, and its payment continues and cannot be recalled", async () => {
    const agreement = await bed.agree();
    const { DomesticVRPId } = await paid(agreement);
    assert.equal((await bed.bank.send("DELETE", `${consents}/${agreement.consentId}`)).status, 204);
    assert.equal((await agreement.pay()).status, 401);
    const path = `${orders}/${DomesticVRPId}`;
    assert.equal((await bed.bank.get(path)).body.Data.Status, bed.orderWords.RCVD);
    assert.equal((await bed.bank.send("DELETE", path)).status, 405);
  });

  test("V-120: concurrent payments together never exceed a limit", async () => {
    const agreement = await bed.agree();
    const answers = await Promise.all(Array.from({ length: 8 }, () => agreement.pay("5.00")));
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [201, 201, 400, 400, 400, 400, 400, 400]);
  });
});
