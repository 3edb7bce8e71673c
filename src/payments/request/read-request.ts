import { type ParsedDateTime, parseDateTime } from "#src/lib/date-time.ts";
import { parseAmount } from "#src/lib/money.ts";
import { hasMember, numberAt, textAt } from "./json-path.ts";
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
  RequestedRate,
  RequestedUse,
  RequestMember,
  ScheduleRequest,
} from "./payment-request.ts";

/**
 * Reads a body whose members are at those paths. Never throws, so that a body with schema faults
 * can be read too. The format that calls this function reads the `reference`, which may be in
 * several members.
 */
export const readRequest = (
  body: unknown,
  paths: MemberPaths,
  reference: string | null,
): PaymentRequest => new RequestReader(body, paths).read(reference);

class RequestReader {
  readonly #body: unknown;
  readonly #paths: MemberPaths;

  constructor(body: unknown, paths: MemberPaths) {
    this.#body = body;
    this.#paths = paths;
  }

  read(reference: string | null): PaymentRequest {
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
      reference,
      executionDate: this.#date("executionDate"),
      authorisation: {
        type: this.#text("authorisation.type"),
        completion: this.#date("authorisation.completion"),
      },
      readsRefundAccount: this.#text("readsRefundAccount") === "Yes",
      schedule: this.#schedule(),
      international: this.#international(),
      file: this.#file(),
      limits: null, // they are a list, which a format reads
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
    if (!this.#has(member)) return null;
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
