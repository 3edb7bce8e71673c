import type { Consent } from "#src/consents/consent.ts";
import { otherConsent } from "#src/http/access/access.ts";
import type { OperationRequest } from "#src/http/operation.ts";
import { present } from "#src/lib/assert.ts";
import {
  ownConsent,
  type ServedKind,
  type ShapeDeps,
} from "#src/payments/definitions/payment-kind.ts";
import { grantedTo, wrongStatus } from "#src/payments/request/refusals.ts";

// What the two ways to confirm funds have in common.

/** The path, the name and the grant of the operation. */
export const confirmation = ({ id }: ServedKind) =>
  ({
    path: `/${id}-consents/:ConsentId/funds-confirmation`,
    name: "confirmFunds",
    summary: "Confirm whether the funds are available",
    grant: "authorization_code",
  }) as const;

/** Loads the consent of the path. Throws unless the token belongs to it and it is authorised. */
export async function authorisedConsent(
  kind: ServedKind,
  deps: Pick<ShapeDeps, "database">,
  request: OperationRequest,
): Promise<Consent> {
  const consent = await ownConsent(kind, deps, request, "uses");
  const granted = grantedTo(request);
  if (consent.consentId !== granted) throw otherConsent("ConsentId", granted, consent.consentId);
  if (consent.status !== "AUTH") {
    throw wrongStatus(kind.format.version.consents, consent.status);
  }
  return consent;
}

/** The account of an authorised consent. */
export const debtorIdOf = ({ accountIds }: Consent): string =>
  present(accountIds[0], "the account of an authorised consent");

/** The link to a funds confirmation. */
export const selfOf = (
  kind: ServedKind,
  { baseUrl }: OperationRequest,
  { consentId }: Consent,
): string => `${baseUrl}/${kind.id}-consents/${consentId}/funds-confirmation`;
