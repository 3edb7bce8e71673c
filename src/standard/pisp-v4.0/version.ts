import { type ApiVersion, inOrder } from "#src/standard/api-version.ts";
import { v4Consents, v4Signed } from "#src/standard/shared/v4/v4-rules.ts";
import { declaredStatuses } from "./declared-statuses.ts";

/** Payment Initiation v4.0, at the patch 4.0.1, which keeps the path of 4.0. Source: D-401-01. */
export const pispV40: ApiVersion = {
  id: "pisp-v4.0",
  title: "Payment Initiation",
  release: "4.0.1",
  basePath: "/api/open-banking/v4.0/pisp",
  scopes: ["payments"],
  rateLimitGroup: "pisp",
  // Source: P-001…P-009, P-013…P-019, P-031…P-045
  steps: inOrder([
    "interaction-id",
    "token",
    "grant",
    "scope",
    "consent-version",
    "rate-limit",
    "accept",
    "content-type",
    "auth-date",
    "idempotency-key",
    "body",
  ]),
  ...v4Signed,
  consents: v4Consents("pisp-v3.1", "pisp-v4.0"),
  declaredStatuses,
};
