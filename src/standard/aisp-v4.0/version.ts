import type { ApiVersion } from "#src/standard/api-version.ts";
import { accountInformation } from "#src/standard/shared/accounts/account-information.ts";
import { v4Errors } from "#src/standard/shared/v4/error-response.ts";
import { v4Consents } from "#src/standard/shared/v4/v4-rules.ts";

/**
 * Account Information v4.0, at the patch 4.0.1, which keeps the path of 4.0. Headers, grants, scope
 * and the order of checks are those of v3.1: v4 changes only words. Source: E-018, E-020, E-021.
 */
export const aispV40: ApiVersion = {
  ...accountInformation,
  id: "aisp-v4.0",
  release: "4.0.1",
  basePath: "/api/open-banking/v4.0/aisp",
  errors: v4Errors,
  consents: v4Consents("aisp-v3.1", "aisp-v4.0"),
};
