import { type Consent, loadConsent } from "#src/consents/consent.ts";
import { notYours } from "#src/http/access/access.ts";
import type { OperationRequest } from "#src/http/operation.ts";
import type { PaymentDeps } from "#src/payments/deps.ts";
import type { ServedKind } from "#src/payments/kinds/payment-kind.ts";
import { accessOf, paramOf, unknownId } from "#src/payments/request/refusals.ts";
import { isServed } from "#src/payments/wires/wire.ts";

/**
 * Loads the consent of the path. Throws unless it is of this kind and of this TPP. Source:
 * P-101…P-103.
 */
export async function ownConsent(
  kind: ServedKind,
  { database }: PaymentDeps,
  request: OperationRequest,
): Promise<Consent> {
  const consent = await loadConsent(database, paramOf(request, "ConsentId"));
  if (consent?.kind !== kind.id || !isServed(kind, consent)) throw unknownId("ConsentId");
  if (consent.clientId !== accessOf(request).clientId) throw notYours("ConsentId");
  return consent;
}
