import { fundsV31 } from "./versions/cbpii-v3.1/funds-v3.1.ts";
import { fundsV40 } from "./versions/cbpii-v4.0/funds-v4.0.ts";
import type { FundsVersion } from "./versions/funds-version.ts";

/**
 * The versions of confirmation of funds, oldest first. Nothing else names them: to drop a version,
 * delete its line and its folders.
 */
export const fundsVersions: readonly FundsVersion[] = [fundsV31, fundsV40];
