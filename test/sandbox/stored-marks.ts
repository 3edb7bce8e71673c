// What the sandbox notes besides its customers and its ledger.
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** Returns the names of the seeds that have filled the database and begin with a text. */
export const seedsNamed = async (on: Queryable, begin: string): Promise<string[]> =>
  (
    await on.query<{ name: string }>(sql`
      select name from sandbox_seed where starts_with(name, ${begin})`)
  ).map(({ name }) => name);

/** Marks the database as filled by a seed. */
export const addSeed = (on: Queryable, name: string): Promise<unknown> =>
  on.query(sql`insert into sandbox_seed (name, seeded_at) values (${name}, now())`);

/** Removes the mark of a seed. */
export const removeSeed = (on: Queryable, name: string): Promise<unknown> =>
  on.query(sql`delete from sandbox_seed where name = ${name}`);

/** Makes the sandbox forget which certificates it has revoked. */
export const clearRevocations = (on: Queryable): Promise<unknown> =>
  on.query(sql`delete from sandbox_revoked_certificate`);

/** Returns a key as the sandbox's directory has it. */
export async function directoryKey(
  on: Queryable,
  kid: string,
): Promise<Record<string, unknown> | undefined> {
  const [row] = await on.query<{ jwk: Record<string, unknown> }>(sql`
    select jwk from directory_key where kid = ${kid}`);
  return row?.jwk;
}
