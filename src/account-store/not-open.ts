import { type Sql, sql } from "#src/storage/sql.ts";

/**
 * SQL: those of some accounts that the bank has reported as blocked or closed, as one JSON object
 * with the status of each. `accountIds` is a query of their ids.
 */
export const notOpenAmong = (accountIds: Sql): Sql => sql`
  select coalesce(json_object_agg(a.account_id, a.status), '{}') from account a
  where a.account_id = any(array(${accountIds})) and a.status <> 'Enabled'`;
