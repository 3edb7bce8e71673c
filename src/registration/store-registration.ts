import { storePublishedKeys } from "#src/clients/client-keys.ts";
import { setClientStatus } from "#src/clients/client-record.ts";
import {
  type ClientRegistration,
  lockSoftware,
  registerClient,
  replaceRegistration,
} from "#src/clients/register-client.ts";
import { securityProfileOf } from "#src/clients/security-profile.ts";
import type { Why } from "#src/history/change.ts";
import type { Clock } from "#src/lib/clock.ts";
import { newId } from "#src/lib/ids.ts";
import { textOf } from "#src/lib/plain-text.ts";
import { inBatches } from "#src/storage/batches.ts";
import { type Database, first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { backchannelMembers } from "./backchannel-rules.ts";
import type { RequestContext } from "./certificate-subject.ts";
import { readJws } from "./claims.ts";
import { fault, type RegistrationFault } from "./fault.ts";
import type { RegistrationSettings } from "./registration-settings.ts";
import type { VerifiedRegistration } from "./verify-registration.ts";

// What the bank keeps of registrations: the registered clients and how a response describes them,
// the ids of used requests, and the attempts of TPPs.

/** The dependencies of storing registrations. */
export type StoreDeps = {
  database: Database;
  settings: RegistrationSettings;
  machineClock: Clock;
};

type StoreRequest = {
  verified: VerifiedRegistration;
  /** The client to change; null for a new one. */
  clientId: string | null;
  why: Why;
  /** The attempt to record with the registration. */
  attempt: Omit<Attempt, "clientId">;
};

/** A client as it has been stored. */
export type StoredClient = { clientId: string; metadata: Record<string, unknown> };

/** The stored client, or the rule that the registration breaks. */
type StoreOutcome = StoredClient | { fault: RegistrationFault };

class Forbidden extends Error {
  readonly fault: RegistrationFault;
  constructor(found: RegistrationFault) {
    super(found.description);
    this.fault = found;
  }
}

/**
 * Stores a registration, uses up the request's id and records the attempt, all in one transaction.
 * If concurrent requests have the same id, one is stored. Source.
 */
export async function storeRegistration(
  deps: StoreDeps,
  { verified, clientId, why, attempt }: StoreRequest,
): Promise<StoreOutcome> {
  try {
    return await deps.database.transaction(async (on) => {
      await takeRequestId(on, verified, deps);
      await checkSoftware(on, verified);
      const stored = await writeClient(on, verified, { clientId, why, ...deps });
      await recordAttempt(on, { ...attempt, clientId: stored.clientId });
      return stored;
    });
  } catch (error) {
    if (error instanceof Forbidden) return { fault: error.fault };
    throw error;
  }
}

async function takeRequestId(
  on: Queryable,
  { claims, statement }: VerifiedRegistration,
  { machineClock }: StoreDeps,
): Promise<void> {
  const { jti, exp } = claims;
  if (jti === undefined) return; // a person at the bank registers it
  const expiresAt = Temporal.Instant.fromEpochMilliseconds((Number(exp) + skewSeconds) * 1000);
  const given = { use: "request", issuer: statement.softwareId, jti: textOf(jti), expiresAt };
  if (await takeId(on, given, machineClock.now())) return;
  const description = `jti is ${textOf(jti)}, which an earlier request used. Sign a new request with a new UUID.`;
  throw new Forbidden(fault("R-047", "invalid_client_metadata", description));
}

const skewSeconds = 60;

type UsedId = { use: string; issuer: string; jti: string; expiresAt: Temporal.Instant };

/** Uses up an id; false if it was used before. The primary key lets one concurrent use succeed. */
async function takeId(on: Queryable, given: UsedId, now: Temporal.Instant): Promise<boolean> {
  const { use, issuer, jti, expiresAt } = given;
  const row = await first(
    on,
    sql`insert into registration_jti as old (use, issuer, jti, expires_at)
      values (${use}, ${issuer}, ${jti.toLowerCase()}, ${expiresAt})
      on conflict (use, issuer, jti) do update set expires_at = excluded.expires_at
      where old.expires_at <= ${now}
      returning jti`,
  );
  return row !== undefined;
}

async function checkSoftware(on: Queryable, { statement }: VerifiedRegistration): Promise<void> {
  const { softwareId, organisationId, issuer } = statement;
  const owner = await lockSoftware(on, softwareId);
  if (!owner) return;
  if (owner.organisationId !== organisationId || (owner.issuer ?? issuer.iss) !== issuer.iss) {
    const description =
      `The software ${softwareId} is registered for another organisation or by another issuer of ` +
      "statements. Ask the bank to move it.";
    throw new Forbidden(fault("R-087", "unapproved_software_statement", description));
  }
}

async function writeClient(
  on: Queryable,
  verified: VerifiedRegistration,
  { clientId, why, machineClock }: StoreDeps & Pick<StoreRequest, "clientId" | "why">,
): Promise<StoredClient> {
  const { statement, keys, identity } = verified;
  const readAt = machineClock.now();
  const { dueAt } = keys;
  const addresses = "jwks" in statement.keySource ? null : statement.keySource;
  const metadata = registeredMetadata(verified);
  const registration: Omit<ClientRegistration, "clientId" | "keys"> = {
    organisation: {
      organisationId: statement.organisationId,
      name: statement.organisationName,
    },
    software: {
      softwareId: statement.softwareId,
      name: statement.softwareName,
      onBehalfOf: statement.onBehalfOf,
      roles: statement.roles,
      directory: {
        issuer: statement.issuer.iss,
        jwksUri: addresses?.jwksUri ?? null,
        revokedJwksUri: addresses?.revokedJwksUri ?? null,
        readAt,
        dueAt,
      },
    },
    metadata,
    certificateSubject: identity,
    why,
  };
  const id = clientId ?? newId("tpp");
  if (clientId === null) {
    await registerClient(on, { ...registration, clientId: id, keys: keys.active });
  } else if (!(await replaceRegistration(on, { ...registration, clientId: id }))) {
    const description =
      "The client has been deleted in the meantime. Register a new one with POST.";
    throw new Forbidden(fault("R-020", "invalid_client_metadata", description));
  }
  await storePublishedKeys(on, statement.softwareId, keys, { why, at: readAt, dueAt });
  return { clientId: id, metadata };
}

/**
 * Deletes the used ids that have expired. Those without an expiry are of software statements, which
 * up to version 0.2.0 could be allowed once only.
 */
export async function purgeUsedIds(on: Queryable, now: Temporal.Instant): Promise<void> {
  await on.query(
    sql`delete from registration_jti where expires_at <= ${now} or expires_at is null`,
  );
}

/** Ends everything that a client may do, in the transaction that removes it. */
export type CloseAccess = (on: Queryable, clientId: string, why: Why) => Promise<void>;

/**
 * Removes a client: its tokens, its access to accounts and its event subscription end in the same
 * transaction. Payments in progress continue, and the records stay. Returns false if it is removed
 * already, or unknown. Source: R-030.
 */
export const removeClient = (
  { database, closeAccess }: { database: Database; closeAccess: CloseAccess },
  clientId: string,
  why: Why,
): Promise<boolean> =>
  database.transaction(async (on) => {
    const isRemoved = await setClientStatus(on, clientId, "removed", why);
    if (isRemoved) await closeAccess(on, clientId, why);
    return isRemoved;
  });

/** A request to the registration endpoint, as it is recorded. Source: R-142. */
export type Attempt = {
  at: Temporal.Instant;
  interactionId: string;
  method: string;
  /** Null without a valid client certificate. */
  certificateSubject: string | null;
  /** As the request names it, verified or not. */
  softwareId: string | null;
  clientId: string | null;
  status: number;
  /** The rule that the request breaks; null if it breaks none. */
  rule: string | null;
  /** The description that the TPP got; null if the request succeeded. */
  description: string | null;
};

/** Records an attempt. */
export async function recordAttempt(on: Queryable, given: Attempt): Promise<void> {
  await on.query(sql`
    insert into registration_attempt (at, interaction_id, method, certificate_subject, software_id,
      client_id, status, rule, description)
    values (${given.at}, ${given.interactionId}, ${given.method}, ${given.certificateSubject},
      ${given.softwareId}, ${given.clientId}, ${given.status}, ${given.rule},
      ${given.description})`);
}

/** Lists the newest attempts that concern a client or its software, newest first. */
export const listAttempts = (
  on: Queryable,
  { clientId, softwareId }: { clientId: string; softwareId: string },
  limit: number,
): Promise<Attempt[]> =>
  on.query<Attempt>(sql`
    select at, interaction_id as "interactionId", method,
      certificate_subject as "certificateSubject", software_id as "softwareId",
      client_id as "clientId", status, rule, description
    from registration_attempt where client_id = ${clientId} or software_id = ${softwareId}
    order by attempt_id desc limit ${limit}`);

/** How many days the record of an attempt is kept. */
const keptDays = 400;

/** Deletes attempts that are more than 400 days old. Returns how many. */
export const purgeAttempts = (on: Queryable, now: Temporal.Instant): Promise<number> =>
  inBatches(
    on,
    (limit) => sql`
      delete from registration_attempt where ctid = any(array(
        select ctid from registration_attempt
        where at < ${now.subtract({ hours: keptDays * 24 })}
        order by at limit ${limit} for update skip locked))
      returning attempt_id`,
  );

/** The members of a request that are registered unchanged, if the request has them. */
const repeated = [
  "token_endpoint_auth_method",
  "grant_types",
  "application_type",
  "id_token_signed_response_alg",
  "request_object_signing_alg",
] as const;

/**
 * Returns what is registered for a client: the known members of the request, with the bank's
 * defaults, and the statement. Unknown members are left out. Source.
 */
function registeredMetadata({
  claims,
  statement,
  scope,
}: Pick<RequestContext, "claims" | "statement"> & { scope: string }): Record<string, unknown> {
  const usesJwt = claims.token_endpoint_auth_method === "private_key_jwt";
  const own = usesJwt ? "token_endpoint_auth_signing_alg" : "tls_client_auth_subject_dn";
  const profile = securityProfileOf(claims);
  return {
    redirect_uris: claims.redirect_uris ?? statement.redirectUris,
    ...Object.fromEntries(repeated.map((name) => [name, claims[name]])),
    [own]: claims[own],
    ...backchannelMembers(claims),
    response_types: claims.response_types ?? profile.defaultResponseTypes,
    ...profile.registered,
    ...Object.fromEntries(Object.keys(profile.fixed).map((name) => [name, claims[name]])),
    software_id: statement.softwareId,
    scope,
    software_statement: statement.text,
  };
}

// claims that concern only the request, or that an answer never has
const left = ["iss", "iat", "exp", "aud", "jti", "nbf", "client_id", "client_secret"];

/**
 * Returns the body that describes a client: what is registered, the members of its software
 * statement, and its id. Source: R-131…R-137.
 */
export function renderClient(client: {
  clientId: string;
  createdAt: Temporal.Instant;
  metadata: Record<string, unknown>;
}): Record<string, unknown> {
  const { clientId, createdAt, metadata } = client;
  return {
    ...statementMembers(metadata.software_statement),
    client_id: clientId,
    client_id_issued_at: Math.floor(createdAt.epochMilliseconds / 1000),
    ...metadata,
  };
}

function statementMembers(text: unknown): Record<string, unknown> {
  const read = typeof text === "string" ? readJws(text, "software statement") : "";
  if (typeof read === "string") return {};
  return Object.fromEntries(Object.entries(read.claims).filter(([name]) => !left.includes(name)));
}
