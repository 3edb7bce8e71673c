import type { ApiVersion } from "#src/standard/api-version.ts";
import { accountInformation } from "#src/standard/shared/accounts/account-information.ts";
import { v3Errors } from "#src/standard/shared/v3/error-response.ts";
import { v3AccessWords } from "#src/standard/shared/v3/v3-rules.ts";

/** Account Information v3.1, at the patch 3.1.11. */
export const aispV31: ApiVersion = {
  ...accountInformation,
  id: "aisp-v3.1",
  release: "3.1.11",
  basePath: "/api/open-banking/v3.1/aisp",
  errors: v3Errors,
  // v3.1 has no word for consents that were revoked at the bank
  consents: { words: v3AccessWords, renderReason: null, serves: new Set(["aisp-v3.1"]) },
};
