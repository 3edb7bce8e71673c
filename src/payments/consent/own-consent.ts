import { type Consent, loadConsent } from "#src/consents/consent.ts";
import type { OperationRequest } from "#src/http/operation.ts";
import type { PaymentDeps } from "#src/payments/deps.ts";
import type { Doing } from "#src/payments/formats/format.ts";
import type { ServedKind } from "#src/payments/kinds/payment-kind.ts";
import { ownResource } from "#src/payments/request/own-resource.ts";
import { paramOf } from "#src/payments/request/refusals.ts";

/**
 * Loads the consent of the path. Throws unless it is of this kind and of this TPP. Source:
 * P-101…P-103.
 */
export async function ownConsent(
  kind: ServedKind,
  { database }: Pick<PaymentDeps, "database">,
  request: OperationRequest,
  doing: Doing = "reads",
): Promise<Consent> {
  const consent = await loadConsent(database, paramOf(request, "ConsentId"));
  return ownResource(kind, consent, request, "ConsentId", doing);
}
