import type { StandingOrderFact } from "#src/account-store/facts.ts";
import type { AccountRow } from "#src/accounts/resource.ts";
import { amount } from "#src/accounts/views/signed-amount.ts";
import type { SupplementaryFacts } from "#src/standard/shared/accounts/facts.ts";
import { sql } from "#src/storage/sql.ts";
import { instant } from "./facts-sql.ts";

/** One payment of a standing order; `at` is RFC 3339, or null if only the amount is known. */
type Occasion = { at: string | null; minor: string };

type StandingOrderFacts = Omit<
  StandingOrderFact,
  "standingOrderId" | "first" | "recurringOn" | "next" | "last" | "final" | "supplementary"
> & {
  orderId: string;
  first: Occasion;
  /** The date of the second payment, if the customer chose it. */
  recurringAt: string | null;
  /** Null if no payment is planned. */
  next: Occasion | null;
  /** Null when none has been made. */
  last: Occasion | null;
  /** Null if the order has no end. */
  final: Occasion | null;
  supplementary: SupplementaryFacts | null;
};

const day = (column: ReturnType<typeof sql>) => sql`to_char(${column}, 'YYYY-MM-DD"T00:00:00Z"')`;

const columns = sql`standing_order_id, account_id, rhythm, reference, currency, number_of_payments,
  first_payment_on, first_payment_minor, recurring_payment_on, next_payment_at, next_payment_minor,
  last_payment_at, last_payment_minor, final_payment_on, final_payment_minor, creditor,
  creditor_agent, mandate, remittance`;

// Those that were ordered through Aldgate, and those of the bank's own channels.
const allStandingOrders = sql`(
  select ${columns}, null::json as supplementary, case when is_active then 'Active'
    when status = 'CANC' then 'Cancelled' else 'Expired' end as state
  from standing_order
  union all
  select ${columns}, supplementary, state from channel_standing_order) s`;

/**
 * The standing orders of an account: the orders whose payments the engine executes, and those that
 * the bank executes because the customer set them up in the bank's own channels. First and final
 * are dates of the schedule; next and last are the actual payment dates.
 * Source: A-162, E-046…E-054.
 */
export const standingOrders: AccountRow<StandingOrderFacts> = {
  path: "/accounts/:AccountId/standing-orders",
  operationId: "GetAccountsAccountIdStandingOrders",
  summary: "Get the standing orders of an account",
  tag: "Standing Orders",
  arrayName: "StandingOrder",
  source: {
    cluster: "regular-payments",
    permissions: [["ReadStandingOrdersBasic", "ReadStandingOrdersDetail"]],
    detailPermission: "ReadStandingOrdersDetail",
    from: allStandingOrders,
    where: sql`s.account_id = r.account_id`,
    key: { columns: [{ column: sql`s.standing_order_id`, type: "text" }], descending: false },
    facts: sql`json_build_object('accountId', s.account_id, 'orderId', s.standing_order_id,
      'rhythm', s.rhythm, 'reference', s.reference, 'currency', s.currency,
      'numberOfPayments', s.number_of_payments, 'state', s.state,
      'recurringAt', ${day(sql`s.recurring_payment_on`)},
      'creditorAgent', s.creditor_agent, 'creditor', s.creditor,
      'mandate', s.mandate, 'remittance', s.remittance, 'supplementary', s.supplementary,
      'first', json_build_object('at', ${day(sql`s.first_payment_on`)},
        'minor', s.first_payment_minor::text),
      'next', case when s.next_payment_at is not null then json_build_object(
        'at', ${instant(sql`s.next_payment_at`)}, 'minor', s.next_payment_minor::text) end,
      'last', case when s.last_payment_at is not null then json_build_object(
        'at', ${instant(sql`s.last_payment_at`)}, 'minor', s.last_payment_minor::text) end,
      'final', case when coalesce(s.final_payment_on::text, s.number_of_payments::text) is not null
        then json_build_object('at', ${day(sql`s.final_payment_on`)},
          'minor', s.final_payment_minor::text) end)::text`,
    paged: true,
  },
  bulk: {
    path: "/standing-orders",
    operationId: "GetStandingOrders",
    summary: "Get the standing orders of all accounts",
  },
};

/** The ids of a standing order, and what only the bank knows. */
export const standingOrderIdsOf = ({ accountId, orderId, supplementary }: StandingOrderFacts) => ({
  AccountId: accountId,
  StandingOrderId: orderId,
  SupplementaryData: supplementary ?? undefined,
});

/** The dates and amounts of its payments. */
export function paymentsOf({ currency, first, next, last, final }: StandingOrderFacts) {
  const money = (occasion: Occasion | null) =>
    occasion === null ? undefined : amount(BigInt(occasion.minor), currency);
  return {
    NextPaymentDateTime: next?.at ?? undefined,
    LastPaymentDateTime: last?.at ?? undefined,
    FirstPaymentAmount: money(first),
    NextPaymentAmount: money(next),
    LastPaymentAmount: money(last),
    FinalPaymentAmount: money(final),
  };
}
