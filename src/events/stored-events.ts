import { first, type Queryable } from "#src/storage/database.ts";
import {
  isOneOf,
  type PersonalTable,
  personalTable,
  whyStays,
} from "#src/storage/personal-table.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import type { EventFacts } from "./event-set.ts";
import { lockedEvents } from "./lock-events.ts";

/**
 * A TPP that receives events, with the state of its endpoint and the number of its events. Source:
 * EV-23.
 */
export type EventReceiver = {
  clientId: string;
  /** Null if the TPP polls. */
  callbackUrl: string | null;
  status: "active" | "unresponsive";
  failingSince: string | null;
  /** When one event is sent to an unresponsive endpoint. */
  probeAt: string | null;
  waiting: number;
  undelivered: number;
  /** When the oldest event occurred that is waiting or undelivered. */
  oldest: string | null;
};

/** An event as it is stored, for operators. Source: EV-23. */
export type ShownEvent = {
  jti: string;
  occurredAt: string;
  state: "waiting" | "undelivered" | "accepted" | "refused" | "dropped";
  /** The types of its SET. */
  types: string[];
  objectKind: string;
  objectId: string;
  /** The number of tries to send it to the callback URL. */
  attempts: number;
  nextTryAt: string | null;
  settledAt: string | null;
  /** The TPP's reason for refusing it, or the last failure to send it. */
  error: object | null;
};

/** Lists the TPPs that are registered for events. */
export const listEventReceivers = (on: Queryable): Promise<EventReceiver[]> =>
  asText<EventReceiver>(
    on.query(sql`
    select s.client_id as "clientId", s.callback_url as "callbackUrl", s.status,
      s.failing_since as "failingSince", s.probe_at as "probeAt",
      count(e.jti) filter (where e.state = 'waiting')::int as waiting,
      count(e.jti) filter (where e.state = 'undelivered')::int as undelivered,
      min(e.occurred_at) as oldest
    from event_subscription s
    left join event e on e.client_id = s.client_id and e.state in ('waiting', 'undelivered')
    group by s.client_id order by s.client_id`),
  );

const mostShown = 100;

/** Lists the newest events of a TPP, at most 100. */
export const listStoredEvents = (on: Queryable, clientId: string): Promise<ShownEvent[]> =>
  listEvents(on, sql`e.client_id = ${clientId}`);

/** Lists the newest events of a TPP about these objects, at most 100. */
export const listEventsAbout = (
  on: Queryable,
  clientId: string,
  objectIds: readonly string[],
): Promise<ShownEvent[]> =>
  listEvents(on, sql`e.client_id = ${clientId} and e.object_id = any(${[...objectIds]}::text[])`);

/** Loads an event, with the client that it is for; undefined if there is none. */
export async function loadEvent(
  on: Queryable,
  jti: string,
): Promise<(ShownEvent & { clientId: string }) | undefined> {
  const [event] = await listEvents(on, sql`e.jti = ${jti}`);
  const of = await first<{ clientId: string }>(
    on,
    sql`select client_id as "clientId" from event where jti = ${jti}`,
  );
  return event && of && { ...event, ...of };
}

/** What a TPP has registered to get events. */
export type StoredSubscription = {
  subscriptionId: string;
  clientId: string;
  apiVersion: string;
  callbackUrl: string | null;
  eventTypes: string[];
  since: Temporal.Instant;
  status: string;
};

/** Loads what a TPP has registered, by its id; undefined if there is nothing. */
export const loadSubscription = (
  on: Queryable,
  subscriptionId: string,
): Promise<StoredSubscription | undefined> =>
  first<StoredSubscription>(
    on,
    sql`select subscription_id as "subscriptionId", client_id as "clientId",
        api_version as "apiVersion", callback_url as "callbackUrl", event_types as "eventTypes",
        since, status
      from event_subscription where subscription_id = ${subscriptionId}`,
  );

const listEvents = (on: Queryable, condition: Sql): Promise<ShownEvent[]> =>
  asText<ShownEvent, { facts: EventFacts }>(
    on.query(sql`
    select e.jti, e.occurred_at as "occurredAt", e.state, e.facts, e.object_id as "objectId",
      e.attempts, e.settled_at as "settledAt", e.error,
      case when e.state = 'waiting' and s.callback_url is not null then e.next_try_at end
        as "nextTryAt"
    from event e left join event_subscription s on s.client_id = e.client_id
    where ${condition} order by e.sequence desc limit ${mostShown}::int`),
    ({ facts: { types, objectKind } }) => ({ types, objectKind }),
  );

/** Formats instants as text. `more` derives members from the facts, which are left out. */
async function asText<Shown, Row extends object = object>(
  query: Promise<(Row & object)[]>,
  more: (row: Row) => object = () => ({}),
): Promise<Shown[]> {
  return (await query).map((row) => {
    const { facts: _, ...flat } = row as Record<string, unknown>;
    const entries = Object.entries(flat).map(([name, value]) => [
      name,
      value instanceof Temporal.Instant ? value.toString() : value,
    ]);
    return { ...Object.fromEntries(entries), ...more(row) } as Shown; // the columns are its members
  });
}

/**
 * The events to send again: those with these ids, all of the last days, or all undelivered ones.
 */
export type ResendRequest = { jtis: readonly string[] } | { days: number } | "undelivered";

/**
 * Sends events of a TPP again with the same ids, even if it has acknowledged them. An unresponsive
 * endpoint is tried again. Returns the number of events, or null if the TPP is not registered for
 * events. Source: EV-22.
 */
export async function resendEvents(
  on: Queryable,
  clientId: string,
  request: ResendRequest,
  now: Temporal.Instant,
): Promise<number | null> {
  const chosen =
    request === "undelivered"
      ? sql`e.state = 'undelivered'`
      : "days" in request
        ? sql`e.occurred_at >= ${now.subtract({ hours: 24 * request.days })}`
        : sql`e.jti = any(${[...request.jtis]}::text[])`;
  const row = await first<{ count: number | null }>(
    on,
    sql`
    with receiver as (
      update event_subscription s set status = 'active', failing_since = null, probe_at = null
      where s.client_id = ${clientId} returning s.client_id, s.since
    ), chosen as materialized (${lockedEvents(
      sql`e.occurred_at >= r.since and e.state <> 'dropped' and ${chosen}`,
      sql`join receiver r on r.client_id = e.client_id`,
    )}), again as (
      update event e set state = 'waiting', settled_at = null, error = null, attempts = 0,
        first_failed_at = null, sent_by = null, next_try_at = ${now}
      from chosen c where e.jti = c.jti
      returning e.jti)
    select case when exists (select from receiver) then (select count(*)::int from again) end
      as count`,
  );
  return row?.count ?? null;
}

/** The events that TPPs were sent about a customer's accounts, consents and orders. */
export const eventTables: readonly PersonalTable[] = [
  personalTable(
    "event",
    whyStays.brief,
    ({ accountIds, clientIds, consentIds, orderIds }) => sql`
      ${isOneOf(sql`t.client_id`, clientIds)}
      and ${isOneOf(sql`t.object_id`, [...accountIds, ...consentIds, ...orderIds])}`,
  ),
];
