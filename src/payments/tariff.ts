import type { ConsentTerms } from "#src/consents/consent.ts";
import { formatAmount, parseAmount } from "#src/lib/money.ts";
import type { Charge, Initiation } from "./payment-kind.ts";

// What the sandbox bank charges, by local instrument: a CHAPS payment costs £20, the rest nothing.
const domesticTariff: Record<string, { type: string; amountMinor: bigint }> = {
  "UK.OBIE.CHAPS": { type: "UK.OBIE.CHAPSOut", amountMinor: 2000n },
};

/** The charges of a domestic payment; the debtor bears them. Source: digest 2.9. */
export function domesticCharges({ LocalInstrument }: Initiation): Charge[] {
  const price = LocalInstrument === undefined ? undefined : domesticTariff[LocalInstrument];
  if (!price) return [];
  const Amount = { Amount: formatAmount(price.amountMinor, "GBP"), Currency: "GBP" };
  return [{ ChargeBearer: "BorneByDebtor", Type: price.type, Amount }];
}

/** What the debtor pays the bank on top of a payment, in minor units. Source: P-190. */
export function debtorCharges({ charges = [] }: ConsentTerms, currency: string): bigint {
  let sum = 0n;
  for (const { ChargeBearer, Amount } of charges) {
    if (ChargeBearer !== "BorneByDebtor" || Amount.Currency !== currency) continue;
    sum += parseAmount(Amount.Amount, currency) ?? 0n;
  }
  return sum;
}
