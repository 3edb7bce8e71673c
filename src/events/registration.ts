import type { ApiVersionId } from "#src/standard/api-version.ts";
import { type EventName, eventTypes } from "#src/standard/shared/events/event-types.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import { lockedEvents } from "./lock-events.ts";

/** The tables of registrations for events. */
export const registrationTables = ["event_subscription"] as const;

/** Lets TPPs receive what happens from now on, if the bank's time has gone back. */
export const restartRegistrations = (on: Queryable, now: Temporal.Instant): Promise<unknown> =>
  on.query(sql`update event_subscription set since = least(since, ${now})`);

/** The kind of resource with which a TPP registers. A TPP has one registration, of either kind. */
export type RegistrationForm = "subscription" | "callback";

/** A TPP's registration for events: which events it receives, and how. */
export type EventRegistration = {
  clientId: string;
  subscriptionId: string;
  form: RegistrationForm;
  /** The version of the API on which the TPP registered. */
  apiVersion: ApiVersionId;
  /** Null if the TPP polls. */
  callbackUrl: string | null;
  version: string;
  /** The types as the TPP named them; null if it named none. */
  namedTypes: string[] | null;
  eventTypes: EventName[];
};

/** The part of a registration that the TPP chooses. */
export type ChosenRegistration = Omit<
  EventRegistration,
  "clientId" | "subscriptionId" | "form" | "apiVersion"
>;

/** The columns of a registration in the shape of `Registration`. */
const registrationColumns: Sql = sql`client_id as "clientId",
  subscription_id as "subscriptionId", form, api_version as "apiVersion",
  callback_url as "callbackUrl", version, named_types as "namedTypes", event_types as "eventTypes"`;

/** The names of all types that the bank emits. */
export const allEventNames: readonly EventName[] = eventTypes.map(({ name }) => name);

// the TPP has sent a new URL, or has fixed the endpoint of the old one: retry immediately
const active = sql`status = 'active', failing_since = null, probe_at = null`;

/** Runs a statement that writes a registration, and retries its waiting events immediately. */
const storing = (on: Queryable, statement: Sql, now: Temporal.Instant) =>
  first<EventRegistration>(
    on,
    sql`
    with stored as (${statement} returning ${registrationColumns}),
    tried as materialized (${lockedEvents(
      sql`e.state = 'waiting' and e.attempts > 0`,
      sql`join stored s on s."clientId" = e.client_id`,
    )}),
    revived as (
      update event e set next_try_at = ${now}, attempts = 0, first_failed_at = null,
        sent_by = null
      from tried t where e.jti = t.jti)
    select "clientId", "subscriptionId", form, "apiVersion", "callbackUrl", version,
      "namedTypes", "eventTypes"
    from stored`,
  );

/**
 * Stores a new registration. An event subscription replaces the TPP's callback URL and takes over
 * its waiting events. Returns undefined if the TPP has a registration that cannot be replaced.
 * Source: EV-02.
 */
export const storeRegistration = (
  on: Queryable,
  { clientId, subscriptionId, form, apiVersion, callbackUrl, version, ...types }: EventRegistration,
  serves: ReadonlySet<ApiVersionId>,
  now: Temporal.Instant,
): Promise<EventRegistration | undefined> =>
  storing(
    on,
    sql`
    insert into event_subscription as s (client_id, subscription_id, form, api_version,
      callback_url, version, named_types, event_types, since)
    values (${clientId}, ${subscriptionId}, ${form}, ${apiVersion}, ${callbackUrl}, ${version},
      ${types.namedTypes}::text[], ${types.eventTypes}::text[], ${now})
    on conflict (client_id) do update set subscription_id = excluded.subscription_id,
      form = excluded.form, api_version = excluded.api_version,
      callback_url = excluded.callback_url, version = excluded.version,
      named_types = excluded.named_types, event_types = excluded.event_types, ${active}
    where s.form = 'callback' and excluded.form = 'subscription'
      and s.api_version = any(${[...serves]}::text[])`,
    now,
  );

/** Returns the TPP's registration of this form, made on one of these versions, or undefined. */
export const findRegistration = (
  on: Queryable,
  { clientId, form, serves }: Omit<RegistrationKey, "subscriptionId">,
): Promise<EventRegistration | undefined> =>
  first<EventRegistration>(
    on,
    sql`select ${registrationColumns} from event_subscription
      where client_id = ${clientId} and form = ${form}
        and api_version = any(${[...serves]}::text[])`,
  );

/**
 * Identifies a registration by its TPP, its form, its id and the versions that it may be made on.
 */
export type RegistrationKey = Pick<EventRegistration, "clientId" | "subscriptionId" | "form"> & {
  serves: ReadonlySet<ApiVersionId>;
};

const own = ({ clientId, subscriptionId, form, serves }: RegistrationKey): Sql => sql`
  client_id = ${clientId} and subscription_id = ${subscriptionId} and form = ${form}
  and api_version = any(${[...serves]}::text[])`;

/** Changes a registration and keeps its waiting events. Returns undefined if there is none. */
export const changeRegistration = (
  on: Queryable,
  key: RegistrationKey,
  { callbackUrl, version, namedTypes, eventTypes }: ChosenRegistration,
  now: Temporal.Instant,
): Promise<EventRegistration | undefined> =>
  storing(
    on,
    sql`update event_subscription set callback_url = ${callbackUrl}, version = ${version},
        named_types = ${namedTypes}::text[], event_types = ${eventTypes}::text[], ${active}
      where ${own(key)}`,
    now,
  );

/** Deletes the registrations that meet a condition, and drops their unsettled events. */
const ending = (which: Sql, now: Temporal.Instant): Sql => sql`
  with gone as (delete from event_subscription where ${which} returning client_id),
  unsettled as materialized (${lockedEvents(
    sql`e.state in ('waiting', 'undelivered')`,
    sql`join gone g on g.client_id = e.client_id`,
  )}),
  dropped as (
    update event e set state = 'dropped', settled_at = ${now}, sent_by = null
    from unsettled u where e.jti = u.jti)
  select client_id from gone`;

/** Deletes a registration and drops its unsettled events. Returns false if there is none. */
export const endRegistration = async (
  on: Queryable,
  key: RegistrationKey,
  now: Temporal.Instant,
): Promise<boolean> => (await on.query(ending(own(key), now))).length === 1;

/** Deletes the registration of a client that is removed, and drops its unsettled events. */
export const clientRegistrationDeletion = (clientId: string, now: Temporal.Instant): Sql =>
  ending(sql`client_id = ${clientId}`, now);

/** Whether another TPP has a registration of this form and id. */
export const isOfAnother = async (
  on: Queryable,
  { clientId, subscriptionId, form }: RegistrationKey,
): Promise<boolean> =>
  (
    await on.query(sql`select 1 from event_subscription
      where subscription_id = ${subscriptionId} and form = ${form} and client_id <> ${clientId}`)
  ).length > 0;
