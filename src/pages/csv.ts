/** Writes one line of a CSV file. Source: RFC 4180 section 2. */
export const csvRow = (cells: readonly string[]): string => `${cells.map(cell).join(",")}\r\n`;

const number = /^-?\d+(\.\d+)?$/;

// Another person's text that begins like a formula must not become a formula in a spreadsheet.
function cell(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) && !number.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
