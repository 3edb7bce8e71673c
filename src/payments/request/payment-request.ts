import type { ParsedDateTime } from "#src/lib/date-time.ts";
import type { Money } from "#src/lib/money.ts";
import type { Mandate, Remittance } from "#src/standard/shared/mandate.ts";
import type { OpenRhythm } from "#src/standard/shared/rhythm.ts";

// How a request is read: the format reads a body once into a `PaymentRequest` (read-request.ts),
// whether or not the body matches its schema. For a consent, checks.ts lists the faults of the
// schema together with what else is wrong. An order that does not match its schema is refused for
// that alone. Everything after that (summaries, charges, the engine's payments) uses the request.
// Only match.ts uses bodies: it compares that of an order with that of its consent. tariff.ts asks
// the bank for its charges, and refusals.ts words what several operations refuse. A check names a
// neutral member, and the format has its path in the body that the TPP sent.

/**
 * A payment request, independent of kind and version. A member is null if the TPP left it out or if
 * it has the wrong type. In that case the schema has found the fault, and checks ignore the member.
 */
export type PaymentRequest = {
  /** The consent that an order names; null in the request for a consent. */
  consentId: string | null;
  instructionId: string | null;
  endToEndId: string | null;
  localInstrument: string | null;
  /** The amount of each payment, or of the first one if the amount changes. */
  amount: RequestedAmount | null;
  /**
   * The amounts from the second payment on, and of the last payment, for kinds with several
   * payments.
   */
  recurringAmount: RequestedAmount | null;
  finalAmount: RequestedAmount | null;
  /** The account that the TPP named to be debited; null lets the customer choose. */
  debtor: RequestedAccount | null;
  creditor: RequestedAccount | null;
  /** The reference that the creditor sees. */
  reference: string | null;
  /** The date of the payment, or of the first one; the bank uses it as written, in its offset. */
  executionDate: ParsedDateTime | null;
  authorisation: {
    /** `Any`, `Single` or `Multiple`. */
    type: string | null;
    /** The deadline for the authorisation. */
    completion: ParsedDateTime | null;
  };
  readsRefundAccount: boolean;
  schedule: ScheduleRequest | null;
  international: InternationalRequest | null;
  file: FileRequest | null;
  /** The limits of a consent that allows several orders. */
  limits: RequestedLimits | null;
  /** How an order of such a consent comes about; null for all other requests. */
  use: RequestedUse | null;
};

/** How a payment comes about, in the standard's words. */
export type RequestedUse = {
  /** The type of the payment, such as `UK.OBIE.VRPType.Sweeping`. */
  type: string | null;
  /** Whether the TPP authenticated the customer for it: `UK.OBIE.SCANotRequired`. */
  authentication: string | null;
  /** Whether the customer was present at the TPP: `InSession`, `OffSession`. */
  interaction: string | null;
};

/** An amount as the TPP wrote it, and its value. */
export type RequestedAmount = {
  text: string | null;
  currency: string | null;
  /** Null if the text is not an amount, or has too many decimals for the currency. */
  money: Money | null;
};

/** An account as the TPP named it. */
export type RequestedAccount = {
  schemeName: string | null;
  identification: string | null;
  name: string | null;
  secondaryIdentification: string | null;
};

/** When payments recur; the date of the first one is the request's `executionDate`. */
export type ScheduleRequest = {
  frequency: RequestedFrequency | null;
  recurringDate: ParsedDateTime | null;
  finalDate: ParsedDateTime | null;
  /** From 1 to 9999; `invalid` if the TPP sent another text. */
  numberOfPayments: number | "invalid" | null;
  /** What the TPP says about the mandate and the payments, for account information to show. */
  mandate: Mandate | null;
  remittance: Remittance | null;
};

/** How often payments recur, as a format reads it from its own notation. */
export type RequestedFrequency = {
  /** The rhythm, or why the bank offers none. */
  read: { rhythm: OpenRhythm } | { fault: FrequencyFault };
  /**
   * The fault of a notation that the version has superseded, for a bank that does not accept it;
   * null for a current notation.
   */
  superseded: FrequencyFault | null;
  /** Whether the request says how many payments each period has. */
  hasCount: boolean;
};

/** A fault of a frequency. */
export type FrequencyFault = {
  code: "U002" | "U005" | "U025";
  member: FrequencyMember;
  message: string;
};

/** The members of a frequency. */
type FrequencyMember = `frequency.${"type" | "perPeriod" | "pointInTime"}`;

/** The further members of an international payment. */
export type InternationalRequest = {
  transferCurrency: string | null;
  isUrgent: boolean;
  chargeBearer: string | null;
  purpose: string | null;
  destinationCountry: string | null;
  /** The creditor's bank; null if it is not named. */
  agent: RequestedAgent | null;
  /** Null if no rate was requested. */
  rate: RequestedRate | null;
};

/** A creditor's bank as the TPP named it. */
export type RequestedAgent = {
  schemeName: string | null;
  identification: string | null;
  name: string | null;
  hasAddress: boolean;
  country: string | null;
};

/** An exchange rate as the TPP requested it. */
export type RequestedRate = {
  unitCurrency: string | null;
  /** `Actual`, `Agreed` or `Indicative`. */
  type: string | null;
  value: number | null;
  contractId: string | null;
};

/** The limits of the orders of a consent. */
export type RequestedLimits = {
  /** The first and the last date on which it may be used, as written; null is open. */
  validFrom: ParsedDateTime | null;
  validTo: ParsedDateTime | null;
  /** The limit for one payment. */
  single: RequestedAmount | null;
  /** The limit for the sum of a period's payments, for each limited period. */
  periods: readonly {
    /** `Day`, `Week`, `Month` and so on. */
    type: string | null;
    /** Whether periods start with the calendar or with the consent: `Calendar`, `Consent`. */
    alignment: string | null;
    amount: RequestedAmount;
  }[];
  /** The ways in which its payments may come about; null is any. */
  uses: { readonly [Member in keyof RequestedUse]: readonly string[] | null };
  /** What the TPP says about the payments, for the bank's judgement of their risk. */
  risk: { context: string | null; accountType: string | null };
};

/** The announced facts of the file that will be uploaded to a consent. */
export type FileRequest = {
  type: string | null;
  hash: string | null;
  reference: string | null;
  numberOfTransactions: number | null;
  controlSum: number | null;
};

/** The neutral name of a member of a request, with which a check reports a fault. */
export type RequestMember =
  | "order"
  | "consentId"
  | "reference"
  | "instructionId"
  | "endToEndId"
  | "localInstrument"
  | AmountMember
  | `${AmountMember}.${"text" | "currency"}`
  | AccountMember
  | `${AccountMember}.${"schemeName" | "identification" | "secondaryIdentification" | "name"}`
  | "executionDate"
  | "authorisation.type"
  | "authorisation.completion"
  | "readsRefundAccount"
  | FrequencyMember
  | "recurringDate"
  | "finalDate"
  | "numberOfPayments"
  | "transferCurrency"
  | "priority"
  | "chargeBearer"
  | "purpose"
  | "destinationCountry"
  | "agent"
  | `agent.${"schemeName" | "identification" | "name" | "address" | "country"}`
  | "rate"
  | `rate.${"unitCurrency" | "type" | "value" | "contractId"}`
  | "limits"
  | `limits.${string}`
  | `use.${keyof RequestedUse}`
  | `file.${"type" | "hash" | "reference" | "numberOfTransactions" | "controlSum"}`;

/** The members that are amounts. */
export type AmountMember = "amount" | "recurringAmount" | "finalAmount";

/** The members that are accounts. */
export type AccountMember = "debtor" | "creditor";

/**
 * The path of each member in the bodies of a format. A kind has only the listed members. `[]` is
 * where the position of an item belongs.
 */
export type MemberPaths = { readonly [Member in RequestMember]?: string };
