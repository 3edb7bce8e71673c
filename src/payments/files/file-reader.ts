import { Big } from "big.js";
import type { Bank } from "#src/bank/port.ts";
import { newId } from "#src/lib/ids.ts";
import { bankDate } from "#src/payments/calendar/timing.ts";
import { type ExchangeBoard, factsOf } from "#src/payments/international/facts.ts";
import type { PaymentDraft, PaymentKind } from "#src/payments/kinds/payment-kind.ts";
import { type Account, standardNames } from "#src/payments/order/payment-order.ts";
import type { PaymentConfig } from "#src/payments/payment-config.ts";
import { listFaults, wireFaults } from "#src/payments/request/checks.ts";
import type {
  MemberPaths,
  PaymentRequest,
  RequestMember,
} from "#src/payments/request/payment-request.ts";
import { type Charge, chargesOf } from "#src/payments/request/tariff.ts";
import { accountCurrencyOf, checkRateOfDay } from "./file-checks.ts";
import {
  type FileFault,
  type FileFormat,
  type FileHeader,
  type FileParser,
  type FileSink,
  type FoundInstruction,
  fileWire,
  isSameAccount,
  type StatedTotals,
  UnreadableFile,
} from "./file-format.ts";
import { FileTotals } from "./file-totals.ts";

/** An instruction that has passed every check, ready to become a payment. */
export type FileInstruction = {
  sequence: number;
  paymentId: string;
  draft: PaymentDraft;
  /** The TPP's own identifier, for reports. */
  instructionId: string | null;
  /** What it stands under in the file. */
  group: string;
};

/** What a file has come to. */
export type FileFacts = {
  messageId: string | null;
  count: number;
  totals: FileTotals;
  /** The account that the file itself names; null when it names none. */
  debtor: Account | null;
  /** What the debtor account must be in, and where the file says so; null when any will do. */
  account: RequiredAccount | null;
};

/** In which currency a file's account must be, and the first instruction that asks for it. */
export type RequiredAccount = { currency: string; path: string; line: number };

/** What a file is read with. */
export type FileReaderOptions = {
  bank: Pick<Bank, "chargesOf">;
  format: FileFormat;
  now: Temporal.Instant;
  config: PaymentConfig;
  /** The consent's: its local instrument applies to kinds that offer it, its debtor to all. */
  request: PaymentRequest;
  /** What the bank says of currencies. */
  exchange: ExchangeBoard;
  /** Instructions that a file may hold. */
  limit: number;
};

// Enough for anybody who mends a file, few enough to be read in one answer.
const mostFaults = 20;

/**
 * Reads a file as it comes: each instruction is judged by its kind's schema and by the bank's
 * checks, and becomes the draft that a single payment of its kind would. It does no input or
 * output, and what is wrong with a file is never thrown: `end` tells it.
 */
export class FileReader {
  readonly #options: FileReaderOptions;
  readonly #parser: FileParser;
  readonly #today: Temporal.PlainDate;
  readonly #faults: FileFault[] = [];
  #ready: FileInstruction[] = [];
  #broken = false;
  #messageId: string | null = null;
  #count = 0;
  #group = { count: 0, sum: new Big(0) };
  #debtor: { account: Account; path: string } | null = null;
  #account: RequiredAccount | null = null;
  readonly #totals = new FileTotals();

  constructor(options: FileReaderOptions) {
    this.#options = options;
    this.#today = bankDate(options.now);
    const { format, config, request } = options;
    const named = standardNames(request.debtor);
    if (named) this.#debtor = { account: named, path: "Data.Initiation.DebtorAccount" };
    const sink: FileSink = {
      header: (header) => this.#header(header),
      instruction: (found) => this.#instruction(found),
      fault: (fault) => this.#fault(fault),
      groupBegins: () => {
        this.#group = { count: 0, sum: new Big(0) };
      },
      groupEnds: (totals) => this.#checkTotals(totals, this.#group),
      fileEnds: (totals) =>
        this.#checkTotals(totals, { count: this.#count, sum: this.#totals.sum }),
    };
    this.#parser = format.openParser(sink, { today: this.#today, strictOas: config.STRICT_OAS });
  }

  /** Whether there is nothing more to be learnt from the file. */
  get broken(): boolean {
    return this.#broken;
  }

  write(bytes: Uint8Array): void {
    this.#guarded(() => this.#parser.write(bytes));
  }

  /** The instructions that have been read since this was last asked. */
  take(): FileInstruction[] {
    const ready = this.#ready;
    this.#ready = [];
    return ready;
  }

  /** How many of them there are. */
  get waiting(): number {
    return this.#ready.length;
  }

  /** What the file has come to, and what is wrong with it; the facts count when nothing is. */
  end(): { facts: FileFacts; faults: readonly FileFault[] } {
    this.#guarded(() => this.#parser.end());
    if (this.#count === 0 && this.#faults.length === 0) {
      this.#fault({
        code: "FF01",
        path: "$",
        message: "The file must contain at least one payment.",
      });
    }
    const named = this.#options.request.debtor;
    const facts: FileFacts = {
      messageId: this.#messageId,
      count: this.#count,
      totals: this.#totals,
      debtor: named ? null : (this.#debtor?.account ?? null),
      account: this.#account,
    };
    return { facts, faults: this.#faults };
  }

  #guarded(work: () => void): void {
    if (this.#broken) return;
    try {
      work();
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      this.#fault(error.fault);
      this.#broken = true;
    }
  }

  #fault(fault: FileFault): void {
    if (this.#faults.length < mostFaults) this.#faults.push(fault);
    // nobody wants the same mistake a hundred thousand times
    if (this.#faults.length >= mostFaults) this.#broken = true;
  }

  #header({ messageId }: FileHeader): void {
    this.#messageId = messageId;
  }

  #instruction(found: FoundInstruction): void {
    if (this.#broken) return;
    this.#count += 1;
    this.#group.count += 1;
    if (this.#count > this.#options.limit) {
      const message = `A file may contain at most ${this.#options.limit} payments.`;
      throw new UnreadableFile(found.pathOf(""), message);
    }
    const request = this.#withDefaults(found);
    const faults = this.#judge(found, request);
    for (const fault of faults) this.#fault(fault);
    if (faults.length > 0 || this.#faults.length > 0) return;
    this.#accept(found, request);
  }

  /** The consent's local instrument is that of instructions without, if their kind offers it. */
  #withDefaults({ kind, request }: FoundInstruction): PaymentRequest {
    const { localInstrument } = this.#options.request;
    if (localInstrument === null || request.localInstrument !== null) return request;
    return kind.localInstruments.includes(localInstrument)
      ? { ...request, localInstrument }
      : request;
  }

  #judge(found: FoundInstruction, request: PaymentRequest): FileFault[] {
    const { now, config, exchange: board } = this.#options;
    const { paths } = fileWire(found.kind);
    const root = paths.order ?? "";
    const schemaFaults = found.faults.map((fault) => ({
      ...fault,
      path: fault.path === "" ? root : `${root}.${fault.path}`,
    }));
    const exchange = found.kind.currencies === "exchanged" ? factsOf(board, request) : null;
    const checked = { kind: found.kind, request, now, config, debtor: null, exchange };
    const refusedRate = wireFaults(checkRateOfDay(request), paths);
    const faults = listFaults([...schemaFaults, ...refusedRate], checked, paths)
      .filter(({ path }) => refusedRate.length === 0 || !isOfRate(path, paths))
      .map(({ code, path = root, message }) => ({
        code,
        path: found.pathOf(path.slice(root.length + 1)),
        message: `${message.replace(/\.?$/, ".")} (line ${found.line})`,
      }));
    // several members may be in one element
    if (faults.length > 0) return faults.filter(isFirstOfPath);
    return [...this.#checkDebtor(found, request), ...this.#checkAccount(found, request)];
  }

  /** A file is paid from one account: each that it names is the same, and the consent's. */
  #checkDebtor(found: FoundInstruction, { debtor }: PaymentRequest): FileFault[] {
    const account = standardNames(debtor);
    if (!account) return [];
    const path = pathIn(found, "debtor");
    this.#debtor ??= { account, path };
    if (isSameAccount(this.#debtor.account, account)) return [];
    const message = `All payments of a file must name the account in ${this.#debtor.path}.`;
    return [{ code: "U002", path, message: `${message} (line ${found.line})` }];
  }

  /** That account is in one currency. */
  #checkAccount(found: FoundInstruction, request: PaymentRequest): FileFault[] {
    const asked = accountCurrencyOf(found.kind, request);
    if (asked === null) return [];
    const path = pathIn(found, asked.member);
    const { currency } = asked;
    this.#account ??= { currency, path, line: found.line };
    const first = this.#account;
    if (first.currency === currency) return [];
    const message =
      `All payments of a file are made from one account. This payment needs an account in ` +
      `${currency}; the payment on line ${first.line} needs an account in ${first.currency}. ` +
      `(line ${found.line})`;
    return [{ code: "U002", path, message }];
  }

  #accept(found: FoundInstruction, request: PaymentRequest): void {
    const charges = chargesOf(this.#options.bank, found.kind.id, request);
    const draft = this.#draft(found.kind, request, charges);
    this.#group.sum = this.#group.sum.plus(this.#totals.add(draft, charges));
    this.#ready.push({
      sequence: this.#count,
      paymentId: newId("pay"),
      draft,
      instructionId: request.instructionId,
      group: found.group,
    });
  }

  #draft(kind: PaymentKind, request: PaymentRequest, charges: Charge[]): PaymentDraft {
    const { now, config } = this.#options;
    const plan = { kind, request, terms: { charges }, now, config };
    const [draft, more] = kind.payments?.(plan) ?? [];
    if (!draft || more) throw new Error(`a ${kind.id} in a file is one payment`);
    // what is executed at once is so from when the order comes, not the file
    return kind.timing.when === "immediate" ? { ...draft, executeAt: null } : draft;
  }

  #checkTotals({ path, count, sum }: StatedTotals, found: { count: number; sum: Big }): void {
    // what could not be read does not add up either
    if (this.#faults.length > 0) return;
    if (count !== null && (!/^\d{1,15}$/.test(count) || Number(count) !== found.count)) {
      const message = `NbOfTxs must match the number of payments, which is ${found.count}.`;
      this.#fault({ code: "AM18", path: `${path}/NbOfTxs`, message });
    }
    if (sum !== null && !(/^\d{1,18}(\.\d{1,17})?$/.test(sum) && found.sum.eq(sum))) {
      const message = `CtrlSum must equal the sum of the amounts, which is ${found.sum.toFixed()}.`;
      this.#fault({ code: "AM10", path: `${path}/CtrlSum`, message });
    }
  }
}

const isFirstOfPath = (fault: FileFault, index: number, all: readonly FileFault[]): boolean =>
  all.findIndex(({ path }) => path === fault.path) === index;

/** Whether a fault is about a rate that a file cannot have, besides the fault that says so. */
const isOfRate = (path: string | undefined, paths: MemberPaths): boolean =>
  path !== paths["rate.type"] && (path ?? "").startsWith(`${paths.rate}.`);

/** Where in the file a member of an instruction is. */
function pathIn({ kind, pathOf }: FoundInstruction, member: RequestMember): string {
  const { paths } = fileWire(kind);
  return pathOf((paths[member] ?? "").slice((paths.order ?? "").length + 1));
}
