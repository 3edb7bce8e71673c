import type { AccountReference } from "#src/bank/port.ts";
import type { Fault } from "#src/http/api-error.ts";
import type { MemberPaths, PaymentRequest } from "#src/payments/request/payment-request.ts";
import type { JsonReportWords, ReportedFile, ReportedPayment } from "./report-words.ts";

/** A fault of a file: it names the element, and the line if it is known. */
export type FileFault = Fault & { path: string };

/** A message about one line of a file. */
export const atLine = (line: number, message: string): string => `Line ${line}: ${message}`;

/** Ends the reading of a file, because nothing after the fault can be understood. */
export class UnreadableFile extends Error {
  readonly fault: FileFault;
  constructor(path: string, message: string) {
    super(message);
    this.fault = { code: "FF01", path, message };
  }
}

/** An instruction as parsed, before the bank's rules are checked. */
export type FoundInstruction<Kind> = {
  kind: Kind;
  request: PaymentRequest;
  /** The paths of the members in the version whose words the file uses, `order` among them. */
  paths: MemberPaths;
  /** The faults that its schema finds, with paths below the initiation. */
  faults: readonly FileFault[];
  /** The place in the file of a member of that initiation, such as `CreditorAccount.Name`. */
  pathOf(member: string): string;
  /** The line on which it begins, from 1. */
  line: number;
  /** Its group of payments within the file: `PmtInfId`, `DomesticPayments`. */
  group: string;
  /** Everything that the file says about it, as the format writes it, if the parser keeps that. */
  said(): FileEntry;
  /**
   * What the file says about this instruction and others, such as its group: the same objects for
   * each of them, which are stored once. Absent if the format has nothing of the kind.
   */
  shared?(): readonly FileEntry[];
};

/** What a file says about payments, in the words of its format. */
export type FileEntry = Readonly<Record<string, unknown>>;

/** The header of a file. */
export type FileHeader = {
  /** `MsgId`, the name of the file in a report; null if the format has none. */
  messageId: string | null;
};

/** The totals that a file states, for the whole file or for the group that has just ended. */
export type StatedTotals = {
  path: string;
  /** The stated number of instructions, as digits; null if it is absent. */
  count: string | null;
  /** The stated sum, as a decimal; null if it is absent. */
  sum: string | null;
};

/** Receives what a parser finds. */
export type FileSink<Kind> = {
  header(header: FileHeader): void;
  instruction(found: FoundInstruction<Kind>): void;
  fault(fault: FileFault): void;
  /** A group of instructions begins; the totals of `groupEnds` refer to it. */
  groupBegins(): void;
  groupEnds(totals: StatedTotals): void;
  fileEnds(totals: StatedTotals): void;
};

/** Parses a file while it arrives; both functions throw UnreadableFile. */
export type FileParser = { write(bytes: Uint8Array): void; end(): void };

/** The options of a parser. */
export type ParserOptions = {
  /** The bank's current date. */
  today: Temporal.PlainDate;
  strictOas: boolean;
  /** Whether `said` returns members that the bank does not use, too. */
  keepsAll: boolean;
};

/** Writes a report piece by piece. */
export type ReportWriter = {
  begin(file: ReportedFile): string;
  /** `previous` is the payment before this one; null for the first. */
  payment(payment: ReportedPayment, previous: ReportedPayment | null): string;
  /** `last` is null for a file without payments. */
  end(last: ReportedPayment | null): string;
};

/** A format of payment files: one row, with a parser and report writers. */
export type FileFormat<Kind> = {
  /** `FileType` of the consent. */
  fileType: string;
  /** Media types of such files; the first is that of a report when the file's own is unknown. */
  contentTypes: readonly [string, ...string[]];
  /** The names under `Data` that contain payments; empty if the format has no such names. */
  payloads: readonly string[];
  openParser(sink: FileSink<Kind>, options: ParserOptions): FileParser;
  /** Makes the writer of its reports, given the words of the version on which one is read. */
  report(words: JsonReportWords): ReportWriter;
};

/** Declares a file format. */
export const defineFileFormat = <Kind>(format: FileFormat<Kind>): FileFormat<Kind> =>
  Object.freeze(format);

/** Whether two references name the same account, by sort code and number or by IBAN. */
export const isSameAccount = (a: AccountReference, b: AccountReference): boolean =>
  accountKey(a) === accountKey(b);

// a British IBAN contains the sort code and account number
function accountKey({ schemeName, identification }: AccountReference): string {
  const domestic = /^GB\d{2}[A-Z]{4}(\d{14})$/.exec(identification)?.[1];
  if (schemeName === "UK.OBIE.IBAN" && domestic) return `UK.OBIE.SortCodeAccountNumber ${domestic}`;
  return `${schemeName} ${identification}`;
}
