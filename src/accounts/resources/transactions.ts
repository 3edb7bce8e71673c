import { type AccountResource, defineAccountResource } from "#src/accounts/resource.ts";
import { readTransaction } from "#src/standard/aisp-v3.1/read-transaction.ts";
import { sql } from "#src/storage/sql.ts";
import { anyStatement } from "./statements.ts";

const ofAccount = sql`t.account_id = r.account_id and case t.indicator
  when 'Credit' then 'ReadTransactionsCredits' else 'ReadTransactionsDebits' end
  = any(r.permissions)`;

const row = {
  tag: "Transactions",
  permissions: [
    ["ReadTransactionsBasic", "ReadTransactionsDetail"],
    ["ReadTransactionsCredits", "ReadTransactionsDebits"],
  ],
  detailPermission: "ReadTransactionsDetail",
  arrayName: "Transaction",
  schema: readTransaction,
  from: sql`account_transaction t`,
  where: ofAccount,
  key: {
    columns: [
      { column: sql`t.booked_at`, type: "timestamptz" },
      { column: sql`t.transaction_id`, type: "text" },
    ],
    descending: true,
  },
  item: sql`'{' || t.basic_members || case when r.detail and t.detail_members <> ''
    then ',' || t.detail_members else '' end || '}'`,
  paged: true,
  window: {
    parameters: { from: "fromBookingDateTime", to: "toBookingDateTime" },
    column: sql`t.booked_at`,
    historyStart: sql`r.history_from`,
    openDays: 90,
  },
} satisfies Partial<AccountResource>;

/**
 * What happened on an account, newest first; what the bank stored is sent as it is. Credits and
 * Debits go by the entry's own indicator, reversals too. Source: digest 3.4, A-126, A-170…A-204.
 */
export const transactions = defineAccountResource({
  ...row,
  path: "/accounts/:AccountId/transactions",
  operationId: "GetAccountsAccountIdTransactions",
  summary: "Get the transactions of an account",
  bulk: {
    path: "/transactions",
    operationId: "GetTransactions",
    summary: "Get the transactions of all accounts",
  },
});

/**
 * Those of one statement: what opens them and what they show is decided as for all others, within
 * the consent's window too. Source: digest 3.13, A-216.
 */
export const statementTransactions = defineAccountResource({
  ...row,
  path: "/accounts/:AccountId/statements/:StatementId/transactions",
  operationId: "GetAccountsAccountIdStatementsStatementIdTransactions",
  summary: "Get the transactions of a statement",
  part: anyStatement,
  where: sql`${ofAccount} and t.status = 'Booked'
    and t.booked_at >= r.starts_at and t.booked_at < r.ends_at`,
  window: { ...row.window, parameters: null, historyStart: sql`r.starts_at` },
});
