import type { AssessedFile } from "#src/bank/assessment.ts";
import type { CustomerDevice } from "#src/bank/payment-context.ts";
import type { AccountReference, BankCharge } from "#src/bank/port.ts";
import { dateOrNull } from "#src/lib/date-time.ts";
import { fromMoneyRecord, type Money } from "#src/lib/money.ts";

/** The bank's additions to a consent, in no version's format. */
export type ConsentTerms = {
  charges?: readonly BankCharge[];
  /** The cut-off by which the order must be submitted to be executed on that day. */
  cutOff?: Temporal.Instant;
  exchangeRate?: PromisedRate;
  /** The account whose contract has the agreed rate. */
  contractAccountId?: string;
  file?: FileTerms;
  /** The contract between the bank and the TPP under which it was created. */
  vrpContract?: {
    contractId: string;
    /** What its payments are for, as in the contract. */
    purpose: string;
    /** When the bank ended the consents of the contract. */
    endedAt?: Temporal.Instant;
  };
  /** The customer's device when the TPP sent the consent; only if the core hears of devices. */
  device?: CustomerDevice;
};

/** The rate that the bank has quoted or agreed. */
export type PromisedRate = {
  unitCurrency: string;
  value: number;
  /** `Actual`, `Agreed` or `Indicative`. */
  type: string;
  /** The contract of an agreed rate. */
  contractId: string | null;
  /** When a quoted rate expires; null if it has no such time. */
  expiresAt: Temporal.Instant | null;
};

/** The facts of an uploaded file. */
export type FileTerms = {
  fileId: string;
  /** The file's own id; null if it has none. */
  messageId: string | null;
  count: number;
  /** The number of international payments. */
  abroad: number;
  /** The totals of its payments per currency, without charges; at least one. */
  totals: readonly CurrencyTotal[];
  /** The sum of the amounts of all currencies, as a decimal. */
  controlSum: string;
  /** The required currency of the debtor account; null for any. */
  accountCurrency: string | null;
  /** The debtor account that the file names; null if it names none. */
  debtor: AccountReference | null;
  /** The first and the last requested payment date; null if payments are to be made immediately. */
  firstDay: Temporal.PlainDate | null;
  lastDay: Temporal.PlainDate | null;
};

/** The total of the payments in one currency. */
export type CurrencyTotal = Money & { count: number };

/** The debtor's charges in these terms, in minor units. Source: P-190. */
export function debtorCharges({ charges = [] }: ConsentTerms, currency: string): bigint {
  let sum = 0n;
  for (const { chargeBearer, amount } of charges) {
    if (chargeBearer === "BorneByDebtor" && amount.currency === currency) sum += amount.amountMinor;
  }
  return sum;
}

/** A value as JSON has it: amounts in minor units, dates and times are text. */
export type Recorded<Value> = Value extends bigint | Temporal.Instant | Temporal.PlainDate
  ? string
  : Value extends object
    ? { [Member in keyof Value]: Recorded<Value[Member]> }
    : Value;

/** The terms as they are stored, and as their hash is made. */
export type TermsRecord = Recorded<ConsentTerms>;

/** The facts of a file as they are stored. */
export type FileRecord = Recorded<FileTerms>;

/** Renders terms as JSON, for the database. */
export const termsJson = (terms: ConsentTerms): string =>
  JSON.stringify(terms, (_, value: unknown) =>
    typeof value === "bigint" ? value.toString() : value,
  );

/** Returns terms in the format in which they are stored. */
export const toTermsRecord = (terms: ConsentTerms): TermsRecord =>
  JSON.parse(termsJson(terms)) as TermsRecord; // `Recorded` says what JSON makes of each type

/** The file of a consent as the core is asked about it; null if the consent has none. */
export const assessedFile = ({ file }: ConsentTerms): AssessedFile | null =>
  file === undefined
    ? null
    : {
        count: file.count,
        totals: file.totals.map(({ count, ...total }) => ({ count, total })),
      };

/** Reads stored terms. */
export function fromTermsRecord(record: TermsRecord): ConsentTerms {
  const { charges, cutOff, exchangeRate, file, vrpContract, ...text } = record;
  return {
    ...text,
    ...(charges === undefined
      ? {}
      : {
          charges: charges.map((charge) => ({ ...charge, amount: fromMoneyRecord(charge.amount) })),
        }),
    ...(cutOff === undefined ? {} : { cutOff: Temporal.Instant.from(cutOff) }),
    ...(exchangeRate === undefined
      ? {}
      : { exchangeRate: { ...exchangeRate, expiresAt: fromInstant(exchangeRate.expiresAt) } }),
    ...(file === undefined ? {} : { file: fromFileRecord(file) }),
    ...(vrpContract === undefined ? {} : { vrpContract: fromContract(vrpContract) }),
  };
}

/** Reads the stored facts of a file. */
export const fromFileRecord = (record: FileRecord): FileTerms => ({
  ...record,
  totals: record.totals.map((total) => ({ ...total, ...fromMoneyRecord(total) })),
  firstDay: dateOrNull(record.firstDay),
  lastDay: dateOrNull(record.lastDay),
});

function fromContract({
  endedAt,
  ...contract
}: NonNullable<TermsRecord["vrpContract"]>): NonNullable<ConsentTerms["vrpContract"]> {
  return endedAt === undefined
    ? contract
    : { ...contract, endedAt: Temporal.Instant.from(endedAt) };
}

const fromInstant = (text: string | null): Temporal.Instant | null =>
  text === null ? null : Temporal.Instant.from(text);
