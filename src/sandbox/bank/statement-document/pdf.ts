import { buffer } from "node:stream/consumers";
import { setImmediate } from "node:timers/promises";
import PDFDocument from "pdfkit";
import type { Queryable } from "#src/storage/database.ts";
import type { PrintedStatement } from "./load-statement.ts";
import { drawFirstHead, drawFoot, drawLaterHead } from "./pdf-frame.ts";
import { balanceRow, rowsOf, TablePen, type TableRow } from "./pdf-table.ts";

/** Where the table begins on the first page and on the others, and where it must end. */
const tops = { first: 372, later: 112 };
const bottom = 752;
const rowHeight = 15.5;
const headHeight = 22;

const capacity = (top: number): number => Math.floor((bottom - top - headHeight) / rowHeight);

/** The bank's name, and the database with the lines. */
type Drawing = { database: Queryable; bankName: string };

/**
 * Draws a statement as a PDF in A4, page by page while the lines are read. Between two pages others
 * have their turn, however long the statement is.
 */
export async function renderPdf(drawing: Drawing, statement: PrintedStatement): Promise<Buffer> {
  const title = `Statement ${statement.number}, ${statement.holderName}`;
  const document = new PDFDocument({
    size: "A4",
    margin: 0,
    autoFirstPage: false,
    lang: "en-GB",
    displayTitle: true,
    info: {
      Title: title,
      Author: drawing.bankName,
      // what is read twice is the same file
      CreationDate: new Date(statement.createdAt),
    },
  });
  // a document is a stream of bytes
  const [bytes] = await Promise.all([buffer(document), draw(document, drawing, statement)]);
  return bytes;
}

async function draw(
  document: PDFKit.PDFDocument,
  { database, bankName }: Drawing,
  statement: PrintedStatement,
): Promise<void> {
  const pages = countPages(statement.lineCount);
  let page = 0;
  let left = 0;
  let pen: TablePen | undefined;
  const nextPage = (): TablePen => {
    page += 1;
    document.addPage();
    const top = page === 1 ? tops.first : tops.later;
    if (page === 1) drawFirstHead(document, statement, bankName);
    else drawLaterHead(document, statement, bankName);
    drawFoot(document, statement, { page, pages: Math.max(page, pages) });
    left = capacity(top);
    return new TablePen(document, statement.currency, { top, headHeight, rowHeight });
  };
  let before: TableRow | undefined;
  for await (const row of rowsOf(database, statement)) {
    if (left === 0) {
      if (pen) await setImmediate();
      pen = nextPage();
      // every page begins with what the account had
      if (before) {
        pen.write(balanceRow(row.day, "Brought forward", before.balance));
        left -= 1;
      }
    }
    pen?.write(row);
    left -= 1;
    before = row;
  }
  document.end();
}

/** How many pages the lines fill, with the balances before and after them. */
export function countPages(lineCount: number): number {
  const rest = lineCount + 2 - capacity(tops.first);
  // a later page gives one row to the balance brought forward
  return rest <= 0 ? 1 : 1 + Math.ceil(rest / (capacity(tops.later) - 1));
}
