import {
  renderCreditorAccount,
  renderCreditorAgent,
  type StoredAgent,
  type StoredCreditor,
} from "#src/accounts/creditor-account.ts";
import { instant } from "#src/accounts/facts-sql.ts";
import { defineAccountResource } from "#src/accounts/resource.ts";
import { formatAmount } from "#src/lib/money.ts";
import { readStandingOrder } from "#src/standard/aisp-v3.1/read-standing-order.ts";
import { sql } from "#src/storage/sql.ts";

/** One payment of a standing order; `at` is RFC 3339, null where only the amount is known. */
type Occasion = { at: string | null; minor: string };

type StoredStandingOrder = {
  accountId: string;
  orderId: string;
  frequency: string;
  reference: string | null;
  currency: string;
  numberOfPayments: number | null;
  isActive: boolean;
  first: Occasion;
  /** Null when none is to come. */
  next: Occasion | null;
  /** Null when none has been made. */
  last: Occasion | null;
  /** Null when nothing ends it. */
  final: Occasion | null;
  creditorAgent: StoredAgent | null;
  creditor: StoredCreditor;
};

const day = (column: ReturnType<typeof sql>) => sql`to_char(${column}, 'YYYY-MM-DD"T00:00:00Z"')`;

/**
 * The standing orders of an account: the very orders whose payments the engine executes, however
 * they were set up. First and final are dates of the schedule, next and last when a payment is and
 * was made. Source: digest 3.7.
 */
export const standingOrders = defineAccountResource<StoredStandingOrder>({
  path: "/accounts/:AccountId/standing-orders",
  operationId: "GetAccountsAccountIdStandingOrders",
  summary: "Get the standing orders of an account",
  tag: "Standing Orders",
  arrayName: "StandingOrder",
  source: {
    permissions: [["ReadStandingOrdersBasic", "ReadStandingOrdersDetail"]],
    detailPermission: "ReadStandingOrdersDetail",
    from: sql`standing_order s`,
    where: sql`s.account_id = r.account_id`,
    key: { columns: [{ column: sql`s.standing_order_id`, type: "text" }], descending: false },
    facts: sql`json_build_object('accountId', s.account_id, 'orderId', s.standing_order_id,
      'frequency', s.frequency, 'reference', s.reference, 'currency', s.currency,
      'numberOfPayments', s.number_of_payments, 'isActive', s.is_active,
      'creditorAgent', s.creditor_agent, 'creditor', s.creditor,
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
  views: {
    "aisp-v3.1": {
      detailMembers: ["CreditorAgent", "CreditorAccount"],
      schema: readStandingOrder,
      render: (stored, view) => [
        {
          AccountId: stored.accountId,
          StandingOrderId: stored.orderId,
          Frequency: stored.frequency,
          Reference: stored.reference?.slice(0, 35) || undefined,
          NumberOfPayments: stored.numberOfPayments?.toString(),
          StandingOrderStatusCode: stored.isActive ? "Active" : "Inactive",
          ...occasion("First", stored.first, stored.currency),
          ...occasion("Next", stored.next, stored.currency),
          ...occasion("Last", stored.last, stored.currency),
          ...occasion("Final", stored.final, stored.currency),
          CreditorAgent: renderCreditorAgent(stored.creditorAgent),
          CreditorAccount: renderCreditorAccount(stored.creditor, view),
        },
      ],
    },
  },
  bulk: {
    path: "/standing-orders",
    operationId: "GetStandingOrders",
    summary: "Get the standing orders of all accounts",
  },
});

const occasion = (which: string, given: Occasion | null, currency: string): object | null =>
  given && {
    [`${which}PaymentDateTime`]: given.at ?? undefined,
    [`${which}PaymentAmount`]: {
      Amount: formatAmount(BigInt(given.minor), currency),
      Currency: currency,
    },
  };
