import type { StatementFacts } from "#src/accounts/resources/statements.ts";
import { formatAmount } from "#src/lib/money.ts";
import type { PostalAddress } from "#src/standard/shared/accounts/facts.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** A statement with what its head says. */
export type PrintedStatement = StatementFacts & {
  holderName: string;
  sortCodeAccountNumber: string | null;
  iban: string | null;
  maskedPan: string | null;
  lineCount: number;
  /** Null when the bank knows none. */
  address: PostalAddress | null;
};

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
  members: string;
};

const batchSize = 500;

/** The lines of a statement, oldest first, with the balance after each: a batch at a time. */
export async function* loadLines(
  on: Queryable,
  { accountId, startsAt, endsAt, opening }: PrintedStatement,
): AsyncGenerator<StatementLine[]> {
  let balance = BigInt(opening);
  let after = { at: startsAt, id: "" };
  for (;;) {
    const rows = await on.query<StoredLine>(sql`
      select booked_at, transaction_id, indicator, amount_minor as amount,
        '{' || basic_members || case when detail_members <> '' then ',' else '' end
          || detail_members || '}' as members
      from account_transaction
      where account_id = ${accountId} and status = 'Booked' and booked_at < ${endsAt}
        and (booked_at, transaction_id) > (${after.at}::timestamptz, ${after.id})
      order by booked_at, transaction_id limit ${batchSize}::integer`);
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

type Members = {
  ProprietaryBankTransactionCode?: { Code?: string };
  TransactionInformation?: string;
  TransactionReference?: string;
};

function toLine({ booked_at, indicator, amount, members }: StoredLine, balance: bigint) {
  // rendered by the bank itself when it booked the line
  const known = JSON.parse(members) as Members;
  return {
    bookedAt: booked_at,
    type: known.ProprietaryBankTransactionCode?.Code ?? "",
    text: known.TransactionInformation ?? known.TransactionReference ?? "",
    paidOut: indicator === "Debit" ? amount : null,
    paidIn: indicator === "Credit" ? amount : null,
    balance,
  };
}

/** Minor units with their sign: `-12.50`. */
export const signedText = (minor: bigint, currency: string): string =>
  `${minor < 0n ? "-" : ""}${formatAmount(minor < 0n ? -minor : minor, currency)}`;
