import type { FileSource } from "#src/accounts/resource.ts";
import { chooseContentType } from "#src/http/headers/request-headers.ts";
import { OutgoingFile } from "#src/http/operation.ts";
import { renderCsv } from "./csv.ts";
import type { StatementFacts } from "./statement-facts.ts";

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
