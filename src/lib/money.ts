import { assert } from "./assert.ts";

/** An amount of money in minor units (pence for GBP, yen for JPY); never a float. */
export type Money = { amountMinor: bigint; currency: string };

/** An amount as it is stored in JSON: `amountMinor` is text. */
export type MoneyRecord = { amountMinor: string; currency: string };

/** Returns an amount in the format in which it is stored in JSON. */
export const toMoneyRecord = ({ amountMinor, currency }: Money): MoneyRecord => ({
  amountMinor: amountMinor.toString(),
  currency,
});

/** Reads an amount that was stored in JSON. */
export const fromMoneyRecord = ({ amountMinor, currency }: MoneyRecord): Money => ({
  amountMinor: BigInt(amountMinor),
  currency,
});

// Exponents that differ from 2. Source: ISO 4217, list one.
const exponents: Record<string, number> = {
  BHD: 3,
  BIF: 0,
  CLF: 4,
  CLP: 0,
  DJF: 0,
  GNF: 0,
  IQD: 3,
  ISK: 0,
  JOD: 3,
  JPY: 0,
  KMF: 0,
  KRW: 0,
  KWD: 3,
  LYD: 3,
  OMR: 3,
  PYG: 0,
  RWF: 0,
  TND: 3,
  UGX: 0,
  UYI: 0,
  UYW: 4,
  VND: 0,
  VUV: 0,
  XAF: 0,
  XOF: 0,
  XPF: 0,
};

/** Number of decimals of a currency's minor unit. Source: ISO 4217, list one. */
export const currencyExponent = (currency: string): number => exponents[currency] ?? 2;

/**
 * Parses an amount string of the standard (`10`, `10.00`, up to 13 digits and 5 decimals) into
 * minor units; null when it has more significant decimals than the currency carries.
 */
export function parseAmount(amount: string, currency: string): bigint | null {
  const match = /^(\d{1,13})(?:\.(\d{1,5}))?$/.exec(amount);
  if (!match) return null;
  const exponent = currencyExponent(currency);
  const fraction = match[2] ?? "";
  if (/[1-9]/.test(fraction.slice(exponent))) return null;
  return BigInt(`${match[1]}${fraction.slice(0, exponent).padEnd(exponent, "0")}`);
}

/** The sentence about an amount that `parseAmount` cannot read because of its decimals. */
export function tooManyDecimals(currency: string): string {
  const most = currencyExponent(currency);
  const allowed = most === 0 ? "none" : `at most ${most}`;
  return `The amount has too many decimal places for ${currency}, which allows ${allowed}.`;
}

/** Renders non-negative minor units as an amount string with the currency's decimals: `10.00`. */
export function formatAmount(amountMinor: bigint, currency: string): string {
  assert(amountMinor >= 0n, "an amount has no sign");
  const exponent = currencyExponent(currency);
  const digits = amountMinor.toString().padStart(exponent + 1, "0");
  if (exponent === 0) return digits;
  return `${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
}
