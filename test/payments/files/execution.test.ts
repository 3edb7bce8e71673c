import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { cancelOrder } from "#src/payments/execution/cancellation.ts";
import { decideMultiAuthorisation } from "#src/payments/execution/multi-authorisation.ts";
import { verifyInvariants } from "#src/server/health/verify-invariants.ts";
import { sql } from "#src/storage/sql.ts";
import type { Json } from "#test/payments/answer-check.ts";
import { addBob } from "#test/payments/bob.ts";
import {
  accounts,
  firstFault,
  openPayments,
  orderOf,
  type PaymentsFixture,
} from "#test/payments/fixture.ts";
import { onPostgres } from "#test/postgres.ts";
import { addPostings } from "#test/sandbox/stored-ledger.ts";
import { type FileBank, json40, openFiles, pain, type SampleFile } from "./fixture.ts";
import { sampleDomestic, sampleInitiation, sampleJson, sampleXml } from "./samples.ts";

let bank: PaymentsFixture;
let files: FileBank;
before(async () => {
  bank = await openPayments();
  files = openFiles(bank);
  await addBob(bank.database, "joint");
  await addPostings(bank.database, [
    { postingId: "opening-joint", from: "test-capital", to: accounts.joint, amountMinor: 5000n },
  ]);
});
after(() => bank?.close());

const domestic = (...amounts: string[]): SampleFile => ({
  fileType: json40,
  text: sampleDomestic(amounts.map((amount) => ({ amount }))),
});

async function read(orderId: string): Promise<Json> {
  return (await bank.get(`/file-payments/${orderId}`)).body.Data;
}

async function details(orderId: string): Promise<Json[]> {
  return (await bank.get(`/file-payments/${orderId}/payment-details`)).body.Data.PaymentStatus;
}

test("P-165, P-215, D-401-61: a file with some failed payments ends INFA and has a report", async () => {
  // the account's balance is £50.00
  const text = sampleXml({
    groups: [{ payments: [{ amount: "40.00" }, { amount: "40.00" }, { amount: "5.00" }] }],
  });
  const { orderId } = await files.ordered({ fileType: pain, text });
  const path = `/file-payments/${orderId}/report-file`;
  const interim = await bank.get(path);
  assert.match(interim.body, /<GrpSts>PDNG<\/GrpSts>/);
  assert.equal(interim.body.match(/<TxSts>RCVD</g)?.length, 3);
  await files.engine().drain();
  const order = await read(orderId);
  assert.equal(order.Status, "INFA");
  assert.deepEqual(order.StatusReason, [
    {
      StatusReasonCode: "AM04",
      StatusReasonDescription: "1 of the payments: InsufficientFunds",
    },
  ]);
  const found = (await details(orderId)).map((one) => [one.Status, one.StatusDetail.StatusReason]);
  assert.deepEqual(found, [
    ["ACCC", undefined],
    ["RJCT", "AM04"],
    ["ACCC", undefined],
  ]);
  const report = await bank.get(path);
  assert.equal(report.headers["content-type"], "text/xml; charset=utf-8");
  assert.match(report.body, /<GrpSts>PART<\/GrpSts>/);
  assert.match(report.body, /<OrgnlEndToEndId>E-2<\/OrgnlEndToEndId><TxSts>RJCT<\/TxSts>/);
  assert.match(report.body, /<Rsn><Cd>AM04<\/Cd><\/Rsn>/);
  assert.ok(report.headers["x-jws-signature"]);
  assert.deepEqual(await verifyInvariants(bank.database), []);
});

test("P-215: a JSON report uses the member names of the uploaded file", async () => {
  const later = sampleInitiation({ amount: "0.30" }, 3);
  const text = sampleJson({
    DomesticPayments: [
      sampleInitiation({ amount: "0.10" }, 1),
      sampleInitiation({ amount: "0.20" }, 2),
    ],
    DomesticScheduledPayments: [
      { ...later, RequestedExecutionDateTime: "2027-03-09T00:00:00+00:00" },
    ],
  });
  const { orderId } = await files.ordered({ fileType: json40, text });
  await files.engine().drain();
  const report = (await bank.get(`/file-payments/${orderId}/report-file`)).body;
  assert.deepEqual(
    report.Data.DomesticPayments.map((one: Json) => [one.EndToEndIdentification, one.Status]),
    [
      ["E-1", "ACCC"],
      ["E-2", "ACCC"],
    ],
  );
  const [scheduled] = report.Data.DomesticScheduledPayments;
  assert.equal(scheduled.Status, "PDNG");
  assert.equal(report.Data.Status, "PDNG");
  assert.equal((await read(orderId)).Status, "PDNG");
  const known = await bank.get(`/file-payments/${orderId}/report-file`, bank.otherTpp.token);
  assert.equal(known.status, 403);
  assert.deepEqual(firstFault(await bank.get("/file-payments/fp-none/report-file")), [
    "U011",
    "FilePaymentId",
  ]);
});

test("P-169, P-171, D-401-57: a file from a joint account waits, and is INCO once all have signed", async () => {
  const { orderId, order } = await files.ordered(domestic("0.01", "0.02"), accounts.joint);
  assert.equal(order.body.Data.Status, "PDNG");
  assert.equal(order.body.Data.MultiAuthorisation.Status, "AWAF");
  await files.engine().drain();
  assert.equal((await read(orderId)).Status, "PDNG");
  const signed = await decideMultiAuthorisation(bank, {
    orderId,
    customerId: "customer-bob",
    decision: "approve",
  });
  assert.equal(signed, "complete");
  await files.engine().drain();
  const { Status, MultiAuthorisation } = await read(orderId);
  assert.deepEqual([Status, MultiAuthorisation.Status], ["INCO", "AUTH"]);
});

test("P-171: if a signatory rejects a file, its order is INFA and its payments are RJCT", async () => {
  const { orderId } = await files.ordered(domestic("0.01", "0.02"), accounts.joint);
  const refused = await decideMultiAuthorisation(bank, {
    orderId,
    customerId: "customer-bob",
    decision: "reject",
  });
  assert.equal(refused, "rejected");
  await files.engine().drain();
  const { Status, MultiAuthorisation, StatusReason } = await read(orderId);
  assert.deepEqual([Status, MultiAuthorisation.Status], ["INFA", "RJCT"]);
  assert.equal(StatusReason[0].StatusReasonCode, "U037");
  assert.deepEqual(
    (await details(orderId)).map(({ Status: status }) => status),
    ["RJCT", "RJCT"],
  );
});

test("a future-dated file waits for signatures until the time of its first payment", async () => {
  const initiation = { RequestedExecutionDateTime: "2027-03-09T00:00:00+00:00" };
  const byFile = await files.ordered({ ...domestic("0.01"), initiation }, accounts.joint);
  const groups = [{ date: "2027-03-08", payments: [{ amount: "0.01" }] }];
  const byPayment = await files.ordered(
    { fileType: pain, text: sampleXml({ groups }) },
    accounts.joint,
  );
  const ends = [byFile, byPayment].map(
    ({ order }) => order.body.Data.MultiAuthorisation.ExpirationDateTime,
  );
  assert.deepEqual(ends, ["2027-03-09T06:00:00Z", "2027-03-08T06:00:00Z"]);
});

test("P-134: a future-dated file waits for its date, and its customer can cancel it until then", async () => {
  const initiation = { RequestedExecutionDateTime: "2027-03-09T00:00:00+00:00" };
  const kept = await files.ordered({ ...domestic("0.01", "0.02"), initiation });
  const cancelled = await files.ordered({ ...domestic("0.03", "0.04"), initiation });
  await files.engine().drain();
  const given = { orderId: cancelled.orderId, customerId: "customer-ann" };
  assert.equal(await cancelOrder(bank, { ...given, customerId: "customer-bob" }), "notYours");
  assert.equal(await cancelOrder(bank, given), "cancelled");
  assert.equal(await cancelOrder(bank, given), "tooLate");
  const { Status, StatusReason } = await read(cancelled.orderId);
  assert.deepEqual([Status, StatusReason[0].StatusReasonCode], ["INFA", "CUST"]);
  assert.equal((await read(kept.orderId)).Status, "PDNG");
  bank.clock.set("2027-03-09T06:00:00Z");
  await files.engine().drain();
  assert.equal((await read(kept.orderId)).Status, "INCO");
  assert.equal(
    await cancelOrder(bank, { orderId: kept.orderId, customerId: "customer-ann" }),
    "tooLate",
  );
  assert.equal((await read(cancelled.orderId)).Status, "INFA");
});

test("the sweep finishes a file whose engine died before finishing it", async () => {
  const { orderId } = await files.ordered(domestic("0.01"));
  await files.engine().drain();
  await bank.database.query(sql`
    update payment_order set status = 'PDNG', file_in_work_since = created_at
    where order_id = ${orderId}`);
  await files.engine().sweep();
  assert.equal((await read(orderId)).Status, "INCO");
});

test("verify finds a file or a payment of it that is wrongly marked as in progress or not", async () => {
  const initiation = { RequestedExecutionDateTime: "2027-04-09T00:00:00+00:00" };
  const running = await files.ordered({ ...domestic("0.01"), initiation });
  const ended = await files.ordered(domestic("0.01"));
  await files.engine().drain();
  const undo = new Error("undo");
  const broken = async (change: ReturnType<typeof sql>): Promise<string[]> => {
    const found: string[] = [];
    await bank.database
      .transaction(async (on) => {
        await on.query(change);
        for (const { invariant, subject } of await verifyInvariants(on)) {
          if (invariant.startsWith("a file and its payments are marked")) found.push(subject);
        }
        throw undo;
      })
      .catch((error) => assert.equal(error, undo));
    return found;
  };
  assert.deepEqual(await broken(sql`select 1`), []);
  for (const { orderId } of [running, ended]) {
    const marks = orderId === ended.orderId ? { at: sql`now()`, of: sql`order_id` } : null;
    const { at, of } = marks ?? { at: sql`null`, of: sql`null` };
    const changes = [
      sql`update payment_order set file_in_work_since = ${at} where order_id = ${orderId}`,
      sql`update payment set in_work_of_file = ${of} where order_id = ${orderId}`,
    ];
    for (const change of changes) assert.deepEqual(await broken(change), [orderId]);
  }
});

test("P-190: a file's charges are the charges of its payments, and each is debited with its payment", async () => {
  const chaps = { amount: "0.01", localInstrument: "UK.OBIE.CHAPS" };
  const text = sampleDomestic([chaps, { amount: "0.01" }]);
  const { consentId, orderId } = await files.ordered({ fileType: json40, text });
  const { Charges } = (await bank.get(`/file-payment-consents/${consentId}`)).body.Data;
  assert.deepEqual(Charges, [
    {
      ChargeBearer: "BorneByDebtor",
      Type: "UK.OBIE.CHAPSOut",
      Amount: { Amount: "20.00", Currency: "GBP" },
    },
  ]);
  await files.engine().drain();
  // the rest of £50.00 does not cover £20.00
  assert.deepEqual(
    (await details(orderId)).map(({ Status }) => Status),
    ["RJCT", "ACCC"],
  );
});

test("payment-details of many payments are written page by page, with each payment once", async () => {
  const many = Array.from({ length: 1203 }, () => "0.01");
  const { orderId } = await files.ordered(domestic(...many));
  const found = await details(orderId);
  assert.equal(found.length, many.length);
  assert.equal(new Set(found.map((one) => one.PaymentTransactionId)).size, many.length);
});

test("P-056: of two concurrent orders on a file's consent, one is created", {
  skip: !onPostgres && "one connection cannot show it",
}, async () => {
  const { consentId, body } = await files.uploaded(domestic("0.01", "0.01"));
  const token = await bank.authorise(consentId);
  const order = orderOf(consentId, body);
  const answers = await Promise.all(
    [1, 2].map(() => bank.post("/file-payments", { token, body: order })),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 400]);
  const rows = await bank.database.query(sql`
    select 1 from payment p join payment_order o using (order_id)
    where o.consent_id = ${consentId}`);
  assert.equal(rows.length, 2);
});
