import type { AgentFact, CreditorFact } from "#src/account-store/facts.ts";
import type { AccountRow } from "#src/accounts/resource.ts";
import { amount } from "#src/accounts/views/signed-amount.ts";
import { sql } from "#src/storage/sql.ts";
import { instant } from "./facts-sql.ts";

/** A scheduled payment as it is stored. */
type ScheduledPaymentFacts = {
  accountId: string;
  orderId: string;
  /** RFC 3339, UTC. */
  executeAt: string;
  reference: string | null;
  debtorReference: string | null;
  amountMinor: string;
  currency: string;
  creditorAgent: AgentFact | null;
  creditor: CreditorFact;
};

const columns = sql`account_id, execute_at, reference, amount_minor, currency, creditor,
  creditor_agent`;

// Those that were ordered through Aldgate, and those of the bank's own channels.
const allScheduledPayments = sql`(
  select ${columns}, null as debtor_reference, payment_id, order_id from scheduled_payment
  union all
  select ${columns}, debtor_reference, scheduled_payment_id, scheduled_payment_id
  from channel_scheduled_payment) s`;

/**
 * Future-dated payments, soonest first, until they are made, refused or cancelled: the rows that
 * the engine will execute, and the payments that the bank executes because the customer ordered
 * them in the bank's own channels. Source: AISP resource pages, Scheduled Payments.
 */
export const scheduledPayments: AccountRow<ScheduledPaymentFacts> = {
  path: "/accounts/:AccountId/scheduled-payments",
  operationId: "GetAccountsAccountIdScheduledPayments",
  summary: "Get the scheduled payments of an account",
  tag: "Scheduled Payments",
  arrayName: "ScheduledPayment",
  source: {
    cluster: "regular-payments",
    permissions: [["ReadScheduledPaymentsBasic", "ReadScheduledPaymentsDetail"]],
    detailPermission: "ReadScheduledPaymentsDetail",
    from: allScheduledPayments,
    where: sql`s.account_id = r.account_id`,
    key: {
      columns: [
        { column: sql`s.execute_at`, type: "timestamptz" },
        { column: sql`s.payment_id`, type: "text" },
      ],
      descending: false,
    },
    facts: sql`json_build_object('accountId', s.account_id, 'orderId', s.order_id,
      'executeAt', ${instant(sql`s.execute_at`)},
      'reference', s.reference, 'debtorReference', s.debtor_reference,
      'amountMinor', s.amount_minor::text, 'currency', s.currency,
      'creditorAgent', s.creditor_agent, 'creditor', s.creditor)::text`,
    paged: true,
  },
  bulk: {
    path: "/scheduled-payments",
    operationId: "GetScheduledPayments",
    summary: "Get the scheduled payments of all accounts",
  },
};

/** What every version shows of a scheduled payment besides its payee. */
export const scheduledPaymentOf = (payment: ScheduledPaymentFacts) => ({
  AccountId: payment.accountId,
  ScheduledPaymentId: payment.orderId,
  ScheduledPaymentDateTime: payment.executeAt,
  // the customer chooses the payment date, not the arrival of the money
  ScheduledType: "Execution",
  Reference: payment.reference?.slice(0, 35) || undefined,
  DebtorReference: payment.debtorReference?.slice(0, 35) || undefined,
  InstructedAmount: amount(BigInt(payment.amountMinor), payment.currency),
});
