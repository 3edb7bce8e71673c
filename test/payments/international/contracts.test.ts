import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { sql } from "#src/storage/sql.ts";
import { accounts, orderOf } from "#test/payments/fixture.ts";
import { forgetPayments } from "#test/sandbox/stored-ledger.ts";
import {
  type Abroad,
  atRate,
  consents,
  euroConsent,
  insertContract,
  openAbroad,
  orders,
  type Placed,
  payeeOf,
  start,
} from "./abroad.ts";

let bank: Abroad;
before(async () => {
  bank = await openAbroad();
});
beforeEach(() => bank.clock.set(start));
after(async () => {
  assert.deepEqual(await bank.breaches(), []);
  await bank.close();
});

const money = (amountMinor: bigint, currency: string) => ({ amountMinor, currency });
const statusOf = async (placed: Placed): Promise<string> => (await bank.dataOf(placed)).Status;

test("a contract is used up by payments, and restored by returned ones", async () => {
  await insertContract(bank, { id: "fx-used" });
  const agreed = (Amount: string, payee: string) =>
    euroConsent((body) => {
      atRate("Agreed", { ExchangeRate: 1.2, ContractIdentification: "fx-used" })(body);
      body.Data.Initiation.InstructedAmount.Amount = Amount;
      body.Data.Initiation.CreditorAccount.Identification = payee;
    });
  const left = async () => (await bank.core.loadContract("fx-used"))?.remaining.amountMinor;
  const before = await bank.balance(accounts.current);
  const bodies = [agreed("600.00", payeeOf("accept")), agreed("600.00", payeeOf("accept"))];
  const granted = await Promise.all(
    bodies.map((body) => bank.authorised({ body, path: consents })),
  );
  // both consents were checked against the whole contract, but it covers only one order
  for (const { token, consentId, body } of granted) {
    await bank.post(orders, { token, body: orderOf(consentId, body) });
  }
  await bank.engine.drain();
  assert.equal(before - (await bank.balance(accounts.current)), 50_000n);
  assert.equal(await left(), 40_000n);
  const refused = await bank.database.query<{ code: string }>(sql`
    select p.status_reason_code as code from payment p
    where p.status = 'RJCT' and p.international->>'contractId' = 'fx-used'`);
  assert.deepEqual(refused, [{ code: "AM14" }]);
  const returned = await bank.place(agreed("400.00", payeeOf("delayThenRefuse")));
  await bank.engine.drain();
  assert.equal(await left(), 0n);
  await bank.runTo("2027-03-03T10:30:00Z");
  assert.equal(await statusOf(returned), "RJCT");
  assert.equal(await left(), 40_000n);
});

test("concurrent payments on a contract never exceed its amount", async () => {
  await insertContract(bank, { id: "fx-raced" });
  const payments = Array.from({ length: 20 }, (_, index) => ({
    paymentId: `raced-${index}`,
    debtorAccountId: accounts.current,
    amount: money(10_000n, "EUR"),
    charge: null,
    creditor: {
      schemeName: "UK.OBIE.IBAN",
      identification: payeeOf("accept"),
      name: "K",
      secondaryIdentification: null,
    },
    endToEndId: null,
    reference: null,
    localInstrument: null,
    international: {
      transferCurrency: "EUR",
      rate: "1.2",
      contractId: "fx-raced",
      charge: null,
      deduction: null,
      network: "SEPA" as const,
      creditorAgent: null,
      fundsAtOnce: false,
    },
  }));
  const batches = Array.from({ length: 4 }, (_, batch) =>
    bank.core.reserve(payments.filter((_payment, index) => index % 4 === batch)),
  );
  const outcomes = (await Promise.all(batches)).flat();
  assert.equal(outcomes.filter(({ state }) => state === "reserved").length, 10);
  assert.deepEqual(
    new Set(outcomes.flatMap((outcome) => ("reason" in outcome ? outcome.reason.code : []))),
    new Set(["AM14"]),
  );
  assert.equal((await bank.core.loadContract("fx-raced"))?.remaining.amountMinor, 0n);
  await bank.core.release(payments.map(({ paymentId }) => paymentId));
  assert.equal((await bank.core.loadContract("fx-raced"))?.remaining.amountMinor, 100_000n);
  // these payments belong to no order, which `verify` would report
  await forgetPayments(
    bank.database,
    payments.map(({ paymentId }) => paymentId),
  );
});
