import type { Bank } from "#src/bank/port.ts";
import type { Database } from "#src/storage/database.ts";
import { loadStatement } from "./load-statement.ts";

// The sandbox's statements on paper. load-statement.ts loads what a statement says, and pdf.ts
// draws it: pdf-table.ts draws the tables, and pdf-frame.ts the parts around them on every page.
// Both use the colours and fonts of pdf-style.ts.

/** Creates the call that draws a statement as PDF, in the bank's name. */
export const createStatementDocuments = (
  database: Database,
  bankName: string,
): Required<Pick<Bank, "loadStatementDocument">> => ({
  async loadStatementDocument(reference) {
    const statement = await loadStatement(database, reference);
    if (statement === null) return null;
    // Few ask for a PDF: what draws it is loaded for the first one, not when the bank opens.
    const { renderPdf } = await import("./pdf.ts");
    return renderPdf({ database, bankName }, statement);
  },
});
