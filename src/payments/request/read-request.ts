import { type ParsedDateTime, parseDateTime } from "#src/lib/date-time.ts";
import { parseAmount } from "#src/lib/money.ts";
import type {
  AccountMember,
  AmountMember,
  FileRequest,
  InternationalRequest,
  MemberPaths,
  PaymentRequest,
  RequestedAccount,
  RequestedAgent,
  RequestedAmount,
  RequestedLimits,
  RequestedRate,
  RequestedUse,
  RequestMember,
  ScheduleRequest,
} from "./payment-request.ts";

// Paths are constants of the code, so there are few, and reading a file of payments uses each very
// often.
const split = new Map<string, readonly string[]>();

function namesOf(path: string): readonly string[] {
  const known = split.get(path);
  if (known) return known;
  const names = path.split(".");
  split.set(path, names);
  return names;
}

/**
 * Returns the string at a dotted path (`Data.Initiation.LocalInstrument`), or undefined if there is
 * none or it is not a string. For bodies that no schema has checked yet; never throws.
 */
export function textAt(root: unknown, path: string): string | undefined {
  const value = valueAt(root, path);
  return typeof value === "string" ? value : undefined;
}

/** Returns the number at a dotted path in the same way. */
export function numberAt(root: unknown, path: string): number | undefined {
  const value = valueAt(root, path);
  return typeof value === "number" ? value : undefined;
}

/** The name below `Data` of the part that has the member at a path: `Initiation`. */
export const partOf = (path: string): string => namesOf(path)[1] ?? "";

/** The values at a dotted path in which `[]` is each item of a list: none if there is no list. */
export function valuesAt(root: unknown, path: string): unknown[] {
  const end = path.indexOf("[]");
  if (end < 0) return [valueAt(root, path)].filter((value) => value !== undefined);
  const list = valueAt(root, path.slice(0, end));
  const items: unknown[] = Array.isArray(list) ? list : [];
  const rest = path.slice(end + "[].".length);
  return rest === "" ? items : items.flatMap((item) => valuesAt(item, rest));
}

/** The texts among the values at such a path. */
export const textsAt = (root: unknown, path: string): string[] =>
  valuesAt(root, path).filter((value) => typeof value === "string");

/** The first text at one of these paths, in their order; null if there is none. */
export function firstTextAt(root: unknown, paths: readonly string[]): string | null {
  for (const path of paths) {
    const [text] = textsAt(root, path);
    if (text !== undefined) return text;
  }
  return null;
}

/** Whether there is a value at a dotted path. */
export const hasMember = (root: unknown, path: string): boolean =>
  valueAt(root, path) !== undefined;

/** The value at a dotted path, or undefined if there is none. */
export function valueAt(root: unknown, path: string): unknown {
  let value = root;
  for (const name of namesOf(path)) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return;
    value = (value as Record<string, unknown>)[name]; // an object that has the member
  }
  return value;
}

/**
 * Reads a body whose members are at those paths. Never throws, so that a body with schema faults
 * can be read too.
 */
export const readRequest = (body: unknown, paths: MemberPaths): PaymentRequest =>
  new RequestReader(body, paths).read();

/** The members of limits that are amounts. */
type LimitMember = "limits.single" | "limits.periods";

class RequestReader {
  readonly #body: unknown;
  readonly #paths: MemberPaths;

  constructor(body: unknown, paths: MemberPaths) {
    this.#body = body;
    this.#paths = paths;
  }

  read(): PaymentRequest {
    return {
      consentId: this.#text("consentId"),
      instructionId: this.#text("instructionId"),
      endToEndId: this.#text("endToEndId"),
      localInstrument: this.#text("localInstrument"),
      amount: this.#amount("amount"),
      recurringAmount: this.#amount("recurringAmount"),
      finalAmount: this.#amount("finalAmount"),
      debtor: this.#account("debtor"),
      creditor: this.#account("creditor"),
      reference: this.#text("reference"),
      executionDate: this.#date("executionDate"),
      authorisation: {
        type: this.#text("authorisation.type"),
        completion: this.#date("authorisation.completion"),
      },
      readsRefundAccount: this.#text("readsRefundAccount") === "Yes",
      schedule: this.#schedule(),
      international: this.#international(),
      file: this.#file(),
      limits: this.#limits(),
      use: this.#use(),
    };
  }

  #text(member: RequestMember): string | null {
    const path = this.#paths[member];
    return path === undefined ? null : (textAt(this.#body, path) ?? null);
  }

  #use(): RequestedUse | null {
    if (this.#paths["use.type"] === undefined) return null;
    return {
      type: this.#text("use.type"),
      authentication: this.#text("use.authentication"),
      interaction: this.#text("use.interaction"),
    };
  }

  #number(member: RequestMember): number | null {
    const path = this.#paths[member];
    return path === undefined ? null : (numberAt(this.#body, path) ?? null);
  }

  /** A number that is written as text, with at most 15 digits. */
  #count(member: RequestMember): number | null {
    const text = this.#text(member);
    return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
  }

  #has(member: RequestMember): boolean {
    const path = this.#paths[member];
    return path !== undefined && hasMember(this.#body, path);
  }

  #date(member: RequestMember): ParsedDateTime | null {
    const text = this.#text(member);
    return text === null ? null : parseDateTime(text);
  }

  #amount(member: AmountMember): RequestedAmount | null {
    return this.#has(member) ? this.#amountBelow(member) : null;
  }

  #amountBelow(member: AmountMember | LimitMember): RequestedAmount {
    const text = this.#text(`${member}.text`);
    const currency = this.#text(`${member}.currency`);
    if (text === null || currency === null) return { text, currency, money: null };
    const amountMinor = parseAmount(text, currency);
    return { text, currency, money: amountMinor === null ? null : { amountMinor, currency } };
  }

  #account(member: AccountMember): RequestedAccount | null {
    if (!this.#has(member)) return null;
    return {
      schemeName: this.#text(`${member}.schemeName`),
      identification: this.#text(`${member}.identification`),
      name: this.#text(`${member}.name`),
      secondaryIdentification: this.#text(`${member}.secondaryIdentification`),
    };
  }

  #schedule(): ScheduleRequest | null {
    if (this.#paths["frequency.type"] === undefined) return null;
    return {
      frequency: null, // each version has its own notation, which a format reads
      recurringDate: this.#date("recurringDate"),
      finalDate: this.#date("finalDate"),
      numberOfPayments: this.#numberOfPayments(),
      mandate: null, // only some versions have them
      remittance: null,
    };
  }

  #limits(): RequestedLimits | null {
    if (!this.#has("limits")) return null;
    return {
      validFrom: this.#date("limits.validFrom"),
      validTo: this.#date("limits.validTo"),
      single: this.#has("limits.single") ? this.#amountBelow("limits.single") : null,
      periods: this.#items("limits.periods").map((period) => ({
        type: period.#text("limits.periods.type"),
        alignment: period.#text("limits.periods.alignment"),
        amount: period.#amountBelow("limits.periods"),
      })),
      uses: {
        type: this.#texts("limits.uses.type"),
        authentication: this.#texts("limits.uses.authentication"),
        interaction: this.#texts("limits.uses.interaction"),
      },
      risk: {
        context: this.#text("limits.risk.context"),
        accountType: this.#text("limits.risk.accountType"),
      },
    };
  }

  /** The texts of a list; null if there is no such list. */
  #texts(member: RequestMember): string[] | null {
    const list = valueAt(this.#body, (this.#paths[member] ?? "").replace("[]", ""));
    return Array.isArray(list) ? list.filter((item) => typeof item === "string") : null;
  }

  /** The items of a list, each with a reader of the members whose paths go through the list. */
  #items(member: RequestMember): RequestReader[] {
    const list = this.#paths[member] ?? "";
    const below = Object.entries<string | undefined>(this.#paths).flatMap(([name, path]) =>
      path?.startsWith(`${list}.`) ? [[name, path.slice(list.length + 1)]] : [],
    );
    const paths: MemberPaths = Object.fromEntries(below);
    return valuesAt(this.#body, list).map((item) => new RequestReader(item, paths));
  }

  #numberOfPayments(): ScheduleRequest["numberOfPayments"] {
    const text = this.#text("numberOfPayments");
    if (text === null) return null;
    return /^0*[1-9]\d{0,3}$/.test(text) ? Number(text) : "invalid";
  }

  #international(): InternationalRequest | null {
    if (this.#paths.transferCurrency === undefined) return null;
    return {
      transferCurrency: this.#text("transferCurrency"),
      isUrgent: this.#text("priority") === "Urgent",
      chargeBearer: this.#text("chargeBearer"),
      purpose: this.#text("purpose"),
      destinationCountry: this.#text("destinationCountry"),
      agent: this.#agent(),
      rate: this.#rate(),
    };
  }

  #agent(): RequestedAgent | null {
    if (!this.#has("agent")) return null;
    return {
      schemeName: this.#text("agent.schemeName"),
      identification: this.#text("agent.identification"),
      name: this.#text("agent.name"),
      hasAddress: this.#has("agent.address"),
      country: this.#text("agent.country"),
    };
  }

  #rate(): RequestedRate | null {
    if (!this.#has("rate")) return null;
    return {
      unitCurrency: this.#text("rate.unitCurrency"),
      type: this.#text("rate.type"),
      value: this.#number("rate.value"),
      contractId: this.#text("rate.contractId"),
    };
  }

  #file(): FileRequest | null {
    if (this.#paths["file.type"] === undefined) return null;
    return {
      type: this.#text("file.type"),
      hash: this.#text("file.hash"),
      reference: this.#text("file.reference"),
      numberOfTransactions: this.#count("file.numberOfTransactions"),
      controlSum: this.#number("file.controlSum"),
    };
  }
}
