// The debit at a promised rate: Aldgate shows it to the customer before it asks the core.
import { convert } from "#src/bank/exchange.ts";
import type { ExchangeRate } from "#src/bank/port.ts";
import { currencyExponent, formatAmount } from "#src/lib/money.ts";
import { expectSame, NotAsked } from "./expect.ts";
import type { Kit } from "./kit.ts";
import type { KitCase } from "./kit-case.ts";
import { otherCurrency, overSwift } from "./other-currency.ts";

const rule =
  "At a promised rate, the debit is the amount divided by the rate, rounded once, half to even, to " +
  "the minor unit of the account's currency.";

/** Fails unless the core debits what Aldgate has shown, for each of these amounts. */
async function expectDebits(
  kit: Kit,
  rate: ExchangeRate,
  amounts: readonly bigint[],
): Promise<void> {
  const { otherCurrency: currency } = rate;
  for (const amountMinor of amounts) {
    const amount = { amountMinor, currency };
    const price = await kit.call("price", {
      debtorAccountId: kit.idOf("own"),
      amount,
      international: overSwift(currency, rate.rate),
    });
    if (price === null) throw new NotAsked(`the core gives no price at the rate ${rate.rate}`);
    const shown = `${formatAmount(amountMinor, currency)} ${currency} at ${rate.rate}`;
    expectSame(price.debit, convert(amount, rate), `the debit for ${shown}`);
  }
}

const tieRate = "1.6";
const tieTenths = 16n;

/**
 * Amounts whose debit at `tieRate` lies halfway between two minor units: one above an even unit,
 * and one above an odd one.
 */
function ties({ unitCurrency, otherCurrency: other }: ExchangeRate): bigint[] {
  const units = 10n ** BigInt(currencyExponent(unitCurrency)) * 10n;
  const divisor = 10n ** BigInt(currencyExponent(other)) * tieTenths;
  const found = new Map<bigint, bigint>();
  for (let amount = 10_000n; found.size < 2 && amount < 30_000n; amount += 1n) {
    const [quotient, rest] = [(amount * units) / divisor, (amount * units) % divisor];
    if (rest * 2n === divisor && !found.has(quotient % 2n)) found.set(quotient % 2n, amount);
  }
  return [...found.values()];
}

const spreadFrom = 10_007n;
const spread = Array.from({ length: 12 }, (_, index) => spreadFrom + BigInt(index) * 1_237n);

/** The cases of K11 about promised rates. */
export const promisedRateCases: readonly KitCase[] = [
  {
    id: "K11-18",
    title: "at a rate that the core has quoted, the debit is what Aldgate has shown",
    calls: ["quoteRate", "price"],
    rule,
    async run(kit) {
      const { own, other } = await otherCurrency(kit);
      const pair = { unitCurrency: own, otherCurrency: other };
      const quote = await kit.call("quoteRate", pair, "Actual");
      if (quote === null) throw new NotAsked("the core gives no guaranteed rate now");
      await expectDebits(kit, { ...pair, rate: quote.rate }, spread);
    },
  },
  {
    id: "K11-19",
    title: "at a promised rate, half a minor unit is rounded to the even one",
    calls: ["price"],
    rule,
    async run(kit) {
      const { own, other } = await otherCurrency(kit);
      const rate = { unitCurrency: own, otherCurrency: other, rate: tieRate };
      const amounts = ties(rate);
      if (amounts.length === 0) throw new NotAsked(`no amount of ${other} lies halfway`);
      await expectDebits(kit, rate, amounts);
    },
  },
];
