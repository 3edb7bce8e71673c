import { OutgoingFile } from "#src/http/operation.ts";
import type { Queryable } from "#src/storage/database.ts";
import { renderCsv } from "./csv.ts";
import type { PrintedStatement } from "./printed-statement.ts";

/** A statement as a file: `text/csv`, or a PDF. */
export function openStatementFile(
  database: Queryable,
  statement: PrintedStatement,
  contentType: string,
): OutgoingFile {
  return contentType === "text/csv"
    ? new OutgoingFile("text/csv; charset=utf-8; header=present", renderCsv(database, statement))
    : new OutgoingFile("application/pdf", renderPdfLater(database, statement));
}

// Few ask for a PDF: what makes them is loaded for the first one, not when the bank opens.
async function* renderPdfLater(
  database: Queryable,
  statement: PrintedStatement,
): AsyncGenerator<Uint8Array> {
  const { renderPdf } = await import("./pdf.ts");
  yield* renderPdf(database, statement);
}
