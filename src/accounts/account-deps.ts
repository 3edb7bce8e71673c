import type { Config } from "#src/config/config.ts";
import type { GrantDeletions } from "#src/consents/delete-consent.ts";
import type { AccessSql } from "#src/http/access/access-row.ts";
import type { Database } from "#src/storage/database.ts";
import type { AccountVersion } from "./account-versions.ts";
import type { AccountResource } from "./resource.ts";

/** The dependencies of the account operations. */
export type AccountDeps = {
  database: Database;
  config: Pick<
    Config,
    | "ALDGATE_PROFILE"
    | "BANK_NAME"
    | "PAGE_SIZE"
    | "REAUTHENTICATION_DAYS"
    | "UNATTENDED_DAILY_LIMIT"
  >;
  /** The SQL of a token's row. */
  accessRow: AccessSql;
  /**
   * Makes the statements that delete everything that was issued under grants, given a query with
   * the column `grant_id`.
   */
  grantDeletions: GrantDeletions;
  /** The resources to serve; by default, every resource in every version. */
  resources?: readonly AccountResource[];
  versions?: readonly AccountVersion[];
};
