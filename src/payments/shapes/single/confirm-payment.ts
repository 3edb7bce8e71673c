import type { Bank } from "#src/bank/port.ts";
import type { Operation, OperationReply, OperationRequest } from "#src/http/operation.ts";
import type { Money } from "#src/lib/money.ts";
import {
  requestOf,
  type ServedKind,
  type ShapeDeps,
} from "#src/payments/definitions/payment-kind.ts";
import type { PaymentDraft } from "#src/payments/order/payment-order.ts";
import type { PispOperation } from "#src/payments/pisp-operation.ts";
import { fundsNotAtOnce } from "#src/payments/request/refusals.ts";
import {
  authorisedConsent,
  confirmation,
  debtorIdOf,
  selfOf,
} from "#src/payments/shapes/authorised-consent.ts";
import { paymentOf } from "#src/payments/shapes/draft-order.ts";

/** The operation that tells a TPP whether the funds for the payment of a consent are available. */
export const paymentConfirmation = (
  kind: ServedKind,
  deps: ShapeDeps,
  operation: PispOperation,
): Operation =>
  operation({
    ...confirmation(kind),
    method: "GET",
    success: { status: 200, schema: kind.format.schemas.funds },
    refusals: { 400: ["U009", "U011"], 403: ["U011"] },
    handle: (request) => confirmPayment(kind, deps, request),
  });

async function confirmPayment(
  kind: ServedKind,
  deps: ShapeDeps,
  request: OperationRequest,
): Promise<OperationReply> {
  const consent = await authorisedConsent(kind, deps, request);
  const { config } = deps;
  const { now } = request;
  const asked = requestOf(kind, consent);
  const plan = { kind, request: asked, terms: consent.terms, now, config };
  const draft = paymentOf(plan);
  const accountId = debtorIdOf(consent);
  if (kind.timing.when === "onDate" && !draft.international?.fundsAtOnce)
    throw fundsNotAtOnce(kind.format.paths["rate.type"]);
  const debit = await debitOf(deps.bank, accountId, draft);
  const available = debit !== null && (await deps.bank.confirmFunds(accountId, debit));
  const self = selfOf(kind, request, consent);
  return { status: 200, body: kind.format.renderFunds({ available, now, self, asked: null }) };
}

/** The total debit of a payment now; null if it cannot be made. P-190. */
async function debitOf(
  bank: Bank,
  debtorAccountId: string,
  { amount, chargeMinor, international }: PaymentDraft,
): Promise<Money | null> {
  if (!international) return { ...amount, amountMinor: amount.amountMinor + chargeMinor };
  const price = await bank.price({ debtorAccountId, amount, international });
  if (price === null) return null;
  const charged = price.charge?.amountMinor ?? 0n;
  return { ...price.debit, amountMinor: price.debit.amountMinor + charged };
}
