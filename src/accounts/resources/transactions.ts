import {
  type StoredTransaction,
  transactionFacts,
  transactionTable,
} from "#src/account-store/transaction-rows.ts";
import type { AccountRow, ResourceSource, ResourceView } from "#src/accounts/resource.ts";
import {
  renderTransactionText,
  type TransactionWords,
} from "#src/accounts/views/transaction-text.ts";
import { sql } from "#src/storage/sql.ts";
import { anyStatement } from "./statements.ts";

const ofAccount = sql`t.account_id = r.account_id
  and case t.indicator when 'Credit' then r.credits else r.debits end`;

const source = {
  cluster: "transactions",
  permissions: [
    ["ReadTransactionsBasic", "ReadTransactionsDetail"],
    ["ReadTransactionsCredits", "ReadTransactionsDebits"],
  ],
  detailPermission: "ReadTransactionsDetail",
  from: transactionTable,
  where: ofAccount,
  key: {
    columns: [
      { column: sql`t.booked_at`, type: "timestamptz" },
      { column: sql`t.transaction_id`, type: "text" },
    ],
    descending: true,
  },
  facts: transactionFacts,
  paged: true,
  window: {
    parameters: { from: "fromBookingDateTime", to: "toBookingDateTime" },
    column: sql`t.booked_at`,
    historyStart: sql`r.history_from`,
    openDays: 90,
  },
  columns: sql`'ReadTransactionsCredits' = any(access.consent_permissions) as credits,
    'ReadTransactionsDebits' = any(access.consent_permissions) as debits`,
} satisfies ResourceSource;

const factsOfAll = sql`'[' || to_json(t.account_id) || ',' || ${transactionFacts} || ']'`;

/** Makes the part of a view that writes transactions in the words of a version. */
export const transactionsIn = (words: TransactionWords) =>
  ({
    renderText: (
      item,
      { detail, quote },
      { accountId: named, key: [bookedAt = "", transactionId = ""] },
    ) => {
      // safe: facts are what `transactionFacts` made, or `factsOfAll` if the path names no account
      const [accountId, facts] =
        named === null ? (item as [string, StoredTransaction]) : [named, item as StoredTransaction];
      return renderTransactionText(
        { words, detail, quote },
        { accountId, transactionId, bookedAt },
        facts,
      );
    },
    render: null,
  }) satisfies Partial<ResourceView>;

const row = {
  tag: "Transactions",
  arrayName: "Transaction",
} satisfies Partial<AccountRow>;

/**
 * The entries of an account, newest first. An entry's own indicator decides whether the permission
 * for credits or for debits shows it, reversals too. Source: …A-204.
 */
export const transactions: AccountRow = {
  ...row,
  path: "/accounts/:AccountId/transactions",
  operationId: "GetAccountsAccountIdTransactions",
  summary: "Get the transactions of an account",
  source,
  bulk: {
    path: "/transactions",
    operationId: "GetTransactions",
    summary: "Get the transactions of all accounts",
    source: { facts: factsOfAll },
  },
};

/**
 * The transactions of one statement. Permissions, fields and the consent's window apply as for all
 * transactions. Source: A-216.
 */
export const statementTransactions: AccountRow = {
  ...row,
  path: "/accounts/:AccountId/statements/:StatementId/transactions",
  operationId: "GetAccountsAccountIdStatementsStatementIdTransactions",
  summary: "Get the transactions of a statement",
  source: {
    ...source,
    part: anyStatement,
    where: sql`${ofAccount} and t.status = 'Booked'
      and t.booked_at >= r.starts_at and t.booked_at < r.ends_at`,
    window: { ...source.window, parameters: null, historyStart: sql`r.starts_at` },
  },
};
