import type { Change } from "#src/history/change.ts";
import { newUuid } from "#src/lib/ids.ts";
import type { ApiVersionId } from "#src/standard/api-version.ts";
import type { KindId } from "#src/standard/kind-id.ts";
import { type EventName, eventTypes } from "#src/standard/shared/events/event-types.ts";
import { type Database, first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { storeEvents, tppsOf } from "./collect-events.ts";
import type { AccountChange, EventSubjects } from "./event-resource.ts";
import type { EventRegistration } from "./registration.ts";

/** An event that a tester fires, about an object that has not changed. */
type FiredEvent = {
  objectKind: Exclude<Change["objectKind"], "client">;
  objectId: string;
  /** By default, the type that the object's changes usually have. */
  type?: EventName | undefined;
  /** What the event says has happened to the account, if it is about one. */
  change?: AccountChange | undefined;
};

/** The events that were fired, or why none was. */
export type FireResult =
  | { fired: { jti: string; clientId: string; types: readonly EventName[] }[] }
  | { refused: "no TPP is registered" | "not subscribed" | "another object" };

type Receiver = Pick<EventRegistration, "clientId" | "version" | "eventTypes"> & {
  kind: KindId;
  resourceId: string;
  apiVersion: ApiVersionId;
  ownEvent: EventName | null;
};

// fired events have numbers of their own, below those of all changes, and in their order
const firstNumber = -(2n ** 62n);
const accountTypes: readonly EventName[] = eventTypes
  .map(({ name }) => name)
  .filter((name) => name.endsWith("-linked-account-update"));

/**
 * Stores an event about an object for each TPP that is notified of its changes and has subscribed
 * to the type. The engine signs and delivers it like any other.
 */
export function fireEvent(
  database: Database,
  subjects: readonly EventSubjects[],
  asked: FiredEvent,
  now: Temporal.Instant,
): Promise<FireResult> {
  const { objectKind, objectId, type, change = "closed" } = asked;
  const isAccount = objectKind === "account";
  return database.transaction(async (on) => {
    const all = await listReceivers(on, subjects, asked, now);
    if (all.length === 0) return { refused: "no TPP is registered" };
    const chosen = all.flatMap(({ ownEvent, ...receiver }) => {
      const wanted = type ?? (isAccount ? ownEvent : "resource-update");
      const fits = isAccount
        ? wanted === ownEvent
        : !accountTypes.includes(wanted ?? "resource-update");
      return fits && wanted !== null ? [{ ...receiver, type: wanted }] : [];
    });
    if (chosen.length === 0) return { refused: "another object" };
    const subscribed = chosen.filter((one) => one.eventTypes.includes(one.type));
    if (subscribed.length === 0) return { refused: "not subscribed" };
    const events = [];
    for (const receiver of subscribed) {
      const { clientId, resourceId, kind, apiVersion, version } = receiver;
      events.push({
        jti: newUuid(),
        client_id: clientId,
        object_id: resourceId,
        change_sequence: await nextNumber(on, clientId, resourceId),
        facts: {
          objectKind: isAccount ? ("consent" as const) : objectKind,
          kind,
          objectId: resourceId,
          apiVersion,
          version,
          types: [receiver.type],
          txn: null,
          ...(isAccount ? { account: { accountId: objectId, change } } : {}),
        },
        occurred_at: now.toString(),
      });
    }
    await storeEvents(on, events);
    return {
      fired: events.map(({ jti, client_id: clientId, facts: { types } }) => ({
        jti,
        clientId,
        types,
      })),
    };
  });
}

/** The registered TPPs that are notified of the object's changes, locked against other firings. */
const listReceivers = (
  on: Queryable,
  subjects: readonly EventSubjects[],
  { objectKind, objectId }: FiredEvent,
  now: Temporal.Instant,
): Promise<Receiver[]> =>
  on.query<Receiver>(sql`
    select o.kind, o.resource_id as "resourceId", o.api_version as "apiVersion",
      o.own_event as "ownEvent", r.client_id as "clientId", r.version,
      r.event_types as "eventTypes"
    from (select ${objectKind}::text as "objectKind", ${objectId}::text as "objectId",
      ${2n ** 62n}::bigint as sequence, ${now}::timestamptz as "occurredAt") c
    cross join lateral (${tppsOf(subjects)}) o
    join event_subscription r on r.client_id = o.client_id and r.since <= ${now}
    order by r.client_id, o.resource_id for update of r`);

async function nextNumber(on: Queryable, clientId: string, objectId: string): Promise<string> {
  const last = await first<{ last: bigint | null }>(
    on,
    sql`select max(change_sequence) as last from event
      where client_id = ${clientId} and object_id = ${objectId} and change_sequence < 0`,
  );
  return String((last?.last ?? firstNumber) + 1n);
}
