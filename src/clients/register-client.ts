import type { Why } from "#src/history/change.ts";
import { sha256 } from "#src/lib/hash.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** A key of a client: a JWK with or without an id and a use. */
export type RegisteredKey = { kid?: string; use?: string };

/** What a registration says, and what the bank sets for the client. */
export type Registration = {
  clientId: string;
  organisation: { organisationId: string; name: string };
  software: { softwareId: string; name: string; onBehalfOf?: string; roles: readonly string[] };
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

/**
 * Stores a client with its organisation, software, settings and keys. The facts of organisation and
 * software replace the stored ones; a client that exists keeps its registration, settings and keys.
 * The keys come after the settings: the change that triggers record then has them.
 */
export async function registerClient(on: Queryable, given: Registration): Promise<void> {
  const { clientId, organisation, software, setting, why } = given;
  const keys = given.keys.map((jwk) => ({ kid: keyIdOf(jwk), use: jwk.use ?? "sig", jwk }));
  await on.query(sql`
    with firm as (
      insert into organisation as o (organisation_id, name)
      values (${organisation.organisationId}, ${organisation.name})
      on conflict (organisation_id) do update set name = excluded.name
      where o.name <> excluded.name
    ), product as (
      insert into software as s (software_id, organisation_id, name, on_behalf_of, roles)
      values (${software.softwareId}, ${organisation.organisationId}, ${software.name},
        ${software.onBehalfOf}, ${software.roles}::text[])
      on conflict (software_id) do update
      set name = excluded.name, on_behalf_of = excluded.on_behalf_of, roles = excluded.roles
      where (s.name, s.on_behalf_of, s.roles)
        is distinct from (excluded.name, excluded.on_behalf_of, excluded.roles)
    ), registered as (
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
    select s.client_id, k.kid, k.use, k.jwk, 'registration', ${why.at}::timestamptz
    from settled s
    cross join json_to_recordset(${JSON.stringify(keys)}::json)
      as k(kid text, use text, jwk json)`);
}

/** A key's id: its own, or a hash of the key. */
const keyIdOf = (jwk: RegisteredKey): string => jwk.kid ?? sha256(JSON.stringify(jwk));
