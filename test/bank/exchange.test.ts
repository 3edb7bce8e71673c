import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { convert, decimal, formatRate } from "#src/bank/exchange.ts";
import { currencyExponent } from "#src/lib/money.ts";
import { pricePayment } from "#src/sandbox/bank/exchange/price.ts";
import { customerRate, isMarketOpen, midRate } from "#src/sandbox/bank/exchange/rates.ts";
import { exchangeCurrencies } from "#src/sandbox/bank/exchange/reference-rates.ts";

const at = (text: string) => Temporal.Instant.from(text);
const money = (amountMinor: bigint, currency: string) => ({ amountMinor, currency });
const gbpTo = (otherCurrency: string, rate: string) => ({
  unitCurrency: "GBP",
  otherCurrency,
  rate,
});

const conversions: [string, bigint, string, string, bigint, string][] = [
  ["pounds into dollars", 10_000n, "GBP", "1.34", 13_400n, "USD"],
  ["dollars back into pounds, to the penny", 10_000n, "USD", "1.34", 7_463n, "GBP"],
  ["pounds into yen, which have no decimal places", 10_050n, "GBP", "190.123", 19_107n, "JPY"],
  ["yen into pounds", 1_000_000n, "JPY", "190.123", 525_975n, "GBP"],
  ["pounds into dinars, which have three decimal places", 10_000n, "GBP", "0.472", 47_200n, "BHD"],
  ["dinars into pounds", 1_001n, "BHD", "0.472", 212n, "GBP"],
  ["a half goes to the even neighbour below", 5n, "GBP", "1.1", 6n, "USD"],
  ["a half goes to the even neighbour above", 5n, "GBP", "1.5", 8n, "USD"],
];
for (const [what, amount, from, rate, expected, into] of conversions) {
  test(`conversion: ${what}`, () => {
    const other = from === "GBP" ? into : from;
    assert.deepEqual(convert(money(amount, from), gbpTo(other, rate)), money(expected, into));
  });
}

test("an amount in a currency outside the rate cannot be converted", () => {
  assert.throws(() => convert(money(1n, "CHF"), gbpTo("USD", "1.3")), /CHF/);
});

test("a conversion there and back differs at most by the rounding", () => {
  const currencies = fc.constantFrom(...exchangeCurrencies);
  const now = at("2027-03-03T12:00:00Z");
  fc.assert(
    fc.property(currencies, currencies, fc.bigInt(1n, 10n ** 15n), (unit, other, minor) => {
      fc.pre(unit !== other);
      const rate = midRate({ unitCurrency: unit, otherCurrency: other }, now);
      assert(rate);
      const there = convert(money(minor, unit), rate);
      const back = convert(there, rate);
      const step = decimal(10)
        .pow(currencyExponent(unit) - currencyExponent(other))
        .div(rate.rate);
      const off = decimal(`${back.amountMinor - minor}`).abs();
      assert(off.lte(step.div(2).plus(1)), `${minor} ${unit} came back as ${back.amountMinor}`);
    }),
  );
});

test("rates have six significant digits and no exponent", () => {
  const written = ["1.174229999", "190.12345", "0.00511852345", "0.00000123456789"];
  assert.deepEqual(
    written.map((rate) => formatRate(decimal(rate))),
    ["1.17423", "190.123", "0.00511852", "0.00000123457"],
  );
});

const pair = { unitCurrency: "GBP", otherCurrency: "USD" };
const midweek = at("2027-03-03T12:07:00Z");

test("a rate is constant for a quarter of an hour of the bank's clock", () => {
  assert.deepEqual(midRate(pair, midweek), midRate(pair, at("2027-03-03T12:14:59Z")));
  const days = [3, 4, 5, 8, 9].map((day) => midRate(pair, at(`2027-03-0${day}T12:00:00Z`))?.rate);
  assert.equal(new Set(days).size, days.length);
});

test("a rate differs from its reference by at most a few percent", () => {
  for (let day = 1; day < 28; day += 1) {
    const rate = midRate(pair, at(`2027-02-${String(day).padStart(2, "0")}T09:00:00Z`));
    const off = Number(rate?.rate) / (1.0389 / 0.82918) - 1;
    assert(Math.abs(off) < 0.025, `off by ${off}`);
  }
});

test("the customer's rate includes a margin, which is larger for less traded currencies", () => {
  const share = (otherCurrency: string) => {
    const both = { unitCurrency: "GBP", otherCurrency };
    return Number(customerRate(both, midweek)?.rate) / Number(midRate(both, midweek)?.rate);
  };
  assert(Math.abs(share("USD") - 0.992) < 1e-5);
  assert(Math.abs(share("JPY") - 0.985) < 1e-5);
});

test("from Friday evening to Monday morning the last rate applies, with a larger margin", () => {
  const friday = at("2027-03-05T20:59:00Z");
  const open = [friday, at("2027-03-08T06:00:00Z")];
  const closed = ["05T21:00", "06T12:00", "07T23:59", "08T05:59"].map((time) =>
    at(`2027-03-${time}:00Z`),
  );
  assert.deepEqual(open.map(isMarketOpen), [true, true]);
  assert.deepEqual(closed.map(isMarketOpen), [false, false, false, false]);
  const middles = new Set(closed.map((now) => midRate(pair, now)?.rate));
  assert.equal(middles.size, 1);
  const share = Number(customerRate(pair, closed[1] ?? friday)?.rate) / Number([...middles][0]);
  assert(Math.abs(share - 0.9845) < 1e-5);
});

test("the market uses London time in summer too", () => {
  assert.equal(isMarketOpen(at("2027-07-02T19:59:00Z")), true);
  assert.equal(isMarketOpen(at("2027-07-02T20:00:00Z")), false);
});

test("a currency that the bank does not exchange has no rate", () => {
  assert.equal(midRate({ ...pair, otherCurrency: "XAF" }, midweek), null);
  assert.equal(customerRate({ ...pair, otherCurrency: "constructor" }, midweek), null);
});

const abroad = {
  transferCurrency: "USD",
  rate: "1.25",
  contractId: null,
  charge: null,
  deduction: null,
  network: "SWIFT" as const,
  creditorAgent: null,
  fundsAtOnce: false,
};
const pricedAt = (amount: { amountMinor: bigint; currency: string }, terms = {}, account = "GBP") =>
  pricePayment(
    { debtorAccountId: "one", amount, international: { ...abroad, ...terms } },
    account,
    midweek,
  );

test("the creditor gets exactly an amount that is given in the transfer currency", () => {
  assert.deepEqual(pricedAt(money(12_500n, "USD")), {
    debit: money(10_000n, "GBP"),
    charge: null,
    credit: money(12_500n, "USD"),
    deducted: null,
    rate: gbpTo("USD", "1.25"),
  });
});

test("an amount in the account's currency is debited as it is", () => {
  const price = pricedAt(money(10_000n, "GBP"));
  assert("credit" in price);
  assert.deepEqual([price.debit, price.credit], [money(10_000n, "GBP"), money(12_500n, "USD")]);
});

test("charges are added in the account's currency, deductions are taken in the transfer's", () => {
  const rate = midRate({ unitCurrency: "GBP", otherCurrency: "EUR" }, midweek);
  assert(rate);
  const terms = {
    transferCurrency: "EUR",
    rate: null,
    charge: { amountMinor: 1_000n, currency: "GBP" },
    deduction: { amountMinor: 1_000n, currency: "GBP" },
  };
  const price = pricedAt(money(50_000n, "EUR"), terms, "EUR");
  assert("credit" in price);
  const tenPounds = convert(money(1_000n, "GBP"), rate);
  assert.deepEqual(price.charge, tenPounds);
  assert.deepEqual(price.deducted, tenPounds);
  assert.equal(price.credit.amountMinor, 50_000n - tenPounds.amountMinor);
  assert.deepEqual(price.debit, money(50_000n, "EUR"));
  assert.equal(price.rate, null);
});

const impossible: [string, Parameters<typeof pricedAt>, string][] = [
  ["an amount in a third currency", [money(100n, "EUR")], "AM03"],
  [
    "a currency that is not exchanged",
    [money(1n, "XAF"), { transferCurrency: "XAF", rate: null }],
    "AM03",
  ],
  [
    "less than the smallest unit",
    [money(1n, "JPY"), { transferCurrency: "JPY", rate: "900" }],
    "AM06",
  ],
  [
    "a deduction that leaves nothing",
    [money(100n, "USD"), { deduction: money(100n, "USD") }],
    "AM06",
  ],
];
for (const [what, given, refused] of impossible) {
  test(`a payment cannot be made of ${what}`, () => {
    assert.deepEqual(pricedAt(...given), { refused });
  });
}
