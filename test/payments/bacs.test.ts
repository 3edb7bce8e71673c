import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import { settlementInstant } from "#src/payments/calendar/timing.ts";
import { createEngine, type Engine } from "#src/payments/execution/engine.ts";
import { createSandboxBank } from "#src/sandbox/bank/sandbox-bank.ts";
import { schemeAnswer } from "#src/sandbox/scenarios/scenarios.ts";
import { verifyInvariants } from "#src/server/health/verify-invariants.ts";
import { sql } from "#src/storage/sql.ts";
import { closeAccount } from "#test/account-store/change-accounts.ts";
import { shownTransactions } from "#test/accounts/stored-transactions.ts";
import { withPosting } from "#test/sandbox/stored-ledger.ts";
import type { Json } from "./answer-check.ts";
import { json40, openFiles } from "./files/fixture.ts";
import { sampleDomestic } from "./files/samples.ts";
import {
  accounts,
  domesticConsent,
  numbers,
  openPayments,
  type PaymentsFixture,
  scheduledConsent,
} from "./fixture.ts";

let bank: PaymentsFixture;
let engine: Engine;
before(async () => {
  bank = await openPayments();
  const { database, clock } = bank;
  engine = createEngine({
    database,
    clock,
    bank: createSandboxBank({ database, clock, scheme: schemeAnswer }),
    owner: "engine",
    batchSize: 16,
    log: { error: (details, text) => assert.fail(`${text} ${JSON.stringify(details)}`) },
  });
});
after(() => bank.close());

const bacs = ({ Data }: Json): void => {
  Data.Initiation.LocalInstrument = "UK.OBIE.BACS";
};

type Dates = { ExpectedExecutionDateTime: string; ExpectedSettlementDateTime: string };
const datesOf = ({ ExpectedExecutionDateTime, ExpectedSettlementDateTime }: Dates): string[] => [
  ExpectedExecutionDateTime,
  ExpectedSettlementDateTime,
];

const cycles: [executed: string, settled: string, why: string][] = [
  ["2027-03-02T10:00:00Z", "2027-03-04T06:00:00Z", "Tuesday to Thursday"],
  ["2027-03-05T23:30:00Z", "2027-03-09T06:00:00Z", "Friday to Tuesday"],
  ["2027-03-06T10:00:00Z", "2027-03-10T06:00:00Z", "a Saturday's cycle begins on Monday"],
  ["2027-03-25T10:00:00Z", "2027-03-31T05:00:00Z", "over Easter, into summer time"],
  ["2027-12-24T10:00:00Z", "2027-12-30T06:00:00Z", "over Christmas"],
];
for (const [executed, settled, why] of cycles) {
  test(`a Bacs payment takes three working days: ${why}`, () => {
    const execution = Temporal.Instant.from(executed);
    assert.equal(settlementInstant("UK.OBIE.BACS", execution).toString(), settled);
    for (const other of ["UK.OBIE.FPS", "UK.OBIE.CHAPS", null]) {
      assert.equal(settlementInstant(other, execution).toString(), executed);
    }
  });
}

test("P-080: a Bacs payment is debited immediately and credited on the third working day", async () => {
  bank.clock.set("2027-03-25T10:00:00Z");
  const body = domesticConsent(bacs);
  const { token, order, consentId } = await bank.authorised({ body });
  const dates = ["2027-03-25T10:00:00Z", "2027-03-31T05:00:00Z"];
  const consent = await bank.get(`/domestic-payment-consents/${consentId}`);
  assert.deepEqual(datesOf(consent.body.Data), dates);
  assert.deepEqual(consent.body.Data.Charges, []);
  const { body: placed } = await bank.post("/domestic-payments", { token, body: order });
  assert.deepEqual(datesOf(placed.Data), dates);
  const { Self: url } = placed.Links;
  const seen = async (): Promise<string[]> => {
    await engine.drain();
    const details = await bank.get(`${url}/payment-details`);
    const [payment] = details.body.Data.PaymentStatus;
    assert.equal(payment.StatusDetail.LocalInstrument, "UK.OBIE.BACS");
    return [(await bank.get(url)).body.Data.Status, payment.Status];
  };
  assert.deepEqual(await seen(), ["ACSC", "ACSC"]);
  const [line] = await shownTransactions(
    bank.database,
    sql`${withPosting} order by p.booked_at desc limit 1`,
  );
  assert.equal(line.ProprietaryBankTransactionCode.Code, "BPO");
  assert.equal(line.BankTransactionCode.SubCode, "ACHCreditTransfer");
  bank.clock.set("2027-03-31T04:59:59Z");
  assert.deepEqual(await seen(), ["ACSC", "ACSC"]);
  bank.clock.set("2027-03-31T05:00:00Z");
  assert.deepEqual(await seen(), ["ACCC", "ACCC"]);
  assert.deepEqual(await verifyInvariants(bank.database), []);
});

for (const [end, prepare, status, credited] of [
  ["credits it on the third working day", () => null, ["ACCC"], 1000n],
  [
    "is returned if the account has been closed by then",
    () => closeAccount(bank.database, accounts.joint),
    ["RJCT", "AC04"],
    0n,
  ],
] as const) {
  test(`a Bacs payment to an account of this bank ${end}`, async () => {
    bank.clock.set("2027-06-01T10:00:00Z");
    const body = domesticConsent((given) => {
      bacs(given);
      given.Data.Initiation.InstructedAmount.Amount = "10.00";
      given.Data.Initiation.CreditorAccount.Identification = numbers.joint;
    });
    const { token, order } = await bank.authorised({ body });
    const { Self: url } = (await bank.post("/domestic-payments", { token, body: order })).body
      .Links;
    const [payer, payee] = await balances();
    await engine.drain();
    assert.equal((await bank.get(url)).body.Data.Status, "ACSC");
    assert.deepEqual(await balances(), [payer - 1000n, payee]);
    bank.clock.set("2027-06-03T05:00:00Z");
    await prepare();
    await engine.drain();
    const { Status, StatusReason } = (await bank.get(url)).body.Data;
    const seen = [Status, StatusReason[0]?.StatusReasonCode].slice(0, status.length);
    assert.deepEqual(seen, status);
    assert.deepEqual(await balances(), [payer - credited, payee + credited]);
    assert.deepEqual(await verifyInvariants(bank.database), []);
  });
}

/** Returns the balances of the payer's account and the joint account, in pence. */
async function balances(): Promise<[bigint, bigint]> {
  const { current, joint } = accounts;
  const funds = await createSandboxBank(bank).loadFunds([current, joint]);
  const of = (id: string) => present(funds.get(id), id).bookedMinor;
  return [of(current), of(joint)];
}

test("a scheduled Bacs payment begins its three working days on its date", async () => {
  bank.clock.set("2027-04-01T10:00:00Z");
  const body = scheduledConsent((given) => {
    bacs(given);
    given.Data.Initiation.RequestedExecutionDateTime = "2027-04-09T00:00:00+01:00";
  });
  const path = "/domestic-scheduled-payment-consents";
  const answer = await bank.post(path, { body });
  assert.deepEqual(datesOf(answer.body.Data), ["2027-04-09T05:00:00Z", "2027-04-13T05:00:00Z"]);
});

test("the payments of a file go through Bacs if the file or its consent asks for it", async () => {
  bank.clock.set("2027-04-01T10:00:00Z");
  const files = openFiles(bank);
  const text = sampleDomestic([
    { amount: "0.01", localInstrument: "UK.OBIE.BACS" },
    { amount: "0.02" },
  ]);
  const own = await files.ordered({ fileType: json40, text });
  const plain = sampleDomestic([{ amount: "0.03" }]);
  const initiation = { LocalInstrument: "UK.OBIE.BACS" };
  const both = await files.ordered({ fileType: json40, text: plain, initiation });
  const rows = await bank.database.query<{ amount: bigint; instrument: string | null }>(sql`
    select amount_minor as amount, local_instrument as instrument from payment
    where order_id = any(${[own.orderId, both.orderId]}::text[]) order by amount_minor`);
  assert.deepEqual(
    rows.map(({ instrument }) => instrument),
    ["UK.OBIE.BACS", null, "UK.OBIE.BACS"],
  );
});
