import { changed, type Why } from "#src/history/change.ts";
import { sha256 } from "#src/lib/hash.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";

/** The tables of clients, in the order in which rows refer to rows. */
export const clientTables = [
  "organisation",
  "software",
  "client",
  "client_setting",
  "client_key",
] as const;

/** The addresses of keys begin with another URL from now on: their directory has moved. */
export const moveDirectory = (on: Queryable, from: string, to: string): Promise<unknown> =>
  on.query(sql`
    update software set jwks_uri = replace(jwks_uri, ${from}, ${to}),
      revoked_jwks_uri = replace(revoked_jwks_uri, ${from}, ${to})
    where starts_with(jwks_uri, ${`${from}/`})`);

/** A key of a client: a JWK with or without an id and a use. */
export type RegisteredKey = { kid?: string; use?: string };

/** The facts of software, as its newest statement gives them. */
type RegisteredSoftware = {
  softwareId: string;
  name: string;
  onBehalfOf?: string | null;
  roles: readonly string[];
  /** The directory that describes it; absent for software without a statement. */
  directory?: {
    issuer: string;
    /** Where the directory publishes its keys; null if its statement contains them. */
    jwksUri: string | null;
    revokedJwksUri: string | null;
    /** When the keys were read, and when they must be read again; null for never. */
    readAt: Temporal.Instant;
    dueAt: Temporal.Instant | null;
    /** When the status is to be read; absent for as soon as possible. */
    statusDueAt?: Temporal.Instant;
  };
};

/** The contents of a registration, and the bank's settings for the client. */
export type ClientRegistration = {
  clientId: string;
  organisation: { organisationId: string; name: string };
  software: RegisteredSoftware;
  /** The registered members of RFC 7591, and the software statement. */
  metadata: object;
  /** The details that its certificates must contain; null for a client without certificates. */
  certificateSubject: string | null;
  keys: readonly RegisteredKey[];
  /** Default: an active client whose tokens are bound to its certificate. */
  setting?: { status?: "active" | "suspended"; certificateBound?: boolean };
  /** Who registers it, and when. */
  why: Why;
};

type Facts = Pick<ClientRegistration, "organisation" | "software">;

/** Writes the facts of organisation and software, which replace the stored ones. */
function softwareFacts({ organisation, software }: Facts): Sql {
  const { directory } = software;
  return sql`firm as (
      insert into organisation as o (organisation_id, name)
      values (${organisation.organisationId}, ${organisation.name})
      on conflict (organisation_id) do update set name = excluded.name
      where o.name <> excluded.name
    ), product as (
      insert into software as s (software_id, organisation_id, name, on_behalf_of, roles,
        statement_issuer, jwks_uri, revoked_jwks_uri, keys_read_at, keys_due_at, status_due_at)
      values (${software.softwareId}, ${organisation.organisationId}, ${software.name},
        ${software.onBehalfOf}, ${software.roles}::text[], ${directory?.issuer},
        ${directory?.jwksUri}, ${directory?.revokedJwksUri},
        ${directory?.readAt}, ${directory?.dueAt}, ${directory?.statusDueAt})
      on conflict (software_id) do update
      set name = excluded.name, on_behalf_of = excluded.on_behalf_of, roles = excluded.roles,
        statement_issuer = excluded.statement_issuer, jwks_uri = excluded.jwks_uri,
        revoked_jwks_uri = excluded.revoked_jwks_uri, keys_read_at = excluded.keys_read_at,
        keys_due_at = excluded.keys_due_at, status_due_at = excluded.status_due_at
      where (s.name, s.on_behalf_of, s.roles, s.statement_issuer, s.jwks_uri, s.revoked_jwks_uri,
          s.keys_read_at, s.keys_due_at, s.status_due_at)
        is distinct from (excluded.name, excluded.on_behalf_of, excluded.roles,
          excluded.statement_issuer, excluded.jwks_uri, excluded.revoked_jwks_uri,
          excluded.keys_read_at, excluded.keys_due_at, excluded.status_due_at)
    )`;
}

/**
 * Stores a client with its organisation, software, settings and keys. The facts of organisation and
 * software replace the stored ones; a client that exists keeps its registration, settings and keys.
 * The keys are stored after the settings, so that the change in the history includes them.
 */
export async function registerClient(on: Queryable, given: ClientRegistration): Promise<void> {
  const { clientId, organisation, software, setting, why } = given;
  const keys = given.keys.map((jwk) => ({ kid: keyIdOf(jwk), use: jwk.use ?? "sig", jwk }));
  const source = software.directory ? "directory" : "registration";
  await on.query(sql`
    with ${softwareFacts(given)}, registered as (
      insert into client (client_id, software_id, organisation_id, metadata, certificate_subject,
        created_at)
      values (${clientId}, ${software.softwareId}, ${organisation.organisationId},
        ${JSON.stringify(given.metadata)}::json, ${given.certificateSubject}, ${why.at})
      on conflict (client_id) do nothing returning client_id, software_id, organisation_id
    ), settled as (
      insert into client_setting (client_id, software_id, organisation_id, status,
        certificate_bound, changed_by, changed_at, interaction_id)
      select client_id, software_id, organisation_id, ${setting?.status ?? "active"},
        ${setting?.certificateBound ?? true}, ${why.by}::text, ${why.at}::timestamptz,
        ${why.interactionId}::text
      from registered returning client_id
    )
    insert into client_key (client_id, kid, use, jwk, source, created_at)
    select s.client_id, k.kid, k.use, k.jwk, ${source}, ${why.at}::timestamptz
    from settled s
    cross join json_to_recordset(${JSON.stringify(keys)}::json)
      as k(kid text, use text, jwk json)`);
}

/** A key's id: its own, or a hash of the key. */
const keyIdOf = (jwk: RegisteredKey): string => jwk.kid ?? sha256(JSON.stringify(jwk));

/**
 * Replaces what is registered for a client. The bank's settings do not change, and the keys are
 * those of the software. Returns false if there is no such client.
 */
export async function replaceRegistration(
  on: Queryable,
  given: Omit<ClientRegistration, "keys" | "setting">,
): Promise<boolean> {
  const { clientId, why } = given;
  const rows = await on.query(sql`
    with ${softwareFacts(given)}, settled as (
      update client_setting set ${changed(why)}
      where client_id = ${clientId} and status <> 'removed' returning client_id
    )
    update client set metadata = ${JSON.stringify(given.metadata)}::json,
      certificate_subject = ${given.certificateSubject}
    where client_id in (select client_id from settled) returning client_id`);
  return rows.length === 1;
}

/** The registered owner of software: another owner's statement may not describe the software. */
type SoftwareOwner = { organisationId: string; issuer: string | null };

/**
 * Locks the id of software until the end of the transaction, and returns the owner of the software;
 * undefined if the software is unknown. Every transaction that writes software together with its
 * clients takes this lock first. Their statements lock the rows in different orders, so that two of
 * them could otherwise wait for each other.
 */
export async function lockSoftware(
  on: Queryable,
  softwareId: string,
): Promise<SoftwareOwner | undefined> {
  await on.query(sql`select pg_advisory_xact_lock(hashtext(${`software ${softwareId}`}))::text`);
  return first<SoftwareOwner>(
    on,
    sql`select organisation_id as "organisationId", statement_issuer as issuer
      from software where software_id = ${softwareId}`,
  );
}
