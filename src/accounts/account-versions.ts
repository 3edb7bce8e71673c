import type { TSchema } from "typebox";
import * as v31 from "#src/standard/aisp-v3.1/account-access-consent.ts";
import { aispV31 } from "#src/standard/aisp-v3.1/version.ts";
import * as v40 from "#src/standard/aisp-v4.0/account-access-consent.ts";
import { aispV40 } from "#src/standard/aisp-v4.0/version.ts";
import type { ApiVersion } from "#src/standard/api-version.ts";
import type { AccountApiId } from "./resource.ts";

/** A version of account information, and the bodies of its consents. */
export type AccountVersion = {
  id: AccountApiId;
  api: ApiVersion;
  consent: { request: TSchema; response: TSchema };
};

/** Every version that is served. Each resource has a view per version. */
export const accountVersions: readonly AccountVersion[] = [
  { id: "aisp-v3.1", api: aispV31, consent: v31.accountAccessConsent },
  { id: "aisp-v4.0", api: aispV40, consent: v40.accountAccessConsent },
];
