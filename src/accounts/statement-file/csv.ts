import { formatAmount } from "#src/lib/money.ts";
import { csvRow } from "#src/pages/csv.ts";
import type { Queryable } from "#src/storage/database.ts";
import type { StatementFacts } from "./statement-facts.ts";
import { loadLines, signedText } from "./statement-lines.ts";

const head = ["Date", "Type", "Description", "Paid out", "Paid in", "Balance", "Currency"];

/**
 * A statement as CSV: names, the balance brought forward, the lines of the account, oldest first
 * and with the balance after each, and the balance carried forward. Source: RFC 4180 section 2.
 */
export async function* renderCsv(
  database: Queryable,
  statement: StatementFacts,
): AsyncGenerator<Uint8Array> {
  const { currency, opening, closing, startsAt, endsAt } = statement;
  const balance = (day: string, text: string, minor: string) =>
    csvRow([day, "", text, "", "", signedText(BigInt(minor), currency), currency]);
  const lastDay = Temporal.Instant.from(endsAt).subtract({ hours: 24 }).toString();
  yield Buffer.from(csvRow(head) + balance(dayOf(startsAt), "Balance brought forward", opening));
  for await (const lines of loadLines(database, statement)) {
    const rows = lines.map(({ bookedAt, type, text, paidOut, paidIn, balance: after }) =>
      csvRow([
        dayOf(bookedAt.toString()),
        type,
        text,
        paidOut === null ? "" : formatAmount(paidOut, currency),
        paidIn === null ? "" : formatAmount(paidIn, currency),
        signedText(after, currency),
        currency,
      ]),
    );
    yield Buffer.from(rows.join(""));
  }
  yield Buffer.from(balance(dayOf(lastDay), "Balance carried forward", closing));
}

const dayOf = (time: string): string => time.slice(0, 10);
