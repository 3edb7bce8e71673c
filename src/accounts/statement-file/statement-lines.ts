import { transactionTable, transactionText } from "#src/account-store/transaction-rows.ts";
import { formatAmount } from "#src/lib/money.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import type { StatementFacts } from "./statement-facts.ts";

/** One line of a statement; amounts in minor units, `balance` after it. */
export type StatementLine = {
  bookedAt: Temporal.Instant;
  type: string;
  text: string;
  paidOut: bigint | null;
  paidIn: bigint | null;
  balance: bigint;
};

type StoredLine = {
  booked_at: Temporal.Instant;
  transaction_id: string;
  indicator: "Credit" | "Debit";
  amount: bigint;
  type: string | null;
  text: string | null;
};

const batchSize = 500;

/** The lines of a statement, oldest first, with the balance after each: a batch at a time. */
export async function* loadLines(
  on: Queryable,
  { accountId, startsAt, endsAt, opening }: StatementFacts,
): AsyncGenerator<StatementLine[]> {
  let balance = BigInt(opening);
  let after = { at: startsAt, id: "" };
  for (;;) {
    const rows = await on.query<StoredLine>(sql`
      select t.booked_at, t.transaction_id, t.indicator, t.amount_minor as amount,
        t.bank_code as type, ${transactionText} as text
      from ${transactionTable}
      where t.account_id = ${accountId} and t.status = 'Booked' and t.booked_at < ${endsAt}
        and (t.booked_at, t.transaction_id) > (${after.at}::timestamptz, ${after.id})
      order by t.booked_at, t.transaction_id limit ${batchSize}::integer`);
    const lines = rows.map((row) => {
      balance += row.indicator === "Credit" ? row.amount : -row.amount;
      return toLine(row, balance);
    });
    if (lines.length > 0) yield lines;
    const last = rows.at(-1);
    if (!last || rows.length < batchSize) return;
    after = { at: last.booked_at.toString(), id: last.transaction_id };
  }
}

function toLine({ booked_at, indicator, amount, type, text }: StoredLine, balance: bigint) {
  return {
    bookedAt: booked_at,
    type: type ?? "",
    text: text ?? "",
    paidOut: indicator === "Debit" ? amount : null,
    paidIn: indicator === "Credit" ? amount : null,
    balance,
  };
}

/** Minor units with their sign: `-12.50`. */
export const signedText = (minor: bigint, currency: string): string =>
  `${minor < 0n ? "-" : ""}${formatAmount(minor < 0n ? -minor : minor, currency)}`;
