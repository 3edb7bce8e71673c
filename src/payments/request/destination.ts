import { isBic } from "#src/standard/shared/account-schemes.ts";
import { sepaCountries } from "#src/standard/shared/iban-countries.ts";
import type { PaymentRequest } from "./payment-request.ts";

/** The destination of a payment, as far as its request shows it. */
type Destination = {
  /**
   * Two letters: the country of the account, or otherwise of its bank, or otherwise as the TPP gave
   * it; null if unknown.
   */
  country: string | null;
  /** The country of the account; null if its number does not show it. */
  accountCountry: string | null;
  /** The country of the bank's BIC. */
  agentCountry: string | null;
  isIban: boolean;
};

/** Returns the destination of a payment. */
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

/** Whether SEPA can carry the payment: euros, to an IBAN in a SEPA country. */
export const isInSepa = (request: PaymentRequest): boolean => {
  const { isIban, accountCountry } = destinationOf(request);
  return (
    isIban &&
    sepaCountries.has(accountCountry ?? "") &&
    request.international?.transferCurrency === "EUR"
  );
};

/**
 * Selects the network of a payment: the one of its local instrument; otherwise SEPA if it reaches
 * the payee and can share the charges as requested; otherwise SWIFT.
 */
export function networkOf(request: PaymentRequest): "SEPA" | "SEPAInstant" | "SWIFT" {
  const { localInstrument, international } = request;
  const named = instruments[localInstrument ?? ""];
  if (named) return named;
  const bearer = international?.chargeBearer ?? "FollowingServiceLevel";
  if (!isInSepa(request) || !sepaBearers.includes(bearer)) return "SWIFT";
  return international?.isUrgent ? "SEPAInstant" : "SEPA";
}

/** The ways to share charges within SEPA, where each side pays its own bank. */
export const sepaBearers: readonly string[] = ["FollowingServiceLevel", "Shared"];

/** The ways to share charges through SWIFT, which has no service level. */
export const swiftBearers: readonly string[] = ["BorneByCreditor", "BorneByDebtor", "Shared"];
