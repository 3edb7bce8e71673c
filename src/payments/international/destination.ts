import { textAt } from "#src/payments/request/json-path.ts";
import { isBic } from "#src/standard/shared/account-schemes.ts";
import { sepaCountries } from "#src/standard/shared/iban-countries.ts";

/** Where a payment goes, as far as its initiation says. */
export type Destination = {
  /** Two letters, by the account, else by its bank, else as the TPP says; null when nobody does. */
  country: string | null;
  /** By the account alone; null when its number does not say. */
  accountCountry: string | null;
  /** By the bank's BIC alone. */
  agentCountry: string | null;
  isIban: boolean;
};

const initiation = "Data.Initiation";

/** Reads where a payment goes from a body that may not have been judged. */
export function destinationOf(body: unknown): Destination {
  const at = (path: string) => textAt(body, `${initiation}.${path}`);
  const scheme = at("CreditorAccount.SchemeName");
  const identification = at("CreditorAccount.Identification") ?? "";
  const isIban = scheme === "UK.OBIE.IBAN";
  const bic = at("CreditorAgent.Identification");
  const agentCountry = bic !== undefined && isBic(bic) ? bic.slice(4, 6) : null;
  const home = scheme === "UK.OBIE.SortCodeAccountNumber" ? "GB" : null;
  const accountCountry = isIban ? identification.slice(0, 2) || null : home;
  const said = at("DestinationCountryCode") ?? at("CreditorAgent.PostalAddress.Country");
  return {
    country: accountCountry ?? agentCountry ?? said ?? null,
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
export const isInSepa = (body: unknown): boolean => {
  const { isIban, accountCountry } = destinationOf(body);
  return (
    isIban &&
    sepaCountries.has(accountCountry ?? "") &&
    textAt(body, `${initiation}.CurrencyOfTransfer`) === "EUR"
  );
};

/**
 * How a payment travels: as its local instrument says, else by SEPA where that reaches the payee
 * and can share charges as asked for, else by SWIFT.
 */
export function networkOf(body: unknown): "SEPA" | "SEPAInstant" | "SWIFT" {
  const named = instruments[textAt(body, `${initiation}.LocalInstrument`) ?? ""];
  if (named) return named;
  const urgent = textAt(body, `${initiation}.InstructionPriority`) === "Urgent";
  const bearer = textAt(body, `${initiation}.ChargeBearer`) ?? "FollowingServiceLevel";
  if (!isInSepa(body) || !sepaBearers.includes(bearer)) return "SWIFT";
  return urgent ? "SEPAInstant" : "SEPA";
}

/** How charges can be shared within SEPA: each pays its own bank. */
export const sepaBearers: readonly string[] = ["FollowingServiceLevel", "Shared"];

/** How they can be shared by SWIFT: there is no service level to follow. */
export const swiftBearers: readonly string[] = ["BorneByCreditor", "BorneByDebtor", "Shared"];
