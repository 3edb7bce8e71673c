import type { Bank, BankCharge } from "#src/bank/port.ts";
import type { PaymentKindId } from "#src/standard/kind-id.ts";
import { networkOf } from "./destination.ts";
import type { PaymentRequest } from "./payment-request.ts";

/** Gets the bank's charges for a payment. */
export function chargesOf(
  bank: Pick<Bank, "chargesOf">,
  kindId: PaymentKindId,
  request: PaymentRequest,
): BankCharge[] {
  const { international, localInstrument, recurringAmount, finalAmount } = request;
  const hasOneAmount = recurringAmount === null && finalAmount === null;
  return bank.chargesOf({
    kind: kindId,
    localInstrument,
    network: international ? networkOf(request) : null,
    chargeBearer: international?.chargeBearer ?? null,
    isUrgent: international?.isUrgent ?? false,
    amount: (hasOneAmount ? request.amount?.money : null) ?? null,
  });
}
