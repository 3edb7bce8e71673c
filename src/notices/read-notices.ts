import { hash } from "node:crypto";
import type { Notice, Occasion } from "#src/bank/notice.ts";
import type { OrderingTpp } from "#src/bank/payment-context.ts";
import { registeredTpp } from "#src/clients/client-name.ts";
import type { StatusReason } from "#src/consents/consent.ts";
import { noticedConsent } from "#src/consents/consent-facts.ts";
import { type Change, changesBetween, factsBefore } from "#src/history/change.ts";
import { idFromBytes } from "#src/lib/ids.ts";
import {
  canChange,
  type OrderFamily,
  type PaymentStatus,
} from "#src/payments/order/order-states.ts";
import { noticedOrder } from "#src/payments/order/payment-order.ts";
import type { KindId } from "#src/standard/kind-id.ts";
import type { Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";

/** SQL: the changes of consents and orders, with these numbers, as a table. */
export const changesToTell = (from: Sql, to: Sql): Sql => sql`(
  select c.* from (${changesBetween(from, to)}) c where c."objectKind" in ('consent', 'order'))`;

type ChangeRow = Pick<
  Change,
  "sequence" | "objectId" | "before" | "after" | "cause" | "interactionId" | "occurredAt"
> &
  OrderingTpp &
  Pick<Notice, "consentId" | "orderId" | "customerIds" | "accountIds"> & {
    /** Null if the consent has been deleted, because no customer ever authorised it. */
    kind: KindId | null;
    /** Null for a consent. */
    family: OrderFamily | null;
    expiresAt: Temporal.Instant | null;
    /** The notices with this position that an operator has skipped; null if there are none. */
    skipped: string[] | null;
  };

/** Notices, and the number of the last change that was read for them. */
type ReadNotices = { notices: Notice[]; last: bigint };

/**
 * Reads the next changes after `from` and up to `to`, at most `limit`, as notices, without those
 * that an operator has skipped.
 */
export async function readNotices(
  on: Queryable,
  { from, to, limit }: { from: bigint; to: bigint; limit: number },
): Promise<ReadNotices> {
  const rows = await on.query<ChangeRow>(sql`
    with found as materialized (
      select c.* from ${changesToTell(sql`${from}`, sql`${to}`)} c
      order by c.sequence limit ${limit}::integer
    )
    select c.*, p.before, o.*, t.*, s.skipped
    from found c
    ${factsBefore({ objectId: sql`c."objectId"`, sequence: sql`c.sequence` })}
    left join lateral (
      ${noticedConsent(sql`c."objectId"`, sql`c."occurredAt"`)}
      union all
      ${noticedOrder(sql`c."objectId"`, sql`(c.after->>'signatures')::integer`)}
    ) o on true
    left join lateral (${registeredTpp(sql`o."noticedClient"`)}) t on true
    left join lateral (
      select array_agg(notice_id) as skipped from notice_skip where position = c.sequence
    ) s on true
    order by c.sequence`);
  const last = rows.length < limit ? to : (rows.at(-1)?.sequence ?? to);
  return { notices: rows.flatMap(noticeOf), last };
}

function noticeOf(row: ChangeRow): Notice[] {
  const { kind, family, after, consentId, orderId, customerIds, accountIds } = row;
  const occasion = kind === null ? null : occasionOf(row, family);
  if (kind === null || occasion === null) return [];
  const consent = {
    expiresAt: row.expiresAt,
    isPaused: after.paused === true,
    hasGrant: after.grant !== null && occasion !== "consent-ended",
  };
  const noticeId = idOf(row);
  if (row.skipped?.includes(noticeId)) return [];
  return [
    {
      noticeId,
      position: row.sequence,
      at: row.occurredAt,
      occasion,
      by: row.cause,
      interactionId: row.interactionId,
      consentId,
      orderId,
      kind,
      status: after.status,
      reasons: reasonsOf(after).map(({ code, text }) => ({ code, text })),
      channel: reasonsOf(after).find((one) => one.channel)?.channel ?? null,
      tpp: tppOf(row),
      customerIds,
      accountIds,
      consent: orderId === null ? consent : null,
    },
  ];
}

/**
 * The id follows from everything about the change. A restored database may give a position, or an
 * object's next change, to something else than the core was told.
 */
function idOf({ sequence, objectId, occurredAt, cause, after }: ChangeRow): string {
  const text = JSON.stringify([String(sequence), objectId, occurredAt, cause, after]);
  return idFromBytes("ntc", hash("sha256", text, "buffer"));
}

// written by the rooms of consents and orders
const reasonsOf = (facts: ChangeRow["after"]): StatusReason<string>[] =>
  (facts.reasons ?? []) as StatusReason<string>[];

function tppOf(row: ChangeRow): OrderingTpp {
  const { clientId, organisationId, organisationName } = row;
  const { softwareId, softwareName, onBehalfOf } = row;
  return { clientId, organisationId, organisationName, softwareId, softwareName, onBehalfOf };
}

/** Whether the TPP can use a consent with these facts. */
const isInUse = (facts: Change["before"]): boolean =>
  facts !== null && facts.status === "AUTH" && facts.deleted !== true;

/**
 * Returns what a change of a consent means to the core. Null before a customer has authorised the
 * consent, and after its end: the core is told nothing then.
 */
function ofConsent({ before, after }: Pick<Change, "before" | "after">): Occasion | null {
  if (!isInUse(before)) return isInUse(after) ? "consent-given" : null;
  if (isInUse(after)) return "consent-changed";
  return after.status === "COND" ? "consent-used" : "consent-ended";
}

function ofOrder(
  { before, after }: Pick<Change, "before" | "after">,
  family: OrderFamily,
): Occasion {
  // written by the orders' room
  const isOver = (facts: Change["before"]) =>
    facts !== null && !canChange(family, facts.status as PaymentStatus);
  if (isOver(after) && !isOver(before)) return "order-ended";
  return before === null ? "order-received" : "order-changed";
}

/** Returns what a change means to the core. Null if the core is told nothing. */
const occasionOf = (
  change: Pick<Change, "before" | "after">,
  family: OrderFamily | null,
): Occasion | null => (family === null ? ofConsent(change) : ofOrder(change, family));
