import Big from "big.js";
import { currencyExponent, type Money } from "#src/lib/money.ts";
import type { ExchangeRate } from "./port.ts";

/** The number of significant digits of a rate: `1.17423`, `0.00511852`, `183.045`. */
const rateDigits = 6;

// Quotients have more decimal places than any currency or rate needs.
const Decimal = Big();
Decimal.DP = 24;
Decimal.RM = Big.roundHalfEven;

/** An exact decimal of a rate or a factor. */
export const decimal = (value: string | number): Big => new Decimal(value);

/** Formats a rate for a quote: six significant digits, rounded half to even, no exponent. */
export function formatRate(rate: Big): string {
  const places = Math.max(0, rateDigits - 1 - rate.e);
  return rate.round(places, Big.roundHalfEven).toFixed();
}

/**
 * Converts an amount from one currency of the rate to the other, rounded half to even to the minor
 * unit of the target currency. The amount must be in one of the two currencies.
 */
export function convert(amount: Money, { unitCurrency, otherCurrency, rate }: ExchangeRate): Money {
  if (amount.currency !== unitCurrency && amount.currency !== otherCurrency) {
    throw new Error(
      `${amount.currency} is not a currency of the rate of ${unitCurrency} and ${otherCurrency}`,
    );
  }
  const outward = amount.currency === unitCurrency;
  const into = outward ? otherCurrency : unitCurrency;
  const major = toMajor(amount);
  const converted = outward ? major.times(rate) : major.div(rate);
  const scaled = converted.times(decimal(10).pow(currencyExponent(into)));
  return { amountMinor: BigInt(scaled.round(0, Big.roundHalfEven).toFixed()), currency: into };
}

/** An amount in whole units of its currency: 10.50 for 1,050 pence, 1050 for 1,050 yen. */
const toMajor = ({ amountMinor, currency }: Money): Big =>
  decimal(amountMinor.toString()).div(decimal(10).pow(currencyExponent(currency)));

/** Whether two decimals are equal, regardless of their notation. */
export const isSameRate = (one: string | number, other: string | number): boolean =>
  decimal(one).eq(decimal(other));
