import type { Bank, BankCustomer } from "#src/bank/port.ts";
import { type Database, first } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { isPassword } from "./password.ts";

type CustomerCalls = Pick<Bank, "authenticate" | "loadCustomer">;

/** The bank's side of who a customer is. */
export const createCustomerCalls = (database: Database): CustomerCalls => ({
  async authenticate(login, password) {
    const row = await first<BankCustomer & { hash: string }>(
      database,
      sql`select customer_id as "customerId", login, name, password_hash as hash
        from customer where login = ${login}`,
    );
    const isRight = await isPassword(password, row?.hash ?? null);
    if (!row || !isRight) return null;
    return { customerId: row.customerId, login: row.login, name: row.name };
  },

  async loadCustomer(customerId) {
    const row = await first<BankCustomer>(
      database,
      sql`select customer_id as "customerId", login, name from customer
        where customer_id = ${customerId}`,
    );
    return row ?? null;
  },
});
