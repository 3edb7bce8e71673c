import {
  renderCreditorAccount,
  renderCreditorAgent,
  type StoredAgent,
  type StoredCreditor,
} from "#src/accounts/creditor-account.ts";
import { instant } from "#src/accounts/facts-sql.ts";
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
  arrayName: "ScheduledPayment",
  source: {
    permissions: [["ReadScheduledPaymentsBasic", "ReadScheduledPaymentsDetail"]],
    detailPermission: "ReadScheduledPaymentsDetail",
    from: sql`scheduled_payment s`,
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
      'reference', s.reference, 'instructedAmount', s.initiation->'InstructedAmount',
      'creditorAgent', s.initiation->'CreditorAgent', 'creditor', s.creditor)::text`,
    paged: true,
  },
  views: {
    "aisp-v3.1": {
      detailMembers: ["CreditorAgent", "CreditorAccount"],
      schema: readScheduledPayment,
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
    },
  },
  bulk: {
    path: "/scheduled-payments",
    operationId: "GetScheduledPayments",
    summary: "Get the scheduled payments of all accounts",
  },
});
