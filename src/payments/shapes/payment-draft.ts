import type { AccountReference } from "#src/bank/port.ts";
import { present } from "#src/lib/assert.ts";
import { executionInstant } from "#src/payments/calendar/timing.ts";
import type { OrderPlan } from "#src/payments/definitions/payment-kind.ts";
import { internationalTerms } from "#src/payments/international/terms.ts";
import type { PaymentDraft } from "#src/payments/order/payment-draft.ts";
import type { RequestedAccount } from "#src/payments/request/payment-request.ts";
import { debtorCharges } from "#src/payments/request/tariff.ts";

/** Drafts a payment of a checked request: this amount to its creditor, at home or abroad. */
export function draftPayment(
  plan: OrderPlan,
  { amount, executeAt }: Pick<PaymentDraft, "amount" | "executeAt">,
): PaymentDraft {
  const { kind, request, terms } = plan;
  const isAbroad = kind.currencies === "exchanged";
  return {
    amount,
    // the charge for a payment abroad is in the account's currency, from which the bank converts
    chargeMinor: isAbroad ? 0n : debtorCharges(terms, amount.currency),
    executeAt,
    creditor: accountReference(present(request.creditor, "the creditor account")),
    endToEndId: request.endToEndId,
    reference: request.reference,
    localInstrument: request.localInstrument,
    ...(isAbroad ? { international: internationalTerms(plan) } : {}),
  };
}

/** Converts a checked account into the format of the bank's port. */
export const accountReference = (account: RequestedAccount): AccountReference => ({
  schemeName: present(account.schemeName, "the scheme of a checked account"),
  identification: present(account.identification, "the identification of a checked account"),
  name: account.name,
  secondaryIdentification: account.secondaryIdentification,
});

/** The only payment of a checked request: its amount to its creditor. */
export function paymentOf(plan: OrderPlan): PaymentDraft {
  const { kind, request, now, config } = plan;
  const amount = present(request.amount?.money ?? null, "a checked amount");
  return draftPayment(plan, { amount, executeAt: executionInstant(kind, request, now, config) });
}
