import type { Product } from "#src/standard/aisp-v3.1/read-product.ts";
import { type CreditTier, effectiveYearly, pounds } from "./rates.ts";

/** A product of the sandbox's bank: what it really pays and charges, and how it is published. */
export type BankProduct = {
  /** As the account information standard shows it, but for the account. */
  details: Omit<Product, "AccountId"> & { ProductId: string; ProductName: string };
  /** What is paid on money in the account: the whole balance at the rate of its tier. */
  credit: readonly CreditTier[];
  /** What is taken on money owed, percent a year; null when nothing is. */
  debit: string | null;
};

/** The members of a band of credit balances that every model has, derived from the tiers paid. */
export const creditBands = (tiers: readonly CreditTier[]) =>
  tiers.map(({ from, yearly }, index) => {
    const next = tiers[index + 1];
    return {
      Identification: `Tier ${index + 1}`,
      TierValueMinimum: pounds(from),
      ...(next ? { TierValueMaximum: pounds(next.from - 1) } : {}),
      AER: effectiveYearly(yearly),
      BankInterestRate: yearly,
    };
  });
