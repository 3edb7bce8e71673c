import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** A customer's part in an account. */
export type Holder = {
  accountId: string;
  customerId: string;
  role: "owner" | "joint" | "signatory";
};

/** Adds holders of accounts. */
export async function addHolders(database: Database, holders: readonly Holder[]): Promise<void> {
  for (const { accountId, customerId, role } of holders) {
    await database.query(sql`
      insert into account_holder (account_id, customer_id, role)
      values (${accountId}, ${customerId}, ${role})`);
  }
}
