import type { ApiVersion } from "#src/standard/api-version.ts";
import { confirmationOfFunds } from "#src/standard/shared/funds/confirmation-of-funds.ts";
import { v4Errors } from "#src/standard/shared/v4/error-response.ts";
import { v4Consents } from "#src/standard/shared/v4/v4-rules.ts";

/**
 * Confirmation of Funds v4.0, at the patch 4.0.1, which keeps the path of 4.0. It differs from v3.1
 * in its error codes and in its words for statuses. Source: C-100, C-101, C-103.
 */
export const cbpiiV40: ApiVersion = {
  ...confirmationOfFunds,
  id: "cbpii-v4.0",
  release: "4.0.1",
  basePath: "/api/open-banking/v4.0/cbpii",
  errors: v4Errors,
  consents: v4Consents("cbpii-v3.1", "cbpii-v4.0"),
};
