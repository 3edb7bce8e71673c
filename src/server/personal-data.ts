import {
  accountDataTables,
  eraseFacts,
  findHeldAccounts,
} from "#src/account-store/personal-tables.ts";
import { loginDataTables } from "#src/auth/personal-tables.ts";
import {
  consentDataTables,
  eraseAttachedData,
  findGivenConsents,
} from "#src/consents/personal-tables.ts";
import { eventTables } from "#src/events/stored-events.ts";
import { fundsTables } from "#src/funds/confirmation-record.ts";
import { historyTables } from "#src/history/change.ts";
import {
  findCustomerOrders,
  listUnfinishedOrders,
  orderDataTables,
} from "#src/payments/personal-tables.ts";
import { requestLogTables } from "#src/request-log/store.ts";
import type { Database, Queryable } from "#src/storage/database.ts";
import {
  type CustomerIds,
  countPersonalRows,
  type PersonalTable,
  readPersonalRows,
} from "#src/storage/personal-table.ts";
import { sql } from "#src/storage/sql.ts";

// What a bank has stored about one of its customers. docs/data.md has a row for each of these
// tables, and a test compares them with the schema, so that no table is forgotten.

/** Every table that has rows about customers. */
export const personalTables: readonly PersonalTable[] = [
  ...accountDataTables,
  ...consentDataTables,
  ...fundsTables,
  ...orderDataTables,
  ...loginDataTables,
  ...historyTables,
  ...eventTables,
  ...requestLogTables,
];

/** A customer's ids, and those of their accounts that others hold too. */
type Found = CustomerIds & { jointIds: readonly string[] };

async function findIds(on: Queryable, customerId: string): Promise<Found> {
  const { sole, joint } = await findHeldAccounts(on, customerId);
  const given = await findGivenConsents(on, customerId);
  const orderIds = await findCustomerOrders(on, customerId, given.consentIds);
  return { ...given, customerId, accountIds: [...sole, ...joint], jointIds: joint, orderIds };
}

/**
 * Passes on each row about a customer, as the name of its table and JSON text, as all of them were
 * at one moment. Returns the number of rows.
 */
export const exportCustomer = (
  database: Database,
  customerId: string,
  onRow: (table: string, row: string) => void,
): Promise<number> =>
  database.transaction(async (on) => {
    await on.query(sql`set transaction isolation level repeatable read, read only`);
    const ids = await findIds(on, customerId);
    let count = 0;
    for (const table of personalTables) {
      for await (const row of readPersonalRows(on, table, ids)) {
        onRow(table.table, row);
        count += 1;
      }
    }
    return count;
  });

/** What an erasure deletes and leaves, as numbers of rows, and what must end before it. */
export type ErasurePlan = {
  customerId: string;
  deleted: { table: string; rows: number }[];
  kept: { table: string; rows: number; because: string }[];
  /** The accounts that stay, because others hold them too. */
  jointAccounts: readonly string[];
  /** The orders that have payments to be made, or await signatures. */
  unfinishedOrders: string[];
};

/** Says what an erasure of a customer would do. It reads all orders and the log of requests. */
export const planErasure = (database: Database, customerId: string): Promise<ErasurePlan> =>
  database.transaction(async (on) => {
    await on.query(sql`set transaction isolation level repeatable read, read only`);
    return planOf(on, await findIds(on, customerId));
  });

async function planOf(on: Queryable, { jointIds, ...ids }: Found): Promise<ErasurePlan> {
  const soleIds = ids.accountIds.filter((id) => !jointIds.includes(id));
  const plan: ErasurePlan = {
    customerId: ids.customerId,
    deleted: [],
    kept: [],
    jointAccounts: jointIds,
    unfinishedOrders: await listUnfinishedOrders(on, ids.orderIds),
  };
  for (const table of personalTables) {
    const isKept = table.stays !== null;
    const about = isKept ? ids : { ...ids, accountIds: soleIds };
    const rows = await countPersonalRows(on, table, about);
    if (rows === 0) continue;
    if (isKept) plan.kept.push({ table: table.table, rows, because: table.stays ?? "" });
    else plan.deleted.push({ table: table.table, rows });
  }
  return plan;
}

/**
 * Erases a customer in one transaction, so that a crash leaves all or nothing, and says what it has
 * done. It erases nothing while an order is not finished. A repetition finds nothing to delete.
 */
export const eraseCustomer = (database: Database, customerId: string): Promise<ErasurePlan> =>
  database.transaction(async (on) => {
    const ids = await findIds(on, customerId);
    const plan = await planOf(on, ids);
    if (plan.unfinishedOrders.length > 0) return plan;
    const soleIds = ids.accountIds.filter((id) => !ids.jointIds.includes(id));
    await eraseFacts(on, customerId, soleIds);
    await eraseAttachedData(on, ids.consentIds);
    return plan;
  });
