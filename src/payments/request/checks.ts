import type { BankAccount, ExchangeContract } from "#src/bank/port.ts";
import type { VrpContract } from "#src/clients/vrp-contracts.ts";
import type { Fault } from "#src/http/api-error.ts";
import { toInstant } from "#src/lib/date-time.ts";
import { formatAmount, type Money, tooManyDecimals } from "#src/lib/money.ts";
import { hasCome, type Timing } from "#src/payments/calendar/timing.ts";
import type { PaymentConfig } from "#src/payments/payment-config.ts";
import {
  checkIdentification,
  identificationAdvice,
  schemeAdvice,
} from "#src/standard/shared/account-schemes.ts";
import { currencyCodes } from "#src/standard/shared/currency-codes.ts";
import type { SchemeStatus } from "#src/standard/shared/vrp-types.ts";
import type {
  AmountMember,
  MemberPaths,
  PaymentRequest,
  RequestedAmount,
  RequestMember,
} from "./payment-request.ts";

/** The part of a kind's row that the checks use. */
export type KindRules = {
  timing: Timing;
  /** Currencies that may be ordered; `exchanged` means those that the bank exchanges. */
  currencies: readonly string[] | "exchanged";
  /** Account schemes for debtors and creditors. */
  accountSchemes: readonly string[];
  localInstruments: readonly string[];
  /** The kind's own checks of a consent, in addition to those of every kind. */
  checks: readonly Check[];
};

/** The bank's facts about the currencies of a request that has not been checked yet. */
export type ExchangeFacts = {
  /** The currencies that can be exchanged and sent. */
  currencies: readonly string[];
  /** The named debtor account, if it belongs to this bank. */
  debtor: BankAccount | null;
  /** Whether several accounts have the named number. */
  isAmbiguous?: boolean;
  /** Whether the bank can quote a rate now, if Actual or Indicative was requested. */
  isQuoted: boolean;
  /** The contract of an Agreed rate; null if there is no such contract. */
  contract: ExchangeContract | null;
  /**
   * The limit for one payment, in the ordered currency; null if the bank quotes no rate for that
   * currency now. The amount is then refused, because it cannot be compared with the limit.
   */
  limit: Money | null;
};

/** A request with the facts that its checks need. */
export type CheckedRequest = {
  /** The kind; with the file formats that the bank accepts, if its payments are in files. */
  kind: KindRules & { fileFormats?: readonly { fileType: string }[] };
  request: PaymentRequest;
  now: Temporal.Instant;
  config: PaymentConfig;
  /** The named debtor account, if it belongs to this bank and its signatories matter. */
  debtor: BankAccount | "ambiguous" | null;
  /** Null unless the kind exchanges currencies. */
  exchange: ExchangeFacts | null;
  /** The contracts of the TPP, if the consent may need one. */
  contracts: readonly VrpContract[];
  /** The status of the TPP in the commercial scheme; null if it is not known. */
  schemeStatus: SchemeStatus | null;
};

/** A fault of a member of a request; `position` is that of an item, if it is in a list. */
export type RequestFault = {
  code: Fault["code"];
  member: RequestMember;
  position?: number;
  message: string;
};

/** A check of a request, in addition to its schema. */
export type Check = (request: CheckedRequest) => RequestFault[];

const amountMembers = ["amount", "recurringAmount", "finalAmount"] as const;
const accountMembers = ["debtor", "creditor"] as const;

/**
 * P-075…P-079, P-146: an amount is positive, has the decimals of its currency and is within
 * the bank's limit; the bank offers its currency, which is that of the first amount. The limit is
 * not checked here if a larger order is accepted and then rejected. Source: V-126.
 */
const amountCheck =
  ({ isLimited }: { isLimited: boolean }): Check =>
  (checked) =>
    amountMembers.flatMap((member) => {
      const amount = checked.request[member];
      return amount ? checkAmount(checked, member, amount, isLimited) : [];
    });

function checkAmount(
  { kind, request, config, exchange }: CheckedRequest,
  member: AmountMember,
  amount: RequestedAmount,
  isLimited: boolean,
): RequestFault[] {
  const { currency } = amount;
  if (currency === null || !/^[A-Z]{3}$/.test(currency)) return [];
  const wrongCurrency = (fault: Pick<RequestFault, "code" | "message">): RequestFault[] => [
    { ...fault, member: `${member}.currency` },
  ];
  const first = request.amount?.currency ?? currency;
  if (currency !== first) {
    const message = "All amounts of an order must have the same currency.";
    return wrongCurrency({ code: "U002", message });
  }
  const offered = kind.currencies === "exchanged" ? exchange?.currencies : kind.currencies;
  if (!offered?.includes(currency)) return wrongCurrency(notOffered(currency, offered));
  const limit =
    kind.currencies === "exchanged" ? exchange?.limit?.amountMinor : BigInt(config.PAYMENT_LIMIT);
  if (limit === undefined) {
    const message =
      `The bank quotes no rate for ${currency} at present, so it cannot compare the amount with ` +
      "its limit. Send the amount in another currency, or try again later.";
    return wrongCurrency({ code: "U023", message });
  }
  const message = amountWrong(amount, currency, isLimited ? limit : null);
  return message === null ? [] : [{ code: "U002", member: `${member}.text`, message }];
}

/** The fault of a currency that the bank does not offer, or that does not exist. */
export function notOffered(
  currency: string,
  offered: readonly string[] = [],
): Pick<RequestFault, "code" | "message"> {
  const allowed = `must be one of ${offered.join(", ")}.`;
  if (currencyCodes.has(currency)) return { code: "U023", message: `The currency ${allowed}` };
  const message = `${currency} is not a currency of ISO 4217. The currency ${allowed}`;
  return { code: "U002", message };
}

function amountWrong(
  { text, money }: RequestedAmount,
  currency: string,
  limit: bigint | null,
): string | null {
  // the schema has found any other fault in the text
  if (text === null || !/^\d{1,13}(\.\d{1,5})?$/.test(text)) return null;
  if (money === null) return tooManyDecimals(currency);
  if (money.amountMinor === 0n) return "The amount must be more than zero.";
  return limit === null || money.amountMinor <= limit ? null : aboveLimit(limit, currency);
}

/** The text about an amount above the bank's limit. */
export const aboveLimit = (limit: bigint, currency: string): string =>
  `A single payment may be at most ${formatAmount(limit, currency)} ${currency}.`;

/** P-080: the bank offers the local instrument. */
const checkLocalInstrument: Check = ({ kind, request: { localInstrument } }) => {
  if (localInstrument === null || kind.localInstruments.includes(localInstrument)) return [];
  const message = `The local instrument must be one of ${kind.localInstruments.join(", ")}.`;
  return [{ code: "U026", member: "localInstrument", message }];
};

/** P-081…P-084: accounts use a known scheme, and its format. */
const checkAccounts: Check = ({ kind, request }) =>
  accountMembers.flatMap((member): RequestFault[] => {
    const account = request[member];
    if (!account || account.schemeName === null) return [];
    const { schemeName, identification, secondaryIdentification } = account;
    if (!kind.accountSchemes.includes(schemeName)) {
      const message = schemeAdvice(kind.accountSchemes, identification);
      return [{ code: "U027", member: `${member}.schemeName`, message }];
    }
    if (identification !== null && checkIdentification(schemeName, identification) === false) {
      const message = identificationAdvice(schemeName, identification);
      return [{ code: "U021", member: `${member}.identification`, message }];
    }
    if (secondaryIdentification === null || withSecondary.includes(schemeName)) return [];
    const message = "Accounts of this scheme have no secondary identification: leave it out.";
    return [{ code: "U022", member: `${member}.secondaryIdentification`, message }];
  });

// A building society's roll number accompanies a sort code and account number.
const withSecondary: readonly string[] = ["UK.OBIE.SortCodeAccountNumber"];

/** For domestic kinds: an IBAN names an account in the United Kingdom. */
export const checkUkAccounts: Check = ({ request }) =>
  accountMembers.flatMap((member): RequestFault[] => {
    const { schemeName = null, identification = null } = request[member] ?? {};
    if (schemeName !== "UK.OBIE.IBAN" || identification === null) return [];
    if (identification.startsWith("GB")) return [];
    const message = "The accounts of a domestic payment must be in the United Kingdom.";
    return [{ code: "U021", member: `${member}.identification`, message }];
  });

/** P-089, P-131…P-134: the date of a payment is after today and within the horizon. */
export const checkExecutionDay: Check = ({ kind: { timing }, request: { executionDate }, now }) => {
  if (timing.when !== "onDate" || executionDate === null) return [];
  const today = now.toZonedDateTimeISO(executionDate.offset ?? "UTC").toPlainDate();
  const day = executionDate.local.toPlainDate();
  const fault = (message: string): RequestFault[] => [
    { code: "U003", member: "executionDate", message },
  ];
  if (timing.optional) {
    if (Temporal.PlainDate.compare(day, today) < 0)
      return fault(`The payment date must not be before ${today}, the bank's today.`);
  } else if (
    hasCome(toInstant(executionDate), now) ||
    Temporal.PlainDate.compare(day, today) <= 0
  ) {
    return fault(`The payment date must be after ${today}, the bank's today.`);
  }
  const last = today.add({ days: timing.horizonDays });
  if (Temporal.PlainDate.compare(day, last) <= 0) return [];
  return fault(`The payment date must be ${last} or earlier.`);
};

/** P-091: the time by which the authorisation must be complete is in the future. */
const checkCompletion: Check = ({ request: { authorisation }, now }) => {
  const { completion } = authorisation;
  if (completion === null || !hasCome(toInstant(completion), now)) return [];
  const message =
    "The time for completing the authorisation has passed: the bank's time is " +
    `${now.toString({ smallestUnit: "second" })}.`;
  return [{ code: "U003", member: "authorisation.completion", message }];
};

/** P-084: a number that several accounts share needs its secondary identification. */
const checkDebtorNumber: Check = ({ debtor, exchange }) => {
  if (debtor !== "ambiguous" && !exchange?.isAmbiguous) return [];
  return [{ code: "U022", member: "debtor.secondaryIdentification", message: ambiguousDebtor }];
};

/** The text about a debtor account whose number several accounts of the bank have. */
export const ambiguousDebtor =
  "Several accounts have this number: name the account's roll number in SecondaryIdentification, " +
  "with the scheme UK.OBIE.SortCodeAccountNumber.";

/** P-092, D-401-25: the named debtor account has the requested number of signatories. */
const checkAuthorisationType: Check = ({ request: { authorisation }, debtor }) => {
  const { type } = authorisation;
  if (debtor === null || debtor === "ambiguous" || fitsAuthorisationType(type, debtor)) return [];
  const message =
    type === "Single"
      ? "AuthorisationType must not be Single: this account needs several signatories."
      : "AuthorisationType must not be Multiple: this account needs only one signatory.";
  return [{ code: "U002", member: "authorisation.type", message }];
};

/**
 * Whether the number of signatories of an account fits AuthorisationType; null allows any number.
 */
export function fitsAuthorisationType(type: string | null, account: BankAccount): boolean {
  if (type === "Single") return account.signatoriesRequired === 1;
  return type !== "Multiple" || account.signatoriesRequired > 1;
}

/**
 * The checks of an order that states its own payment, because its consent has only limits. An
 * amount above the bank's own limit passes them. Source: V-126.
 */
export const paymentChecks: readonly Check[] = [
  amountCheck({ isLimited: false }),
  checkLocalInstrument,
  checkAccounts,
];

/** The checks of the consents of every kind, in the order in which faults are listed. */
const commonChecks: readonly Check[] = [
  amountCheck({ isLimited: true }),
  checkLocalInstrument,
  checkAccounts,
  checkExecutionDay,
  checkCompletion,
  checkDebtorNumber,
  checkAuthorisationType,
];

/**
 * Lists the faults of a consent request, those of its schema first: one fault per member, with
 * the member's path in the format. Source: P-071.
 */
export function listFaults(
  schemaFaults: readonly Fault[],
  checked: CheckedRequest,
  paths: MemberPaths,
): Fault[] {
  const found = [...schemaFaults];
  for (const check of [...commonChecks, ...checked.kind.checks]) {
    for (const fault of locatedFaults(check(checked), paths)) {
      if (!found.some((earlier) => earlier.path === fault.path)) found.push(fault);
    }
  }
  return found;
}

/** Gives faults the paths that the TPP knows: those of the format. */
export const locatedFaults = (faults: readonly RequestFault[], paths: MemberPaths): Fault[] =>
  faults.map(({ code, member, position, message }) => {
    const path = paths[member];
    if (path === undefined) return { code, message };
    return { code, path: path.replace("[]", `[${position}]`), message };
  });
