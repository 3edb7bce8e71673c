import { prepare } from "#src/storage/prepared.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import { type ApiError, forbidden } from "./api-error.ts";
import type { Credentials, Operation } from "./operation.ts";
import { refusedToken, TokenRefusal } from "./token-refusal.ts";

/** A live token and what it stands for. */
export type Access = {
  kind: "client_credentials" | "authorization_code";
  clientId: string;
  organisationId: string;
  softwareId: string;
  /** Version of the client's key set: it rises when the set changes. */
  jwksVersion: number;
  /** The consent that the token was given for, with its state now; null for client credentials. */
  consent: AccessConsent | null;
};

/** The consent of a token, as it is now. */
export type AccessConsent = {
  consentId: string;
  kind: string;
  status: string;
  expiresAt: Temporal.Instant | null;
  customerId: string;
  accountIds: string[];
  permissions: string[];
  transactionsFrom: Temporal.Instant | null;
  transactionsTo: Temporal.Instant | null;
  authenticatedAt: Temporal.Instant | null;
};

/** What a statement gives of a token; none for one that does not exist. */
export type AccessRow = { access: AccessFacts };

/** A token, its client and its consent as `accessFacts` puts them; times in epoch milliseconds. */
export type AccessFacts = {
  token_kind: Access["kind"];
  token_scope: string;
  token_client_id: string;
  token_thumbprint: string | null;
  token_expires_at: number;
  client_organisation_id: string;
  client_software_id: string;
  client_status: string;
  client_certificate_bound: boolean;
  client_jwks_version: number;
  consent_id: string | null;
  consent_kind: string | null;
  consent_status: string | null;
  consent_expires_at: number | null;
  consent_customer_id: string | null;
  consent_account_ids: string[] | null;
  consent_permissions: string[] | null;
  consent_transactions_from: number | null;
  consent_transactions_to: number | null;
  consent_authenticated_at: number | null;
};

// date_part reckons in floating point, extract in decimals, which takes far longer
const milliseconds = (column: Sql): Sql => sql`date_part('epoch', ${column}) * 1000`;

/**
 * The columns of `accessRow` as one JSON object: a driver takes one column apart in a fifth of the
 * time that it needs for twenty.
 */
export const accessFacts: Sql = sql`json_build_object(
  'token_kind', token_kind, 'token_scope', token_scope, 'token_client_id', token_client_id,
  'token_thumbprint', token_thumbprint,
  'token_expires_at', ${milliseconds(sql`token_expires_at`)},
  'client_organisation_id', client_organisation_id, 'client_software_id', client_software_id,
  'client_status', client_status, 'client_certificate_bound', client_certificate_bound,
  'client_jwks_version', client_jwks_version, 'consent_id', consent_id,
  'consent_kind', consent_kind, 'consent_status', consent_status,
  'consent_expires_at', ${milliseconds(sql`consent_expires_at`)},
  'consent_customer_id', consent_customer_id, 'consent_account_ids', consent_account_ids,
  'consent_permissions', consent_permissions,
  'consent_transactions_from', ${milliseconds(sql`consent_transactions_from`)},
  'consent_transactions_to', ${milliseconds(sql`consent_transactions_to`)},
  'consent_authenticated_at', ${milliseconds(sql`consent_authenticated_at`)})`;

/**
 * One row for a token, or none: the token, its client and the living consent whose current grant it
 * belongs to. Put it in a `with access as (…)` and join what the route reads: the check and the
 * data are then one round trip, and a revocation holds at the next request.
 */
export const accessRow = (tokenHash: string | null): Sql => sql`
  select t.kind as token_kind, t.client_id as token_client_id, t.scope as token_scope,
    t.certificate_thumbprint as token_thumbprint, t.expires_at as token_expires_at,
    cl.organisation_id as client_organisation_id,
    cl.software_id as client_software_id, cl.status as client_status,
    cl.certificate_bound as client_certificate_bound,
    cl.jwks_version as client_jwks_version, c.consent_id as consent_id,
    c.kind as consent_kind, c.status as consent_status, c.expires_at as consent_expires_at,
    c.customer_id as consent_customer_id, c.account_ids as consent_account_ids,
    c.permissions as consent_permissions, c.transactions_from as consent_transactions_from,
    c.transactions_to as consent_transactions_to, c.authenticated_at as consent_authenticated_at
  from access_token t
  join client cl on cl.client_id = t.client_id
  left join consent c on c.grant_id = t.grant_id and c.deleted_at is null
  where t.token_hash = ${tokenHash}`;

/** The statement of a token alone. */
export const loadAccess = prepare(
  ({ tokenHash }: { tokenHash: string | null }) =>
    sql`select ${accessFacts} as access from (${accessRow(tokenHash)}) access`,
);

/** What the checks of a token row look at. */
export type AccessCheck = {
  row: AccessRow | undefined;
  credentials: Credentials;
  operation: Pick<Operation, "api" | "grant">;
  now: Temporal.Instant;
};

/**
 * Checks that a token exists, is alive and is bound to this certificate; else 401.
 * Source: P-001…P-004, A-040…A-044, E-012, E-020.
 */
export function checkToken({ row, credentials, now }: AccessCheck): Access {
  if (!row) throw refusedToken("tokenUnknown", credentials);
  const facts = row.access;
  judgeClient(facts, credentials);
  const time = now.epochMilliseconds;
  if (facts.token_expires_at <= time) throw expired(facts, credentials, now);
  if (facts.token_kind === "authorization_code" && !isConsentAlive(facts, time)) {
    const status = facts.consent_status ?? "deleted, revoked or replaced";
    throw refusedToken("tokenConsent", credentials, { status });
  }
  return toAccess(facts);
}

/** Checks that a token is of the operation's grant. Source: P-006…P-009, A-045…A-047, D-02. */
export function checkGrant({ row, credentials, operation }: AccessCheck): void {
  const found = row?.access.token_kind;
  if (found === operation.grant) return;
  if (operation.api.wrongGrant === 403) {
    throw forbidden("U006", "Authorization", "This operation needs a token of the other grant.");
  }
  const facts = { found: found ?? "", token: operation.grant };
  throw refusedToken("tokenGrant", credentials, facts);
}

/** Checks that a token has the scope of the API. Source: P-005, A-048. */
export function checkScope({ row, credentials, operation }: AccessCheck): void {
  const found = row?.access.token_scope ?? "";
  const { scope } = operation.api;
  if (found.split(" ").includes(scope)) return;
  const message = "The token lacks the scope of this API.";
  const faults = [{ code: "U006", path: "Authorization", message }] as const;
  throw new TokenRefusal("tokenScope", credentials, {
    status: 403,
    facts: { found, scope },
    faults,
    scope,
  });
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

function isConsentAlive(row: AccessFacts, time: number): boolean {
  if (row.consent_id === null) return false;
  if (row.consent_status !== "AUTH" && row.consent_status !== "COND") return false;
  return row.consent_expires_at === null || row.consent_expires_at > time;
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

function toAccess(row: AccessFacts): Access {
  const hasConsent = row.consent_id !== null && row.token_kind !== "client_credentials";
  return {
    kind: row.token_kind,
    clientId: row.token_client_id,
    organisationId: row.client_organisation_id,
    softwareId: row.client_software_id,
    jwksVersion: row.client_jwks_version,
    consent: hasConsent ? new ConsentOfRow(row) : null,
  };
}

// Instants are made when they are asked for: most requests ask for one or none of them.
class ConsentOfRow implements AccessConsent {
  readonly #row: AccessFacts;
  constructor(row: AccessFacts) {
    this.#row = row;
  }
  get consentId() {
    return this.#row.consent_id ?? "";
  }
  get kind() {
    return this.#row.consent_kind ?? "";
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
  get accountIds() {
    return this.#row.consent_account_ids ?? [];
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

/** For operations whose resource belongs to another TPP: neutral, the same in every version. */
export const notYours = (path: string): ApiError =>
  forbidden("U011", path, "This client may not read or change that resource.");
