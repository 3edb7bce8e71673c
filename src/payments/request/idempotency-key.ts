import { first, type Queryable } from "#src/storage/database.ts";
import { rowFilter } from "#src/storage/row-filter.ts";
import { type Sql, sql } from "#src/storage/sql.ts";

/** An idempotency key of a client, for an operation (method and path). */
export type SentKey = { clientId: string; operation: string; key: string };

/** One use of an idempotency key: the key, and the fingerprint of the request. */
export type KeyUse = SentKey & { fingerprint: string };

/** The request and the resource to which a key is bound. */
export type BoundKey = { fingerprint: string; resourceId: string };

/** After this time a key can be used again. Source: P-053. */
export const keyLifetime = sql`interval '24 hours'`;

/**
 * Binds a key to the resource that the same statement creates, once per row of `source`, whose
 * columns are named as in `keyRow`. Returns `resource_id`, or no row if the key is bound already.
 * Source: Read/Write profile, Idempotency.
 */
export const keyBinding = (source: Sql): Sql => sql`
  insert into idempotency_key (client_id, operation, key, fingerprint, resource_id, created_at)
  select client_id, operation, key, fingerprint, resource_id, created_at from ${source}
  on conflict (client_id, operation, key) do update set fingerprint = excluded.fingerprint,
    resource_id = excluded.resource_id, created_at = excluded.created_at
  where idempotency_key.created_at <= excluded.created_at - ${keyLifetime}
  returning resource_id`;

/** One use of a key as a source for `keyBinding`. */
export const keyRow = (use: KeyUse, resourceId: string, now: Temporal.Instant): Sql => sql`
  (values (${use.clientId}::text, ${use.operation}::text, ${use.key}::text,
    ${use.fingerprint}::text, ${resourceId}::text, ${now}::timestamptz))
  as used(client_id, operation, key, fingerprint, resource_id, created_at)`;

/** The current binding of a client's key, in the shape of `BoundKey`. */
export const boundKeyRow = (
  use: { clientId: string | Sql; operation: string; key: string | null },
  now: Temporal.Instant,
): Sql => sql`
  select fingerprint, resource_id as "resourceId" from idempotency_key
  where client_id = ${use.clientId} and operation = ${use.operation} and key = ${use.key}
    and ${rowFilter(sql`created_at > ${now}::timestamptz - ${keyLifetime}`)}`;

/** Loads the binding of a client's key; undefined if it has none. */
export const loadBoundKey = (
  on: Queryable,
  sent: SentKey,
  now: Temporal.Instant,
): Promise<BoundKey | undefined> => first<BoundKey>(on, boundKeyRow(sent, now));
