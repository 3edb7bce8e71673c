import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
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
