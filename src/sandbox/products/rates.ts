import Big from "big.js";

/** An interest rate for balances from `from` (minor units) upwards: percent per year, as text. */
export type CreditTier = { from: number; yearly: string };

/**
 * Returns the effective yearly rate of a rate that is applied monthly, in percent with two
 * decimals, which is the format of a published AER or EAR.
 */
export function effectiveYearly(yearly: string): string {
  const monthly = new Big(yearly).div(1200).plus(1);
  return monthly.pow(12).minus(1).times(100).toFixed(2);
}

/** Returns a month's interest on a sum in minor units, rounded half up. */
export const monthlyInterest = (sumMinor: number, yearly: string): number =>
  new Big(sumMinor).times(yearly).div(1200).round(0, Big.roundHalfUp).toNumber();

/** Returns the rate for a balance: that of the highest tier that the balance reaches. */
export const tierRate = (tiers: readonly CreditTier[], balanceMinor: number): string =>
  tiers.findLast(({ from }) => balanceMinor >= from)?.yearly ?? "0";

/** Formats minor units as a product's amount: `9999.99`. */
export const pounds = (minor: number): string => new Big(minor).div(100).toFixed(2);
