import type { Adapter, AdapterPayload, KoaContextWithOIDC } from "oidc-provider";
import type { RefreshKeys } from "#src/clients/client-keys.ts";
import { endGrant } from "#src/consents/consent.ts";
import {
  type ConsentStanding,
  standingOfConsent,
  standingOfGrant,
} from "#src/consents/consent-standing.ts";
import type { ConsentKind } from "#src/consents/kind.ts";
import { byTpp } from "#src/history/change.ts";
import { interactionHeader } from "#src/http/headers/request-headers.ts";
import { present } from "#src/lib/assert.ts";
import type { Clock } from "#src/lib/clock.ts";
import { sha256 } from "#src/lib/hash.ts";
import type { Scope } from "#src/standard/api-version.ts";
import { checkKind, kindNamed, type Stored } from "#src/standard/kind-id.ts";
import { inBatches } from "#src/storage/batches.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { rowFilter } from "#src/storage/row-filter.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import { unflushed } from "#src/storage/unflushed.ts";
import { type BackchannelJourneys, backchannelAdapter, backchannelRequest } from "./backchannel.ts";
import { findClient } from "./client-adapter.ts";
import { noteCheck } from "./endpoint-checks.ts";
import { supportedClaims } from "./intent.ts";
import { interactionAdapter, type StartJourney } from "./interaction-store.ts";
import { judgeTime } from "./late-code.ts";
import { errors, Provider } from "./library.ts";
import { lifetimeSeconds } from "./lifetimes.ts";
import { judgeOwner, pushedRequest } from "./pushed-request.ts";
import {
  artifactKey,
  code,
  createRequestMemory,
  isReadable,
  type Known,
  type KnownToRequest,
  keptSince,
  replay,
  type StoredArtifact,
} from "./read-ahead.ts";
import { artifactUse, sourceUse, takeBack, type UsedSource } from "./undelivered-tokens.ts";

/** The authorization server's store. */
export type SqlStore = {
  /** The adapter of a model, for the library's configuration. */
  adapter(model: string): Adapter;
  /** The standing of a living consent; undefined if there is none. Read once in each request. */
  standing: LoadStanding;
  /**
   * Ends a request. If its token was not stored, uses up its code and its assertion. If its tokens
   * could not be delivered, the code can be used again.
   */
  finish(ctx: KoaContextWithOIDC): Promise<void>;
};

/** Loads the standing of the consent with that id, or of the one with that grant. */
export type LoadStanding = (
  of: { consentId: string } | { grantId: string },
) => Promise<ConsentStanding | undefined>;

type Payload = AdapterPayload & Record<string, unknown>;

/** The bank's clock, and the machine's, which the sandbox's clock may be ahead of. */
type StoreClocks = { clock: Clock; machineClock: Clock };

type StoreDeps = StoreClocks & {
  /** The scopes of the APIs that the bank offers. */
  scopes: readonly Scope[];
  /** Reads a client's keys again if a request names an unknown one; absent without directories. */
  refreshKeys?: RefreshKeys | undefined;
  consentKinds: readonly ConsentKind[];
  startJourney: StartJourney;
  /** Null if the bank does not offer journeys without a browser. */
  backchannelJourneys: BackchannelJourneys | null;
};

type AdapterDeps = StoreDeps & { on: Queryable; known: KnownToRequest };

/**
 * Stores the authorization server's state in the database. A bearer value is never stored: rows are
 * found by its hash. Rows expire by the bank's clock or by the payload's own `exp`, whichever comes
 * first. Ids of used assertions expire by the machine's clock, like the assertions, so setting a
 * sandbox's clock forward does not make an assertion usable again.
 */
export function createSqlStore(on: Queryable, given: StoreDeps): SqlStore {
  const { clock, machineClock } = given;
  const known = createRequestMemory();
  const deps: AdapterDeps = { ...given, on, known };
  const standing = loadStanding(deps);
  return {
    adapter(model) {
      if (model === "Client") return { ...nothing, find: (id) => findClient(deps, id) };
      if (model === "Session") return nothing;
      if (model === "Grant") return grantAdapter(deps, standing);
      if (model === "AccessToken") return tokenAdapter(deps, "authorization_code");
      if (model === "ClientCredentials") return tokenAdapter(deps, "client_credentials");
      if (model === backchannelRequest && given.backchannelJourneys) {
        return backchannelAdapter({ ...deps, journeys: given.backchannelJourneys });
      }
      if (model === "Interaction") return interactionAdapter({ ...deps, isResuming });
      if (model === replay) return replayAdapter(on, machineClock, known);
      return artifactAdapter(deps, model);
    },
    standing,
    async finish(ctx) {
      const request = known(ctx);
      if (request?.recording) await on.query(alone(takeRecording(request)));
      if (request?.used) await on.query(sourceUse(takeUsed(request), clock.now()));
      if (request?.exchanged && ctx.status === 503) await on.query(takeBack(request.exchanged));
    },
  };
}

// The library would end all tokens of the grant, and the customer would have to approve again. A
// revoked access token ends only itself, a refresh token the whole grant.
// Source: RFC 7009 section 2.1
const isRevokingAccessToken = (): boolean =>
  Provider.ctx?.oidc?.route === "revocation" &&
  Provider.ctx.oidc.entities.AccessToken !== undefined;

const isResuming = (): boolean => Provider.ctx?.oidc?.route === "resume";

/** Makes the loader of standings. */
const loadStanding =
  ({ on, known }: AdapterDeps): LoadStanding =>
  async (of) => {
    const request = known();
    const [read, id, statement] =
      "grantId" in of
        ? [request?.byGrant, of.grantId, standingOfGrant(of.grantId)]
        : [request?.byConsent, of.consentId, standingOfConsent(of.consentId)];
    if (read?.has(id)) return read.get(id);
    const row = await first<Stored<ConsentStanding>>(on, statement);
    const standing = row && checkKind<ConsentStanding>(row);
    read?.set(id, standing);
    return standing;
  };

/**
 * Deletes expired rows. A code is kept for another hour and an access token for another day, so
 * that its owner learns that it has expired rather than that it is unknown. Source: P-003.
 */
export async function purgeArtifacts(on: Queryable, clocks: StoreClocks): Promise<void> {
  const now = clocks.clock.now();
  const dayAgo = now.subtract({ hours: 24 });
  await inBatches(
    on,
    (limit) => sql`
      delete from oidc_artifact where ctid = any(array(
        select ctid from oidc_artifact where expires_at <= ${now}
          and (model <> ${replay} or expires_at <= ${clocks.machineClock.now()})
          and (model <> ${code} or expires_at <= ${keptSince(now)})
        limit ${limit} for update skip locked))
      returning model`,
  );
  await inBatches(
    on,
    (limit) => sql`
      delete from access_token where ctid = any(array(
        select ctid from access_token where expires_at <= ${dayAgo}
        limit ${limit} for update skip locked))
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

/**
 * Finds the grants of living consents. The row of a consent says what its grant allows; nothing
 * else is stored for a grant.
 */
function grantAdapter(
  { on, clock, known, consentKinds }: AdapterDeps,
  standing: LoadStanding,
): Adapter {
  return {
    ...nothing,
    async find(grantId) {
      const consent = await standing({ grantId });
      if (!consent?.customerId) return undefined;
      const kind = kindNamed(consent.kind, consentKinds);
      const left = secondsLeft(consent, kind, clock.now());
      if (left <= 0) return undefined;
      return {
        kind: "Grant",
        jti: grantId,
        accountId: consent.customerId,
        clientId: consent.clientId,
        exp: Math.floor(Date.now() / 1000) + left, // the library compares with its own clock
        openid: { scope: `openid ${kind.scope}`, claims: [...supportedClaims] },
      };
    },
    async destroy(grantId) {
      known()?.byGrant.delete(grantId);
      // a token that is being issued at this moment must become invalid too
      const interactionId = Provider.ctx?.response.get(interactionHeader) ?? "";
      await endGrant(on, grantId, byTpp({ now: clock.now(), interactionId }));
    },
  };
}

/** How long the grant of a consent lives on: until the consent's own end, if it has one. */
function secondsLeft(
  { expiresAt, authenticatedAt }: ConsentStanding,
  { course }: Pick<ConsentKind, "course">,
  now: Temporal.Instant,
): number {
  const end = expiresAt ?? authenticatedAt?.add({ seconds: course.grantSeconds });
  return end ? Math.floor(end.since(now).total("seconds")) : 0;
}

function tokenAdapter(
  { on, clock, known }: AdapterDeps,
  kind: "authorization_code" | "client_credentials",
): Adapter {
  return {
    ...nothing,
    async upsert(id, payload, expiresIn) {
      const kept = withoutId(payload);
      const tokenHash = sha256(id);
      // the token of a consent that has ended is still known, so that its TPP learns why
      const isOfConsent = kind === "authorization_code";
      const expiresAt = endOf(clock, isOfConsent ? lifetimeSeconds.AccessToken : expiresIn);
      const token = sql`
        insert into access_token (token_hash, kind, client_id, scope, grant_id,
          certificate_thumbprint, expires_at, payload)
        select ${tokenHash}, ${kind}, ${payload.clientId}, ${payload.scope ?? ""},
          ${payload.grantId ?? null}::text, ${kept["x5t#S256"] ?? null}::text,
          ${expiresAt}::timestamptz, ${JSON.stringify(kept)}::json`;
      const request = known();
      const recorded = request?.recording ? takeRecording(request) : null;
      const source = request?.used ? takeUsed(request) : null;
      if (request && source) request.exchanged = { source, tokenHash };
      if (!recorded && !source) return void (await on.query(token));
      // storing the token uses up the assertion and the code; a code without its token stays unused
      const unused = recorded && sql`exists (select from recorded)`;
      const use = source && sourceUse(source, clock.now(), unused);
      const parts = [
        ...(recorded ? [sql`recorded as (${recorded})`] : []),
        ...(use ? [sql`used as (${use})`] : []),
      ];
      const met = use ? sql`exists (select from used)` : (unused ?? sql`true`);
      const [row] = await on.query<{ isUnused: boolean; isStored: boolean }>(sql`
        with ${parts.reduce((all, next) => sql`${all}, ${next}`)},
        stored as (${token} where ${met} returning client_id)
        select ${unused ?? sql`true`} as "isUnused", exists (select from stored) as "isStored"`);
      if (!row?.isUnused) throw usedTwice();
      if (!row.isStored) throw new errors.InvalidGrant(`${source?.model} already consumed`);
    },
    async find(id) {
      const row = await first<{ payload: Payload }>(
        on,
        sql`select payload from access_token where token_hash = ${sha256(id)} and kind = ${kind}
          and ${rowFilter(sql`expires_at > ${clock.now()}`)}`,
      );
      return row && { ...row.payload, jti: id };
    },
    async destroy(id) {
      await on.query(sql`delete from access_token where token_hash = ${sha256(id)}`);
    },
    async revokeByGrantId(grantId) {
      if (isRevokingAccessToken()) return;
      await on.query(sql`delete from access_token where grant_id = ${grantId}`);
    },
  };
}

/**
 * Remembers the ids of client assertions, each of which is used once. A token is stored by the
 * statement that records the id of its assertion. Other results, such as a pushed request, are
 * stored afterwards, and their flush also writes the id to disk.
 */
function replayAdapter(on: Queryable, clock: Clock, known: KnownToRequest): Adapter {
  return {
    ...nothing, // the insertion finds a used id: the primary key decides between two at once
    async upsert(id, payload, expiresIn) {
      const idHash = sha256(id);
      const recording = sql`
        insert into oidc_artifact as old (model, id_hash, payload, expires_at)
        values (${replay}, ${idHash}, ${JSON.stringify(withoutId(payload))}::json,
          ${endOf(clock, expiresIn)})
        on conflict (model, id_hash) do update set payload = excluded.payload,
          expires_at = excluded.expires_at
        where old.expires_at <= ${clock.now()}
        returning model`;
      const request = known();
      if (request?.assertion?.idHash === idHash) {
        if (request.assertion.isUsed) throw usedTwice();
        request.recording = recording;
      } else if ((await on.query(alone(recording))).length === 0) {
        throw usedTwice();
      }
      if (Provider.ctx) noteCheck(Provider.ctx, "client");
    },
  };
}

const usedTwice = () =>
  new errors.InvalidClientAuth("client assertion tokens must only be used once");

/** The recording of an assertion in a statement that issues nothing. */
const alone = (recording: Sql): Sql => sql`${recording}, ${unflushed}`;

function artifactAdapter(deps: AdapterDeps, model: string): Adapter {
  const { on, clock, known } = deps;
  return {
    ...nothing,
    async upsert(id, payload, expiresIn) {
      known()?.artifacts.delete(artifactKey(model, id));
      await on.query(sql`
        insert into oidc_artifact (model, id_hash, payload, grant_id, uid, client_id, expires_at)
        values (${model}, ${sha256(id)}, ${JSON.stringify(withoutId(payload))}::json,
          ${payload.grantId}, ${payload.uid}, ${payload.clientId}, ${endOf(clock, expiresIn)})
        on conflict (model, id_hash) do update set payload = excluded.payload,
          grant_id = excluded.grant_id, uid = excluded.uid, expires_at = excluded.expires_at`);
    },
    async find(id) {
      const row = await findArtifact(deps, model, id);
      if (!row) return undefined;
      if (model === pushedRequest) judgeOwner(row.payload);
      if (model === code) judgeTime(row, clock.now());
      const consumed = row.consumedAt && Math.floor(row.consumedAt.epochMilliseconds / 1000);
      return { ...row.payload, jti: id, ...(consumed === null ? {} : { consumed }) };
    },
    async consume(id) {
      const request = known();
      if (model === code && request) {
        request.used = { model, idHash: sha256(id) };
        return;
      }
      const rows = await on.query(artifactUse(model, sha256(id), clock.now()));
      if (rows.length === 1) return;
      if (model === pushedRequest) {
        throw new errors.InvalidRequestUri("the request_uri was used before");
      }
      throw new errors.InvalidGrant(`${model} already consumed`);
    },
    async destroy(id) {
      known()?.artifacts.delete(artifactKey(model, id));
      await on.query(sql`
        delete from oidc_artifact where model = ${model} and id_hash = ${sha256(id)}`);
    },
    async revokeByGrantId(grantId) {
      if (isRevokingAccessToken()) return;
      await on.query(sql`
        delete from oidc_artifact where model = ${model} and grant_id = ${grantId}`);
    },
  };
}

async function findArtifact(
  { on, clock, known }: AdapterDeps,
  model: string,
  id: string,
): Promise<StoredArtifact | undefined> {
  const read = known()?.artifacts;
  const key = artifactKey(model, id);
  if (read?.has(key)) return read.get(key);
  return first<StoredArtifact>(
    on,
    sql`select payload, consumed_at as "consumedAt", expires_at as "expiresAt" from oidc_artifact
      where model = ${model} and id_hash = ${sha256(id)}
        and ${isReadable(model, sql`expires_at`, clock.now())}`,
  );
}

/** Takes the statement that records the request's assertion, so that it runs only once. */
function takeRecording(known: Known): Sql {
  const recording = present(known.recording, "the assertion of the request");
  known.recording = null;
  return recording;
}

/** What the request uses; from now on it has nothing. */
function takeUsed(known: Known): UsedSource {
  const used = present(known.used, "the code of the request");
  known.used = null;
  return used;
}

// The id of a code or token is its bearer value.
function withoutId(payload: AdapterPayload): Payload {
  const { jti: _, ...kept } = payload as Payload; // payloads are plain objects
  return kept as Payload;
}

const endOf = (clock: Clock, expiresIn: number | undefined): Temporal.Instant | null =>
  expiresIn === undefined ? null : clock.now().add({ seconds: Math.max(0, Math.ceil(expiresIn)) });
