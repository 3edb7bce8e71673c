import { type ApiError, type Fault, forbidden, refusal } from "#src/http/api-error.ts";
import type { Credentials } from "#src/http/connection/credentials.ts";
import {
  type ApiVersion,
  type ApiVersionId,
  activeStatuses,
  basePathOf,
} from "#src/standard/api-version.ts";
import type { SchemeStatus } from "#src/standard/shared/vrp-types.ts";
import { prepare } from "#src/storage/prepared.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import { refusedToken, TokenRefusal } from "./token-refusal.ts";

/** The row of a statement that reads a token; an unknown token has none. */
export type AccessRow = { access: readonly (string | null)[] };

/** A token, its client and its consent, from the texts of `accessFacts`; times in milliseconds. */
export type AccessFacts = {
  token_kind: "client_credentials" | "authorization_code";
  token_scope: string;
  token_client_id: string;
  token_thumbprint: string | null;
  token_expires_at: number;
  client_organisation_id: string;
  client_software_id: string;
  client_status: string;
  client_certificate_bound: boolean;
  client_jwks_version: number;
  client_scheme_status: SchemeStatus | null;
  consent_id: string | null;
  consent_api_version: ApiVersionId | null;
  consent_status: string | null;
  consent_expires_at: number | null;
  consent_customer_id: string | null;
  consent_permissions: string[] | null;
  consent_transactions_from: number | null;
  consent_transactions_to: number | null;
  consent_authenticated_at: number | null;
};

/**
 * Makes the SQL of a token's row: a select whose columns `accessFacts` takes. A token that does not
 * exist has no row. The rooms that own tokens, clients and consents supply this SQL. Put it in a
 * `from` and join the tables that the route reads: the check and the data are then one round trip,
 * and a revocation takes effect at the next request.
 */
export type AccessSql = (tokenHash: string | null) => Sql;

// date_part calculates in floating point, extract in decimals, which takes far longer
const milliseconds = (column: Sql): Sql => sql`date_part('epoch', ${column}) * 1000`;

/**
 * The columns of an `AccessSql` as one JSON array of texts, in the order of `readFacts`. A driver
 * parses one column in a fifth of the time that it needs for twenty, and the server makes an array
 * in a quarter of the time of an object, for which it looks up the type of each column.
 */
export const accessFacts: Sql = sql`array_to_json(array[
  token_kind, token_scope, token_client_id, token_thumbprint,
  (${milliseconds(sql`token_expires_at`)})::text,
  client_organisation_id, client_software_id, client_status, client_certificate_bound::text,
  client_jwks_version::text,
  consent_id, consent_api_version, consent_status,
  (${milliseconds(sql`consent_expires_at`)})::text,
  consent_customer_id, array_to_string(consent_permissions, ' '),
  (${milliseconds(sql`consent_transactions_from`)})::text,
  (${milliseconds(sql`consent_transactions_to`)})::text,
  (${milliseconds(sql`consent_authenticated_at`)})::text,
  client_scheme_status])`;

const number = (text: string | null | undefined): number | null => (text ? Number(text) : null);

/** Reads the texts of `accessFacts`. */
export function readFacts(texts: AccessRow["access"]): AccessFacts {
  const permissions = texts[15] ?? null;
  return {
    token_kind: texts[0] as AccessFacts["token_kind"],
    token_scope: texts[1] as string,
    token_client_id: texts[2] as string,
    token_thumbprint: texts[3] ?? null,
    token_expires_at: Number(texts[4]),
    client_organisation_id: texts[5] as string,
    client_software_id: texts[6] as string,
    client_status: texts[7] as string,
    client_certificate_bound: texts[8] === "true",
    client_jwks_version: Number(texts[9]),
    consent_id: texts[10] ?? null,
    consent_api_version: (texts[11] ?? null) as ApiVersionId | null,
    consent_status: texts[12] ?? null,
    consent_expires_at: number(texts[13]),
    consent_customer_id: texts[14] ?? null,
    consent_permissions: permissions === "" ? [] : (permissions?.split(" ") ?? null),
    consent_transactions_from: number(texts[16]),
    consent_transactions_to: number(texts[17]),
    consent_authenticated_at: number(texts[18]),
    client_scheme_status: (texts[19] ?? null) as SchemeStatus | null,
  };
}

/** Prepares the statement that reads a token's row alone. */
export const prepareAccess = (accessRow: AccessSql) =>
  prepare(
    ({ tokenHash }: { tokenHash: string | null }) =>
      sql`select ${accessFacts} as access from (${accessRow(tokenHash)}) access`,
  );

/** A token that exists, and the request that it came with. */
type TokenCheck = { facts: AccessFacts; credentials: Credentials; now: Temporal.Instant };

/** The same, and what the operation asks of the token. */
type GrantCheck = Omit<TokenCheck, "now"> & {
  operation: { api: ApiVersion; grant: AccessFacts["token_kind"] };
};

/**
 * Checks that a token has not expired, that its client is active and that it is bound to this
 * certificate. Throws 401 otherwise. Source: P-001…P-004, A-040…A-044, E-012, E-020.
 */
export function checkToken({ facts, credentials, now }: TokenCheck): Access {
  judgeClient(facts, credentials);
  const time = now.epochMilliseconds;
  if (facts.token_expires_at <= time) throw expired(facts, credentials, now);
  if (facts.token_kind === "authorization_code") checkConsent(facts, credentials, time);
  return new Caller(facts);
}

/**
 * Checks that a token was issued by the grant that the operation needs. Source: P-006…P-009,
 * A-045…A-047, D-02.
 */
export function checkGrant({ facts: token, credentials, operation }: GrantCheck): void {
  const found = token.token_kind;
  if (found === operation.grant) return;
  if (operation.api.wrongGrant === 403) {
    const message =
      `This operation needs an access token from the grant ${operation.grant}; this token is from ` +
      `the grant ${found}.`;
    throw forbidden("U006", "Authorization", message);
  }
  const facts = { found, token: operation.grant };
  throw refusedToken("tokenGrant", credentials, facts);
}

/** Checks that a token has a scope of the API. Source: P-005, A-048, EV-24. */
export function checkScope({ facts: token, credentials, operation }: GrantCheck): void {
  const found = token.token_scope;
  const { scopes } = operation.api;
  const held: readonly string[] = found.split(" ");
  if (scopes.some((scope) => held.includes(scope))) return;
  const scope = scopes.join(" ");
  const named = scopes.length === 1 ? `the scope ${scope}` : `any of the scopes ${scope}`;
  const message = `The access token does not have ${named}, which this API needs.`;
  const faults = [{ code: "U006", path: "Authorization", message }] as const;
  throw new TokenRefusal("tokenScope", credentials, {
    status: 403,
    facts: { found, scope },
    faults,
    scope,
  });
}

/** Checks that this version serves the consent of a token. Source: P-028, E-008. */
export function checkConsentVersion({ facts, operation }: GrantCheck): void {
  const lodgedOn = facts.consent_api_version;
  if (lodgedOn === null || operation.api.consents.serves.has(lodgedOn)) return;
  const message =
    `The consent was created on ${lodgedOn}, and this version does not accept such consents. ` +
    `Send the request to ${basePathOf(lodgedOn)}.`;
  throw forbidden("U006", "Authorization", message);
}

function judgeClient(row: AccessFacts, credentials: Credentials): void {
  if (row.client_status !== "active") {
    throw refusedToken("tokenClient", credentials, { status: row.client_status });
  }
  if (row.token_thumbprint !== null) {
    if (row.token_thumbprint === credentials.certificateThumbprint) return;
    throw refusedToken("tokenCertificate", credentials);
  }
  // only a sandbox issues unbound tokens, and they work only from its own machine
  if (row.client_certificate_bound || !credentials.loopback) {
    throw refusedToken("tokenUnbound", credentials);
  }
}

// An expired consent has a body in v4, before and after the sweep stores its status, and so has a
// cancelled one. Source: E-012, V-095, V-096.
function checkConsent(row: AccessFacts, credentials: Credentials, time: number): void {
  const { consent_id, consent_status: status, consent_expires_at: end } = row;
  const isOpen = status !== null && activeStatuses.includes(status);
  const isOver = status === "EXPD" || (isOpen && end !== null && end <= time);
  if (consent_id !== null && isOpen && !isOver) return;
  const refuse = (found: string, ...faults: Fault<401>[]) =>
    new TokenRefusal("tokenConsent", credentials, {
      status: 401,
      facts: { status: found },
      faults,
    });
  const path = "Authorization";
  if (isOver) {
    const message = "The consent has expired. Ask the customer for a new one.";
    throw refuse("expired", { code: "TKXP", path, message });
  }
  if (status !== "CANC") throw refuse(status ?? "deleted, revoked or replaced");
  const message = "The consent has been cancelled. Ask the customer for a new authorisation.";
  throw refuse(status, { code: "TKSP", path, message });
}

// A version whose 401 has no body leaves the fault out. Source: P-003, A-043.
function expired(row: AccessFacts, credentials: Credentials, now: Temporal.Instant): ApiError {
  const exp = Temporal.Instant.fromEpochMilliseconds(Math.floor(row.token_expires_at)).toString();
  const facts = { exp, now: now.toString({ smallestUnit: "second" }) };
  const message = "The access token has expired. Ask the token endpoint for a new one.";
  const faults = [{ code: "TKXP", path: "Authorization", message }] as const;
  return new TokenRefusal("tokenExpired", credentials, { status: 401, facts, faults });
}

const instantOf = (milliseconds: number | null): Temporal.Instant | null =>
  milliseconds === null ? null : Temporal.Instant.fromEpochMilliseconds(Math.floor(milliseconds));

/**
 * A valid token, its client and its consent. Only `checkToken` makes one, so a request that has one
 * is admitted.
 */
export type Access = Caller;

/** The consent of a token, as it is now. */
export type AccessConsent = CallerConsent;

class Caller {
  readonly #row: AccessFacts;
  /** The token's consent with its current status; null for client credentials. */
  readonly consent: AccessConsent | null;
  constructor(row: AccessFacts) {
    this.#row = row;
    const hasConsent = row.consent_id !== null && row.token_kind !== "client_credentials";
    this.consent = hasConsent ? new CallerConsent(row) : null;
  }
  get clientId() {
    return this.#row.token_client_id;
  }
  get organisationId() {
    return this.#row.client_organisation_id;
  }
  get softwareId() {
    return this.#row.client_software_id;
  }
  /** Version of the client's key set. It grows with every change of the set. */
  get jwksVersion() {
    return this.#row.client_jwks_version;
  }
  /** The status of its organisation in the commercial scheme; null if it is not known. */
  get schemeStatus() {
    return this.#row.client_scheme_status;
  }
}

// Instants are created on demand: most requests need none or one of them.
class CallerConsent {
  readonly #row: AccessFacts;
  constructor(row: AccessFacts) {
    this.#row = row;
  }
  get consentId() {
    return this.#row.consent_id ?? "";
  }
  /** The version on which it was created. */
  get apiVersion() {
    return this.#row.consent_api_version;
  }
  get status() {
    return this.#row.consent_status ?? "";
  }
  get expiresAt() {
    return instantOf(this.#row.consent_expires_at);
  }
  get customerId() {
    return this.#row.consent_customer_id ?? "";
  }
  get permissions() {
    return this.#row.consent_permissions ?? [];
  }
  get transactionsFrom() {
    return instantOf(this.#row.consent_transactions_from);
  }
  get transactionsTo() {
    return instantOf(this.#row.consent_transactions_to);
  }
  get authenticatedAt() {
    return instantOf(this.#row.consent_authenticated_at);
  }
}

/**
 * The refusal for a request that names another consent than the one of its token. It says nothing
 * about the named consent, which may be of another TPP.
 */
export const otherConsent = (path: string, granted: string, named: string): ApiError =>
  forbidden(
    "U011",
    path,
    `The access token belongs to the consent ${granted}, and the request names ${named}. If the ` +
      `request is for ${granted}, send this id. If not, use a token that was issued for the named ` +
      "consent.",
  );

/**
 * The refusal for the caller's own resource, which this version does not serve. Source: P-028,
 * E-005…E-009.
 */
export const onOtherVersion = (path: string, createdOn: ApiVersionId): ApiError =>
  refusal(
    "U011",
    path,
    `The resource was created on ${createdOn}, and this version does not serve it. Send the ` +
      `request to ${basePathOf(createdOn)}.`,
  );

/** The refusal for a resource of another TPP. It is the same in every version. */
export const notYours = (path: string): ApiError =>
  forbidden(
    "U011",
    path,
    "Another client created this resource, and no other client may use it. Send the id of a " +
      "resource that your client created, or call with the client that created this one.",
  );
