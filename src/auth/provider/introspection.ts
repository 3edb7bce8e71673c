import { accessRow } from "#src/auth/access-row.ts";
import { type AccessRow, prepareAccess, readFacts } from "#src/http/access/access-row.ts";
import { sha256 } from "#src/lib/hash.ts";
import { first, type Queryable } from "#src/storage/database.ts";

const statement = prepareAccess(accessRow);

/**
 * Whether the APIs serve the client of an access token for the scope of the token, by the row that
 * they read. Source: RFC 7662 section 2.2.
 */
export async function isServed(database: Queryable, token: string): Promise<boolean> {
  const row = await first<AccessRow>(database, statement({ tokenHash: sha256(token) }));
  return row !== undefined && readFacts(row.access).client_status === "active";
}
