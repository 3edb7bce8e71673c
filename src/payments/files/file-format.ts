import type { Fault } from "#src/http/api-error.ts";
import { type PaymentKind, wireOf } from "#src/payments/kinds/payment-kind.ts";
import type { Account } from "#src/payments/order/payment-order.ts";
import type { PaymentRequest } from "#src/payments/request/payment-request.ts";
import type { Wire } from "#src/payments/wires/wire.ts";
import { pispV40 } from "#src/standard/pisp-v4.0/version.ts";

/** One thing that is wrong with a file: it names the element, and the line where it is known. */
export type FileFault = Fault & { path: string };

/** What ends the reading of a file: nothing after it can be understood. */
export class UnreadableFile extends Error {
  readonly fault: FileFault;
  constructor(path: string, message: string) {
    super(message);
    this.fault = { code: "FF01", path, message };
  }
}

/** An instruction as a format's parser finds it: not judged by the bank's rules yet. */
export type FoundInstruction = {
  kind: PaymentKind;
  request: PaymentRequest;
  /** What its schema finds wrong; paths below the initiation of v4.0. */
  faults: readonly FileFault[];
  /** Where in the file a member of that initiation is: `CreditorAccount.Name`. */
  pathOf(member: string): string;
  /** The line on which it begins, from 1. */
  line: number;
  /** The group of payments within the file that it belongs to: `PmtInfId`, `DomesticPayments`. */
  group: string;
};

/** The wire whose words the payments of files are in, whatever the format. */
export const fileWire = (kind: PaymentKind): Wire => wireOf(kind, pispV40.id);

/** What a file announces of itself, once that is known. */
export type FileHeader = {
  /** `MsgId`: what a report calls the file; null where the format has none. */
  messageId: string | null;
};

/** Totals that the file states, of all of it or of a part that has just ended. */
export type StatedTotals = {
  path: string;
  /** How many instructions there are to be, as digits; null when it is not stated. */
  count: string | null;
  /** What they are to add up to, as a decimal; null when it is not stated. */
  sum: string | null;
};

/** Where a parser puts what it finds. */
export type FileSink = {
  header(header: FileHeader): void;
  instruction(found: FoundInstruction): void;
  fault(fault: FileFault): void;
  /** A group of instructions begins: the totals of `groupEnds` count from here. */
  groupBegins(): void;
  groupEnds(totals: StatedTotals): void;
  fileEnds(totals: StatedTotals): void;
};

/** Takes a file apart as it comes; both throw UnreadableFile. */
export type FileParser = { write(bytes: Uint8Array): void; end(): void };

/** What a parser must know: the day that it is at the bank. */
export type ParserOptions = { today: Temporal.PlainDate; strictOas: boolean };

/** What a report says of a file as a whole. */
export type ReportedFile = {
  orderId: string;
  consentId: string;
  messageId: string | null;
  fileReference: string | null;
  createdAt: Temporal.Instant;
  reportedAt: Temporal.Instant;
  /** As the TPP is shown it: PDNG, INCO or INFA. */
  status: string;
  /** Whether some have failed, or all; interim while the status is PDNG. */
  failed: "none" | "some" | "all";
  count: number;
  /** What the amounts add up to, irrespective of currencies: a decimal. */
  sum: string;
};

/** What a report says of one instruction. */
export type ReportedPayment = {
  paymentId: string;
  group: string;
  instructionId: string | null;
  endToEndId: string | null;
  amount: string;
  currency: string;
  /** As the TPP is shown it. */
  status: string;
  statusUpdatedAt: Temporal.Instant;
  reasonCode: string | null;
  reasonText: string | null;
};

/** Writes a report piece by piece. */
export type ReportWriter = {
  begin(file: ReportedFile): string;
  /** `previous` is the payment before it, null for the first. */
  payment(payment: ReportedPayment, previous: ReportedPayment | null): string;
  /** `last` is null for a file without payments. */
  end(last: ReportedPayment | null): string;
};

/** A format of payment files: one row, by which files are read and reported on. */
export type FileFormat = {
  /** `FileType` of the consent. */
  fileType: string;
  /** Media types of such files; the first is that of a report when the file's own is unknown. */
  contentTypes: readonly [string, ...string[]];
  /** Names under `Data` below which payments stand; none where the format has no such names. */
  payloads: readonly string[];
  openParser(sink: FileSink, options: ParserOptions): FileParser;
  report: ReportWriter;
};

/** Declares a file format. */
export const defineFileFormat = (format: FileFormat): FileFormat => Object.freeze(format);

/** Whether two references name the same account, by sort code and number or by IBAN. */
export const isSameAccount = (a: Account, b: Account): boolean => accountKey(a) === accountKey(b);

// a British IBAN holds the sort code and account number
function accountKey({ SchemeName, Identification }: Account): string {
  const domestic = /^GB\d{2}[A-Z]{4}(\d{14})$/.exec(Identification)?.[1];
  if (SchemeName === "UK.OBIE.IBAN" && domestic) return `UK.OBIE.SortCodeAccountNumber ${domestic}`;
  return `${SchemeName} ${Identification}`;
}
