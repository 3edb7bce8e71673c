import { loadLines, type StatementLine } from "#src/accounts/statement-file/statement-lines.ts";
import { formatAmount } from "#src/lib/money.ts";
import type { Queryable } from "#src/storage/database.ts";
import type { PrintedStatement } from "./load-statement.ts";
import { colours, fonts, left, printable, right } from "./pdf-style.ts";

/** A row of the table: a line of the account, or a balance brought or carried forward. */
export type TableRow = Pick<StatementLine, "text" | "type" | "paidOut" | "paidIn" | "balance"> & {
  kind: "line" | "balance";
  day: string;
};

/** A row without a line: only a balance. */
export const balanceRow = (day: string, text: string, balance: bigint): TableRow => ({
  kind: "balance",
  day,
  type: "",
  text,
  paidOut: null,
  paidIn: null,
  balance,
});

/** The rows of a statement from the first balance to the last. */
export async function* rowsOf(
  database: Queryable,
  statement: PrintedStatement,
): AsyncGenerator<TableRow> {
  const { startsAt, endsAt, opening, closing } = statement;
  const first = dayOf(Temporal.Instant.from(startsAt));
  yield balanceRow(showDay(first), "Balance brought forward", BigInt(opening));
  for await (const lines of loadLines(database, statement)) {
    for (const { bookedAt, ...line } of lines) {
      yield { ...line, kind: "line", day: showDay(dayOf(bookedAt)) };
    }
  }
  const last = dayOf(Temporal.Instant.from(endsAt).subtract({ microseconds: 1 }));
  yield balanceRow(showDay(last), "Balance carried forward", BigInt(closing));
}

const dayOf = (instant: Temporal.Instant): Temporal.PlainDate =>
  instant.toZonedDateTimeISO("UTC").toPlainDate();

const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

// toLocaleString would cost more than drawing the row
const showDay = ({ day, month, year }: Temporal.PlainDate): string =>
  `${day} ${months[month - 1]} ${year}`;

const columns = {
  day: left,
  type: left + 66,
  text: left + 102,
  textWidth: 186,
  paidOut: right - 136,
  paidIn: right - 68,
  balance: right,
  amountWidth: 68,
};

type Measures = { top: number; headHeight: number; rowHeight: number };

/** Writes the rows of the table on one page, from the top down. */
export class TablePen {
  readonly #document: PDFKit.PDFDocument;
  readonly #currency: string;
  readonly #rowHeight: number;
  #y: number;
  #day = "";

  constructor(document: PDFKit.PDFDocument, currency: string, measures: Measures) {
    this.#document = document;
    this.#currency = currency;
    this.#rowHeight = measures.rowHeight;
    this.#y = measures.top;
    this.#head(measures.headHeight);
  }

  #head(height: number): void {
    const document = this.#document;
    const unit = this.#currency === "GBP" ? "£" : this.#currency;
    document.rect(left, this.#y, right - left, height - 4).fill(colours.accent);
    document.font(fonts.bold).fontSize(8).fillColor("#ffffff");
    const y = this.#y + 5.5;
    this.#put("Date", columns.day + 6, y);
    this.#put("Type", columns.type, y);
    this.#put("Description", columns.text, y);
    this.#putRight(`Paid out (${unit})`, columns.paidOut, y);
    this.#putRight(`Paid in (${unit})`, columns.paidIn, y);
    this.#putRight(`Balance (${unit})`, columns.balance, y);
    this.#y += height;
  }

  /** Writes one row below those that are there. */
  write({ kind, day, type, text, paidOut, paidIn, balance }: TableRow): void {
    const document = this.#document;
    const y = this.#y + 4;
    document.font(kind === "balance" ? fonts.bold : fonts.plain).fontSize(8);
    document.fillColor(colours.ink);
    // a day is named once on a page
    if (day !== this.#day) this.#put(day, columns.day + 6, y);
    this.#day = day;
    if (type !== "") this.#put(type, columns.type, y);
    this.#put(this.#fitting(text), columns.text, y);
    if (paidOut !== null) this.#putRight(this.#amount(paidOut), columns.paidOut, y);
    if (paidIn !== null) this.#putRight(this.#amount(paidIn), columns.paidIn, y);
    this.#putRight(this.#amount(balance), columns.balance, y);
    this.#y += this.#rowHeight;
    document.moveTo(left, this.#y).lineTo(right, this.#y);
    document.lineWidth(0.5).strokeColor(colours.line).stroke();
  }

  #put(text: string, x: number, y: number): void {
    this.#document.text(text, x, y, { lineBreak: false });
  }

  #putRight(text: string, edge: number, y: number): void {
    const x = edge - 6 - this.#document.widthOfString(text);
    this.#document.text(text, x, y, { lineBreak: false });
  }

  #fitting(text: string): string {
    let fitting = printable(text);
    if (this.#document.widthOfString(fitting) <= columns.textWidth) return fitting;
    while (this.#document.widthOfString(`${fitting}…`) > columns.textWidth) {
      fitting = fitting.slice(0, -1);
    }
    return `${fitting.trimEnd()}…`;
  }

  #amount(minor: bigint): string {
    return showAmount(minor, this.#currency);
  }
}

/** Minor units as a statement shows them: `-1,234.56`. */
export function showAmount(minor: bigint, currency: string): string {
  const [whole = "", fraction] = formatAmount(minor < 0n ? -minor : minor, currency).split(".");
  return `${minor < 0n ? "-" : ""}${inThousands(whole)}${fraction === undefined ? "" : `.${fraction}`}`;
}

/** Digits in groups of three: `1,234,567`. */
function inThousands(digits: string): string {
  const groups: string[] = [];
  for (let end = digits.length; end > 0; end -= 3) {
    groups.unshift(digits.slice(Math.max(0, end - 3), end));
  }
  return groups.join(",");
}
