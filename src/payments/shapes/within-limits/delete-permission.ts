import { deletionWithTokens } from "#src/consents/delete-consent.ts";
import { byTpp } from "#src/history/change.ts";
import type { Operation } from "#src/http/operation.ts";
import {
  ownConsent,
  type ServedKind,
  type ShapeDeps,
} from "#src/payments/definitions/payment-kind.ts";
import type { PispOperation } from "#src/payments/formats/pisp-operation.ts";

/**
 * The operation by which a TPP deletes a consent: its payments in progress go on. Source:
 * V-073…V-079.
 */
export const deletion = (
  kind: ServedKind,
  { database, grantDeletions }: ShapeDeps,
  operation: PispOperation,
): Operation =>
  operation({
    method: "DELETE",
    path: `/${kind.id}-consents/:ConsentId`,
    name: "delete",
    summary: "Delete a consent",
    success: { status: 204, schema: null },
    refusals: { 400: ["U011"], 403: ["U011"] },
    async handle(request) {
      const { consentId } = await ownConsent(kind, { database }, request);
      await database.query(deletionWithTokens(consentId, byTpp(request), grantDeletions));
      return { status: 204, body: null };
    },
  });
