import { ApiError, type Fault } from "#src/http/api-error.ts";
import { type CompiledSchema, judge } from "#src/http/body/validate.ts";
import { formatDateTime, parseDateTime, toInstant } from "#src/lib/date-time.ts";
import {
  checkIdentification,
  identificationAdvice,
  schemeAdvice,
} from "#src/standard/shared/account-schemes.ts";

/** The account that a TPP names. */
type DebtorAccount = {
  SchemeName: string;
  Identification: string;
  Name?: string;
  SecondaryIdentification?: string;
  Proxy?: object;
};

/** A TPP's request for confirmations of funds as it was sent, without unknown members. */
export type FundsRequest = { DebtorAccount: DebtorAccount; ExpirationDateTime?: string };

/** The bank's account schemes: it does not know accounts by masked card numbers. Source: C-008 */
export const offeredSchemes = ["UK.OBIE.SortCodeAccountNumber", "UK.OBIE.IBAN"];

/**
 * Checks the body of a consent request against a version's schema and the rules of every version.
 * Returns only the account members listed in `members`. Throws an ApiError with all faults. Whether
 * the account exists is checked only after the customer has logged in. Source: C-002…C-015.
 */
export function parseFundsRequest(
  schema: CompiledSchema,
  members: readonly string[],
  body: unknown,
  now: Temporal.Instant,
): FundsRequest {
  const faults = judge(schema, body);
  if (faults.length > 0) throw new ApiError(400, faults);
  // checked against the schema above
  const { DebtorAccount: account, ExpirationDateTime } = (body as { Data: FundsRequest }).Data;
  const meant = [...findAccountFaults(account), ...findDateFaults(ExpirationDateTime, now)];
  if (meant.length > 0) throw new ApiError(400, meant);
  return {
    ...(ExpirationDateTime === undefined ? {} : { ExpirationDateTime }),
    DebtorAccount: pick(account, members),
  };
}

function findAccountFaults({ SchemeName, Identification }: DebtorAccount): Fault[] {
  const fault = (code: Fault["code"], member: string, message: string): Fault[] => [
    { code, path: `Data.DebtorAccount.${member}`, message },
  ];
  if (!offeredSchemes.includes(SchemeName)) {
    return fault("U027", "SchemeName", schemeAdvice(offeredSchemes, Identification));
  }
  if (checkIdentification(SchemeName, Identification) === true) return [];
  return fault("U021", "Identification", identificationAdvice(SchemeName, Identification));
}

function findDateFaults(text: string | undefined, now: Temporal.Instant): Fault[] {
  const expiry = expiryOf(text);
  if (expiry === null || Temporal.Instant.compare(expiry, now) > 0) return [];
  const message = `The expiry must be after the bank's time, ${now.toString({ smallestUnit: "second" })}.`;
  return [{ code: "U003", path: "Data.ExpirationDateTime", message }];
}

/**
 * Returns the instant of an ExpirationDateTime, or null if it is absent. A date-time without a time
 * zone is in UTC.
 */
export function expiryOf(text: string | undefined): Temporal.Instant | null {
  const parsed = text === undefined ? null : parseDateTime(text);
  return parsed && toInstant(parsed);
}

/**
 * Returns the request as a version shows it: the account with the version's members, and the date
 * in RFC 3339 with the offset that was sent. Source: C-011, C-012, C-105.
 */
export function renderFundsRequest(
  { DebtorAccount, ExpirationDateTime }: FundsRequest,
  members: readonly string[],
): object {
  const parsed = ExpirationDateTime === undefined ? null : parseDateTime(ExpirationDateTime);
  return {
    ...(parsed ? { ExpirationDateTime: formatDateTime(parsed) } : {}),
    DebtorAccount: pick(DebtorAccount, members),
  };
}

const pick = (account: DebtorAccount, members: readonly string[]): DebtorAccount =>
  Object.fromEntries(
    Object.entries(account).filter(([name]) => members.includes(name)),
  ) as DebtorAccount; // every version has the members that are required
