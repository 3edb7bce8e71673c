import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { convert } from "#src/bank/exchange.ts";
import { present } from "#src/lib/assert.ts";
import type { Money } from "#src/lib/money.ts";
import { customerRate, midRate } from "#src/sandbox/bank/exchange/rates.ts";
import { sql } from "#src/storage/sql.ts";
import { shownTransactions } from "#test/accounts/stored-transactions.ts";
import type { Json } from "#test/payments/answer-check.ts";
import { accounts } from "#test/payments/fixture.ts";
import { postingsOf, withPosting } from "#test/sandbox/stored-ledger.ts";
import {
  type Abroad,
  consents,
  dollarConsent,
  dollars,
  euroConsent,
  openAbroad,
  type Placed,
  payeeIban,
  payeeOf,
  start,
} from "./abroad.ts";

let bank: Abroad;
before(async () => {
  bank = await openAbroad();
});
beforeEach(async () => {
  bank.clock.set(start);
  await bank.engine.drain();
});
after(async () => {
  assert.deepEqual(await bank.breaches(), []);
  await bank.close();
});

const money = (amountMinor: bigint, currency: string): Money => ({ amountMinor, currency });
const rateNow = (unitCurrency: string, otherCurrency: string) =>
  present(customerRate({ unitCurrency, otherCurrency }, bank.clock.now()), "a rate");
const atMiddle = (amount: Money, otherCurrency: string) =>
  convert(
    amount,
    present(midRate({ unitCurrency: amount.currency, otherCurrency }, bank.clock.now()), "a rate"),
  ).amountMinor;

/** Returns the sum of a payment's postings per account; negative for debits. */
async function movedBy({ paymentId }: Placed): Promise<Record<string, bigint>> {
  const moved: Record<string, bigint> = {};
  for (const { from, to, amountMinor } of await postingsOf(bank.database, [paymentId])) {
    moved[from] = (moved[from] ?? 0n) - amountMinor;
    moved[to] = (moved[to] ?? 0n) + amountMinor;
  }
  return moved;
}

/**
 * Returns the transactions of a payment on an account, as a TPP with all permissions reads them.
 */
async function linesOf({ paymentId }: Placed, accountId: string): Promise<Json[]> {
  return shownTransactions(
    bank.database,
    sql`${withPosting}
      where p.payment_id = ${paymentId} and t.account_id = ${accountId} order by p.purpose`,
  );
}

const statusOf = async (placed: Placed): Promise<string> => (await bank.dataOf(placed)).Status;

test("an exchange of pounds for euros is posted through the two exchange accounts", async () => {
  const placed = await bank.place(euroConsent());
  const debit = convert(money(10_000n, "EUR"), rateNow("GBP", "EUR")).amountMinor;
  await bank.engine.drain();
  assert.equal(await statusOf(placed), "ACCC");
  assert.deepEqual(await movedBy(placed), {
    [accounts.current]: -debit,
    "internal-exchange-EUR": -10_000n,
    "internal-exchange-GBP": debit,
    "internal-sepa-EUR": 10_000n,
  });
});

test("A-186: a transaction with an exchange shows currencies, rate and ordered amount", async () => {
  const placed = await bank.place(euroConsent());
  const { rate } = rateNow("GBP", "EUR");
  await bank.engine.drain();
  const [line, ...more] = await linesOf(placed, accounts.current);
  assert.deepEqual(more, []);
  assert.deepEqual(line.CurrencyExchange, {
    SourceCurrency: "GBP",
    TargetCurrency: "EUR",
    UnitCurrency: "GBP",
    ExchangeRate: Number(rate),
    InstructedAmount: { Amount: "100.00", Currency: "EUR" },
  });
  assert.equal(line.TransactionReference, placed.paymentId);
  assert.equal(line.ProprietaryBankTransactionCode.Code, "SPO");
});

test("an amount in the account's currency is debited as it is, and the payee gets its value", async () => {
  const placed = await bank.place(
    euroConsent(({ Data }) => {
      Data.Initiation.InstructedAmount = { Amount: "250.00", Currency: "GBP" };
    }),
  );
  const credit = convert(money(25_000n, "GBP"), rateNow("GBP", "EUR")).amountMinor;
  await bank.engine.drain();
  const moved = await movedBy(placed);
  assert.deepEqual([moved[accounts.current], moved["internal-sepa-EUR"]], [-25_000n, credit]);
});

test("without an exchange no amount is converted", async () => {
  const placed = await bank.place(euroConsent(), { accountId: accounts.euro });
  await bank.engine.drain();
  assert.deepEqual(await movedBy(placed), {
    [accounts.euro]: -10_000n,
    "internal-exchange-EUR": 0n,
    "internal-sepa-EUR": 10_000n,
  });
  const [line] = await linesOf(placed, accounts.euro);
  assert.equal("CurrencyExchange" in line, false);
});

/** A payment to a payee in Japan or Bahrain, by SWIFT. */
const farAway = (currency: string, Amount: string, country: string) =>
  dollarConsent(({ Data }) => {
    Data.Initiation.CurrencyOfTransfer = currency;
    Data.Initiation.InstructedAmount = { Amount, Currency: currency };
    Data.Initiation.CreditorAgent.Identification = `NONE${country}33`;
  });

test("yen have no decimal places, and dinars have three", async () => {
  const yen = await bank.place(farAway("JPY", "20001", "JP"));
  const dinars = await bank.place(farAway("BHD", "12.345", "BH"));
  const debits = [
    convert(money(20_001n, "JPY"), rateNow("GBP", "JPY")).amountMinor,
    convert(money(12_345n, "BHD"), rateNow("GBP", "BHD")).amountMinor,
  ];
  await bank.engine.drain();
  const moved = [await movedBy(yen), await movedBy(dinars)];
  assert.deepEqual(moved[0], {
    [accounts.current]: -(debits[0] ?? 0n) - 1_000n,
    "internal-charges": 1_000n,
    "internal-exchange-GBP": debits[0],
    "internal-exchange-JPY": -20_001n,
    "internal-swift-JPY": 20_001n,
  });
  assert.equal(moved[1]?.["internal-swift-BHD"], 12_345n);
  assert.equal(moved[1]?.["internal-exchange-GBP"], debits[1]);
});

test("P-076: yen with decimal places and dinars with four are refused", async () => {
  for (const body of [farAway("JPY", "1.5", "JP"), farAway("BHD", "1.0001", "BH")]) {
    const { status, body: answer } = await bank.post(consents, { body });
    assert.equal(status, 400);
    assert.deepEqual(
      [answer.Errors[0].ErrorCode, answer.Errors[0].Path],
      ["U002", "Data.Initiation.InstructedAmount.Amount"],
    );
  }
});

test("P-077: the payment limit applies in every currency", async () => {
  const lodge = (Amount: string) => bank.post(consents, { body: farAway("JPY", Amount, "JP") });
  assert.equal((await lodge("40000000")).status, 201);
  const { status, body } = await lodge("60000000");
  assert.equal(status, 400);
  assert.match(body.Errors[0].Message, /at most \d+ JPY/);
});

test("P-077: an amount in a currency that has no rate at the moment is refused, however small", async () => {
  const front = await bank.configured({}, { quoteRate: async () => null });
  const { status, body } = await front.post(consents, { body: farAway("JOD", "1.000", "JO") });
  assert.equal(status, 400);
  const [{ ErrorCode, Path, Message }] = body.Errors;
  assert.deepEqual([ErrorCode, Path], ["U023", "Data.Initiation.InstructedAmount.Currency"]);
  assert.match(Message, /no rate for JOD .* cannot compare the amount with its limit/);
});

const withBearer = (ChargeBearer: string | undefined, more: Json = {}) =>
  dollarConsent(({ Data }) =>
    Object.assign(Data.Initiation, { ...(ChargeBearer ? { ChargeBearer } : {}), ...more }),
  );

type Borne = { charges: [string, string, string][]; charged: bigint; taken: bigint };
const bearers: [string, Json, Borne][] = [
  [
    "BorneByDebtor",
    {},
    {
      charges: [
        ["BorneByDebtor", "GB.Aldgate.SWIFTOut", "10.00"],
        ["BorneByDebtor", "GB.Aldgate.OtherBanks", "12.00"],
      ],
      charged: 2_200n,
      taken: 0n,
    },
  ],
  [
    "Shared",
    {},
    { charges: [["Shared", "GB.Aldgate.SWIFTOut", "10.00"]], charged: 1_000n, taken: 0n },
  ],
  [
    "Shared",
    { InstructionPriority: "Urgent" },
    { charges: [["Shared", "GB.Aldgate.SWIFTOut", "20.00"]], charged: 2_000n, taken: 0n },
  ],
  [
    "BorneByCreditor",
    {},
    { charges: [["BorneByCreditor", "GB.Aldgate.SWIFTOut", "10.00"]], charged: 0n, taken: 1_000n },
  ],
];
for (const [bearer, more, { charges, charged, taken }] of bearers) {
  test(`the charges through SWIFT ${bearer}${more.InstructionPriority ?? ""} are in order, account and transfer`, async () => {
    const placed = await bank.place(withBearer(bearer, more), { accountId: dollars });
    await bank.engine.drain();
    const { Charges } = placed.data;
    assert.deepEqual(
      Charges.map(({ ChargeBearer, Type, Amount }: Json) => [ChargeBearer, Type, Amount.Amount]),
      charges,
    );
    const [onTop, off] = [charged, taken].map((pence) => atMiddle(money(pence, "GBP"), "USD"));
    const moved = await movedBy(placed);
    assert.equal(moved[dollars], -10_000n - (onTop ?? 0n));
    assert.equal(moved["internal-swift-USD"], 10_000n - (off ?? 0n));
    assert.equal(moved["internal-charges-USD"], (onTop ?? 0n) + (off ?? 0n));
    const lines = await linesOf(placed, dollars);
    assert.deepEqual(
      lines.map((line) => line.ProprietaryBankTransactionCode.Code),
      charged === 0n ? ["IPO"] : ["IPO", "CHG"],
    );
  });
}

test("P-114: without ChargeBearer, the charges of SWIFT are shared, and SEPA payments have no charges", async () => {
  const bySwift = await bank.place(withBearer(undefined));
  assert.deepEqual(
    bySwift.data.Charges.map(({ ChargeBearer }: Json) => ChargeBearer),
    ["Shared"],
  );
  assert.deepEqual((await bank.place(euroConsent())).data.Charges, []);
});

test("a payee with an account in that currency at this bank is credited immediately", async () => {
  const before = await bank.balance("account-bob");
  const placed = await bank.place(
    euroConsent(({ Data }) => {
      Data.Initiation.CreditorAccount.Identification = payeeIban;
    }),
  );
  await bank.engine.drain();
  assert.equal(await statusOf(placed), "ACCC");
  assert.equal((await bank.balance("account-bob")) - before, 10_000n);
  const [line] = await linesOf(placed, "account-bob");
  assert.equal(line.CreditDebitIndicator, "Credit");
  assert.deepEqual(line.Amount, { Amount: "100.00", Currency: "EUR" });
  assert.equal(line.CurrencyExchange.TargetCurrency, "EUR");
});

test("a payee at this bank whose account has another currency is refused with AM03", async () => {
  const before = await bank.balance(accounts.current);
  const placed = await bank.place(
    dollarConsent(({ Data }) => {
      delete Data.Initiation.CreditorAgent;
      Data.Initiation.CreditorAccount = {
        SchemeName: "UK.OBIE.IBAN",
        Identification: payeeIban,
        Name: "Bob Example",
      };
    }),
  );
  await bank.engine.drain();
  const { Status, StatusReason } = await bank.dataOf(placed);
  assert.deepEqual([Status, StatusReason[0].StatusReasonCode], ["RJCT", "AM03"]);
  assert.equal(await bank.balance(accounts.current), before);
});

const sendsBack = `0000${payeeOf("delayThenRefuse").slice(-8)}`;

test("a returned payment refunds the amount and its deductions, but not the charge", async () => {
  const before = await bank.balance(accounts.current);
  const back = dollarConsent(({ Data }) => {
    Data.Initiation.CreditorAccount.Identification = sendsBack;
    Data.Initiation.ChargeBearer = "BorneByCreditor";
  });
  const placed = await bank.place(back);
  await bank.engine.drain();
  assert.equal(await statusOf(placed), "ACSC");
  assert.notEqual(await bank.balance(accounts.current), before);
  // by that time the rate has changed
  await bank.runTo("2027-03-03T18:00:00Z");
  const { Status, StatusReason } = await bank.dataOf(placed);
  assert.deepEqual([Status, StatusReason[0].StatusReasonCode], ["RJCT", "AC04"]);
  assert.equal(await bank.balance(accounts.current), before);
  assert.deepEqual(
    Object.values(await movedBy(placed)).filter((moved) => moved !== 0n),
    [],
  );
  bank.clock.set("2027-03-03T18:00:00Z");
  const shared = await bank.place(
    dollarConsent(({ Data }) => {
      Data.Initiation.CreditorAccount.Identification = sendsBack;
    }),
  );
  await bank.engine.drain();
  await bank.runTo("2027-03-03T18:30:00Z");
  assert.equal(await statusOf(shared), "RJCT");
  assert.equal(before - (await bank.balance(accounts.current)), 1_000n);
});

test("funds must cover the charges: one penny short is AM04, and nothing is debited", async () => {
  const has = await bank.balance(accounts.euro);
  const charge = atMiddle(money(1_000n, "GBP"), "EUR");
  const rest = has - charge;
  const body = (euroCents: bigint) =>
    dollarConsent(({ Data }) => {
      const text = euroCents.toString();
      Data.Initiation.InstructedAmount = {
        Amount: `${text.slice(0, -2)}.${text.slice(-2)}`,
        Currency: "EUR",
      };
    });
  // the payment limit is below the account's balance, so most of the balance is spent first
  await drain(rest - 20_000n);
  const short = await bank.place(body(20_001n), { accountId: accounts.euro });
  await bank.engine.drain();
  const { Status, StatusReason } = await bank.dataOf(short);
  assert.deepEqual([Status, StatusReason[0].StatusReasonCode], ["RJCT", "AM04"]);
  const enough = await bank.place(body(20_000n), { accountId: accounts.euro });
  await bank.engine.drain();
  await bank.runTo("2027-03-03T11:00:00Z");
  assert.equal(await statusOf(enough), "ACCC");
  assert.equal(await bank.balance(accounts.euro), 0n);
});

/** Pays euros from the account until this amount is gone. */
async function drain(amountMinor: bigint): Promise<void> {
  for (let left = amountMinor; left > 0n; left -= 20_000_000n) {
    const each = left > 20_000_000n ? 20_000_000n : left;
    const text = each.toString().padStart(3, "0");
    const body = euroConsent(({ Data }) => {
      Data.Initiation.InstructedAmount.Amount = `${text.slice(0, -2)}.${text.slice(-2)}`;
    });
    await bank.place(body, { accountId: accounts.euro });
  }
  await bank.engine.drain();
}
