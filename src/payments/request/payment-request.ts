import type { ParsedDateTime } from "#src/lib/date-time.ts";
import type { Money } from "#src/lib/money.ts";
import type { Frequency } from "#src/standard/shared/v4/frequency.ts";

// How a request is read: the schema of the wire checks the body, the wire reads it into a
// `PaymentRequest` (read-request.ts), and checks.ts lists what else is wrong with it. Everything
// after that (matching, summaries, charges, the engine's payments) uses the request, never the
// body. tariff.ts asks the bank for its charges, match.ts compares an order with its consent, and
// refusals.ts words what several operations refuse. A check names a neutral member, and the wire
// has its path in the body that the TPP sent.

/**
 * What any version of any kind asks for. A member is null if the TPP left it out, or if it does not
 * have its type: then the schema has found that fault, and checks leave the member alone.
 */
export type PaymentRequest = {
  instructionId: string | null;
  endToEndId: string | null;
  localInstrument: string | null;
  /** What is paid: each time, or the first time if the amount changes. */
  amount: RequestedAmount | null;
  /** What is paid from the second time, and the last time, of kinds that pay more than once. */
  recurringAmount: RequestedAmount | null;
  finalAmount: RequestedAmount | null;
  /** The account that the TPP named to be debited; null lets the customer choose. */
  debtor: RequestedAccount | null;
  creditor: RequestedAccount | null;
  /** What the creditor sees. */
  reference: string | null;
  /** The date of the payment, or of the first one; the bank uses it as written, in its offset. */
  executionDate: ParsedDateTime | null;
  authorisation: {
    /** `Any`, `Single` or `Multiple`. */
    type: string | null;
    /** When the authorisation must be complete. */
    completion: ParsedDateTime | null;
  };
  readsRefundAccount: boolean;
  schedule: ScheduleRequest | null;
  international: InternationalRequest | null;
  file: FileRequest | null;
  /** Of a consent that is used within limits. */
  limits: RequestedLimits | null;
};

/** An amount as the TPP wrote it, and its value. */
export type RequestedAmount = {
  text: string | null;
  currency: string | null;
  /** Null if the text is not an amount, or not one that the currency can express. */
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
  frequency: Frequency | null;
  recurringDate: ParsedDateTime | null;
  finalDate: ParsedDateTime | null;
  /** As digits. */
  numberOfPayments: string | null;
};

/** What an international payment asks for beside the rest. */
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

/** An exchange rate as the TPP asked for it. */
export type RequestedRate = {
  unitCurrency: string | null;
  /** `Actual`, `Agreed` or `Indicative`. */
  type: string | null;
  value: number | null;
  contractId: string | null;
};

/** How much the orders of a consent may pay. */
export type RequestedLimits = {
  /** The most that one payment may be. */
  single: RequestedAmount | null;
  /** The most that all payments of a period may add up to, for each period that has a limit. */
  periods: readonly {
    /** `Day`, `Week`, `Month` and so on. */
    type: string | null;
    /** Whether a period begins with the calendar's or with the consent: `Calendar`, `Consent`. */
    alignment: string | null;
    amount: RequestedAmount;
  }[];
};

/** What a consent announces of the file that will be uploaded to it. */
export type FileRequest = {
  type: string | null;
  hash: string | null;
  reference: string | null;
  numberOfTransactions: string | null;
  controlSum: number | null;
};

/** A member of a request by its neutral name: what a check names when the member is wrong. */
export type RequestMember =
  | "order"
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
  | `frequency.${"Type" | "CountPerPeriod" | "PointInTime"}`
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
  | `limits.${string}`
  | `file.${"type" | "hash" | "reference" | "numberOfTransactions" | "controlSum"}`;

/** The members that are amounts. */
export type AmountMember = "amount" | "recurringAmount" | "finalAmount";

/** The members that are accounts. */
export type AccountMember = "debtor" | "creditor";

/** The path of each member in the body of a wire; a kind has no member that is not listed. */
export type MemberPaths = { readonly [Member in RequestMember]?: string };
