import { present } from "#src/lib/assert.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** Returns the id of the customer who logs in with this name. */
export async function customerIdOf(on: Queryable, login: string): Promise<string> {
  const row = await first<{ customerId: string }>(
    on,
    sql`select customer_id as "customerId" from customer where login = ${login}`,
  );
  return present(row, login).customerId;
}

/** Returns how many customers are stored. */
export const countCustomers = async (on: Queryable): Promise<number> =>
  (await on.query(sql`select 1 from customer`)).length;
