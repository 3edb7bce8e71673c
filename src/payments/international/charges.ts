import type { ConsentTerms } from "#src/consents/terms.ts";
import type { Money } from "#src/lib/money.ts";

/**
 * Splits a consent's charges into the charge that the debtor pays and the deduction from what the
 * creditor gets.
 */
export function splitCharges({ charges = [] }: ConsentTerms): {
  charge: Money | null;
  deduction: Money | null;
} {
  const currency = charges[0]?.amount.currency ?? "GBP"; // all in one currency
  const sum = (borne: (bearer: string) => boolean): Money | null => {
    const amountMinor = charges
      .filter(({ chargeBearer }) => borne(chargeBearer))
      .reduce((total, { amount }) => total + amount.amountMinor, 0n);
    return amountMinor === 0n ? null : { amountMinor, currency };
  };
  return {
    charge: sum((bearer) => bearer !== "BorneByCreditor"),
    deduction: sum((bearer) => bearer === "BorneByCreditor"),
  };
}
