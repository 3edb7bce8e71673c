import { formatAmount, parseAmount } from "#src/lib/money.ts";

/** Reads an amount of a document, whose schema has accepted it, into pence or cents. */
export function penceOf(amount: string): number {
  const isNegative = amount.startsWith("-");
  const pence = Number(parseAmount(isNegative ? amount.slice(1) : amount, "GBP"));
  return isNegative ? -pence : pence;
}

/** Writes pence or cents as an amount of a document. */
export const amountOf = (minor: bigint): string =>
  minor < 0n ? `-${formatAmount(-minor, "GBP")}` : formatAmount(minor, "GBP");
