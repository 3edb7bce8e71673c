import type { JsonReportWords } from "#src/payments/formats/report-words.ts";
import type { ReportWriter } from "./file-format.ts";

/** Writes reports that mirror a JSON file, with its payments under the same names. */
export const jsonReport = (words: JsonReportWords): ReportWriter => ({
  begin(file) {
    const head = JSON.stringify(words.file(file));
    // a JSON number with all its digits, which a JavaScript number may not have
    return `{"Data":${head.slice(0, -1)},"ControlSum":${file.sum}`;
  },
  payment(payment, previous) {
    const text = JSON.stringify(words.payment(payment));
    if (previous?.group === payment.group) return `,\n${text}`;
    return `${previous === null ? "" : "]"},${JSON.stringify(payment.group)}:[\n${text}`;
  },
  end: (last) => `${last === null ? "" : "]"}}}\n`,
});
