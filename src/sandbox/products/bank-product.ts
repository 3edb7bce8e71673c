import type { Product } from "#src/standard/shared/accounts/product.ts";
import { type CreditTier, effectiveYearly, pounds } from "./rates.ts";

/** A product of the sandbox's bank: its real interest and charges, and how it is published. */
export type BankProduct = {
  /** The product as Account Information shows it, without the account's id. */
  details: Omit<Product, "AccountId"> & { ProductId: string; ProductName: string };
  /** Credit interest: the whole balance earns the rate of its tier. */
  credit: readonly CreditTier[];
  /** Debit interest, percent per year; null if there is none. */
  debit: string | null;
};

/**
 * Derives from the tiers the members that every product model has for a band of credit balances.
 */
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
