import { hasApproved } from "#src/consents/consent-standing.ts";
import { unverifiedClaims } from "#src/http/signature/unverified-claims.ts";
import type { Clock } from "#src/lib/clock.ts";
import { millisecondsText } from "#src/lib/date-time.ts";
import { sha256 } from "#src/lib/hash.ts";
import { newId } from "#src/lib/ids.ts";
import { textOf } from "#src/lib/plain-text.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import { refused } from "./intent.ts";
import { errors } from "./library.ts";
import { because } from "./refused.ts";

// How a client says which customer it means, if no browser says it. The client's own knowledge is
// worth little: whoever knows a telephone number could send requests to its owner. The bank's app
// therefore makes identifiers that work once, and the id that a client knows by itself must be that
// of a customer who has given it a consent before.

type Deps = { database: Queryable; clock: Clock };

/** In place of a hint: the customer scans the consent's id in the bank's app. */
export const isScanned = "the customer who scans the id of the consent";

/** The customers of a sandbox, whom a test tool names by their logins. */
export type TestCustomers = {
  /** Returns the id of a customer; null if nobody has the login. */
  customerOf(login: string): Promise<string | null>;
};
type ToolDeps = { sandboxHints?: TestCustomers };

// no login_hint of a bank in production looks like this
const toolHint = /^sandbox:(\w{1,64})$/;

/**
 * The login that a test tool gives as login_hint: a tool sends the same hint in every request. Null
 * for other hints, and in production. Source: CB-150, CB-153.
 */
export const toolLogin = ({ sandboxHints }: ToolDeps, hint: unknown): string | null =>
  (sandboxHints && typeof hint === "string" && toolHint.exec(hint)?.[1]) || null;

/** Returns the customer whom a login_hint names; undefined if there is none. */
export async function customerOfTool(deps: ToolDeps, hint: unknown): Promise<string | undefined> {
  if (hint === isScanned) return isScanned;
  const login = toolLogin(deps, hint);
  return (login && (await deps.sandboxHints?.customerOf(login))) || undefined;
}

/** The library's name under which identifiers are stored. */
const model = "CustomerIdentifier";
const lifetimeMinutes = 5;
// so that a client learns that an identifier has expired, rather than that it is unknown
const remembered = { hours: 24 };

/** An identifier that a customer shows to a TPP, and that works once. */
type CustomerIdentifier = { identifier: string; expiresAt: Temporal.Instant };

/** Makes an identifier of a customer. */
export async function issueIdentifier(
  { database, clock }: Deps,
  customerId: string,
): Promise<CustomerIdentifier> {
  const identifier = newId("cust");
  const expiresAt = clock.now().add({ minutes: lifetimeMinutes });
  const known = JSON.stringify({ customerId, expiresAt: expiresAt.toString() });
  await database.query(sql`
    insert into oidc_artifact (model, id_hash, payload, expires_at)
    values (${model}, ${sha256(identifier)}, ${known}::json, ${expiresAt.add(remembered)})`);
  return { identifier, expiresAt };
}

/** The ways in which the standard's login_hint_token may name a customer. */
const names = ["ephemeral_sub", "sub", "email", "phone_number"] as const;

/**
 * Returns the customer whom a login_hint_token names. The signed request covers the token, so a
 * signature of its own is not needed. Throws the error for the client. A `sub` that is unknown and
 * one of a customer who has nothing to do with the client get the same answer.
 */
export async function customerOfHint(deps: Deps, clientId: string, token: string): Promise<string> {
  const claims = unverifiedClaims(token);
  const given = names.filter((name) => claims?.[name] !== undefined);
  const [name] = given;
  const value = name === undefined ? undefined : claims?.[name];
  if (given.length !== 1 || typeof value !== "string") throw refused("hintToken");
  const unit = millisecondsText(claims?.exp);
  if (unit !== null) {
    const detail = `exp is ${textOf(claims?.exp)} (${unit})`;
    throw refused("jwtClaim", { jwt: "login_hint_token", detail });
  }
  const now = deps.clock.now();
  if (typeof claims?.exp === "number" && claims.exp * 1000 <= now.epochMilliseconds) {
    throw new errors.ExpiredLoginHintToken(undefined, because("hintExpired"));
  }
  if (name === "ephemeral_sub") return customerOfIdentifier(deps, sha256(value));
  if (name !== "sub") throw refused("hintNotOffered");
  await judgeKnown(deps.database, { clientId, customerId: value });
  return value;
}

/** Throws the error for the client unless the customer has approved a consent of the client. */
export async function judgeKnown(
  on: Queryable,
  of: { clientId: string; customerId: string },
): Promise<void> {
  if (!(await hasApproved(on, of))) throw unknownUser();
}

const unknownUser = () => new errors.UnknownUserId(undefined, because("hintUnknown"));
const expired = () => new errors.ExpiredLoginHintToken(undefined, because("hintExpired"));

/** The hash of the identifier that a login_hint_token has; null if it has none. */
export function identifierIn(token: string | undefined): string | null {
  const value = token === undefined ? undefined : unverifiedClaims(token)?.ephemeral_sub;
  return typeof value === "string" ? sha256(value) : null;
}

/** Returns the customer of an identifier, which is not used up yet: the request may be refused. */
async function customerOfIdentifier({ database, clock }: Deps, idHash: string): Promise<string> {
  const row = await first<{ customerId: string; isUsable: boolean }>(
    database,
    sql`select payload->>'customerId' as "customerId",
        consumed_at is null and (payload->>'expiresAt')::timestamptz > ${clock.now()} as "isUsable"
      from oidc_artifact where model = ${model} and id_hash = ${idHash}`,
  );
  if (!row) throw unknownUser();
  if (!row.isUsable) throw expired();
  return row.customerId;
}

/**
 * Uses up an identifier with the journey of the request that names it. Throws if another request
 * has used it.
 */
export async function takeIdentifier(
  on: Queryable,
  { idHash, journeyId }: { idHash: string; journeyId: string },
  now: Temporal.Instant,
): Promise<void> {
  const rows = await on.query(sql`
    update oidc_artifact set consumed_at = ${now}, uid = ${journeyId}
    where model = ${model} and id_hash = ${idHash} and consumed_at is null returning id_hash`);
  if (rows.length === 0) throw expired();
}

/** Makes the statement that gives back the identifiers of journeys that could not begin. */
export const identifierReturn = (journeyIds: Sql): Sql => sql`
  update oidc_artifact set consumed_at = null, uid = null
  where model = ${model} and uid in (${journeyIds})`;
