import { randomUUID } from "node:crypto";
import { present } from "#src/lib/assert.ts";
import { sha256 } from "#src/lib/hash.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { givenRows } from "#test/given-rows.ts";

/** An access token to store. Brackets contain the value of an absent member. */
export type GivenToken = {
  /** [a random one] */
  token?: string;
  /** [`client_credentials`, or `authorization_code` with a grant] */
  kind?: string;
  clientId: string;
  scope: string;
  grantId?: string | null;
  thumbprint?: string | null;
  expiresAt: Temporal.Instant;
};

/** Stores access tokens. Returns them in the given order. */
export async function addTokens(on: Queryable, given: readonly GivenToken[]): Promise<string[]> {
  const tokens = given.map(({ token = randomUUID() }) => token);
  const rows = given.map(({ kind, ...row }, index) => ({
    ...row,
    token: null,
    hash: sha256(tokens[index] ?? ""),
    kind: kind ?? (row.grantId ? "authorization_code" : "client_credentials"),
  }));
  await on.query(sql`
    insert into access_token (token_hash, kind, client_id, scope, grant_id,
      certificate_thumbprint, expires_at, payload)
    select hash, kind, "clientId", scope, "grantId", thumbprint, "expiresAt", '{}'
    from json_to_recordset(${givenRows(rows)}::json) as g(hash text, kind token_kind,
      "clientId" text, scope text, "grantId" text, thumbprint text, "expiresAt" timestamptz)`);
  return tokens;
}

/** Stores an access token, and returns it. */
export async function addToken(on: Queryable, given: GivenToken): Promise<string> {
  const [token = ""] = await addTokens(on, [given]);
  return token;
}

/** Stores a copy of a token with other members, and returns it; undefined without such a token. */
export async function copyToken(
  on: Queryable,
  token: string,
  { isExpired = false, ...given }: { isExpired?: boolean } & Partial<GivenToken>,
): Promise<string | undefined> {
  const copy = randomUUID();
  const added = await on.query(sql`
    insert into access_token (token_hash, kind, client_id, scope, grant_id, certificate_thumbprint,
      expires_at, payload)
    select ${sha256(copy)}, coalesce(${given.kind ?? null}::token_kind, kind), client_id,
      coalesce(${given.scope ?? null}, scope), coalesce(${given.grantId ?? null}, grant_id),
      certificate_thumbprint, case when ${isExpired} then '2020-01-01' else expires_at end,
      payload
    from access_token where token_hash = ${sha256(token)}
    returning token_hash`);
  return added.length === 1 ? copy : undefined;
}

/** Lets a token, or all, expire at a time. */
export const setTokenExpiry = (
  on: Queryable,
  which: { token: string } | "all",
  at: Temporal.Instant,
): Promise<unknown> => {
  const hash = which === "all" ? null : sha256(which.token);
  return on.query(sql`
    update access_token set expires_at = ${at}
    where ${hash}::text is null or token_hash = ${hash}`);
};

/** Deletes all tokens of a client. */
export const removeTokens = (on: Queryable, clientId: string): Promise<unknown> =>
  on.query(sql`delete from access_token where client_id = ${clientId}`);

/** State of the authorization server to store, such as a refresh token. */
export type GivenArtifact = {
  model: string;
  id: string;
  grantId?: string;
  expiresAt?: Temporal.Instant;
};

/** Stores state of the authorization server. */
export const addArtifacts = (on: Queryable, given: readonly GivenArtifact[]): Promise<unknown> =>
  on.query(sql`
    insert into oidc_artifact (model, id_hash, payload, grant_id, expires_at)
    select model, id, '{}', "grantId", "expiresAt"
    from json_to_recordset(${givenRows(given)}::json) as g(model text, id text, "grantId" text,
      "expiresAt" timestamptz)`);

/** Returns which of these grants have state at the authorization server, once for each part. */
export const grantsWithArtifacts = async (
  on: Queryable,
  grantIds: readonly string[],
): Promise<string[]> =>
  (
    await on.query<{ id: string }>(sql`
      select grant_id as id from oidc_artifact where grant_id = any(${grantIds}::text[])`)
  ).map(({ id }) => id);

/** A journey to store. */
export type GivenJourney = {
  uid: string;
  consentId: string;
  clientId: string;
  step: string;
  outcome?: string | null;
  createdAt: Temporal.Instant;
  expiresAt: Temporal.Instant;
};

/** Stores journeys of customers. */
export const addJourneys = (on: Queryable, given: readonly GivenJourney[]): Promise<unknown> =>
  on.query(sql`
    insert into journey (uid, consent_id, client_id, software_name, step, outcome, created_at,
      expires_at)
    select uid, "consentId", "clientId", 'TPP', step, outcome, "createdAt", "expiresAt"
    from json_to_recordset(${givenRows(given)}::json) as g(uid text, "consentId" text,
      "clientId" text, step text, outcome text, "createdAt" timestamptz, "expiresAt" timestamptz)`);

/** Returns the challenge of a login of a customer. */
export async function loginChallengeOf(
  on: Queryable,
  customerId: string,
): Promise<string | undefined> {
  const [row] = await on.query<{ id: string }>(sql`
    select challenge_id as id from login_challenge
    where customer_id = ${customerId} and subject ->> 'act' = 'login' limit 1`);
  return row?.id;
}

/** Returns how many sessions of the bank's own pages are stored. */
export const countSessions = async (on: Queryable): Promise<number> =>
  (await on.query(sql`select 1 from own_session`)).length;

/** Leaves the open challenges without what the customer was shown before, as release 0.2.0 does. */
export const forgetShowings = (on: Queryable): Promise<unknown> =>
  on.query(sql`update login_challenge set showings = null where verified_at is null`);

/** The name of the TPP in a journey, as customers read it. */
export type JourneyTpp = { softwareName: string; onBehalfOf: string | null };

/** Reads the name of the TPP in the journey of a consent. */
export async function readTpp(on: Queryable, consentId: string): Promise<JourneyTpp> {
  const [row] = await on.query<JourneyTpp>(sql`
    select software_name as "softwareName", on_behalf_of as "onBehalfOf" from journey
    where consent_id = ${consentId}`);
  return present(row, "the journey");
}

/** Changes the name of the TPP in the journeys of a consent. */
export async function nameTpp(
  on: Queryable,
  consentId: string,
  given: Partial<JourneyTpp>,
): Promise<void> {
  const { softwareName, onBehalfOf } = { ...(await readTpp(on, consentId)), ...given };
  await on.query(sql`
    update journey set software_name = ${softwareName}, on_behalf_of = ${onBehalfOf}
    where consent_id = ${consentId}`);
}

/** How the journey of a consent has ended; null if it goes on. */
export async function readOutcome(on: Queryable, consentId: string): Promise<string | null> {
  const [row] = await on.query<{ outcome: string | null }>(
    sql`select outcome from journey where consent_id = ${consentId}`,
  );
  return present(row, "the journey").outcome;
}

/** Makes a journey overdue by a day, without the sweep that would end and delete it. */
export const makeOverdue = (on: Queryable, uid: string): Promise<unknown> =>
  on.query(sql`update journey set expires_at = expires_at - interval '1 day' where uid = ${uid}`);

/** Deletes a journey, as the sweep of another process would. */
export const deleteJourney = (on: Queryable, uid: string): Promise<unknown> =>
  on.query(sql`delete from journey where uid = ${uid}`);
