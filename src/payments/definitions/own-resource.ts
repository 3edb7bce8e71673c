import { type Consent, loadConsent } from "#src/consents/consent.ts";
import { notYours, onOtherVersion } from "#src/http/access/access.ts";
import type { OperationRequest } from "#src/http/operation.ts";
import { type Doing, isServed } from "#src/payments/formats/format.ts";
import type { PaymentOrder } from "#src/payments/order/payment-order.ts";
import { paramOf, unknownId } from "#src/payments/request/refusals.ts";
import type { ApiVersionId } from "#src/standard/api-version.ts";
import type { ServedKind, ShapeDeps } from "./payment-kind.ts";

/** What decides whether a TPP may use a consent or an order through an operation. */
type Resource = { kind: string; apiVersion: ApiVersionId; clientId: string };

/**
 * Returns the resource if it is of this kind and of the calling TPP, and if this version serves it.
 * Throws otherwise; `path` is the place of its id in the request. Source: P-101…P-103, P-175,
 * P-176.
 */
function ownResource<Found extends Resource>(
  kind: ServedKind,
  found: Found | undefined,
  request: OperationRequest,
  path: string,
  doing: Doing = "reads",
): Found {
  const served = servedResource(kind, found, request, path, doing);
  if (served.clientId !== request.access.clientId) throw notYours(path);
  return served;
}

/**
 * Returns the resource if it is of this kind and this version serves it, whoever owns it. Throws
 * otherwise; only its owner learns which version has it. Source: P-028, P-160, P-163.
 */
export function servedResource<Found extends Resource>(
  kind: ServedKind,
  found: Found | null | undefined,
  request: OperationRequest,
  path: string,
  doing: Doing = "reads",
): Found {
  if (found?.kind !== kind.id) throw unknownId(path);
  if (isServed(kind, found, doing)) return found;
  const isOwn = found.clientId === request.access.clientId;
  throw isOwn ? onOtherVersion(path, found.apiVersion) : unknownId(path);
}

/**
 * Loads the consent of the path. Throws unless it is of this kind and of this TPP. Source:
 * P-101…P-103.
 */
export async function ownConsent(
  kind: ServedKind,
  { database }: Pick<ShapeDeps, "database">,
  request: OperationRequest,
  doing: Doing = "reads",
): Promise<Consent> {
  const consent = await loadConsent(database, paramOf(request, "ConsentId"));
  return ownResource(kind, consent, request, "ConsentId", doing);
}

/** The path parameter of the orders of a kind. */
export const orderParameter = (kind: ServedKind): string =>
  kind.orderIdParameter ?? kind.orderIdField;

/**
 * Returns the order if it is of this kind and of this TPP; throws otherwise. Source: P-175, P-176.
 */
export const ownOrder = <Order extends Pick<PaymentOrder, "apiVersion" | "kind" | "clientId">>(
  kind: ServedKind,
  order: Order | undefined,
  request: OperationRequest,
): Order => ownResource(kind, order, request, orderParameter(kind), "reads");
