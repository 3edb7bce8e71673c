import type { FileSource } from "#src/accounts/resource.ts";
import { chooseContentType } from "#src/http/headers/request-headers.ts";
import { OutgoingFile } from "#src/http/operation.ts";
import { formatAmount } from "#src/lib/money.ts";
import { csvRow } from "#src/pages/csv.ts";
import type { Queryable } from "#src/storage/database.ts";
import type { StatementFacts } from "./statement-facts.ts";
import { loadLines, signedText } from "./statement-lines.ts";

/** A statement, and the customer who has approved that it is read. */
export type RequestedStatement = StatementFacts & { customerId: string };

const pdf = "application/pdf";
const csv = "text/csv";

/** The media types of a statement's file: the PDF is the bank's own, if its core gives one. */
export const statementFileTypes = ({ bank }: FileSource): string[] =>
  bank.loadStatementDocument ? [pdf, csv] : [csv];

/**
 * A statement as a file: the bank's own document, or a table of the facts. A bank may have no
 * document of one statement, of which then only the table is acceptable.
 */
export async function openStatementFile(
  source: FileSource,
  statement: RequestedStatement,
  accept: string | undefined,
): Promise<OutgoingFile> {
  if (chooseContentType(accept, statementFileTypes(source)) === pdf) {
    const { accountId, statementId, customerId } = statement;
    const asked = { accountId, statementId, customerId };
    const document = await source.bank.loadStatementDocument?.(asked);
    if (document) return new OutgoingFile(pdf, oneChunk(document));
    chooseContentType(accept, [csv]);
  }
  const type = `${csv}; charset=utf-8; header=present`;
  return new OutgoingFile(type, renderCsv(source.database, statement));
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

const head = ["Date", "Type", "Description", "Paid out", "Paid in", "Balance", "Currency"];

/**
 * A statement as CSV: names, the balance brought forward, the lines of the account, oldest first
 * and with the balance after each, and the balance carried forward. Source: RFC 4180 section 2.
 */
async function* renderCsv(
  database: Queryable,
  statement: StatementFacts,
): AsyncGenerator<Uint8Array> {
  const { currency, opening, closing, startsAt, endsAt } = statement;
  const balance = (day: string, text: string, minor: string) =>
    csvRow([day, "", text, "", "", signedText(BigInt(minor), currency), currency]);
  const lastDay = Temporal.Instant.from(endsAt).subtract({ microseconds: 1 }).toString();
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
