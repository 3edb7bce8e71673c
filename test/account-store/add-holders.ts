import { present } from "#src/lib/assert.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { givenRows } from "#test/given-rows.ts";

/** A customer's part in an account. */
export type Holder = {
  accountId: string;
  customerId: string;
  role: "owner" | "joint" | "signatory";
};

/** Adds holders of accounts. A customer who holds the account already keeps the role. */
export const addHolders = (on: Queryable, holders: readonly Holder[]): Promise<unknown> =>
  on.query(sql`
    insert into account_holder (account_id, customer_id, role)
    select "accountId", "customerId", role
    from json_to_recordset(${givenRows(holders)}::json) as g("accountId" text,
      "customerId" text, role text)
    on conflict do nothing`);

/** Returns a holder of an account. */
export async function holderOf(on: Queryable, accountId: string): Promise<string> {
  const [row] = await on.query<{ id: string }>(sql`
    select customer_id as id from account_holder where account_id = ${accountId}`);
  return present(row, `a holder of ${accountId}`).id;
}
