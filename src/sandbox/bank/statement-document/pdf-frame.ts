import { dayText } from "#src/pages/wording.ts";
import type { PrintedStatement } from "./load-statement.ts";
import { colours, fonts, left, printable, right } from "./pdf-style.ts";
import { showAmount } from "./pdf-table.ts";

type Document = PDFKit.PDFDocument;

// the gate of src/pages/assets/mark.svg, in a square of 32
const gate = "M5 27V10h3.5v3h3V7H15v3h2V7h3.5v6h3v-3H27v17z";
const way = "M11.5 27v-5a4.5 4.5 0 0 1 9 0v5z";

function drawMark(document: Document, x: number, y: number, size: number): void {
  document
    .save()
    .translate(x, y)
    .scale(size / 32);
  document.roundedRect(0, 0, 32, 32, 7).fill(colours.accent);
  document.path(gate).fill("#ffffff");
  document.path(way).fill(colours.accent);
  document.restore();
}

/** The head of the first page: bank, addressee, account, and the box with the month's sums. */
export function drawFirstHead(
  document: Document,
  statement: PrintedStatement,
  bankName: string,
): void {
  drawMark(document, left, 40, 34);
  document.font(fonts.bold).fontSize(19).fillColor(colours.accent);
  document.text(printable(bankName), left + 44, 48, { lineBreak: false });
  document.fontSize(15).fillColor(colours.ink);
  const title = "Account statement";
  const x = right - document.widthOfString(title);
  document.text(title, x, 50, { lineBreak: false });
  drawAddressee(document, statement, 118);
  drawFacts(document, statement, 112);
  drawSummary(document, statement, 262);
}

function drawAddressee(document: Document, statement: PrintedStatement, top: number): void {
  const { holderName, address } = statement;
  const { buildingNumber = "", streetName = "" } = address ?? {};
  const lines = [
    holderName,
    // a number follows the name of a flat, and a comma the name of a building
    `${buildingNumber}${/^\D[^,]*$/.test(buildingNumber) ? "," : ""} ${streetName}`.trim(),
    address?.townName ?? "",
    address?.postCode ?? "",
  ].filter((line) => line !== "");
  for (const [index, line] of lines.entries()) {
    document
      .font(index === 0 ? fonts.bold : fonts.plain)
      .fontSize(10)
      .fillColor(colours.ink);
    document.text(printable(line), left, top + index * 15, { lineBreak: false });
  }
}

/** The identifiers of the account, each with its name. */
function factsOf(statement: PrintedStatement): [name: string, value: string][] {
  const { productName, sortCodeAccountNumber, iban, maskedPan, number, createdAt } = statement;
  const { periodName, paymentDueAt } = statement;
  const facts: [string, string | null][] = [
    ["Account", productName],
    ["Sort code", sortCodeAccountNumber && showSortCode(sortCodeAccountNumber)],
    ["Account number", sortCodeAccountNumber?.slice(6) ?? null],
    ["IBAN", iban?.replace(/(.{4})(?=.)/g, "$1 ") ?? null],
    ["Card number", maskedPan],
    ["Period", periodName],
    ["Statement", `No. ${number}, made on ${showDate(createdAt)}`],
    ["Payment due", paymentDueAt && showDate(paymentDueAt)],
  ];
  return facts.flatMap(([name, value]): [string, string][] => (value ? [[name, value]] : []));
}

const showSortCode = (identification: string): string =>
  identification.slice(0, 6).replace(/(..)(..)(..)/, "$1-$2-$3");

const showDate = (time: string): string =>
  dayText(Temporal.Instant.from(time).toZonedDateTimeISO("UTC").toPlainDate());

function drawFacts(document: Document, statement: PrintedStatement, top: number): void {
  const x = 318;
  for (const [index, [name, value]] of factsOf(statement).entries()) {
    const y = top + index * 17;
    document.font(fonts.plain).fontSize(8.5).fillColor(colours.muted);
    document.text(name, x, y, { lineBreak: false });
    document.font(fonts.bold).fillColor(colours.ink);
    document.text(printable(value), x + 80, y, { lineBreak: false });
  }
}

/** The totals of the month, each with its name. */
function sumsOf(statement: PrintedStatement): [name: string, value: string][] {
  const { opening, closing, credits, debits, limit, currency, kind } = statement;
  const { minimumPayment } = statement;
  const show = (minor: bigint) => {
    const text = showAmount(minor < 0n ? -minor : minor, currency);
    return `${minor < 0n ? "-" : ""}${currency === "GBP" ? "£" : `${currency} `}${text}`;
  };
  const isCard = kind === "CreditCard";
  const sums: [string, string][] = [
    [isCard ? "Previous balance" : "Opening balance", show(BigInt(opening))],
    [isCard ? "Paid and refunded" : "Paid in", show(BigInt(credits))],
    [isCard ? "Spent and charged" : "Paid out", show(BigInt(debits))],
    [isCard ? "New balance" : "Closing balance", show(BigInt(closing))],
  ];
  if (minimumPayment !== null) sums.push(["Minimum payment", show(BigInt(minimumPayment))]);
  if (BigInt(limit) > 0n) {
    sums.push([isCard ? "Credit limit" : "Arranged overdraft", show(BigInt(limit))]);
  }
  return sums;
}

function drawSummary(document: Document, statement: PrintedStatement, top: number): void {
  const sums = sumsOf(statement);
  const height = 82;
  document.roundedRect(left, top, right - left, height, 6).fill(colours.soft);
  document.font(fonts.bold).fontSize(10).fillColor(colours.accent);
  const { periodName } = statement;
  const title = periodName ? `Your account from ${periodName}` : "Your account";
  document.text(printable(title), left + 14, top + 13, { lineBreak: false });
  const width = (right - left - 28) / sums.length;
  for (const [index, [name, value]] of sums.entries()) {
    const x = left + 14 + index * width;
    document.font(fonts.plain).fontSize(7.5).fillColor(colours.muted);
    document.text(name, x, top + 38, { lineBreak: false });
    document
      .font(fonts.bold)
      .fontSize(sums.length > 5 ? 9.5 : 11)
      .fillColor(colours.ink);
    document.text(value, x, top + 51, { lineBreak: false });
  }
}

/** The head of a later page, with the owner of the statement. */
export function drawLaterHead(
  document: Document,
  statement: PrintedStatement,
  bankName: string,
): void {
  drawMark(document, left, 40, 24);
  document.font(fonts.bold).fontSize(13).fillColor(colours.accent);
  document.text(printable(bankName), left + 32, 46, { lineBreak: false });
  document.font(fonts.plain).fontSize(8.5).fillColor(colours.muted);
  const { holderName, sortCodeAccountNumber, maskedPan, periodName } = statement;
  const numbers = sortCodeAccountNumber
    ? `${showSortCode(sortCodeAccountNumber)} ${sortCodeAccountNumber.slice(6)}`
    : (maskedPan ?? "");
  document.text(printable(holderName), left, 78, { lineBreak: false });
  const facts = printable([numbers, periodName].filter(Boolean).join("   "));
  document.text(facts, right - document.widthOfString(facts), 78, { lineBreak: false });
}

const abbreviations =
  "BGC bank giro credit · BPO Bacs payment out · CC card payment · CHG charge · " +
  "CPT cash withdrawal · DD direct debit · DEB debit card · FPI / FPO faster payment in / out · IND / INT interest charged / paid · " +
  "IPI / IPO international payment in / out · PAY salary · RET returned payment · RFD refund · " +
  "SO standing order · SPI / SPO SEPA payment in / out · TFI / TFR transfer in / out · TKG takings";

/** The foot of a page: its number, and the meaning of its abbreviations. */
export function drawFoot(
  document: Document,
  { number }: PrintedStatement,
  { page, pages }: { page: number; pages: number },
): void {
  document.moveTo(left, 768).lineTo(right, 768).lineWidth(0.5).strokeColor(colours.line).stroke();
  document.font(fonts.plain).fontSize(6.5).fillColor(colours.muted);
  document.text(abbreviations, left, 775, { width: right - left - 90, height: 24 });
  const note = "This is a sandbox statement. The bank and the money in it do not exist.";
  document.text(note, left, 800, { lineBreak: false });
  document.fontSize(8);
  const counted = `Page ${page} of ${pages}`;
  document.text(counted, right - document.widthOfString(counted), 775, { lineBreak: false });
  const which = `Statement No. ${number}`;
  document.text(which, right - document.widthOfString(which), 787, { lineBreak: false });
}
