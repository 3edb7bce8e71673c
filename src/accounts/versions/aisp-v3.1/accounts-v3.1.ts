import type { AccountVersion } from "#src/accounts/versions/account-version.ts";
import { accountAccessConsent } from "#src/standard/aisp-v3.1/account-access-consent.ts";
import { aispV31 } from "#src/standard/aisp-v3.1/version.ts";
import { views } from "./views.ts";

/** Account information in v3.1. */
export const accountsV31: AccountVersion = {
  id: "aisp-v3.1",
  api: aispV31,
  consent: accountAccessConsent,
  views,
};
