import { setClientStatus } from "#src/clients/client-record.ts";
import { storePublishedKeys } from "#src/clients/directory-keys.ts";
import {
  type ClientRegistration,
  lockSoftware,
  registerClient,
  replaceRegistration,
} from "#src/clients/register-client.ts";
import type { Why } from "#src/history/change.ts";
import type { Clock } from "#src/lib/clock.ts";
import { newId } from "#src/lib/ids.ts";
import { textOf } from "#src/lib/plain-text.ts";
import { type Database, first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { type Attempt, recordAttempt } from "./attempts.ts";
import { fault, type RegistrationFault } from "./fault.ts";
import { registeredMetadata } from "./registered-metadata.ts";
import type { RegistrationSettings } from "./registration-settings.ts";
import type { VerifiedRegistration } from "./verify-registration.ts";

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

type UsedId = { use: string; issuer: string; jti: string; expiresAt: Temporal.Instant | null };

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

/** Deletes the used ids that have expired. */
export async function purgeUsedIds(on: Queryable, now: Temporal.Instant): Promise<void> {
  await on.query(sql`delete from registration_jti where expires_at <= ${now}`);
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
