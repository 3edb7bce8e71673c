import type { ApiVersion } from "#src/standard/api-version.ts";
import { confirmationOfFunds } from "#src/standard/shared/funds/confirmation-of-funds.ts";
import { v3Errors } from "#src/standard/shared/v3/error-response.ts";
import { v3AccessWords } from "#src/standard/shared/v3/v3-rules.ts";

/** Confirmation of Funds v3.1, at the patch 3.1.11. */
export const cbpiiV31: ApiVersion = {
  ...confirmationOfFunds,
  id: "cbpii-v3.1",
  release: "3.1.11",
  basePath: "/api/open-banking/v3.1/cbpii",
  errors: v3Errors,
  consents: {
    // this API has a word for a consent that was revoked at the bank. Source: C-103, C-104
    words: { ...v3AccessWords, CANC: "Revoked" },
    renderReason: null,
    serves: new Set(["cbpii-v3.1"]),
  },
};
