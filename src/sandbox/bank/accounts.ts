import { chooseByNumber } from "#src/bank/find-account.ts";
import type { AccountFunds, Bank, BankAccount, Signatory } from "#src/bank/port.ts";
import type { Database } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";

const columns = sql`a.account_id as "accountId", a.account_type as "accountType",
  a.account_sub_type as "accountSubType", a.currency, a.nickname, a.holder_name as "holderName",
  a.sort_code_account_number as "sortCodeAccountNumber",
  a.secondary_identification as "secondaryIdentification", a.iban, a.masked_pan as "maskedPan",
  a.signatories_required as "signatoriesRequired", a.status`;

const balances = sql`l.balance_minor as "bookedMinor",
  l.balance_minor - l.held_minor + l.overdraft_limit_minor as "availableMinor"`;

// `offset 0` keeps this a subquery, which finds the row by its key. A join could read all accounts
// of the bank.
const rowOf = (table: Sql): Sql =>
  sql`(select r.* from ${table} r where r.account_id = h.account_id offset 0)`;

type AccountCalls = Required<
  Pick<
    Bank,
    | "listAccounts"
    | "listSignatories"
    | "loadAccount"
    | "findAccount"
    | "loadFunds"
    | "confirmFunds"
  >
>;

/** Creates the bank's calls about accounts and their balances. */
export function createAccountCalls(database: Database): AccountCalls {
  return {
    async listAccounts(customerId, wanted) {
      const held = sql`from account_holder h cross join lateral ${rowOf(sql`account`)} a`;
      const own = sql`where h.customer_id = ${customerId} order by a.opened_on, a.account_id`;
      if (!wanted?.funds) return database.query<BankAccount>(sql`select ${columns} ${held} ${own}`);
      const rows = await database.query<BankAccount & Omit<AccountFunds, "currency">>(sql`
        select ${columns}, ${balances} ${held}
        cross join lateral ${rowOf(sql`ledger_account`)} l ${own}`);
      return rows.map(({ bookedMinor, availableMinor, ...account }) => {
        const { currency } = account;
        return { ...account, funds: { bookedMinor, availableMinor, currency } };
      });
    },

    listSignatories: (accountId) =>
      database.query<Signatory>(sql`
        select c.customer_id as "customerId", c.name
        from account_holder h join customer c on c.customer_id = h.customer_id
        where h.account_id = ${accountId} order by c.name, c.customer_id`),

    async loadAccount(accountId) {
      const [row] = await database.read<BankAccount>(
        sql`select ${columns} from account a where a.account_id = ${accountId}`,
      );
      return row ?? null;
    },

    async findAccount(schemeName, identification, secondary) {
      const column = identifying[schemeName];
      if (!column) return null;
      // thousands of accounts may share a number: the first two decide which one is meant
      const rows = await database.query<BankAccount>(sql`
        select ${columns} from account a
        where ${column} = ${identification} and a.status <> 'Deleted'
        order by (coalesce(a.secondary_identification, '') = ${secondary ?? ""}) desc, a.account_id
        limit 2`);
      return chooseByNumber(rows, secondary);
    },

    async loadFunds(accountIds) {
      const rows = await database.query<AccountFunds & { accountId: string }>(sql`
        select l.account_id as "accountId", l.currency, ${balances} from ledger_account l
        where l.kind = 'customer' and l.account_id = any(${accountIds}::text[])`);
      return new Map(rows.map(({ accountId, ...funds }) => [accountId, funds]));
    },

    async confirmFunds(accountId, { amountMinor, currency }) {
      const rows = await database.query(sql`
        select 1 from ledger_account l join account a on a.account_id = l.account_id
        where l.account_id = ${accountId} and a.status = 'Enabled' and l.currency = ${currency}
          and l.balance_minor - l.held_minor + l.overdraft_limit_minor >= ${amountMinor}`);
      return rows.length === 1;
    },
  };
}

// Card accounts have only a masked number, which does not identify them.
const identifying: Record<string, typeof columns> = {
  "UK.OBIE.SortCodeAccountNumber": sql`a.sort_code_account_number`,
  "UK.OBIE.IBAN": sql`a.iban`,
};
