import type { Poll } from "#src/standard/shared/events/polling.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** The header with which a sandbox tells a TPP's developer what a poll cannot say. */
export const adviceHeader = "x-aldgate-advice";

/** The advice to a TPP that polls without a registration. */
export const notRegistered =
  "This client has not registered for events, so there are none. Create an event subscription or " +
  "a callback URL first.";

const mostNamed = 3;

/**
 * Returns what the developer of a polling TPP should know: that no registration for events exists,
 * or which ids of `ack` and `setErrs` are unknown, which the response must ignore. Null if there is
 * nothing to say. Source: EV-16.
 */
export async function advisePoll(
  on: Queryable,
  clientId: string,
  { ack = [], setErrs = {} }: Pick<Poll, "ack" | "setErrs">,
): Promise<string | null> {
  const named = [...ack, ...Object.keys(setErrs)];
  const row = await first<{ isRegistered: boolean; unknown: string[] }>(
    on,
    sql`select exists (select from event_subscription s where s.client_id = ${clientId})
        as "isRegistered",
      array(select n.jti from unnest(${named}::text[]) n (jti) where not exists (
        select from event e where e.client_id = ${clientId} and e.jti = n.jti)) as unknown`,
  );
  if (!row?.isRegistered) return notRegistered;
  const { unknown } = row;
  if (unknown.length === 0) return null;
  const list = unknown.slice(0, mostNamed).map((jti) => JSON.stringify(jti.slice(0, 64)));
  const rest = unknown.length > mostNamed ? ` and ${unknown.length - mostNamed} more` : "";
  return plain(
    `ack and setErrs name ids that no event of this client has: ${list.join(", ")}${rest}`,
  );
}

// a header takes only visible ASCII
const plain = (text: string): string => text.replace(/[^\x20-\x7e]/g, "?");
