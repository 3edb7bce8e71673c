import type { PaymentRequest } from "#src/payments/request/payment-request.ts";
import { isBic } from "#src/standard/shared/account-schemes.ts";
import { sepaCountries } from "#src/standard/shared/iban-countries.ts";

/** Where a payment goes, as far as its request says. */
export type Destination = {
  /**
   * Two letters: of the account, otherwise of its bank, otherwise as the TPP says; null if unknown.
   */
  country: string | null;
  /** Of the account alone; null if its number does not show the country. */
  accountCountry: string | null;
  /** Of the bank's BIC alone. */
  agentCountry: string | null;
  isIban: boolean;
};

/** Works out where a payment goes. */
export function destinationOf({ creditor, international }: PaymentRequest): Destination {
  const scheme = creditor?.schemeName;
  const isIban = scheme === "UK.OBIE.IBAN";
  const bic = international?.agent?.identification ?? null;
  const agentCountry = bic !== null && isBic(bic) ? bic.slice(4, 6) : null;
  const home = scheme === "UK.OBIE.SortCodeAccountNumber" ? "GB" : null;
  const accountCountry = isIban ? (creditor?.identification ?? "").slice(0, 2) || null : home;
  const said = international?.destinationCountry ?? international?.agent?.country ?? null;
  return {
    country: accountCountry ?? agentCountry ?? said,
    accountCountry,
    agentCountry,
    isIban,
  };
}

const instruments: Readonly<Record<string, "SEPA" | "SEPAInstant" | "SWIFT">> = {
  "UK.OBIE.SEPACreditTransfer": "SEPA",
  "UK.OBIE.SEPAInstantCreditTransfer": "SEPAInstant",
  "UK.OBIE.SWIFT": "SWIFT",
};

/** Whether SEPA reaches the payee: an IBAN in one of its countries, and euros. */
export const isInSepa = (request: PaymentRequest): boolean => {
  const { isIban, accountCountry } = destinationOf(request);
  return (
    isIban &&
    sepaCountries.has(accountCountry ?? "") &&
    request.international?.transferCurrency === "EUR"
  );
};

/**
 * How a payment travels: as its local instrument says, otherwise by SEPA if SEPA reaches the payee
 * and can share charges as requested, otherwise by SWIFT.
 */
export function networkOf(request: PaymentRequest): "SEPA" | "SEPAInstant" | "SWIFT" {
  const { localInstrument, international } = request;
  const named = instruments[localInstrument ?? ""];
  if (named) return named;
  const bearer = international?.chargeBearer ?? "FollowingServiceLevel";
  if (!isInSepa(request) || !sepaBearers.includes(bearer)) return "SWIFT";
  return international?.isUrgent ? "SEPAInstant" : "SEPA";
}

/** How charges can be shared within SEPA: each side pays its own bank. */
export const sepaBearers: readonly string[] = ["FollowingServiceLevel", "Shared"];

/** How charges can be shared by SWIFT, which has no service level to follow. */
export const swiftBearers: readonly string[] = ["BorneByCreditor", "BorneByDebtor", "Shared"];
