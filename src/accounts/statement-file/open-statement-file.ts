import type { FileSource } from "#src/accounts/resource.ts";
import { OutgoingFile } from "#src/http/operation.ts";
import { renderCsv } from "./csv.ts";
import type { PrintedStatement } from "./printed-statement.ts";

// A statement as a file. printed-statement.ts defines the contents of the file, and csv.ts renders
// them as CSV. pdf.ts draws the PDF: pdf-table.ts draws the tables, and pdf-frame.ts draws the
// parts around them on every page. Both use the colours and fonts of pdf-style.ts.

/** A statement as a file: `text/csv`, or a PDF. */
export function openStatementFile(
  source: FileSource,
  statement: PrintedStatement,
  contentType: string,
): OutgoingFile {
  return contentType === "text/csv"
    ? new OutgoingFile(
        "text/csv; charset=utf-8; header=present",
        renderCsv(source.database, statement),
      )
    : new OutgoingFile("application/pdf", renderPdfLater(source, statement));
}

// Few ask for a PDF: what makes them is loaded for the first one, not when the bank opens.
async function* renderPdfLater(
  source: FileSource,
  statement: PrintedStatement,
): AsyncGenerator<Uint8Array> {
  const { renderPdf } = await import("./pdf.ts");
  yield* renderPdf(source, statement);
}
