import { hash } from "node:crypto";
import type { AdapterPayload, KoaContextWithOIDC } from "oidc-provider";
import { type ProviderClientRow, providerClient } from "#src/clients/provider-client.ts";
import {
  type ConsentStanding,
  standingOfConsent,
  standingOfGrant,
} from "#src/consents/consent-standing.ts";
import { sha256 } from "#src/lib/hash.ts";
import { textOf } from "#src/lib/plain-text.ts";
import { checkKind, type Stored } from "#src/standard/kind-id.ts";
import { rowFilter } from "#src/storage/row-filter.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import { consentMember, namedIntent } from "./intent.ts";
import { claimsOf } from "./jwt-facts.ts";
import { Provider } from "./library.ts";
import type { TokenExchange, UsedSource } from "./undelivered-tokens.ts";

// Every request to the authorization server looks for its client first. It then looks for a code
// and for a consent, which the request names: one statement reads them all. A request that resumes
// after a journey reads all this with its interaction. What was read ahead does not outlive its
// request, and never decides that a code or an assertion is unused: the write does.

/** A stored artifact. Only a code may have expired. */
export type StoredArtifact = {
  payload: AdapterPayload & Record<string, unknown>;
  consumedAt: Temporal.Instant | null;
  expiresAt: Temporal.Instant | null;
};

/** The model of authorization codes. */
export const code = "AuthorizationCode";

/**
 * The bank keeps an expired code for another hour, so that its client learns when it expired. Each
 * sweep reads the codes that are kept.
 */
export const keptSince = (now: Temporal.Instant): Temporal.Instant => now.subtract({ hours: 1 });

/** SQL: whether a stored artifact can still be read, by its column for the end. */
export const isReadable = (model: string, end: Sql, now: Temporal.Instant): Sql =>
  rowFilter(sql`${end} is null or ${end} > ${model === code ? keptSince(now) : now}`);

/** A code or a refresh token: the name of its model, and its value. */
type NamedArtifact = { model: string; value: string };

/** The further data that a request will need, besides its client. */
type Ahead = { consentId: string } | { grantId: string } | NamedArtifact;

/** The data that a request has read, by key; undefined if the key was not found. */
export type Known = {
  artifacts: Map<string, StoredArtifact | undefined>;
  byConsent: Map<string, ConsentStanding | undefined>;
  byGrant: Map<string, ConsentStanding | undefined>;
  /** The client, if it was read with an interaction. */
  client: { clientId: string; row: ProviderClientRow | undefined } | null;
  /** The assertion of the request, by the hash of its id, and whether it was used before. */
  assertion: { idHash: string; isUsed: boolean } | null;
  /** The statement that records the assertion; null once a statement has included it. */
  recording: Sql | null;
  /** The code, or the like, that the request uses, until the statement that stores its token. */
  used: UsedSource | null;
  /** What the request has used, with its token. */
  exchanged: TokenExchange | null;
};

/**
 * The data that the current request has read; null outside a request to the authorization server.
 */
export type KnownToRequest = (ctx?: KoaContextWithOIDC) => Known | null;

/** Creates a separate memory for each request. */
export function createRequestMemory(): KnownToRequest {
  const all = new WeakMap<KoaContextWithOIDC, Known>();
  return (ctx = Provider.ctx) => {
    if (!ctx) return null;
    let known = all.get(ctx);
    if (!known) {
      const maps = { artifacts: new Map(), byConsent: new Map(), byGrant: new Map() };
      const none = { client: null, assertion: null, recording: null, exchanged: null };
      known = { ...maps, ...none, used: null };
      all.set(ctx, known);
    }
    return known;
  };
}

/** The key of an artifact: its bearer value is never stored. */
export const artifactKey = (model: string, value: string): string => `${model} ${sha256(value)}`;

// ids of ours: any other text cannot be the id of a consent
const consentIdPattern = /^[\w-]{1,128}$/;

const codeModels: Readonly<Record<string, { model: string; parameter: string }>> = {
  authorization_code: { model: code, parameter: "code" },
  refresh_token: { model: "RefreshToken", parameter: "refresh_token" },
};

/**
 * Lists the data that the current request will need; null if that is not known. Nothing is verified
 * yet.
 */
export function aheadOfRequest(ctx = Provider.ctx): Ahead | null {
  const { route, params = {}, entities } = ctx?.oidc ?? {};
  if (route === "authorization" || route === "pushed_authorization_request") {
    const consentId = namedIntent(requestedClaims(params));
    return consentId !== null && consentIdPattern.test(consentId) ? { consentId } : null;
  }
  if (route === "backchannel_authentication") {
    const consentId = claimsOf(params.request)[consentMember];
    const isId = typeof consentId === "string" && consentIdPattern.test(consentId);
    return isId ? { consentId } : null;
  }
  if (route === "resume") {
    const grantId = entities?.Interaction?.result?.consent?.grantId;
    return grantId === undefined ? null : { grantId };
  }
  if (route !== "token") return null;
  const { model, parameter } = codeModels[textOf(params.grant_type)] ?? {};
  const value = parameter && params[parameter];
  return model && typeof value === "string" ? { model, value } : null;
}

/** The `claims` of a request: of its Request Object or, if it has none, its own parameter. */
function requestedClaims({ request, claims }: Record<string, unknown>): unknown {
  if (request !== undefined || typeof claims !== "string") return claimsOf(request).claims;
  try {
    return JSON.parse(claims);
  } catch {
    return null; // the library reports the fault
  }
}

/**
 * The client assertion of a token request, by the hash of the id under which its use is recorded;
 * null for other requests. Nothing is verified yet.
 */
export function assertionOfRequest(ctx = Provider.ctx): string | null {
  const { route, params = {} } = ctx?.oidc ?? {};
  if (route !== "token" || params.client_assertion === undefined) return null;
  const { iss, jti } = claimsOf(params.client_assertion);
  // the library's id of an assertion
  return sha256(hash("sha256", `${textOf(iss)}${textOf(jti)}`, "base64url"));
}

/** Adds to a statement of one row whether an assertion was used before. */
export const withAssertion = (
  statement: Sql,
  idHash: string | null,
  machineNow: Temporal.Instant,
): Sql =>
  idHash === null
    ? statement
    : sql`select x.*, exists (select from oidc_artifact r where r.model = ${replay}
        and r.id_hash = ${idHash} and ${rowFilter(sql`r.expires_at > ${machineNow}`)}) as "isUsed"
      from (${statement}) x`;

/** The model of the ids of used assertions. */
export const replay = "ReplayDetection";

type ArtifactColumns = {
  artifact: StoredArtifact["payload"] | null;
  consumedAt: Temporal.Instant | null;
  artifactEnd: Temporal.Instant | null;
};
type StandingColumns = { [Name in keyof ConsentStanding]: ConsentStanding[Name] | null };

/** The columns that `withAhead` adds; those that were not asked for are missing. */
export type AheadRow = Partial<ArtifactColumns & Stored<ConsentStanding> & { isUsed: boolean }>;

/**
 * Adds to a query of one row the client and the consent of the grant whose ids are in these
 * columns.
 */
export const withClient = (
  { row, columns, clientId, grantId }: Record<"row" | "columns" | "clientId" | "grantId", Sql>,
  machineNow: Temporal.Instant,
): Sql => sql`
  select ${columns}, x.*, c.* from ${row}
  left join lateral (${providerClient(clientId, machineNow)}) x on true
  left join lateral (${standingOfGrant(grantId)}) c on true`;

/** Keeps what `withClient` has read for the rest of the request. */
export function rememberClient(
  known: Known,
  { clientId, grantId }: { clientId: string; grantId: string | undefined },
  row: Partial<ProviderClientRow> & AheadRow,
): void {
  known.client = { clientId, row: row.client ? { client: row.client } : undefined };
  if (grantId !== undefined) known.byGrant.set(grantId, standingIn(row));
}

/** Adds to a statement of one row the further data that a request will need. */
export function withAhead(statement: Sql, ahead: Ahead | null, now: Temporal.Instant): Sql {
  if (!ahead) return statement;
  const one = sql`select x.*, c.* from (${statement}) x`;
  if ("consentId" in ahead) {
    return sql`${one} left join lateral (${standingOfConsent(ahead.consentId)}) c on true`;
  }
  if ("grantId" in ahead) {
    return sql`${one} left join lateral (${standingOfGrant(ahead.grantId)}) c on true`;
  }
  return sql`select x.*, a.payload as artifact, a.consumed_at as "consumedAt",
      a.expires_at as "artifactEnd", c.*
    from (${statement}) x
    left join oidc_artifact a on a.model = ${ahead.model} and a.id_hash = ${sha256(ahead.value)}
      and ${isReadable(ahead.model, sql`a.expires_at`, now)}
    left join lateral (${standingOfGrant(sql`a.grant_id`)}) c on true`;
}

/** Keeps what was read ahead for the rest of the request. */
export function remember(known: Known, ahead: Ahead, row: AheadRow): void {
  const standing = standingIn(row);
  if ("consentId" in ahead) {
    known.byConsent.set(ahead.consentId, standing);
    return;
  }
  if ("grantId" in ahead) {
    known.byGrant.set(ahead.grantId, standing);
    return;
  }
  const { artifact, consumedAt = null, artifactEnd: expiresAt = null } = row;
  const key = artifactKey(ahead.model, ahead.value);
  known.artifacts.set(key, artifact ? { payload: artifact, consumedAt, expiresAt } : undefined);
  const grantId = artifact?.grantId;
  if (grantId !== undefined) known.byGrant.set(grantId, standing);
}

/** The standing in a row; undefined if the consent was not found. */
const standingIn = (row: Partial<StandingColumns> | AheadRow): ConsentStanding | undefined =>
  row.consentId ? checkKind(row as Stored<ConsentStanding>) : undefined;
