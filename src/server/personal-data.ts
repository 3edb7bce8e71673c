import { isDeepStrictEqual } from "node:util";
import {
  accountDataTables,
  eraseFacts,
  findHoldings,
  type Holdings,
  lockHoldings,
} from "#src/account-store/personal-tables.ts";
import { loginDataTables } from "#src/auth/personal-tables.ts";
import {
  consentDataTables,
  eraseAttachedData,
  findGivenConsents,
  listConsentsInUse,
  lockGivenConsents,
} from "#src/consents/personal-tables.ts";
import { eventTables } from "#src/events/stored-events.ts";
import { fundsTables } from "#src/funds/confirmation-record.ts";
import { historyTables } from "#src/history/change.ts";
import type { Clock } from "#src/lib/clock.ts";
import type { PaymentKind } from "#src/payments/definitions/payment-kind.ts";
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
import { coursesOf } from "./opening/access-kinds.ts";

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

/** A customer's ids, and what the customer holds. */
type Found = { ids: CustomerIds; holdings: Holdings };

async function find(on: Queryable, customerId: string): Promise<Found> {
  const holdings = await findHoldings(on, customerId);
  const given = await findGivenConsents(on, customerId);
  const orderIds = await findCustomerOrders(on, customerId, given.consentIds);
  const { sole, joint, companies } = holdings;
  const accountIds = [...sole, ...joint];
  const partyIds = [customerId, ...companies];
  return { ids: { ...given, customerId, partyIds, accountIds, orderIds }, holdings };
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
    const { ids } = await find(on, customerId);
    let count = 0;
    for (const table of personalTables) {
      for await (const row of readPersonalRows(on, table, ids)) {
        onRow(table.table, row);
        count += 1;
      }
    }
    return count;
  });

/** What must end before an erasure. */
type Obstacles = {
  /** The consents that a TPP can use. */
  consentsInUse: string[];
  /** The orders that have payments to be made, or await signatures. */
  unfinishedOrders: string[];
};

/** What an erasure deletes and leaves, as numbers of rows, and what must end before it. */
export type Erasure = Obstacles & {
  customerId: string;
  deleted: { table: string; rows: number }[];
  kept: { table: string; rows: number; because: string }[];
  /** The accounts that stay, because others hold them too. */
  jointAccounts: readonly string[];
  /** Whether what the customer holds has changed while the rows were counted. */
  hasChanged: boolean;
  isErased: boolean;
};

/** Where customers are erased. */
type ErasureDeps = {
  database: Database;
  clock: Clock;
  kinds: readonly Pick<PaymentKind, "id" | "consent">[];
};

/** Says what an erasure of a customer would do. It reads all orders and the log of requests. */
export const planErasure = async (deps: ErasureDeps, customerId: string): Promise<Erasure> =>
  (await plan(deps, customerId)).erasure;

const plan = (deps: ErasureDeps, customerId: string) =>
  deps.database.transaction(async (on) => {
    await on.query(sql`set transaction isolation level repeatable read, read only`);
    const { ids, holdings } = await find(on, customerId);
    const erasure: Erasure = {
      customerId,
      ...(await countRows(on, { ids, holdings })),
      jointAccounts: holdings.joint,
      ...(await findObstacles(on, deps, ids)),
      hasChanged: false,
      isErased: false,
    };
    return { erasure, holdings };
  });

async function countRows(
  on: Queryable,
  { ids, holdings }: Found,
): Promise<Pick<Erasure, "deleted" | "kept">> {
  const counted: Pick<Erasure, "deleted" | "kept"> = { deleted: [], kept: [] };
  for (const table of personalTables) {
    const because = table.stays;
    const about = because === null ? { ...ids, accountIds: holdings.sole } : ids;
    const rows = await countPersonalRows(on, table, about);
    if (rows === 0) continue;
    if (because === null) counted.deleted.push({ table: table.table, rows });
    else counted.kept.push({ table: table.table, rows, because });
  }
  return counted;
}

const findObstacles = async (
  on: Queryable,
  { clock, kinds }: ErasureDeps,
  ids: Pick<CustomerIds, "customerId" | "consentIds" | "accountIds">,
): Promise<Obstacles> => ({
  consentsInUse: await listConsentsInUse(on, ids.customerId, coursesOf(kinds), clock.now()),
  unfinishedOrders: await listUnfinishedOrders(on, ids),
});

const isFree = ({ consentsInUse, unfinishedOrders }: Obstacles): boolean =>
  consentsInUse.length + unfinishedOrders.length === 0;

/**
 * Erases a customer, and says what it has done. It counts first, which may take minutes. Then one
 * transaction locks the customer's accounts and consents, reads again what the customer holds and
 * what must end first, and erases. If anything is in the way, it erases nothing. A crash leaves all
 * or nothing. A repetition finds nothing to delete.
 */
export async function eraseCustomer(deps: ErasureDeps, customerId: string): Promise<Erasure> {
  const { erasure, holdings } = await plan(deps, customerId);
  if (!isFree(erasure)) return erasure;
  return deps.database.transaction(async (on) => {
    await lockHoldings(on, holdings);
    await lockGivenConsents(on, customerId);
    const hasChanged = !isDeepStrictEqual(await findHoldings(on, customerId), holdings);
    const { consentIds } = await findGivenConsents(on, customerId);
    const accountIds = [...holdings.sole, ...holdings.joint];
    const obstacles = await findObstacles(on, deps, { customerId, consentIds, accountIds });
    if (hasChanged || !isFree(obstacles)) return { ...erasure, ...obstacles, hasChanged };
    await eraseFacts(on, customerId, holdings);
    await eraseAttachedData(on, consentIds);
    return { ...erasure, isErased: true };
  });
}
