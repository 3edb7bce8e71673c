import type { Bank } from "#src/bank/port.ts";
import type { ConsentTerms } from "#src/consents/consent.ts";
import { parseAmount } from "#src/lib/money.ts";
import { networkOf } from "#src/payments/international/destination.ts";
import type { Charge, Initiation, PaymentKind } from "#src/payments/kinds/payment-kind.ts";
import { textAt } from "./json-path.ts";

/**
 * What the bank charges for a payment, as the standard words it; those of a file are the sum of its
 * payments'. Source: digest 2.9.
 */
export function chargesOf(
  bank: Pick<Bank, "chargesOf">,
  kind: Pick<PaymentKind, "id" | "currencies" | "payments">,
  initiation: Initiation & Record<string, unknown>,
): Charge[] {
  if (kind.payments === null) return [];
  const amount = initiation.InstructedAmount;
  const charges = bank.chargesOf({
    kind: kind.id,
    localInstrument: initiation.LocalInstrument ?? null,
    network:
      kind.currencies === "exchanged" ? networkOf({ Data: { Initiation: initiation } }) : null,
    chargeBearer: textAt(initiation, "ChargeBearer") ?? null,
    isUrgent: textAt(initiation, "InstructionPriority") === "Urgent",
    amount: amount ? { amount: amount.Amount, currency: amount.Currency } : null,
  });
  return charges.map(({ chargeBearer, type, amount: { amount: Amount, currency: Currency } }) => ({
    ChargeBearer: chargeBearer,
    Type: type,
    Amount: { Amount, Currency },
  }));
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
