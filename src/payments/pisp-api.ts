import { forbidden } from "#src/http/api-error.ts";
import type { Api } from "#src/http/operation.ts";
import { declaredStatuses } from "#src/standard/pisp-v4.0/declared-statuses.ts";
import { errorResponse, renderErrorResponse } from "#src/standard/pisp-v4.0/error-response.ts";

/** Payment Initiation v4.0, at the patch 4.0.1, which keeps the path of 4.0. Source: D-401-01. */
export const pispApi: Api = {
  id: "pisp-v4.0",
  title: "Payment Initiation",
  release: "4.0.1",
  basePath: "/api/open-banking/v4.0/pisp",
  scope: "payments",
  renderError: ({ faults }, interactionId) => renderErrorResponse(faults, interactionId),
  errorSchema: errorResponse,
  declaredStatuses,
  // P-006…P-009
  wrongGrant: () =>
    forbidden("U006", "Authorization", "This operation needs a token of the other grant."),
};
