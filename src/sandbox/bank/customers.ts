import type { Bank, BankCustomer } from "#src/bank/port.ts";
import { type Database, first } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { createPasswordCheck } from "./password.ts";

type CustomerCalls = Pick<Bank, "authenticate" | "loadCustomer" | "close">;

/** Creates the bank's calls about customers. `close` ends the thread that hashes passwords. */
export function createCustomerCalls(database: Database): CustomerCalls {
  const passwords = createPasswordCheck();
  return {
    async authenticate(login, password) {
      const row = await first<BankCustomer & { hash: string }>(
        database,
        sql`select customer_id as "customerId", login, name, password_hash as hash
          from customer where login = ${login}`,
      );
      const isRight = await passwords.isPassword(password, row?.hash ?? null);
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

    close: passwords.close,
  };
}
