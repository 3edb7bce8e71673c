import { consentFacts, consentKey } from "#src/consents/consent-facts.ts";
import { isUsedUpByOrder, usedOnce, usedUpStatuses } from "#src/consents/states.ts";
import { lastChange } from "#src/history/change.ts";
import type { PaymentKind } from "#src/payments/definitions/payment-kind.ts";
import { usedAs } from "#src/payments/order/order-use.ts";
import { addedKindPattern, publishedKindIds } from "#src/standard/kind-id.ts";
import type { Invariant, InvariantGroup } from "#src/storage/invariants.ts";
import { type Sql, sql } from "#src/storage/sql.ts";

/** A kind, as far as the invariants depend on it. */
type InvariantKind = Pick<PaymentKind, "id" | "consent" | "shape">;

/** The payments of orders, as a table to compare a bank's payments with. */
export const paymentsToVerify: Sql = sql`(
  select payment_id, debtor_account_id, amount_minor, charge_minor, currency, international, status,
    lease_owner
  from payment)`;

/** Makes the invariant that a consent for a single order is used up as soon as it has an order. */
function consentIsUsedUp(kinds: readonly InvariantKind[]): Invariant {
  const once = kinds.filter(({ consent }) => isUsedUpByOrder(consent));
  const ids = once.map(({ id }) => id);
  const statuses = once.map(({ consent }) => usedUpStatuses(consent).join(" or "));
  return {
    name: "an order has consumed its consent",
    breaches: (within) => sql`select o.order_id, o.kind || ', ' || coalesce(k.statuses, c.status),
        c.kind || ', ' || c.status
      from payment_order o join ${consentFacts} c on c.consent_id = o.consent_id
        left join unnest(${ids}::text[], ${statuses}::text[]) k(kind, statuses) on k.kind = o.kind
      where ${within(sql`o.order_id`)} and ${usedAs(usedOnce, sql`o.consent_use`)}
        and (c.kind <> o.kind or c.status <> all(string_to_array(k.statuses, ' or ')))`,
  };
}

/** The invariants of each order. */
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
    name: "a consumed consent has one order",
    breaches: (within) => sql`select c.consent_id, 1, count(o.order_id)
      from ${consentFacts} c left join payment_order o
        on o.consent_id = c.consent_id and ${usedAs(usedOnce, sql`o.consent_use`)}
      where ${within(sql`c.consent_id`)} and c.status = 'COND' group by c.consent_id having count(o.order_id) <> 1`,
  },
];

/**
 * Returns the invariants of orders, their payments and their consents, whatever the bank's core is.
 * Orders of the shapes of `known` are checked too, which the bank may have offered before. For
 * orders of any other kind than `kinds`, the status of the used consent is not checked.
 */
export function orderInvariantGroups(
  kinds: readonly InvariantKind[],
  known: readonly InvariantKind[],
): InvariantGroup[] {
  const shapes = [...kinds, ...known].map(({ shape }) => shape);
  const own = (of: "orders" | "consents") => [
    ...new Set(shapes.flatMap(({ invariants }) => invariants?.[of] ?? [])),
  ];
  return [
    {
      what: "orders",
      key: { table: sql`payment_order`, column: sql`order_id`, perSlice: 10_000 },
      invariants: [...orderInvariants, consentIsUsedUp(kinds), ...own("orders")],
    },
    {
      what: "consents",
      key: { ...consentKey, perSlice: 10_000 },
      invariants: [...consentInvariants, ...own("consents")],
    },
  ];
}
