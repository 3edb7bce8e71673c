import { hasApproved } from "#src/consents/consent-standing.ts";
import { unverifiedClaims } from "#src/http/signature/unverified-claims.ts";
import type { Clock } from "#src/lib/clock.ts";
import { millisecondsText } from "#src/lib/date-time.ts";
import { sha256 } from "#src/lib/hash.ts";
import { newId } from "#src/lib/ids.ts";
import { textOf } from "#src/lib/plain-text.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
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
  if (name === "ephemeral_sub") return takeIdentifier(deps, value);
  if (name !== "sub") throw refused("hintNotOffered");
  if (!(await hasApproved(deps.database, { clientId, customerId: value }))) throw unknownUser();
  return value;
}

const unknownUser = () => new errors.UnknownUserId(undefined, because("hintUnknown"));

/** Uses up an identifier; returns its customer. */
async function takeIdentifier({ database, clock }: Deps, identifier: string): Promise<string> {
  const now = clock.now();
  const row = await first<{ customerId: string; isUsable: boolean }>(
    database,
    sql`with old as (
        select payload->>'customerId' as customer_id, id_hash,
          consumed_at is null
            and (payload->>'expiresAt')::timestamptz > ${now} as is_usable
        from oidc_artifact where model = ${model} and id_hash = ${sha256(identifier)} for update
      ), used as (
        update oidc_artifact a set consumed_at = ${now} from old
        where a.model = ${model} and a.id_hash = old.id_hash and old.is_usable
      )
      select customer_id as "customerId", is_usable as "isUsable" from old`,
  );
  if (!row) throw unknownUser();
  if (!row.isUsable) throw new errors.ExpiredLoginHintToken(undefined, because("hintExpired"));
  return row.customerId;
}
