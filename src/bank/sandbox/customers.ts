import { Secret, TOTP } from "otpauth";
import type { Bank, BankCustomer } from "#src/bank/port.ts";
import type { Clock } from "#src/lib/clock.ts";
import { type Database, first } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { isPassword } from "./password.ts";

const period = 30;
// codes of the step before and the step after are taken too: clocks differ
const window = 1;

type CustomerCalls = Pick<Bank, "authenticate" | "checkSecondFactor" | "loadCustomer">;

/**
 * The bank's side of who a customer is. With `singleUseCodes` a code is taken once, and none older
 * than it afterwards. Source: RFC 6238 section 5.2.
 */
export function createCustomerCalls(
  database: Database,
  clock: Clock,
  singleUseCodes: boolean,
): CustomerCalls {
  return {
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

    async checkSecondFactor(customerId, code) {
      const row = await first<{ secret: string }>(
        database,
        sql`select totp_secret as secret from customer where customer_id = ${customerId}`,
      );
      if (!row) return false;
      const timestamp = clock.now().epochMilliseconds;
      const totp = new TOTP({ secret: Secret.fromBase32(row.secret), period });
      const delta = totp.validate({ token: code, timestamp, window });
      if (delta === null) return false;
      if (!singleUseCodes) return true;
      const step = Math.floor(timestamp / 1000 / period) + delta;
      // of two that come with one code, one is first
      const used = await database.query(sql`
        update customer set totp_last_step = ${BigInt(step)}
        where customer_id = ${customerId} and totp_last_step < ${BigInt(step)}
        returning customer_id`);
      return used.length === 1;
    },

    async loadCustomer(customerId) {
      const row = await first<BankCustomer>(
        database,
        sql`select customer_id as "customerId", login, name from customer
          where customer_id = ${customerId}`,
      );
      return row ?? null;
    },
  };
}
