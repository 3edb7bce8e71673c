import { convert } from "#src/bank/exchange.ts";
import type { ExchangeRate, Price, PricedPayment } from "#src/bank/port.ts";
import type { Money } from "#src/lib/money.ts";
import { customerRate, midRate } from "./rates.ts";

/**
 * Returns the price of an international payment at the given time, or why it cannot be made: AM03
 * if the currencies do not match, AM06 if charges would use up the whole amount. Charges are
 * exchanged at the mid-market rate, without a margin.
 */
export function pricePayment(
  { amount, international }: PricedPayment,
  accountCurrency: string,
  now: Temporal.Instant,
): Price | { refused: "AM03" | "AM06" } {
  const { transferCurrency } = international;
  const pair = { unitCurrency: accountCurrency, otherCurrency: transferCurrency };
  const exchanged = accountCurrency !== transferCurrency;
  const rate = exchanged ? rateOf(pair, international.rate, now) : null;
  if (exchanged && rate === null) return { refused: "AM03" };
  if (![accountCurrency, transferCurrency].includes(amount.currency)) return { refused: "AM03" };
  const into = (currency: string): Money =>
    rate === null || amount.currency === currency ? amount : convert(amount, rate);
  const [debit, gross] = [into(accountCurrency), into(transferCurrency)];
  const charged = atMiddle(international.charge, accountCurrency, now);
  const deducted = atMiddle(international.deduction, transferCurrency, now);
  if (charged === undefined || deducted === undefined) return { refused: "AM03" };
  const credit = { ...gross, amountMinor: gross.amountMinor - (deducted?.amountMinor ?? 0n) };
  if (debit.amountMinor <= 0n || credit.amountMinor <= 0n) return { refused: "AM06" };
  return { debit, charge: charged, credit, deducted, rate };
}

const rateOf = (
  pair: Pick<ExchangeRate, "unitCurrency" | "otherCurrency">,
  promised: string | null,
  now: Temporal.Instant,
): ExchangeRate | null =>
  promised === null ? customerRate(pair, now) : { ...pair, rate: promised };

/**
 * Converts a charge to another currency. Returns undefined if the bank does not exchange the two.
 */
function atMiddle(
  charge: Money | null,
  currency: string,
  now: Temporal.Instant,
): Money | null | undefined {
  if (charge === null || charge.currency === currency) return charge;
  const rate = midRate({ unitCurrency: charge.currency, otherCurrency: currency }, now);
  return rate === null ? undefined : convert(charge, rate);
}
