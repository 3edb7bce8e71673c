import {
  renderCreditorAccount,
  renderCreditorAgent,
  type StoredAgent,
  type StoredCreditor,
} from "#src/accounts/creditor-account.ts";
import { defineAccountResource } from "#src/accounts/resource.ts";
import { readScheduledPayment } from "#src/standard/aisp-v3.1/read-scheduled-payment.ts";
import { sql } from "#src/storage/sql.ts";

type StoredScheduledPayment = {
  accountId: string;
  orderId: string;
  /** RFC 3339, UTC. */
  executeAt: string;
  reference: string | null;
  instructedAmount: { Amount: string; Currency: string };
  creditorAgent: StoredAgent | null;
  creditor: StoredCreditor;
};

/**
 * The payments of a later day, soonest first: the very rows that the engine will execute, however
 * they were ordered, until they are made, refused or cancelled. Source: digest 3.12.
 */
export const scheduledPayments = defineAccountResource<StoredScheduledPayment>({
  path: "/accounts/:AccountId/scheduled-payments",
  operationId: "GetAccountsAccountIdScheduledPayments",
  summary: "Get the scheduled payments of an account",
  tag: "Scheduled Payments",
  permissions: [["ReadScheduledPaymentsBasic", "ReadScheduledPaymentsDetail"]],
  detailPermission: "ReadScheduledPaymentsDetail",
  detailMembers: ["CreditorAgent", "CreditorAccount"],
  arrayName: "ScheduledPayment",
  schema: readScheduledPayment,
  from: sql`scheduled_payment s`,
  where: sql`s.account_id = r.account_id`,
  key: {
    columns: [
      { column: sql`s.execute_at`, type: "timestamptz" },
      { column: sql`s.payment_id`, type: "text" },
    ],
    descending: false,
  },
  item: sql`json_build_object('accountId', s.account_id, 'orderId', s.order_id,
    'executeAt', to_char(s.execute_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
    'reference', s.reference, 'instructedAmount', s.initiation->'InstructedAmount',
    'creditorAgent', s.initiation->'CreditorAgent', 'creditor', s.creditor)::text`,
  paged: true,
  bulk: {
    path: "/scheduled-payments",
    operationId: "GetScheduledPayments",
    summary: "Get the scheduled payments of all accounts",
  },
  render: (stored, view) => [
    {
      AccountId: stored.accountId,
      ScheduledPaymentId: stored.orderId,
      ScheduledPaymentDateTime: stored.executeAt,
      // the bank is told when to pay, never when the money is to be there
      ScheduledType: "Execution",
      Reference: stored.reference?.slice(0, 35) || undefined,
      InstructedAmount: {
        Amount: stored.instructedAmount.Amount,
        Currency: stored.instructedAmount.Currency,
      },
      CreditorAgent: renderCreditorAgent(stored.creditorAgent),
      CreditorAccount: renderCreditorAccount(stored.creditor, view),
    },
  ],
});
