import { present } from "#src/lib/assert.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { givenRows } from "#test/given-rows.ts";

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

/** A customer of the sandbox bank to store. Brackets contain the value of an absent member. */
export type GivenCustomer = {
  customerId: string;
  /** [`personal`] */
  kind?: "personal" | "business";
  /** [the customer's id] */
  login?: string;
  /** [`Ann Example`] */
  name?: string;
  /** [one that no password has] */
  passwordHash?: string;
  /** [none] */
  totpSecret?: string;
};

/** Stores customers. */
export const addCustomers = (on: Queryable, given: readonly GivenCustomer[]): Promise<unknown> =>
  on.query(sql`
    insert into customer (customer_id, login, name, kind, password_hash, totp_secret)
    select "customerId", coalesce(login, "customerId"), coalesce(name, 'Ann Example'),
      coalesce(kind, 'personal'), coalesce("passwordHash", ''), coalesce("totpSecret", '')
    from json_to_recordset(${givenRows(given)}::json) as g("customerId" text, kind text, login text,
      name text, "passwordHash" text, "totpSecret" text)`);
