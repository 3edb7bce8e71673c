import type { Evidence, StatusReason } from "#src/consents/consent.ts";
import type { Showing } from "#src/consents/showing.ts";
import { fromTermsRecord, type TermsRecord } from "#src/consents/terms.ts";
import { byClock, byCustomer, changed, type Why } from "#src/history/change.ts";
import type { Clock } from "#src/lib/clock.ts";
import {
  type MultiAuthorisationStatus,
  nextMultiAuthorisationStatus,
} from "#src/payments/order/order-states.ts";
import type { OrderWithConsent } from "#src/payments/order/payment-order.ts";
import {
  type PlacedOrder,
  type PlacedRow,
  placedColumns,
  placedOrderOf,
  placedOrders,
} from "#src/payments/order/placed-order.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { listOwnAccountIds, type OwnOrdersDeps } from "./own-accounts.ts";

/** The decision of one signatory on an order. */
type MultiAuthorisationDecision = {
  orderId: string;
  customerId: string;
  decision: "approve" | "reject";
  /** How the signatory was authenticated; absent if a sandbox's control signs. */
  authentication?: SignedWith;
};

type SignedWith = Pick<Evidence, "acr" | "amr" | "method" | "showings">;

/**
 * The result of a signatory's decision. `signed`: others must still sign. `complete`: the payment
 * is due now, so wake the engine. `notWaiting`: the order was decided or has expired.
 */
export type MultiAuthorisationResult =
  | "notFound"
  | "notYours"
  | "alreadySigned"
  | "notWaiting"
  | "signed"
  | "complete"
  | "rejected";

const refusedReason: StatusReason = {
  code: "U037",
  text: "Authorisation failed: a signatory has rejected the payment.",
};

const overdueReason: StatusReason = {
  code: "U036",
  text: "Authorisation not completed: not all signatories signed in time.",
};

type Decided = {
  mayDecide: boolean;
  hasSigned: boolean;
  waiting: boolean;
  decided: MultiAuthorisationStatus | null;
};

/**
 * Stores one signatory's decision on an order that needs several. When the last one has approved,
 * the order is AUTH and its payments are due. One rejection rejects both. Each of several
 * concurrent decisions takes the others into account. Source: PISP profile, OBMultiAuthorisation1.
 */
export async function decideMultiAuthorisation(
  { database, bank, clock }: OwnOrdersDeps & { clock: Clock },
  { decision, ...given }: MultiAuthorisationDecision,
): Promise<MultiAuthorisationResult> {
  const signatory = { ...given, accountIds: await listOwnAccountIds(bank, given.customerId) };
  for (;;) {
    const now = clock.now();
    const row =
      decision === "approve"
        ? await approve(database, signatory, now)
        : await reject(database, signatory, now);
    if (!row) return "notFound";
    if (!row.mayDecide) return "notYours";
    if (row.decided === "RJCT") return "rejected";
    if (row.decided === "AUTH") return "complete";
    if (row.decided === "AWAF") return "signed";
    if (!row.waiting) return "notWaiting";
    if (row.hasSigned && decision === "approve") return "alreadySigned";
    // another decision was stored between this statement's snapshot and its lock: try again
  }
}

type Signatory = {
  orderId: string;
  customerId: string;
  accountIds: string[];
  authentication?: SignedWith;
};

// The order that a decision is about: `found` in the statements below.
const found = ({ orderId, customerId, accountIds }: Signatory, now: Temporal.Instant) => sql`
  select o.order_id, ${customerId} = any(o.signed_by) as has_signed,
    o.authorisation_status = 'AWAF' and o.status = 'PATC'
      and (o.authorisation_expires_at is null or o.authorisation_expires_at > ${now}) as waiting,
    o.debtor_account_id = any(${accountIds}::text[]) as may_decide
  from payment_order o where o.order_id = ${orderId}`;

const answer = sql`
  select f.may_decide as "mayDecide", f.has_signed as "hasSigned",
    coalesce(f.waiting, false) as waiting, d.authorisation_status as decided
  from found f left join decided d on true`;

function approve(
  on: Queryable,
  given: Signatory,
  now: Temporal.Instant,
): Promise<Decided | undefined> {
  const { customerId, authentication } = given;
  const signature = JSON.stringify(
    authentication ? [{ customerId, at: now.toString(), ...authentication }] : [],
  );
  const complete = nextMultiAuthorisationStatus("AWAF", "complete");
  return first<Decided>(
    on,
    sql`with found as (${found(given, now)}), decided as (
      update payment_order o set signed_by = array_append(o.signed_by, ${customerId}::text),
        signatories_received = o.signatories_received + 1,
        signatures = (coalesce(o.signatures::jsonb, '[]') || ${signature}::jsonb)::json,
        authorisation_status = case when o.signatories_received + 1 >= o.signatories_required
          then ${complete} else o.authorisation_status end,
        authorisation_updated_at = ${now}, ${changed(byCustomer(now))}
      from found f
      where o.order_id = f.order_id and f.may_decide and f.waiting
        and o.authorisation_status = 'AWAF' and not ${customerId} = any(o.signed_by)
      returning o.order_id, o.authorisation_status
    ), released as (
      update payment p set due_at = ${now} from decided d
      where p.order_id = d.order_id and d.authorisation_status = ${complete}
        and p.status = 'PATC'
    ) ${answer}`,
  );
}

function reject(
  on: Queryable,
  given: Signatory,
  now: Temporal.Instant,
): Promise<Decided | undefined> {
  return first<Decided>(
    on,
    sql`with found as (${found(given, now)}), decided as (
      ${rejection(refusedReason, byCustomer(now))} from found f
      where o.order_id = f.order_id and f.may_decide and f.waiting
        and o.authorisation_status = 'AWAF' and o.status = 'PATC'
      returning o.order_id, o.authorisation_status
    ), rejected as (${paymentRejection(refusedReason, now)}) ${answer}`,
  );
}

/** Rejects orders whose signatories did not sign in time; returns their number. */
export async function rejectOverdueAuthorisations(
  on: Queryable,
  now: Temporal.Instant,
): Promise<number> {
  const row = await first<{ count: number }>(
    on,
    sql`with decided as (
      ${rejection(overdueReason, byClock(now))}
      where o.authorisation_status = 'AWAF' and o.status = 'PATC'
        and o.authorisation_expires_at <= ${now}
      returning o.order_id
    ), rejected as (${paymentRejection(overdueReason, now)})
    select count(*)::integer as count from decided`,
  );
  return row?.count ?? 0;
}

const rejection = (reason: StatusReason, why: Why) => sql`
  update payment_order o set authorisation_status = 'RJCT', authorisation_updated_at = ${why.at},
    status = 'RJCT', status_updated_at = ${why.at}, file_in_work_since = null,
    status_reason = ${JSON.stringify([reason])}::json, ${changed(why)}`;

const paymentRejection = (reason: StatusReason, now: Temporal.Instant) => sql`
  update payment p set status = 'RJCT', status_updated_at = ${now}, due_at = null,
    in_work_of_file = null,
    status_reason_code = ${reason.code},
    status_reason_text = ${reason.text}
  from decided d where p.order_id = d.order_id and p.status = 'PATC'`;

/** The signature of an order by a customer other than the one who approved its consent. */
type GivenSignature = {
  orderId: string;
  customerId: string;
  /** When it was stored (RFC 3339). */
  signedAt: string;
  /** Null, like `showings`, if an earlier release has stored it. */
  method: string | null;
  acr: string;
  amr: string[];
  showings: readonly Showing[];
};

/** Lists the signatures of a consent's orders with their evidence, the oldest first. */
export const listSignatures = (on: Queryable, consentId: string): Promise<GivenSignature[]> =>
  on.query(sql`
    select o.order_id as "orderId", s.value->>'customerId' as "customerId",
      s.value->>'at' as "signedAt", s.value->>'method' as method, s.value->>'acr' as acr,
      s.value->'amr' as amr, coalesce(s.value->'showings', '[]') as showings
    from payment_order o cross join lateral json_array_elements(o.signatures) with ordinality s
    where o.consent_id = ${consentId}
    order by o.created_at, o.order_id, s.ordinality`);

type OrderedTerms = Pick<
  OrderWithConsent,
  "customerId" | "createdAt" | "consentBody" | "consentVersion" | "consentTerms"
>;

type WaitingRow = PlacedRow &
  Omit<WaitingOrder, keyof PlacedOrder | "ordered"> &
  Omit<OrderedTerms, "consentTerms"> & { consentTerms: TermsRecord };

/** An order that awaits signatures, for its signatories. */
export type WaitingOrder = PlacedOrder & {
  /** What was ordered, and by whom. */
  ordered: OrderedTerms;
  expiresAt: Temporal.Instant | null;
  signatoriesRequired: number;
  signatoriesReceived: number;
  /** Whether this customer has signed it. */
  signed: boolean;
};

/** The orders on a customer's accounts that await signatures, oldest first. */
export async function listWaitingOrders(
  { database, bank }: OwnOrdersDeps,
  customerId: string,
): Promise<WaitingOrder[]> {
  const accountIds = await listOwnAccountIds(bank, customerId);
  const rows = await database.query<WaitingRow>(sql`
    select ${placedColumns}, o.customer_id as "customerId", o.created_at as "createdAt",
      c.body as "consentBody", c.api_version as "consentVersion", c.terms as "consentTerms",
      o.authorisation_expires_at as "expiresAt",
      o.signatories_required as "signatoriesRequired",
      o.signatories_received as "signatoriesReceived",
      ${customerId} = any(o.signed_by) as signed
    from ${placedOrders}
    where o.debtor_account_id = any(${accountIds}::text[]) and o.authorisation_status = 'AWAF'
      and p.sequence = 1
    order by o.created_at, o.order_id`);
  return rows.map(({ customerId: id, createdAt, consentBody, consentVersion, ...row }) => ({
    ...row,
    ...placedOrderOf(row),
    ordered: {
      customerId: id,
      createdAt,
      consentBody,
      consentVersion,
      consentTerms: fromTermsRecord(row.consentTerms),
    },
  }));
}
