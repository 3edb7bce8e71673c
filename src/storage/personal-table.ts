import { assert } from "#src/lib/assert.ts";
import type { Queryable } from "./database.ts";
import { type Sql, sql } from "./sql.ts";

/** The ids by which the tables of the database know a customer. */
export type CustomerIds = {
  customerId: string;
  /** The customer as a party, and the companies whose accounts only the customer holds. */
  partyIds: readonly string[];
  /** The accounts that the customer holds, alone or with others. */
  accountIds: readonly string[];
  /** The consents that the customer has given. */
  consentIds: readonly string[];
  /** Their authorisations by the customer. */
  grantIds: readonly string[];
  /** The TPPs that have created the consents. */
  clientIds: readonly string[];
  /** The orders that the customer has given or signed. */
  orderIds: readonly string[];
};

/** A table with rows about customers: which rows they are, and what an erasure does with them. */
export type PersonalTable = {
  table: string;
  /** Makes a query of the rows about a customer, each as JSON text in the column `row`. */
  rowsAbout(ids: CustomerIds): Sql;
  /** Why an erasure leaves the rows; null if it deletes them. */
  stays: string | null;
};

/** Why rows that an erasure leaves are needed, for the tables that have the same reason. */
export const whyStays = {
  consent: "evidence of what the customer has agreed to",
  order: "record of what the customer has ordered",
  brief: "deleted when its short period is over",
} as const;

/**
 * Makes a table whose rows, as `t`, are about a customer if they meet a condition. `without` names
 * columns that an export leaves out: secrets, and what other columns repeat.
 */
export function personalTable(
  table: string,
  stays: string | null,
  isAbout: (ids: CustomerIds) => Sql,
  without: readonly string[] = [],
): PersonalTable {
  assert(/^[a-z_]+$/.test(table), "the name of a table is lower case");
  const name: Sql = { text: table, values: [] };
  return {
    table,
    stays,
    rowsAbout: (ids) => sql`
      select (to_jsonb(t) - ${[...without]}::text[])::text as row from ${name} t
      where ${isAbout(ids)}`,
  };
}

/** SQL: whether a column has one of these ids. */
export const isOneOf = (column: Sql, ids: readonly string[]): Sql =>
  sql`${column} = any(${[...ids]}::text[])`;

/** Rows with the customer's own id. */
export const ofCustomer = ({ customerId }: CustomerIds): Sql => sql`t.customer_id = ${customerId}`;

/** Rows of the consents that the customer has given. */
export const ofConsent = ({ consentIds }: CustomerIds): Sql =>
  isOneOf(sql`t.consent_id`, consentIds);

/** Rows of the customer's authorisations of them. */
export const ofGrant = ({ grantIds }: CustomerIds): Sql => isOneOf(sql`t.grant_id`, grantIds);

/** Returns how many rows of a table are about a customer. */
export async function countPersonalRows(
  on: Queryable,
  { rowsAbout }: PersonalTable,
  ids: CustomerIds,
): Promise<number> {
  const [found] = await on.query<{ rows: number }>(sql`
    select count(*)::float8 as rows from (${rowsAbout(ids)}) r`);
  return found?.rows ?? 0;
}

const rowsPerFetch = 500;

/**
 * Reads the rows of a table about a customer, each as JSON text, some at a time. It needs a
 * transaction, which it leaves without the cursor.
 */
export async function* readPersonalRows(
  on: Queryable,
  { rowsAbout }: PersonalTable,
  ids: CustomerIds,
): AsyncGenerator<string> {
  await on.query(sql`declare personal_rows no scroll cursor for ${rowsAbout(ids)}`);
  for (;;) {
    const rows = await on.query<{ row: string }>({
      text: `fetch ${rowsPerFetch} from personal_rows`,
      values: [],
    });
    for (const { row } of rows) yield row;
    if (rows.length < rowsPerFetch) break;
  }
  await on.query(sql`close personal_rows`);
}
