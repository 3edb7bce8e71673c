import type { ApiVersionId } from "#src/standard/api-version.ts";
import type { Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";

/**
 * Who changes a consent or an order: the TPP by a request, the customer on a page, the bank (its
 * engine included), or time.
 */
export type Cause = "tpp" | "customer" | "bank" | "clock";

/** Why a consent or an order changes, and when by the bank's clock. */
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
 * The part of `set` that gives the cause of an update of a consent or an order. Triggers on both
 * tables write the change into the history, in the same statement. Without this part, the recorded
 * cause is `unknown`.
 */
export const changed = ({ by, at, interactionId }: Why): Sql => sql`
  revision = revision + 1, changed_by = ${by}, changed_at = ${at},
  interaction_id = ${interactionId}`;

/** One change of a consent or an order. */
export type Change = {
  /** The changes of one object are in the order of this number. */
  sequence: bigint;
  objectKind: "consent" | "order";
  objectId: string;
  /** The object's facts, such as `status`; null before it existed. */
  before: Facts | null;
  after: Facts;
  /** `unknown` if the statement did not give a cause. */
  cause: Cause | "unknown";
  interactionId: string | null;
  apiVersion: ApiVersionId;
  occurredAt: Temporal.Instant;
};

/** The facts of an object that other parties can be notified about; they depend on its kind. */
export type Facts = { status: string; [fact: string]: unknown };

const columns = sql`sequence, object_kind as "objectKind", object_id as "objectId", before, after,
  cause, interaction_id as "interactionId", api_version as "apiVersion",
  occurred_at as "occurredAt"`;

/** The history of one consent or order, from its creation. */
export const listChanges = (on: Queryable, objectId: string): Promise<Change[]> =>
  on.query<Change>(
    sql`select ${columns} from change where object_id = ${objectId} order by sequence`,
  );

/** Changes that were read together, and where the next reading begins. */
export type ChangesRead = { changes: Change[]; next: string };

/** Where the first reading begins. */
export const firstReading = "0";

/**
 * Reads the changes of all objects that no earlier reading returned. It returns only changes of
 * transactions that are older than the oldest running one, so that a change that is committed late
 * is never skipped. If transactions overlapped, a later reading may return an earlier change of an
 * object: `sequence` gives the order.
 */
export async function readChanges(on: Queryable, from: string): Promise<ChangesRead> {
  const rows = await on.query<Change & { next: string; sequence: bigint | null }>(sql`
    with horizon as materialized (select pg_snapshot_xmin(pg_current_snapshot()) as next)
    select ${columns}, h.next::text as next
    from horizon h left join change c
      on c.transaction_id >= ${from}::text::xid8 and c.transaction_id < h.next
    order by sequence`);
  const changes = rows.filter(({ sequence }) => sequence !== null);
  return {
    changes: changes.map(({ next: _, ...change }) => change),
    next: rows[0]?.next ?? from,
  };
}
