import { Big } from "big.js";
import type { AccountReference, Bank, BankCharge } from "#src/bank/port.ts";
import { bankDate } from "#src/payments/calendar/timing.ts";
import type { PaymentRow } from "#src/payments/definitions/payment-kind.ts";
import {
  atLine,
  type FileEntry,
  type FileFault,
  type FileFormat,
  type FileHeader,
  type FileParser,
  type FileSink,
  type FoundInstruction,
  isSameAccount,
  type StatedTotals,
  UnreadableFile,
} from "#src/payments/formats/file-format.ts";
import { type ExchangeBoard, factsOf } from "#src/payments/international/facts.ts";
import { derivedId, namedAccount, type PaymentDraft } from "#src/payments/order/payment-order.ts";
import type { PaymentConfig } from "#src/payments/payment-config.ts";
import {
  type KindRules,
  listFaults,
  locatedFaults,
  type RequestFault,
} from "#src/payments/request/checks.ts";
import type {
  MemberPaths,
  PaymentRequest,
  RequestMember,
} from "#src/payments/request/payment-request.ts";
import { chargesOf } from "#src/payments/request/tariff.ts";
import { FileTotals } from "./file-totals.ts";

/** An instruction that has passed every check, ready to become a payment. */
export type FileInstruction = {
  sequence: number;
  paymentId: string;
  draft: PaymentDraft;
  /** The TPP's own identifier, for reports. */
  instructionId: string | null;
  /** Its group in the file. */
  group: string;
  /** Everything that the file says about it; absent if the bank's core does not read that. */
  said?: FileEntry;
  /** What the file says about it and others; the same objects for each of them. */
  shared?: readonly FileEntry[];
};

/** The facts of a file. */
export type FileFacts = {
  messageId: string | null;
  count: number;
  totals: FileTotals;
  /** The account that the file names; null if it names none. */
  debtor: AccountReference | null;
  /**
   * The required currency of the debtor account, and where the file requires it; null if any will
   * do.
   */
  account: RequiredAccount | null;
};

/** The required currency of a file's account, and the first instruction that requires it. */
type RequiredAccount = { currency: string; path: string; line: number };

type Found = FoundInstruction<PaymentRow>;

type FileReaderOptions = {
  bank: Pick<Bank, "chargesOf" | "readsContext">;
  format: FileFormat<PaymentRow>;
  /** The consent that the file is uploaded to. */
  consentId: string;
  now: Temporal.Instant;
  config: PaymentConfig;
  /**
   * The consent's request: its local instrument applies to kinds that offer it, its debtor to all
   * payments.
   */
  request: PaymentRequest;
  /** The paths of the members of that request. */
  paths: MemberPaths;
  /** The bank's facts about currencies. */
  exchange: ExchangeBoard;
  /** The maximum number of instructions in a file. */
  limit: number;
};

// Enough to correct a file, and few enough to read in one response.
const mostFaults = 20;

/**
 * Reads a file while it arrives. Each instruction is checked against its kind's schema and the
 * bank's rules, and becomes the same draft as a single payment of its kind. The reader does no
 * input or output. It never throws for a fault of the file: `end` returns the faults.
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
  #debtor: { account: AccountReference; path: string } | null = null;
  #account: RequiredAccount | null = null;
  readonly #totals = new FileTotals();

  constructor(options: FileReaderOptions) {
    this.#options = options;
    this.#today = bankDate(options.now);
    const { bank, format, config, request, paths } = options;
    const named = namedAccount(request.debtor);
    if (named) this.#debtor = { account: named, path: paths.debtor ?? "" };
    const sink: FileSink<PaymentRow> = {
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
    this.#parser = format.openParser(sink, {
      today: this.#today,
      strictOas: config.STRICT_OAS,
      keepsAll: bank.readsContext === true,
    });
  }

  /** Whether reading on would find nothing new. */
  get broken(): boolean {
    return this.#broken;
  }

  write(bytes: Uint8Array): void {
    this.#guarded(() => this.#parser.write(bytes));
  }

  /** Returns the instructions that have been read since the last call. */
  take(): FileInstruction[] {
    const ready = this.#ready;
    this.#ready = [];
    return ready;
  }

  /** The number of these instructions. */
  get waiting(): number {
    return this.#ready.length;
  }

  /**
   * Returns the facts of the file and its faults. The facts are valid only if there are no faults.
   */
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
    // the same mistake is not reported 100,000 times
    if (this.#faults.length >= mostFaults) this.#broken = true;
  }

  #header({ messageId }: FileHeader): void {
    this.#messageId = messageId;
  }

  #instruction(found: Found): void {
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

  /**
   * Applies the consent's local instrument to instructions without one, if their kind offers it.
   */
  #withDefaults({ kind, request }: Found): PaymentRequest {
    const { localInstrument } = this.#options.request;
    if (localInstrument === null || request.localInstrument !== null) return request;
    return kind.localInstruments.includes(localInstrument)
      ? { ...request, localInstrument }
      : request;
  }

  #judge(found: Found, request: PaymentRequest): FileFault[] {
    const { now, config, exchange: board } = this.#options;
    const { paths } = found;
    const root = paths.order ?? "";
    const schemaFaults = found.faults.map((fault) => ({
      ...fault,
      path: fault.path === "" ? root : `${root}.${fault.path}`,
    }));
    const exchange = found.kind.currencies === "exchanged" ? factsOf(board, request) : null;
    const none = { debtor: null, contracts: [], schemeStatus: null };
    const checked = { kind: found.kind, request, now, config, exchange, ...none };
    const refusedRate = locatedFaults(checkRateOfDay(request), paths);
    const faults = listFaults([...schemaFaults, ...refusedRate], checked, paths)
      .filter(({ path }) => refusedRate.length === 0 || !isOfRate(path, paths))
      .map(({ code, path = root, message }) => ({
        code,
        path: found.pathOf(path.slice(root.length + 1)),
        message: atLine(found.line, message),
      }));
    // one element may contain several members
    if (faults.length > 0) return faults.filter(isFirstOfPath);
    return [...this.#checkDebtor(found, request), ...this.#checkAccount(found, request)];
  }

  /**
   * A file is paid from one account: every account that it names must be the same, and the
   * consent's.
   */
  #checkDebtor(found: Found, { debtor }: PaymentRequest): FileFault[] {
    const account = namedAccount(debtor);
    if (!account) return [];
    const path = pathIn(found, "debtor");
    this.#debtor ??= { account, path };
    if (isSameAccount(this.#debtor.account, account)) return [];
    const message =
      "All payments of a file must have the same debtor account. " +
      `Another debtor account is named at ${this.#debtor.path}.`;
    return [{ code: "U002", path, message: atLine(found.line, message) }];
  }

  /** All payments of a file must need the same currency of the account. */
  #checkAccount(found: Found, request: PaymentRequest): FileFault[] {
    const asked = accountCurrencyOf(found.kind, request);
    if (asked === null) return [];
    const path = pathIn(found, asked.member);
    const { currency } = asked;
    this.#account ??= { currency, path, line: found.line };
    const first = this.#account;
    if (first.currency === currency) return [];
    const message =
      `This payment needs an account in ${currency}; the payment on line ${first.line} needs an ` +
      `account in ${first.currency}. All payments of a file are made from one account.`;
    return [{ code: "U002", path, message: atLine(found.line, message) }];
  }

  #accept(found: Found, request: PaymentRequest): void {
    const { bank, consentId } = this.#options;
    const charges = chargesOf(bank, found.kind.id, request);
    const draft = this.#draft(found.kind, request, charges);
    this.#group.sum = this.#group.sum.plus(this.#totals.add(draft, charges));
    this.#ready.push({
      sequence: this.#count,
      paymentId: derivedId("pay", { of: "file", consentId, line: this.#count }),
      draft,
      instructionId: request.instructionId,
      group: found.group,
      ...(bank.readsContext ? { said: found.said(), shared: found.shared?.() ?? [] } : {}),
    });
  }

  #draft(kind: PaymentRow, request: PaymentRequest, charges: BankCharge[]): PaymentDraft {
    const { now, config } = this.#options;
    const plan = { kind, request, terms: { charges }, now, config };
    const [draft, more] = kind.shape.payments(plan);
    if (!draft || more) throw new Error(`a ${kind.id} in a file is one payment`);
    // an immediate payment is executed when the order arrives, not the file
    return kind.timing.when === "immediate" ? { ...draft, executeAt: null } : draft;
  }

  #checkTotals({ path, count, sum }: StatedTotals, found: { count: number; sum: Big }): void {
    // the totals of a file with faults are not checked
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

/** Whether a fault concerns a rate that a file must not have; another fault reports that rate. */
const isOfRate = (path: string | undefined, paths: MemberPaths): boolean =>
  path !== paths["rate.type"] && (path ?? "").startsWith(`${paths.rate}.`);

/** The place of an instruction's member in the file. */
function pathIn({ paths, pathOf }: Found, member: RequestMember): string {
  return pathOf((paths[member] ?? "").slice((paths.order ?? "").length + 1));
}

/**
 * Payments in a file use the rate of their day, because a customer cannot be shown a firm or an
 * agreed rate for each of thousands of payments. Source: P-126.
 */
function checkRateOfDay({ international }: PaymentRequest): RequestFault[] {
  const type = international?.rate?.type;
  if (type !== "Actual" && type !== "Agreed") return [];
  const message =
    "Payments in a file use the exchange rate of the day they are made. Leave the rate out, or " +
    "ask for an indicative rate.";
  return [{ code: "U002", member: "rate.type", message }];
}

/** The required currency of the debtor account, and the member that requires it. */
type AccountCurrency = { currency: string; member: RequestMember };

/**
 * The currency that a payment needs its account to be in; null if any will do. A domestic payment
 * needs an account in its own currency. An international payment needs one in the unit of its rate,
 * or in the currency of an amount that is not in the transfer currency.
 */
function accountCurrencyOf(
  { currencies }: Pick<KindRules, "currencies">,
  { amount, international }: PaymentRequest,
): AccountCurrency | null {
  const ordered = amount?.currency ?? "";
  const member = "amount.currency";
  if (currencies !== "exchanged") return { currency: ordered, member };
  const unit = international?.rate?.unitCurrency ?? null;
  if (unit !== null) return { currency: unit, member: "rate.unitCurrency" };
  return ordered === international?.transferCurrency ? null : { currency: ordered, member };
}
