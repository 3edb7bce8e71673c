import { fromMoneyRecord, type MoneyRecord, toMoneyRecord } from "#src/lib/money.ts";
import type { InternationalTerms } from "./port.ts";

/** The terms of an international payment, as the database stores them in JSON. */
export type InternationalRecord = Omit<InternationalTerms, "charge" | "deduction"> & {
  charge: MoneyRecord | null;
  deduction: MoneyRecord | null;
};

/** Returns international terms in the format in which they are stored. */
export const toInternationalRecord = (terms: InternationalTerms): InternationalRecord => ({
  ...terms,
  charge: terms.charge && toMoneyRecord(terms.charge),
  deduction: terms.deduction && toMoneyRecord(terms.deduction),
});

/** Reads stored international terms. */
export const fromInternationalRecord = (record: InternationalRecord): InternationalTerms => ({
  ...record,
  charge: record.charge && fromMoneyRecord(record.charge),
  deduction: record.deduction && fromMoneyRecord(record.deduction),
});
