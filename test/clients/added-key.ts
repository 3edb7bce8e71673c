import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** Adds a signing key to a client, as if its software had registered it. */
export async function addSigningKey(
  database: Database,
  clientId: string,
  jwk: Readonly<Record<string, unknown>> & { kid: string },
  at = Temporal.Now.instant(),
): Promise<void> {
  await database.query(sql`
    insert into client_key (client_id, kid, use, jwk, source, created_at)
    values (${clientId}, ${jwk.kid}, 'sig', ${JSON.stringify(jwk)}::json, 'registration', ${at})`);
}
