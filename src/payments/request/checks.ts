import type { BankAccount } from "#src/bank/port.ts";
import type { Fault } from "#src/http/api-error.ts";
import { parseDateTime, toInstant } from "#src/lib/date-time.ts";
import { formatAmount, parseAmount } from "#src/lib/money.ts";
import { hasCome } from "#src/payments/calendar/timing.ts";
import type { PaymentConfig } from "#src/payments/deps.ts";
import type { ExchangeFacts } from "#src/payments/international/facts.ts";
import type { PaymentKind } from "#src/payments/kinds/payment-kind.ts";
import { checkIdentification } from "#src/standard/shared/account-schemes.ts";
import { currencyCodes } from "#src/standard/shared/currency-codes.ts";
import { textAt } from "./json-path.ts";

/** A consent request as it came in: a check reads members by path and leaves wrong types alone. */
export type CheckedRequest = {
  kind: PaymentKind;
  body: unknown;
  now: Temporal.Instant;
  config: PaymentConfig;
  /** The named debtor account, when it is one of this bank and its signatories matter. */
  debtor: BankAccount | null;
  /** Of kinds whose currencies are exchanged. */
  exchange: ExchangeFacts | null;
};

/** One thing that may be wrong with a request beyond its schema. */
export type Check = (request: CheckedRequest) => Fault[];

const initiation = "Data.Initiation";

/**
 * P-075…P-079, P-146: an amount is positive, fits its currency and the limit; its currency is
 * offered, and that of the first.
 */
const checkAmounts: Check = ({ kind, body, config, exchange }) =>
  kind.amounts.flatMap((member): Fault[] => {
    const path = `${initiation}.${member}`;
    const amount = textAt(body, `${path}.Amount`);
    const currency = textAt(body, `${path}.Currency`);
    if (currency === undefined || !/^[A-Z]{3}$/.test(currency)) return [];
    const first = textAt(body, `${initiation}.${kind.amounts[0]}.Currency`);
    if (first !== undefined && currency !== first) {
      const message = "The amounts of an order are in one currency.";
      return [{ code: "U002", path: `${path}.Currency`, message }];
    }
    if (!currencyCodes.has(currency)) {
      const message = `${currency} is not a currency of ISO 4217.`;
      return [{ code: "U002", path: `${path}.Currency`, message }];
    }
    const offered = kind.currencies === "exchanged" ? exchange?.currencies : kind.currencies;
    if (!offered?.includes(currency)) {
      const message = `Payments of this kind are made in ${offered?.join(", ")}.`;
      return [{ code: "U023", path: `${path}.Currency`, message }];
    }
    const limit = exchange?.limit?.amountMinor ?? BigInt(config.PAYMENT_LIMIT);
    const wrong = amount !== undefined && amountWrong(amount, currency, limit);
    return wrong ? [{ code: "U002", path: `${path}.Amount`, message: wrong }] : [];
  });

function amountWrong(amount: string, currency: string, limit: bigint): string | null {
  if (!/^\d{1,13}(\.\d{1,5})?$/.test(amount)) return null; // the schema's to say
  const minor = parseAmount(amount, currency);
  if (minor === null) return `${currency} has fewer decimals than that.`;
  if (minor === 0n) return "The amount must be more than zero.";
  if (minor <= limit) return null;
  return `A single payment may be at most ${formatAmount(limit, currency)} ${currency}.`;
}

/** P-080: the local instrument is one that the bank offers. */
const checkLocalInstrument: Check = ({ kind, body }) => {
  const path = `${initiation}.LocalInstrument`;
  const instrument = textAt(body, path);
  if (instrument === undefined || kind.localInstruments.includes(instrument)) return [];
  const message = `The bank offers ${kind.localInstruments.join(", ")}.`;
  return [{ code: "U026", path, message }];
};

/** P-081…P-084: accounts are named in a scheme that the bank knows, and as that scheme has it. */
const checkAccounts: Check = ({ kind, body }) =>
  ["DebtorAccount", "CreditorAccount"].flatMap((member): Fault[] => {
    const path = `${initiation}.${member}`;
    const scheme = textAt(body, `${path}.SchemeName`);
    if (scheme === undefined) return [];
    if (!kind.accountSchemes.includes(scheme)) {
      const message = `The bank takes ${kind.accountSchemes.join(", ")}.`;
      return [{ code: "U027", path: `${path}.SchemeName`, message }];
    }
    const identification = textAt(body, `${path}.Identification`);
    if (identification !== undefined && checkIdentification(scheme, identification) === false) {
      const message = "The identification is not of that scheme's form.";
      return [{ code: "U021", path: `${path}.Identification`, message }];
    }
    const secondary = textAt(body, `${path}.SecondaryIdentification`);
    if (secondary === undefined || withSecondary.includes(scheme)) return [];
    const message = "Accounts of this scheme have no secondary identification.";
    return [{ code: "U022", path: `${path}.SecondaryIdentification`, message }];
  });

// A building society's roll number stands beside a sort code and account number.
const withSecondary: readonly string[] = ["UK.OBIE.SortCodeAccountNumber"];

/** For kinds that stay in the country: an IBAN names an account in the United Kingdom. */
export const checkUkAccounts: Check = ({ body }) =>
  ["DebtorAccount", "CreditorAccount"].flatMap((member): Fault[] => {
    const path = `${initiation}.${member}`;
    const iban = textAt(body, `${path}.SchemeName`) === "UK.OBIE.IBAN";
    const identification = textAt(body, `${path}.Identification`);
    if (!iban || identification === undefined || identification.startsWith("GB")) return [];
    const message = "Domestic payments reach accounts in the United Kingdom only.";
    return [{ code: "U021", path: `${path}.Identification`, message }];
  });

/** P-089, P-131…P-134: a payment on a day is for a day after today and within the horizon. */
export const checkExecutionDay: Check = ({ kind, body, now }) => {
  if (kind.timing.when !== "onDate") return [];
  const path = `${initiation}.${kind.timing.field}`;
  const parsed = parseDateTime(textAt(body, path) ?? "");
  if (!parsed) return [];
  const today = now.toZonedDateTimeISO(parsed.offset ?? "UTC").toPlainDate();
  const day = parsed.local.toPlainDate();
  const fault = (message: string): Fault[] => [{ code: "U003", path, message }];
  if (kind.timing.optional) {
    if (Temporal.PlainDate.compare(day, today) < 0) return fault("The day lies in the past.");
  } else if (hasCome(toInstant(parsed), now) || Temporal.PlainDate.compare(day, today) <= 0) {
    return fault("The day of execution must lie after today.");
  }
  const last = today.add({ days: kind.timing.horizonDays });
  if (Temporal.PlainDate.compare(day, last) <= 0) return [];
  return fault(`The day of execution may be ${last} at the latest.`);
};

/** P-091: the time by which the authorisation is to be complete has not passed. */
const checkCompletion: Check = ({ body, now }) => {
  const path = "Data.Authorisation.CompletionDateTime";
  const parsed = parseDateTime(textAt(body, path) ?? "");
  if (!parsed || !hasCome(toInstant(parsed), now)) return [];
  const message = "The time for completing the authorisation has passed.";
  return [{ code: "U003", path, message }];
};

/** P-092, D-401-25: the named debtor account has as many signatories as was asked for. */
const checkAuthorisationType: Check = ({ body, debtor }) => {
  const path = "Data.Authorisation.AuthorisationType";
  const type = textAt(body, path);
  if (debtor === null || fitsAuthorisationType(type, debtor)) return [];
  const message =
    type === "Single"
      ? "Payments from this account need several signatories."
      : "Payments from this account need one signatory only.";
  return [{ code: "U002", path, message }];
};

/** Whether payments from an account need as many signatories as the type says; absent is any. */
export function fitsAuthorisationType(type: unknown, account: BankAccount): boolean {
  if (type === "Single") return account.signatoriesRequired === 1;
  return type !== "Multiple" || account.signatoriesRequired > 1;
}

/** What is checked of every kind's consent, in the order that faults are listed. */
export const commonChecks: readonly Check[] = [
  checkAmounts,
  checkLocalInstrument,
  checkAccounts,
  checkExecutionDay,
  checkCompletion,
  checkAuthorisationType,
];

/**
 * All faults of a consent request, of its schema and of the checks: one for each member.
 * Source: P-071.
 */
export function listFaults(schemaFaults: readonly Fault[], request: CheckedRequest): Fault[] {
  const found = [...schemaFaults];
  for (const check of [...commonChecks, ...request.kind.checks]) {
    for (const fault of check(request)) {
      if (!found.some((earlier) => earlier.path === fault.path)) found.push(fault);
    }
  }
  return found;
}
