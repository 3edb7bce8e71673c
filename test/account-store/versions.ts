import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** Gives a stored account a newer version, as a feeder does. */
export const renewAccount = (on: Queryable, accountId: string) =>
  on.query(sql`update account set version = version + 8 where account_id = ${accountId}`);

/** The versions of the removals with a key that the store remembers. */
export async function removedVersions(on: Queryable, key: string): Promise<bigint[]> {
  const rows = await on.query<{ version: bigint }>(sql`
    select version from removed_fact where key = ${key}`);
  return rows.map(({ version }) => version);
}
