import type { StatedAmount } from "#src/bank/port.ts";
import type { ConsentTerms } from "#src/consents/consent.ts";
import { formatAmount, parseAmount } from "#src/lib/money.ts";

/**
 * Splits a consent's charges into the charge that the debtor pays and the deduction from what the
 * creditor gets.
 */
export function splitCharges({ charges = [] }: ConsentTerms): {
  charge: StatedAmount | null;
  deduction: StatedAmount | null;
} {
  const currency = charges[0]?.Amount.Currency ?? "GBP"; // all in one currency
  const sum = (borne: (bearer: string) => boolean): StatedAmount | null => {
    const amounts = charges
      .filter(({ ChargeBearer }) => borne(ChargeBearer))
      .map(({ Amount }) => parseAmount(Amount.Amount, Amount.Currency) ?? 0n);
    const amountMinor = amounts.reduce((left, right) => left + right, 0n);
    return amountMinor === 0n ? null : { amount: formatAmount(amountMinor, currency), currency };
  };
  return {
    charge: sum((bearer) => bearer !== "BorneByCreditor"),
    deduction: sum((bearer) => bearer === "BorneByCreditor"),
  };
}
