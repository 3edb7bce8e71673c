import { consentFacts, consentKey } from "#src/consents/consent-facts.ts";
import { usedUpStatuses } from "#src/consents/states.ts";
import { lastChange } from "#src/history/change.ts";
import { bankZone } from "#src/payments/calendar/timing.ts";
import type { PaymentKind } from "#src/payments/kinds/payment-kind.ts";
import { uncounted } from "#src/payments/limits/usage.ts";
import { addedKindPattern, publishedKindIds } from "#src/standard/kind-id.ts";
import type { Invariant, InvariantGroup } from "#src/storage/invariants.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import { filePaymentsInWork, filesInWork, waitingStatuses } from "./order-states.ts";

/** A kind, as far as the invariants depend on it. */
type InvariantKind = Pick<PaymentKind, "id" | "consent">;

/** The payments of orders, as a table to compare a bank's payments with. */
export const paymentsToVerify: Sql = sql`(
  select payment_id, debtor_account_id, amount_minor, charge_minor, currency, international, status,
    lease_owner
  from payment)`;

/** Makes the invariant that a consent for a single order is used up as soon as it has an order. */
function consentIsUsedUp(kinds: readonly InvariantKind[]): Invariant {
  const once = kinds.filter(({ consent }) => consent.use === "once");
  const ids = once.map(({ id }) => id);
  const statuses = once.map(({ consent }) => usedUpStatuses(consent).join(" or "));
  return {
    name: "an order has consumed its consent",
    breaches: (within) => sql`select o.order_id, o.kind || ', ' || coalesce(k.statuses, c.status),
        c.kind || ', ' || c.status
      from payment_order o join ${consentFacts} c on c.consent_id = o.consent_id
        left join unnest(${ids}::text[], ${statuses}::text[]) k(kind, statuses) on k.kind = o.kind
      where ${within(sql`o.order_id`)} and o.consent_use = 'once'
        and (c.kind <> o.kind or c.status <> all(string_to_array(k.statuses, ' or ')))`,
  };
}

/**
 * The invariants of each order. Once its day has come, a payment of a standing order that has ended
 * may still wait under a lease or for its engine.
 */
const orderInvariants: readonly Invariant[] = [
  {
    name: "an order's facts are those of its last change",
    breaches: (within) => sql`select o.order_id, o.facts, h.facts
      from (
        select order_id, order_history(status, status_reason::text, authorisation_status,
          signatories_received) as facts
        from payment_order where ${within(sql`order_id`)}
      ) o ${lastChange(sql`o.order_id`)}
      where h.facts is distinct from o.facts`,
  },
  {
    name: "an order has a payment, on its own account",
    breaches: (within) => sql`select o.order_id, o.debtor_account_id, p.debtor_account_id
      from payment_order o left join payment p on p.order_id = o.order_id
      where ${within(sql`o.order_id`)}
        and p.debtor_account_id is distinct from o.debtor_account_id`,
  },
  {
    name: "a file and its payments are marked while they are in progress",
    breaches: (within) => sql`select o.order_id, o.family || ' ' || o.status || ' ' || p.status,
        concat_ws(' ', o.file_in_work_since, p.in_work_of_file)
      from payment_order o join payment p on p.order_id = o.order_id
      where ${within(sql`o.order_id`)} and (
        o.file_in_work_since is distinct from case when o.family = 'file'
          and o.status = any(${[...filesInWork]}::text[]) then o.created_at end
        or p.in_work_of_file is distinct from case when o.family = 'file'
          and p.status = any(${[...filePaymentsInWork]}::text[]) then o.order_id end)`,
  },
  {
    name: "a running standing order has one planned payment, until its last payment",
    breaches: (
      within,
    ) => sql`select o.order_id, case when s.ended then 'none' else 'one' end, s.waiting
      from payment_order o join lateral (
        select count(*) filter (where p.status = any(${waitingStatuses}::text[])) as waiting,
          bool_or(p.is_last and p.status <> all(${waitingStatuses}::text[])) as ended
        from payment p where p.order_id = o.order_id
      ) s on true
      where ${within(sql`o.order_id`)} and o.family = 'standingOrder'
        and o.status not in ('CANC', 'RJCT')
        and s.waiting <> (not s.ended)::integer`,
  },
  {
    name: "a cancelled or rejected order has no planned payment",
    breaches: (within) => sql`select o.order_id, 'nothing to come', p.scheduled_on
      from payment_order o join payment p on p.order_id = o.order_id
      where ${within(sql`o.order_id`)} and o.family = 'standingOrder'
        and o.status in ('CANC', 'RJCT')
        and p.status = any(${waitingStatuses}::text[]) and p.execute_at > o.status_updated_at`,
  },
  {
    name: "a standing order's payments are numbered without gaps, in order of date",
    breaches: (within) => sql`select p.order_id, 'payment ' || p.position, 'payment ' || p.sequence
        || ' on ' || p.scheduled_on || ' after ' || p.before
      from (
        select p.order_id, p.sequence, p.scheduled_on,
          row_number() over steps as position, lag(p.scheduled_on) over steps as before
        from payment p join payment_order o on o.order_id = p.order_id
        where ${within(sql`o.order_id`)} and o.family = 'standingOrder'
        window steps as (partition by p.order_id order by p.sequence)
      ) p
      where p.sequence <> p.position or p.scheduled_on is null or p.scheduled_on <= p.before`,
  },
];

/** The invariants of each consent. */
const consentInvariants: readonly Invariant[] = [
  {
    name: "a consent is of a kind that this release knows",
    breaches: (within) => sql`select c.consent_id, ${publishedKindIds.join(" or ")}::text, c.kind
      from ${consentFacts} c
      where ${within(sql`c.consent_id`)} and c.kind <> all(${[...publishedKindIds]}::text[])
        and c.kind !~ ${addedKindPattern}`,
  },
  {
    name: "a day's use of a consent's limits is the sum of that day's orders",
    breaches: (within) => sql`select consent_id || ' on ' || day, coalesce(o.sum, 0),
        coalesce(u.amount_minor, 0)
      from (
        select consent_id, day, amount_minor from limit_use where ${within(sql`consent_id`)}
      ) u full join (
        select consent_id, (created_at at time zone ${bankZone})::date as day,
          sum(amount_minor) as sum
        from payment_order
        where ${within(sql`consent_id`)} and consent_use = 'within limits'
          and status <> all(${[...uncounted]}::text[])
        group by 1, 2
      ) o using (consent_id, day)
      where coalesce(o.sum, 0) <> coalesce(u.amount_minor, 0)`,
  },
  {
    name: "a consumed consent has one order",
    breaches: (within) => sql`select c.consent_id, 1, count(o.order_id)
      from ${consentFacts} c left join payment_order o
        on o.consent_id = c.consent_id and o.consent_use = 'once'
      where ${within(sql`c.consent_id`)} and c.status = 'COND' group by c.consent_id having count(o.order_id) <> 1`,
  },
];

/**
 * Returns the invariants of orders, their payments and their consents, whatever the bank's core is.
 * For orders of any other kind than `kinds`, the status of the used consent is not checked.
 */
export const orderInvariantGroups = (kinds: readonly InvariantKind[]): InvariantGroup[] => [
  {
    what: "orders",
    key: { table: sql`payment_order`, column: sql`order_id`, perSlice: 10_000 },
    invariants: [...orderInvariants, consentIsUsedUp(kinds)],
  },
  {
    what: "consents",
    key: { ...consentKey, perSlice: 10_000 },
    invariants: consentInvariants,
  },
];
