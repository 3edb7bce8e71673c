import type { AccountReference } from "#src/bank/port.ts";
import { returnName } from "#src/sandbox/bank/postings.ts";
import { type Database, first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { payIn } from "./pay-in.ts";

type Settled = {
  paymentId: string;
  accountId: string;
  amountMinor: bigint;
  currency: string;
  creditor: AccountReference;
};

/**
 * Pays back the settled payments whose time has come, and returns how many were due. Any number of
 * processes may run this at the same time: each return is booked once.
 */
export async function returnDuePayments(
  database: Database,
  now: Temporal.Instant,
): Promise<number> {
  return database.transaction(async (on) => {
    const due = await on.query<{ paymentId: string; code: string }>(sql`
      delete from sandbox_return where payment_id = any(array(
        select payment_id from sandbox_return where due_at <= ${now}
        order by due_at, payment_id limit 100 for update skip locked))
      returning payment_id as "paymentId", reason_code as code`);
    for (const { paymentId, code } of due) await returnPayment(on, paymentId, code, now);
    return due.length;
  });
}

/**
 * Pays the amount of a settled payment back to its debtor, as a new transaction. Returns the id of
 * the transaction; null if the payment is not settled, or was paid back before.
 */
export async function returnPayment(
  on: Queryable,
  paymentId: string,
  code: string,
  now: Temporal.Instant,
): Promise<string | null> {
  const payment = await first<Settled>(
    on,
    sql`select payment_id as "paymentId", debtor_account_id as "accountId",
        amount_minor as "amountMinor", currency, creditor
      from bank_payment where payment_id = ${paymentId} and state = 'settled'`,
  );
  if (!payment) return null;
  const { accountId, amountMinor, currency, creditor } = payment;
  return payIn(
    on,
    {
      name: `${returnName}${paymentId}`,
      accountId,
      amount: { amountMinor, currency },
      type: "RET",
      information: `RETURNED ${code} ${creditor.name ?? creditor.identification}`,
      reference: paymentId,
      payer: creditor,
    },
    now,
  );
}
