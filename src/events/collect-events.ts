import {
  type Change,
  changesBetween,
  factsBefore,
  type HistoryFacts,
  lastSequence,
} from "#src/history/change.ts";
import { lockCursor, notedColumns } from "#src/history/complete-changes.ts";
import { present } from "#src/lib/assert.ts";
import { newUuid } from "#src/lib/ids.ts";
import type { ApiVersionId } from "#src/standard/api-version.ts";
import type { KindId } from "#src/standard/kind-id.ts";
import type { EventName } from "#src/standard/shared/events/event-types.ts";
import { type Database, first, type Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import type { EventSubjects } from "./event-resource.ts";
import type { EventFacts } from "./event-set.ts";
import type { EventRegistration } from "./registration.ts";

// How many changes the cursor may fall behind if no TPP is registered. Moving it costs a write.
const idleChanges = 1000;

/**
 * Creates the function that turns new changes into events and returns how many it wrote. Any number
 * of processes may call it: the one that gets the lock on the cursor does the work, and the others
 * return 0. One transaction writes the events and moves the cursor, so a crash neither loses nor
 * duplicates an event. Source: EV-21.
 */
export function createCollector(
  database: Database,
  subjects: readonly EventSubjects[],
): () => Promise<number> {
  const ofTpps = tppsOf(subjects);
  return async () => {
    // checked without a lock, because usually there is nothing new
    if (!(await hasNews(database))) return 0;
    return database.transaction(async (on) => {
      const cursor = await lockCursor(on, sql`event_cursor`);
      if (!cursor) return 0;
      const { from, to, noted } = cursor;
      const written = await storeEvents(on, await readEvents(on, from, to, ofTpps));
      await on.query(sql`
        update event_cursor k set last = ${to}, ${notedColumns(noted)}
        where (k.last, coalesce(k.noted, -1)) <> (${to}, ${noted?.last ?? -1n})`);
      return written;
    });
  };
}

const aChange = { sequence: sql`c.sequence`, occurredAt: sql`c."occurredAt"` };

/**
 * The TPPs that may be notified of a change `c`, and the resources that they know, as a lateral
 * query. It looks each object up by its key. A join with all objects lets the server begin with
 * all resources of a TPP, so the cost of a reading would grow with their number.
 */
export const tppsOf = (subjects: readonly EventSubjects[]): Sql =>
  subjects
    .map(
      ({ objectKind, rows, ownEvents = {} }) => sql`
        select o.client_id, o.kind, o.resource_id, o.api_version,
          ${JSON.stringify(ownEvents)}::json->>o.kind as own_event
        from (${rows(aChange)}) o
        where c."objectKind" = ${objectKind} and o.object_id = c."objectId"`,
    )
    .reduce((left, right) => sql`${left} union all ${right}`);

/** Whether there are changes to read for a TPP, or the cursor is far behind. */
async function hasNews(on: Queryable): Promise<boolean> {
  const row = await first<{ isNews: boolean }>(
    on,
    sql`
    select ${lastSequence} - k.last > case when exists (select from event_subscription) then 0
      else ${idleChanges}::int end as "isNews"
    from event_cursor k`,
  );
  return row?.isNews ?? false;
}

type TppChange = Change &
  Pick<EventRegistration, "clientId" | "form" | "version" | "namedTypes" | "eventTypes"> & {
    kind: KindId;
    resourceId: string;
    resourceVersion: ApiVersionId;
    ownEvent: EventName | null;
  };
type NewEvent = {
  jti: string;
  client_id: string;
  object_id: string;
  change_sequence: string;
  facts: EventFacts;
  occurred_at: string;
};

async function readEvents(
  on: Queryable,
  from: bigint,
  to: bigint,
  ofTpps: Sql,
): Promise<NewEvent[]> {
  if (from === to) return [];
  // otherwise, all changes since the last registration would be read for nobody
  if (!(await first(on, sql`select 1 from event_subscription limit 1`))) return [];
  // A TPP gets no events for changes that it made itself. Because of `materialized`, PostgreSQL
  // filters the changes before it looks up their objects. It looks up the facts before a change
  // only for TPPs with a registration.
  const changes = await on.query<TppChange>(sql`
    with found as materialized (
      select c.*, o.kind, o.resource_id as "resourceId", o.api_version as "resourceVersion",
        o.own_event as "ownEvent", o.client_id as "clientId"
      from (${changesBetween(sql`${from}`, sql`${to}`)}) c
      cross join lateral (${ofTpps}) o
      where c.cause <> 'tpp'
    )
    select c.*, p.before, r.form, r.version, r.named_types as "namedTypes",
      r.event_types as "eventTypes"
    from found c
    join event_subscription r on r.client_id = c."clientId" and r.since <= c."occurredAt"
    ${factsBefore({ objectId: sql`c."objectId"`, sequence: sql`c.sequence` })}
    order by c.sequence`);
  return changes.flatMap(eventOf);
}

/** Returns the event for a change, or an empty list if the TPP is not notified of the change. */
function eventOf(change: TppChange): NewEvent[] {
  const rule = findRule(change);
  if (!rule) return [];
  const wanted = rule.types[formatOf(change)];
  const types = change.eventTypes.filter((name) =>
    wanted.includes(name === change.ownEvent ? "own event" : name),
  );
  const { objectKind, resourceId: objectId, kind, version, interactionId: txn } = change;
  if (types.length === 0 || objectKind === "client") return [];
  const apiVersion = change.resourceVersion;
  const resource = { kind, objectId, apiVersion, version, types, txn };
  const account = rule.account?.(change);
  const facts: EventFacts = {
    ...resource,
    objectKind: objectKind === "account" ? "consent" : objectKind,
    ...(account ? { account } : {}),
  };
  return [
    {
      jti: newUuid(),
      client_id: change.clientId,
      object_id: objectId,
      change_sequence: String(change.sequence),
      facts,
      occurred_at: change.occurredAt.toString(),
    },
  ];
}

/** Stores events, except those that are stored already. Returns how many it stored. */
export async function storeEvents(on: Queryable, events: readonly NewEvent[]): Promise<number> {
  if (events.length === 0) return 0;
  const stored = await on.query(sql`
    insert into event (jti, client_id, object_id, change_sequence, facts, occurred_at, next_try_at)
    select jti, client_id, object_id, change_sequence, facts, occurred_at, occurred_at
    from json_to_recordset(${JSON.stringify(events)}::json) as e(jti text, client_id text,
      object_id text, change_sequence bigint, facts json, occurred_at timestamptz)
    order by change_sequence
    on conflict (client_id, object_id, change_sequence) do nothing
    returning jti`);
  return stored.length;
}

/** A kind of change that TPPs are notified of, and the event types of its SET in each format. */
type EventRule = {
  name: string;
  objectKind: Change["objectKind"];
  /**
   * Whether a change is this event. It is called only for changes that the TPP did not make itself.
   */
  isMadeBy(change: Pick<Change, "before" | "after" | "cause">): boolean;
  /**
   * The event types of the SET, by the format that the registration asks for. `own event` stands
   * for the type that only this kind of resource has for such changes; some kinds have none.
   * Source: EV-05, EV-12.
   */
  types: Readonly<Record<EventFormat, readonly (EventName | "own event")[]>>;
  /** The account that the event is about. Absent if the event is not about an account. */
  account?(change: Pick<Change, "objectId" | "before" | "after">): ChangedAccount;
};

type ChangedAccount = NonNullable<EventFacts["account"]>;

/**
 * The format of a TPP's SETs. `first`: callback URLs, versions up to 3.1.1, and subscriptions that
 * name only resource updates. `third`: later versions 3.x. `fourth`: 4.x. Source: EV-05.
 */
type EventFormat = "first" | "third" | "fourth";

const update = {
  first: ["resource-update"],
  third: ["resource-update"],
  fourth: ["resource-update"],
} as const;

/**
 * Statuses of a consent that the TPP does not learn when the customer returns to it. Source: EV-12,
 * EV-19.
 */
const ends: ReadonlySet<unknown> = new Set(["RJCT", "EXPD", "CANC", "COND"]);

// The code set defines it as an account that moves into or out of the scope of its consent. Only
// consents to access accounts cover several accounts, so only they can lose one.
const accountMoved = "account-access-consent-linked-account-update";

/** Returns the account of a consent that a change withdrew; undefined if it withdrew none. */
function newlyWithdrawn({ before, after }: Pick<Change, "before" | "after">): string | undefined {
  const earlier = withdrawnIn(before);
  return withdrawnIn(after).find((accountId) => !earlier.includes(accountId));
}

const withdrawnIn = (facts: HistoryFacts | null): string[] =>
  (facts?.withdrawn as string[] | undefined) ?? []; // an array of ids if there is one

/**
 * Every kind of event. A change becomes the event of the first row that it matches. The
 * authorisation of a consent is not an event, because the TPP learns of it when the customer
 * returns. Source: EV-07, EV-12, EV-18, EV-33.
 */
const eventRules: readonly EventRule[] = [
  {
    name: "access withdrawn at the bank",
    objectKind: "consent",
    isMadeBy: ({ before, after }) => before?.status === "AUTH" && after.status === "CANC",
    types: {
      first: ["resource-update"],
      third: ["consent-authorization-revoked", "own event"],
      fourth: ["resource-update", "consent-authorization-revoked", "own event"],
    },
  },
  {
    name: "consent ended",
    objectKind: "consent",
    isMadeBy: ({ before, after }) =>
      before !== null && before.status !== after.status && ends.has(after.status),
    types: update,
  },
  {
    name: "account withdrawn from a consent",
    objectKind: "consent",
    isMadeBy: (change) => newlyWithdrawn(change) !== undefined,
    types: { first: [], third: [accountMoved], fourth: [accountMoved] },
    account: (change) => ({
      accountId: present(newlyWithdrawn(change), "the withdrawn account"),
      change: "withdrawn",
    }),
  },
  {
    name: "account of a consent closed, blocked or open again",
    objectKind: "account",
    isMadeBy: () => true,
    types: { first: [], third: ["own event"], fourth: ["own event"] },
    account({ objectId, after }) {
      const closed = after.isSwitched === true ? "switched" : "closed";
      const usable = after.status === "Enabled" ? "open" : "blocked";
      return { accountId: objectId, change: after.status === "Deleted" ? closed : usable };
    },
  },
  {
    name: "order moved",
    objectKind: "order",
    isMadeBy: ({ before, after }) =>
      before !== null &&
      (before.status !== after.status || before.authorisation !== after.authorisation),
    types: update,
  },
];

/** Finds the rule for a change. Returns undefined if TPPs are not notified of the change. */
export const findRule = (
  change: Pick<Change, "objectKind" | "before" | "after" | "cause">,
): EventRule | undefined => {
  if (change.cause === "tpp" || change.after.deleted === true) return undefined;
  return eventRules.find((rule) => rule.objectKind === change.objectKind && rule.isMadeBy(change));
};

/** Returns the format that a registration asks for. Source: EV-04, EV-05. */
function formatOf(registration: {
  form: "subscription" | "callback";
  version: string;
  namedTypes: readonly string[] | null;
  eventTypes: readonly EventName[];
}): EventFormat {
  const { form, version, namedTypes, eventTypes } = registration;
  if (form === "callback") return "first";
  if (namedTypes !== null && eventTypes.every((name) => name === "resource-update")) return "first";
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  if (major >= 4) return "fourth";
  return minor > 1 || patch > 1 ? "third" : "first";
}
