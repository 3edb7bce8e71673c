import type { AccountVersion } from "./versions/account-version.ts";
import { accountsV31 } from "./versions/aisp-v3.1/accounts-v3.1.ts";
import { accountsV40 } from "./versions/aisp-v4.0/accounts-v4.0.ts";

/**
 * The versions of account information, oldest first. Nothing else names them: to drop a version,
 * delete its line and its folder in accounts/versions/.
 */
export const accountVersions: readonly AccountVersion[] = [accountsV31, accountsV40];
