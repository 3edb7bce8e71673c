import Big from "big.js";

/** A rate for balances of at least `from`, in minor units; percent per year, as text. */
export type CreditTier = { from: number; yearly: string };

/**
 * The effective yearly rate of a rate that is applied monthly: percent with two decimals, as AER
 * and EAR are published.
 */
export function effectiveYearly(yearly: string): string {
  const monthly = new Big(yearly).div(1200).plus(1);
  return monthly.pow(12).minus(1).times(100).toFixed(2);
}

/** A month's interest at a yearly rate on a sum in minor units, rounded half up. */
export const monthlyInterest = (sumMinor: number, yearly: string): number =>
  new Big(sumMinor).times(yearly).div(1200).round(0, Big.roundHalfUp).toNumber();

/** The rate for a balance: that of the highest tier that it reaches. */
export const tierRate = (tiers: readonly CreditTier[], balanceMinor: number): string =>
  tiers.findLast(({ from }) => balanceMinor >= from)?.yearly ?? "0";

/** Minor units as a product's amount: `9999.99`. */
export const pounds = (minor: number): string => new Big(minor).div(100).toFixed(2);
