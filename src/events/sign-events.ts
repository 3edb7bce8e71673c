import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { claimsOf, type SetContext, type StoredEvent } from "./event-set.ts";
import { lockedEvents } from "./lock-events.ts";

/** The dependencies of signing events. */
export type SigningDeps = SetContext & {
  database: Queryable;
  /** Signs the claims of a SET. */
  sign(claims: string): Promise<string>;
  /** Whether TPPs can verify signatures made with the key that has this id. */
  isPublished(kid: string): boolean;
};

/** An event with its signed form, which is null if the event was never sent. */
export type UnsentEvent = StoredEvent & { token: string | null };

/**
 * Returns the signed form of events, by `jti`. An event is signed when it is first sent, and again
 * if that key is no longer published. If two processes sign an event at the same time, both use the
 * first signature, so that all deliveries have the same bytes. Source: EV-16, EV-22.
 */
export async function signEvents(
  deps: SigningDeps,
  events: readonly UnsentEvent[],
  now: Temporal.Instant,
): Promise<ReadonlyMap<string, string>> {
  const tokens = new Map<string, string>();
  const unsigned: UnsentEvent[] = [];
  for (const event of events) {
    // fixes the order of the map: a poll's response lists the events in the given order
    tokens.set(event.jti, event.token ?? "");
    if (event.token === null || !deps.isPublished(keyOf(event.token))) unsigned.push(event);
  }
  if (unsigned.length === 0) return tokens;
  const signed = await Promise.all(
    unsigned.map(async (event) => ({
      jti: event.jti,
      replaced: event.token,
      token: await deps.sign(JSON.stringify(claimsOf(event, deps, now))),
    })),
  );
  const ids = signed.map(({ jti }) => jti);
  const rows = await deps.database.query<{ jti: string; token: string }>(sql`
    with unsigned as materialized (${lockedEvents(sql`e.jti = any(${ids}::text[])`)})
    update event e
    set token = case when e.token is not distinct from s.replaced then s.token else e.token end
    from json_to_recordset(${JSON.stringify(signed)}::json)
      as s(jti text, replaced text, token text)
    join unsigned u on u.jti = s.jti
    where e.jti = s.jti
    returning e.jti, e.token`);
  for (const { jti, token } of rows) tokens.set(jti, token);
  return tokens;
}

/** Returns the id of the key that signed a token. */
function keyOf(token: string): string {
  const header = Buffer.from(token.slice(0, token.indexOf(".")), "base64url").toString();
  return (JSON.parse(header) as { kid: string }).kid; // the bank's own token
}
