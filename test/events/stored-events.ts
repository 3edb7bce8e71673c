import { lastSequence } from "#src/history/change.ts";
import type { Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import { addClient } from "#test/clients/add-client.ts";

/** The time at which the TPPs subscribe to events, and at which their events occur. */
export const start = Temporal.Instant.from("2027-03-01T10:00:00Z");

/** Adds a TPP with a callback URL and events that are due, in the sequence of their changes. */
export async function addWithEvents(
  on: Queryable,
  clientId: string,
  events: readonly { jti: string; objectId: string }[],
): Promise<void> {
  await addClient(on, clientId);
  await on.query(sql`
    insert into event_subscription (client_id, subscription_id, form, api_version, callback_url,
      version, event_types, since)
    values (${clientId}, ${clientId}, 'subscription', 'events-v4.0', 'https://tpp.example',
      '4.0', array['resource-update'], ${start})`);
  for (const [index, { jti, objectId }] of events.entries()) {
    await on.query(sql`
      insert into event (jti, client_id, object_id, change_sequence, facts, occurred_at,
        next_try_at)
      values (${jti}, ${clientId}, ${objectId}, ${index}, '{}', ${start}, ${start})`);
  }
}

/** Returns how many subscriptions of a TPP are stored. */
export const countSubscriptions = async (on: Queryable, clientId: string): Promise<number> =>
  (await on.query(sql`select 1 from event_subscription where client_id = ${clientId}`)).length;

/** Stores an event of a TPP that could not be delivered, and a subscription to its type. */
export async function addUndelivered(
  on: Queryable,
  given: {
    clientId: string;
    jti: string;
    objectId: string;
    facts: { types: readonly string[] };
    error: object;
    at: Temporal.Instant;
  },
): Promise<void> {
  const { clientId, jti, objectId, facts, error, at } = given;
  await on.query(sql`
    insert into event_subscription (client_id, subscription_id, form, api_version, callback_url,
      version, event_types, since)
    values (${clientId}, 'evs-1', 'subscription', 'events-v4.0', 'https://tpp.example/events',
      '4.0', ${facts.types}::text[], ${at})`);
  await on.query(sql`
    insert into event (jti, client_id, object_id, change_sequence, facts, occurred_at, state,
      error, attempts, next_try_at)
    values (${jti}, ${clientId}, ${objectId}, 1, ${JSON.stringify(facts)}::json, ${at},
      'undelivered', ${JSON.stringify(error)}::json, 1, ${at})`);
}

/** Returns whether each change has become its events. A TPP must have subscribed. */
export const areEventsMade = async (on: Queryable): Promise<boolean> =>
  (await on.query(sql`select from event_cursor where last >= ${lastSequence}`)).length === 1;

/** An event as it is stored. */
export type StoredEvent = { jti: string; objectId: string; changeSequence: bigint; state: string };

/** Returns the events of a TPP. */
export const eventsOf = (on: Queryable, clientId: string): Promise<StoredEvent[]> =>
  on.query<StoredEvent>(sql`
    select jti, object_id as "objectId", change_sequence as "changeSequence", state from event
    where client_id = ${clientId}`);

/**
 * Returns whether every event is settled, and each change after its TPP's registration has one.
 * `changes` is a table with `object_id`, `sequence` and `occurred_at`; `subjects` is a query with
 * the `object_id` and `client_id` of each object.
 */
export async function allDelivered(on: Queryable, changes: Sql, subjects: Sql): Promise<boolean> {
  const open = await on.query(sql`
    select e.jti from event e where e.state in ('waiting', 'undelivered')
    union all
    select c.object_id from ${changes} c
    join (${subjects}) o on o.object_id = c.object_id
    join event_subscription s on s.client_id = o.client_id and s.since <= c.occurred_at
    where not exists (
      select from event e where e.object_id = c.object_id and e.change_sequence = c.sequence)
    limit 1`);
  return open.length === 0;
}
