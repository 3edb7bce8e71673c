import type { FastifyRequest } from "fastify";
import { type AccessRow, readFacts } from "#src/http/access/access.ts";
import { networkOf } from "#src/http/connection/connections.ts";
import { credentialsOf } from "#src/http/connection/listeners.ts";
import { judgedCertificateOf } from "#src/http/connection/peers.ts";
import type { RateBuckets } from "#src/http/refusal/rate-limit.ts";
import { describe, type Profile } from "#src/http/refusal/refusals.ts";
import { stepsFrom } from "#src/http/steps.ts";
import type { Clock } from "#src/lib/clock.ts";
import { countOf } from "#src/lib/plain-text.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import type { Sql } from "#src/storage/sql.ts";
import { RegistrationRefusal, refuseToken } from "./fault.ts";

// How a request to the registration endpoint is admitted. Before its body is read, it passes the
// steps `rate-limit` and `certificate`. A request about a client then passes the step `token`: only
// that step makes the `OwnClient` that the handlers of such requests take.

/** The dependencies of the steps. */
export type AdmissionDeps = {
  database: Queryable;
  /** The bank's clock, by which tokens expire. */
  clock: Clock;
  /** The machine's clock. */
  machineClock: Clock;
  profile: Profile;
  /** The URL at which clients register. */
  registrationUrl: string;
  /** Limits the requests of a certificate subject or an address; null for no limit. */
  limit: RateBuckets | null;
  /** Counts a request without a valid client certificate. Such requests are not recorded. */
  onUnidentified(): void;
  /** The statement that reads the row of a token. */
  loadAccess(credentials: { tokenHash: string }): Sql;
  /** The statement that deletes a token. */
  tokenDeletion(tokenHash: string): Sql;
};

/** A client that has shown its own token. */
export type OwnClient = ShownClient;

class ShownClient {
  readonly #id: string;
  constructor(id: string) {
    this.#id = id;
  }
  get clientId(): string {
    return this.#id;
  }
}

type Arrived = { deps: AdmissionDeps; request: FastifyRequest };

/** The steps of every request, before its body is read. */
export const arrivalSteps = stepsFrom<Arrived>()
  .add({ name: "rate-limit", check: limitRate })
  .add({ name: "certificate", check: judgeConnection })
  .of(undefined);

/** The steps of a request about one client. */
export const ownClientSteps = stepsFrom<Arrived & { clientId: string }>()
  .add({ name: "token", check: checkToken })
  .of(undefined);

/**
 * Throws 429 for more requests with one method than the limit allows, before anything is read or
 * stored. Source: R-026.
 */
function limitRate({ deps: { limit, machineClock }, request }: Arrived): void {
  if (!limit) return;
  const { method } = request;
  const now = machineClock.now().epochMilliseconds;
  const { certificate } = judgedCertificateOf(request.raw);
  const names = [`${method} address ${networkOf(request.socket.remoteAddress ?? "")}`];
  if (certificate) names.push(`${method} subject ${certificate.subject}`);
  const refused = names.map((name) => limit.take(name, now)).find(({ allowed }) => !allowed);
  if (!refused) return;
  const wait = countOf(refused.seconds, "second", "seconds");
  const description =
    `There were too many ${method} requests with this certificate or from this address. Wait for ` +
    `${wait}.`;
  throw new RegistrationRefusal(
    429,
    { rule: "R-026", error: "slow_down", description },
    { "retry-after": String(refused.seconds) },
  );
}

/** Refuses a request without a valid client certificate. Source: R-012. */
function judgeConnection({ deps, request }: Arrived): void {
  const { fault: found } = judgedCertificateOf(request.raw);
  if (found === null) return;
  deps.onUnidentified();
  const facts = { ...found.facts, address: deps.registrationUrl };
  const description = describe(found.reason, deps.profile, facts);
  throw new RegistrationRefusal(
    401,
    { rule: "R-012", error: "invalid_client", description },
    { "www-authenticate": 'Bearer error="invalid_token"' },
  );
}

/**
 * Checks the token with which a client manages its registration. It must be valid, bound to this
 * certificate, from the client credentials grant, and of this client. A token that asks for another
 * client, or for one that does not exist, is revoked. Source: …R-021.
 */
async function checkToken({
  deps,
  request,
  clientId,
}: Arrived & { clientId: string }): Promise<{ client: OwnClient }> {
  const credentials = credentialsOf(request.raw);
  const { tokenHash } = credentials;
  if (tokenHash === null) {
    throw refuseToken(
      401,
      "R-018",
      "The Authorization header must be: Bearer, a space, and an access token of this client " +
        "from the grant client_credentials.",
    );
  }
  const row = await first<AccessRow>(deps.database, deps.loadAccess({ tokenHash }));
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
  return { client: new ShownClient(clientId) };
}
