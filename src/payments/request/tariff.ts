import type { Bank } from "#src/bank/port.ts";
import type { ConsentTerms } from "#src/consents/consent.ts";
import { parseAmount } from "#src/lib/money.ts";
import { networkOf } from "#src/payments/international/destination.ts";
import type { PaymentKindId } from "#src/standard/kind-id.ts";
import type { PaymentRequest } from "./payment-request.ts";

/** A charge in the standard's format. */
export type Charge = NonNullable<ConsentTerms["charges"]>[number];

/** Gets the bank's charges for a payment, in the standard's format. */
export function chargesOf(
  bank: Pick<Bank, "chargesOf">,
  kindId: PaymentKindId,
  request: PaymentRequest,
): Charge[] {
  const { international, localInstrument, recurringAmount, finalAmount } = request;
  const hasOneAmount = recurringAmount === null && finalAmount === null;
  const { text = null, currency = null } = (hasOneAmount ? request.amount : null) ?? {};
  const charges = bank.chargesOf({
    kind: kindId,
    localInstrument,
    network: international ? networkOf(request) : null,
    chargeBearer: international?.chargeBearer ?? null,
    isUrgent: international?.isUrgent ?? false,
    amount: text !== null && currency !== null ? { amount: text, currency } : null,
  });
  return charges.map(({ chargeBearer, type, amount: { amount: Amount, currency: Currency } }) => ({
    ChargeBearer: chargeBearer,
    Type: type,
    Amount: { Amount, Currency },
  }));
}

/** The debtor's charges for a payment, in minor units. Source: P-190. */
export function debtorCharges({ charges = [] }: ConsentTerms, currency: string): bigint {
  let sum = 0n;
  for (const { ChargeBearer, Amount } of charges) {
    if (ChargeBearer !== "BorneByDebtor" || Amount.Currency !== currency) continue;
    sum += parseAmount(Amount.Amount, currency) ?? 0n;
  }
  return sum;
}
