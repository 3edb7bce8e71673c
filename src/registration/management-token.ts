import {
  type AccessRow,
  type AccessSql,
  prepareAccess,
  readFacts,
} from "#src/http/access/access-row.ts";
import type { Credentials } from "#src/http/access/credentials.ts";
import type { Clock } from "#src/lib/clock.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import type { Sql } from "#src/storage/sql.ts";
import { refuseToken } from "./refusal.ts";

/** The dependencies of the check of a token. */
export type TokenDeps = {
  database: Queryable;
  /** The bank's clock, by which tokens expire. */
  clock: Clock;
  /** The statement that reads the row of a token. */
  accessRow: AccessSql;
  /** The statement that deletes a token. */
  tokenDeletion(tokenHash: string): Sql;
};

/** Checks the token with which a client manages its registration. */
export type ManagementToken = (credentials: Credentials, clientId: string) => Promise<void>;

/**
 * Creates the check. The token must be valid, bound to this certificate, from the client
 * credentials grant, and of this client. A token that asks for another client, or for one that does
 * not exist, is revoked. Throws RegistrationRefusal. Source: …R-021.
 */
export function createManagementToken(deps: TokenDeps): ManagementToken {
  const statement = prepareAccess(deps.accessRow);
  return async (credentials, clientId) => {
    const { tokenHash } = credentials;
    if (tokenHash === null) {
      throw refuseToken(
        401,
        "R-018",
        "The Authorization header must be: Bearer, a space, and an access token of this client " +
          "from the grant client_credentials.",
      );
    }
    const row = await first<AccessRow>(deps.database, statement({ tokenHash }));
    const facts = row && readFacts(row.access);
    const isAlive =
      facts !== undefined &&
      facts.client_status === "active" &&
      facts.token_expires_at > deps.clock.now().epochMilliseconds;
    if (!facts || !isAlive) {
      const why = "The access token is unknown, expired or revoked. Request a new one.";
      throw refuseToken(401, "R-018", why);
    }
    if (facts.token_thumbprint !== credentials.certificateThumbprint) {
      const why =
        "The access token is bound to another client certificate. Send it over a connection with " +
        "the certificate that was used to get it.";
      throw refuseToken(403, "R-021", why);
    }
    if (facts.token_client_id !== clientId) {
      await deps.database.query(deps.tokenDeletion(tokenHash));
      const why =
        "The access token belongs to a different client from the one in the URL, and has been " +
        "revoked. Request a new token, and use it only at the URL of the client that requested it.";
      throw refuseToken(401, "R-019", why);
    }
    if (facts.token_kind !== "client_credentials") {
      const why = "The access token must be from the grant client_credentials.";
      throw refuseToken(403, "R-013", why);
    }
  };
}
