import type { AccountVersion } from "#src/accounts/versions/account-version.ts";
import { accountAccessConsent } from "#src/standard/aisp-v4.0/account-access-consent.ts";
import { aispV40 } from "#src/standard/aisp-v4.0/version.ts";
import { views } from "./views.ts";

/** Account information in v4.0. */
export const accountsV40: AccountVersion = {
  id: "aisp-v4.0",
  api: aispV40,
  consent: accountAccessConsent,
  views,
};
