import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** Closes an account, as its bank does. */
export const closeAccount = (on: Queryable, accountId: string): Promise<unknown> =>
  on.query(sql`update account set status = 'Deleted' where account_id = ${accountId}`);

/** Takes an account from all its holders. */
export const removeHolders = (on: Queryable, accountId: string): Promise<unknown> =>
  on.query(sql`delete from account_holder where account_id = ${accountId}`);

/** Books the pending transactions of an account. */
export const bookPending = (on: Queryable, accountId: string): Promise<unknown> =>
  on.query(sql`
    update account_transaction set status = 'Booked' where account_id = ${accountId}`);
