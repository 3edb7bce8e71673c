import type { Fault } from "#src/http/api-error.ts";
import type { Api } from "#src/http/operation.ts";
import { errorResponse, renderErrorResponse } from "#src/standard/aisp-v3.1/error-response.ts";
import { declaredStatuses } from "#src/standard/shared/accounts/declared-statuses.ts";

/** Account Information v3.1: what all of its operations share. */
export const aispApi: Api = {
  id: "aisp-v3.1",
  title: "Account Information",
  release: "3.1.11",
  basePath: "/api/open-banking/v3.1/aisp",
  scope: "accounts",
  interactionIds: "printable",
  renderError: ({ status, faults }, interactionId) =>
    renderErrorResponse(status, status === 403 ? faults.map(asDenial) : faults, interactionId),
  errorSchema: errorResponse,
  declaredStatuses,
  // Source: A-045…A-047, D-02
  wrongGrant: (refusal) => refusal,
};

// v3.1 has one code for a 403, and it asks for the customer. Source: A-127, D-12.
const asDenial = (fault: Fault): Fault =>
  fault.code !== "U028" && /^U\d{3}$/.test(fault.code) ? { ...fault, code: "AG08" } : fault;
