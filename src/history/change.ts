import type { ApiVersionId } from "#src/standard/api-version.ts";
import type { Queryable } from "#src/storage/database.ts";
import {
  isOneOf,
  type PersonalTable,
  personalTable,
  whyStays,
} from "#src/storage/personal-table.ts";
import { rowFilter } from "#src/storage/row-filter.ts";
import { type Sql, sql } from "#src/storage/sql.ts";

/**
 * Who changes a consent, an order or a client: the TPP by a request, the customer on a page, the
 * bank (its engine included), or time.
 */
type Cause = "tpp" | "customer" | "bank" | "clock";

/** Why an object changes, and when by the bank's clock. */
export type Why = {
  by: Cause;
  at: Temporal.Instant;
  /** The interaction id of the request that makes the change; null without one. */
  interactionId: string | null;
};

/** A change that a customer makes on the bank's pages. */
export const byCustomer = (at: Temporal.Instant): Why => ({
  by: "customer",
  at,
  interactionId: null,
});

/** A change that the bank makes. */
export const byBank = (at: Temporal.Instant): Why => ({ by: "bank", at, interactionId: null });

/** A change that time makes. */
export const byClock = (at: Temporal.Instant): Why => ({ by: "clock", at, interactionId: null });

/** A change that a TPP makes by a request. */
export const byTpp = ({
  now,
  interactionId,
}: {
  now: Temporal.Instant;
  interactionId: string;
}): Why => ({ by: "tpp", at: now, interactionId });

/**
 * The part of `set` that gives the cause of an update. Triggers write the change into the history,
 * in the same statement. Without this part, the recorded cause is `unknown`.
 */
export const changed = ({ by, at, interactionId }: Why): Sql => sql`
  revision = revision + 1, changed_by = ${by}, changed_at = ${at},
  interaction_id = ${interactionId}`;

/**
 * The part of `set` of an update that writes its history itself: its statement must have a
 * `recording` of each row that it changes. A trigger costs more than all the rest of a history, so
 * statements that every payment needs do without it.
 */
export const recorded = (at: Temporal.Instant | Sql): Sql => sql`
  revision = revision + 1, changed_by = null, changed_at = ${at}, interaction_id = null`;

/**
 * Writes changes into the history. `rows` is a query with the kind and the id of an object, its
 * facts after the change, the cause, the interaction id, the API version and the time.
 */
export const recording = (rows: Sql): Sql => sql`
  insert into change (object_kind, object_id, after, cause, interaction_id, api_version,
    occurred_at) ${rows}`;

// An expression to sort one object's changes by. The `+ 0` keeps the server from using the index on
// the sequence: without statistics, reading that whole index looks cheaper to it than finding the
// object's rows by its id.
const inOrder = (sequence: Sql): Sql => sql`${sequence} + 0`;

/** Joins, laterally and as `h`, the facts (as text) that an object's last change led to. */
export const lastChange = (objectId: Sql): Sql => sql`
  left join lateral (
    select h.after as facts from change h where h.object_id = ${objectId}
    order by ${inOrder(sql`h.sequence`)} desc limit 1
  ) h on true`;

/**
 * The facts of an object at a given time, and since when it had them, as a lateral join `h`. An
 * object that did not exist then has no row.
 */
export const factsAt = (objectId: Sql, at: Temporal.Instant): Sql => sql`
  cross join lateral (
    select h.after::json as facts, h.occurred_at as since from change h
    where h.object_id = ${objectId} and h.occurred_at <= ${at}
    order by ${inOrder(sql`h.sequence`)} desc limit 1
  ) h`;

/** Deletes the history of objects, given a query of their ids: of consents that were never used. */
export const historyDeletion = (objectIds: Sql): Sql =>
  sql`delete from change where object_id in (${objectIds})`;

/**
 * Deletes the history of consents and orders that have not changed after the given time. The
 * database refuses to delete any other history of an authorised consent. It needs a transaction.
 */
export async function deleteEndedHistories(
  on: Queryable,
  objectIds: readonly string[],
  before: Temporal.Instant,
): Promise<void> {
  await on.query(sql`select set_config('aldgate.histories_before', ${before.toString()}, true)`);
  await on.query(sql`delete from change where ${isOneOf(sql`object_id`, objectIds)}`);
}

/** SQL: whether the history of an object goes on after the given time. */
export const hasChangedAfter = (objectId: Sql, time: Temporal.Instant): Sql => sql`exists (
  select from change h where h.object_id = ${objectId} and h.occurred_at > ${time})`;

/** One change of a consent, an order or a client. */
export type Change = {
  /** The changes of one object are in the order of this number. */
  sequence: bigint;
  objectKind: "consent" | "order" | "client" | "account";
  objectId: string;
  /** The object's facts, such as `status`; null before it existed. */
  before: HistoryFacts | null;
  after: HistoryFacts;
  /** `unknown` if the statement did not give a cause. */
  cause: Cause | "unknown";
  interactionId: string | null;
  /** Null for an object that belongs to no version, such as a client. */
  apiVersion: ApiVersionId | null;
  occurredAt: Temporal.Instant;
};

/** The facts of an object that other parties can be notified about; they depend on its kind. */
export type HistoryFacts = { status: string; [fact: string]: unknown };

const columns = sql`c.sequence, c.object_kind as "objectKind", c.object_id as "objectId",
  c.after::json as after, c.cause, c.interaction_id as "interactionId",
  c.api_version as "apiVersion", c.occurred_at as "occurredAt"`;

/** The history of one object, from its creation. */
export const listChanges = (on: Queryable, objectId: string): Promise<Change[]> =>
  on.query<Change>(sql`
    select ${columns}, lag(c.after::json) over (order by ${inOrder(sql`c.sequence`)}) as before
    from change c where c.object_id = ${objectId}
    order by ${inOrder(sql`c.sequence`)}`);

/** The number of the last change that can be read. */
export const lastSequence: Sql = sql`(select coalesce(max(c.sequence), 0) from change c)`;

/**
 * The changes after the number `from` and up to the number `to`, without the facts before them, as
 * a query for statements of other rooms.
 */
export const changesBetween = (from: Sql, to: Sql): Sql => sql`
  select ${columns} from change c where c.sequence > ${from} and c.sequence <= ${to}`;

/** The number and the time of a change, as SQL that finds other objects' facts at that time. */
export type ChangeSql = { sequence: Sql; occurredAt: Sql };

/** The facts before a change, as a lateral join `p` with the column `before`. */
export const factsBefore = (change: { objectId: Sql; sequence: Sql }): Sql => sql`
  left join lateral (
    select p.after::json as before from change p
    where p.object_id = ${change.objectId}
      and ${rowFilter(sql`p.sequence < ${change.sequence}`)}
    order by ${inOrder(sql`p.sequence`)} desc limit 1
  ) p on true`;

/** The history, as far as it is about a customer's accounts, consents and orders. */
export const historyTables: readonly PersonalTable[] = [
  personalTable("change", whyStays.consent, ({ accountIds, consentIds, orderIds }) =>
    isOneOf(sql`t.object_id`, [...accountIds, ...consentIds, ...orderIds]),
  ),
];
