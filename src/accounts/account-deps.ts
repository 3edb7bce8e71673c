import type { Bank } from "#src/bank/port.ts";
import type { Config } from "#src/config/config.ts";
import type { AccessConsentDeps } from "#src/consents/access-consents.ts";
import type { AccessSql } from "#src/http/access/access.ts";
import type { AccountResource } from "./resource.ts";
import type { AccountVersion } from "./versions/account-version.ts";

/** The dependencies of the account operations. */
export type AccountDeps = AccessConsentDeps & {
  config: Pick<
    Config,
    | "FACTS_MAX_AGE_SECONDS"
    | "PAGE_SIZE"
    | "REAUTHENTICATION_DAYS"
    | "STRICT_OAS"
    | "UNATTENDED_DAILY_LIMIT"
  >;
  /** The SQL of a token's row. */
  accessRow: AccessSql;
  /** Says which parts the bank has, and gives its own documents. */
  bank: Pick<Bank, "about" | "loadStatementDocument">;
  /** The resources to serve; by default, every resource in every version. */
  resources?: readonly AccountResource[];
  versions?: readonly AccountVersion[];
};
