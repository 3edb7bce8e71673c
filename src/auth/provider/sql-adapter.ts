import "./quiet-runtime.ts";
import { AsyncLocalStorage } from "node:async_hooks";
import { type Adapter, type AdapterPayload, errors } from "oidc-provider";
import { interactionAdapter, type JourneyStart } from "#src/auth/journey/interaction-store.ts";
import { purge } from "#src/auth/purge.ts";
import { isAcceptedKey } from "#src/clients/client-keys.ts";
import { endGrant } from "#src/consents/consent.ts";
import { byBank } from "#src/history/change.ts";
import type { Clock } from "#src/lib/clock.ts";
import { sha256 } from "#src/lib/hash.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { certificateSubjectKey } from "./judge-client.ts";

/** The authorization server's store. */
export type SqlStore = {
  /** The adapter of a model, for the library's configuration. */
  adapter(model: string): Adapter;
  /** Runs `work` with every statement of every adapter on this transaction. */
  within<T>(transaction: Queryable, work: () => Promise<T>): Promise<T>;
};

const replay = "ReplayDetection";

type Payload = AdapterPayload & Record<string, unknown>;

/** The bank's clock, and the machine's, which the sandbox's clock may be ahead of. */
export type StoreClocks = { clock: Clock; machineClock: Clock };

/** The dependencies of the store. */
export type StoreDeps = StoreClocks & { journeyStart: JourneyStart };

/**
 * Stores the authorization server's state in the database. A bearer value is never stored: rows are
 * found by its hash. Rows expire by the bank's clock or by the payload's own `exp`, whichever comes
 * first. Ids of used assertions expire by the machine's clock, like the assertions, so setting a
 * sandbox's clock forward does not make an assertion usable again.
 */
export function createSqlStore(
  database: Queryable,
  { clock, machineClock, journeyStart }: StoreDeps,
): SqlStore {
  const current = new AsyncLocalStorage<Queryable>();
  const on: Queryable = {
    query: (statement) => (current.getStore() ?? database).query(statement),
  };
  return {
    adapter(model) {
      if (model === "Client") return clientAdapter(on, machineClock);
      if (model === "Session") return nothing;
      if (model === "AccessToken") return tokenAdapter(on, clock, "authorization_code");
      if (model === "ClientCredentials") return tokenAdapter(on, clock, "client_credentials");
      if (model === "Interaction") return interactionAdapter(on, clock, journeyStart);
      if (model === replay) return artifactAdapter(on, machineClock, model);
      return artifactAdapter(on, clock, model);
    },
    within: (transaction, work) => current.run(transaction, work),
  };
}

/** Deletes a grant with everything that was issued under it. */
export async function dropGrant(on: Queryable, grantId: string): Promise<void> {
  await on.query(sql`delete from oidc_artifact where grant_id = ${grantId}`);
  await on.query(sql`delete from access_token where grant_id = ${grantId}`);
}

/**
 * Deletes expired rows. An access token is kept for another day, so that its owner learns that it
 * has expired rather than that it is unknown. Source: P-003.
 */
export async function purgeArtifacts(on: Queryable, clocks: StoreClocks): Promise<void> {
  const now = clocks.clock.now();
  await purge(
    on,
    (limit) => sql`
      delete from oidc_artifact where (model, id_hash) in (
        select model, id_hash from oidc_artifact where expires_at <= ${now}
          and (model <> ${replay} or expires_at <= ${clocks.machineClock.now()})
        limit ${limit} for update skip locked)
      returning model`,
  );
  const dayAgo = now.subtract({ hours: 24 });
  await purge(
    on,
    (limit) => sql`
      delete from access_token where token_hash in (
        select token_hash from access_token where expires_at <= ${dayAgo}
        limit ${limit} for update skip locked)
      returning client_id`,
  );
}

// A customer logs in for every authorization, so there is no session to store.
const nothing: Adapter = {
  upsert: async () => undefined,
  find: async () => undefined,
  findByUserCode: async () => undefined,
  findByUid: async () => undefined,
  consume: async () => undefined,
  destroy: async () => undefined,
  revokeByGrantId: async () => undefined,
};

function clientAdapter(on: Queryable, clock: Clock): Adapter {
  type Row = {
    metadata: object;
    keys: object[];
    name: string;
    bound: boolean;
    certificateSubject: string | null;
  };
  return {
    ...nothing,
    async find(clientId) {
      const row = await first<Row>(
        on,
        sql`select cl.metadata, s.name, cs.certificate_bound as bound,
            cl.certificate_subject as "certificateSubject",
            (select coalesce(json_agg(k.jwk order by k.created_at, k.kid), '[]') from client_key k
              where k.client_id = cl.client_id and ${isAcceptedKey(clock.now())}) as keys
          from client cl
          join client_setting cs on cs.client_id = cl.client_id
          join software s on s.software_id = cl.software_id
          where cl.client_id = ${clientId} and cs.status = 'active'`,
      );
      if (!row) return undefined;
      return {
        ...row.metadata,
        client_id: clientId,
        client_name: row.name,
        jwks: { keys: row.keys },
        tls_client_certificate_bound_access_tokens: row.bound,
        ...(row.certificateSubject ? { [certificateSubjectKey]: row.certificateSubject } : {}),
      } as AdapterPayload; // the library checks client metadata itself
    },
  };
}

function tokenAdapter(
  on: Queryable,
  clock: Clock,
  kind: "authorization_code" | "client_credentials",
): Adapter {
  return {
    ...nothing,
    async upsert(id, payload, expiresIn) {
      const kept = withoutId(payload);
      const expiresAt = endOf(clock, expiresIn);
      await on.query(sql`
        insert into access_token (token_hash, kind, client_id, scope, grant_id,
          certificate_thumbprint, expires_at, payload)
        values (${sha256(id)}, ${kind}, ${payload.clientId}, ${payload.scope ?? ""},
          ${payload.grantId}, ${kept["x5t#S256"]}, ${expiresAt}, ${JSON.stringify(kept)}::json)`);
    },
    async find(id) {
      const row = await first<{ payload: Payload }>(
        on,
        sql`select payload from access_token where token_hash = ${sha256(id)} and kind = ${kind}
          and expires_at > ${clock.now()}`,
      );
      return row && { ...row.payload, jti: id };
    },
    async destroy(id) {
      await on.query(sql`delete from access_token where token_hash = ${sha256(id)}`);
    },
    async revokeByGrantId(grantId) {
      await on.query(sql`delete from access_token where grant_id = ${grantId}`);
    },
  };
}

function artifactAdapter(on: Queryable, clock: Clock, model: string): Adapter {
  return {
    ...nothing,
    async upsert(id, payload, expiresIn) {
      // a jti can be used once: the primary key decides between two concurrent uses
      const once = model === replay;
      const grantId = model === "Grant" ? id : payload.grantId;
      const rows = await on.query(sql`
        insert into oidc_artifact as old (model, id_hash, payload, grant_id, uid, client_id,
          expires_at)
        values (${model}, ${sha256(id)}, ${JSON.stringify(withoutId(payload))}::json, ${grantId},
          ${payload.uid}, ${payload.clientId}, ${endOf(clock, expiresIn)})
        on conflict (model, id_hash) do update set payload = excluded.payload,
          grant_id = excluded.grant_id, uid = excluded.uid, expires_at = excluded.expires_at
        where not ${once}::boolean or old.expires_at <= ${clock.now()}
        returning model`);
      if (rows.length === 0) {
        throw new errors.InvalidClientAuth("client assertion tokens must only be used once");
      }
    },
    async find(id) {
      const row = await first<{ payload: Payload; consumedAt: Temporal.Instant | null }>(
        on,
        sql`select payload, consumed_at as "consumedAt" from oidc_artifact
          where model = ${model} and id_hash = ${sha256(id)}
            and (expires_at is null or expires_at > ${clock.now()})`,
      );
      if (!row) return undefined;
      const consumed = row.consumedAt && Math.floor(row.consumedAt.epochMilliseconds / 1000);
      return { ...row.payload, jti: id, ...(consumed === null ? {} : { consumed }) };
    },
    async consume(id) {
      const rows = await on.query(sql`
        update oidc_artifact set consumed_at = ${clock.now()}
        where model = ${model} and id_hash = ${sha256(id)} and consumed_at is null
        returning model`);
      if (rows.length === 1) return;
      if (model === "PushedAuthorizationRequest") {
        throw new errors.InvalidRequestUri("the request_uri was used before");
      }
      throw new errors.InvalidGrant(`${model} already consumed`);
    },
    async destroy(id) {
      await on.query(sql`
        delete from oidc_artifact where model = ${model} and id_hash = ${sha256(id)}`);
      // a token that is being issued at this moment must become invalid too
      if (model === "Grant") {
        await endGrant(on, id, byBank(clock.now()));
      }
    },
    async revokeByGrantId(grantId) {
      await on.query(sql`
        delete from oidc_artifact where model = ${model} and grant_id = ${grantId}`);
    },
  };
}

// The id of a code or token is its bearer value.
function withoutId(payload: AdapterPayload): Payload {
  const { jti: _, ...kept } = payload as Payload; // payloads are plain objects
  return kept as Payload;
}

const endOf = (clock: Clock, expiresIn: number | undefined): Temporal.Instant | null =>
  expiresIn === undefined ? null : clock.now().add({ seconds: Math.max(0, Math.ceil(expiresIn)) });
