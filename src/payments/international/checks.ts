import type { Check, RequestFault } from "#src/payments/request/checks.ts";
import {
  destinationOf,
  isInSepa,
  networkOf,
  sepaBearers,
  swiftBearers,
} from "#src/payments/request/destination.ts";
import { isBic } from "#src/standard/shared/account-schemes.ts";
import { isSameCountry } from "#src/standard/shared/iban-countries.ts";
import {
  checkAmountCurrency,
  checkContract,
  checkCurrencies,
  checkRateType,
  checkUnitCurrency,
} from "./rate-checks.ts";

/** P-113: charges are shared in a way that the payment's network supports. */
const checkChargeBearer: Check = ({ request }) => {
  const bearer = request.international?.chargeBearer ?? null;
  const network = networkOf(request);
  const possible = network === "SWIFT" ? swiftBearers : sepaBearers;
  if (bearer === null || ![...swiftBearers, ...sepaBearers].includes(bearer)) return [];
  if (possible.includes(bearer)) return [];
  const message = `ChargeBearer must be ${possible.join(" or ")} for a payment through ${network}.`;
  return [{ code: "U002", member: "chargeBearer", message }];
};

/** P-115: the creditor's bank is named by scheme and identification, or by name and address. */
const checkAgentNamed: Check = ({ request }) => {
  const agent = request.international?.agent ?? null;
  if (agent === null) return [];
  const has = {
    schemeName: agent.schemeName !== null,
    identification: agent.identification !== null,
    name: agent.name !== null,
    address: agent.hasAddress,
  };
  if ((has.schemeName && has.identification) || (has.name && has.address)) return [];
  const pairs = [
    ["schemeName", "identification"],
    ["identification", "schemeName"],
    ["name", "address"],
    ["address", "name"],
  ] as const;
  const [, missing] = pairs.find(([given]) => has[given]) ?? [null, "identification" as const];
  const message = "Send SchemeName with Identification, or Name with PostalAddress.";
  return [{ code: "U001", member: `agent.${missing}`, message }];
};

/** The creditor's bank is named by a BIC of 8 or 11 characters. Source: P-115. */
const checkAgentScheme: Check = ({ request }) => {
  const { schemeName = null, identification: bic = null } = request.international?.agent ?? {};
  if (schemeName === null) return [];
  if (schemeName !== "UK.OBIE.BICFI") {
    return [{ code: "U027", member: "agent.schemeName", message: "Send UK.OBIE.BICFI." }];
  }
  if (bic === null || isBic(bic)) return [];
  const message = "A BIC must have 8 or 11 characters, all capital letters or digits.";
  return [{ code: "U021", member: "agent.identification", message }];
};

/** Account, bank and destination are in one country, and that country is known. */
const checkCountry: Check = (checked) => {
  const { request } = checked;
  const { country, accountCountry, agentCountry } = destinationOf(request);
  const said = request.international?.destinationCountry ?? null;
  const faults: RequestFault[] = [];
  if (accountCountry && agentCountry && !isSameCountry(accountCountry, agentCountry)) {
    const message = `The account is in ${accountCountry}, but the bank is in ${agentCountry}.`;
    faults.push({ code: "U002", member: "agent.identification", message });
  }
  if (said !== null && country !== null && !isSameCountry(said, country)) {
    const message = `DestinationCountryCode must be ${country}, the country of the account or its bank.`;
    faults.push({ code: "U002", member: "destinationCountry", message });
  }
  if (country !== null) return faults;
  // a bank with an invalid identification does not show its country
  const agentFaults = [...checkAgentNamed(checked), ...checkAgentScheme(checked)];
  if (!request.international?.agent || agentFaults.length > 0) return faults;
  const message =
    "Send DestinationCountryCode: neither the account nor its bank shows the country of the " +
    "payment.";
  return [...faults, { code: "U001", member: "destinationCountry", message }];
};

/**
 * An account without an IBAN needs its bank, and the debtor account must be an account of this
 * bank.
 */
const checkAccountNumbers: Check = ({ request: { debtor, creditor, international } }) => {
  const faults: RequestFault[] = [];
  if (debtor?.schemeName === "UK.OBIE.BBAN") {
    const message = "Identify an account of this bank by sort code and account number, or by IBAN.";
    faults.push({ code: "U027", member: "debtor.schemeName", message });
  }
  if (creditor?.schemeName !== "UK.OBIE.BBAN") return faults;
  if (!international?.agent) {
    const message = "CreditorAgent is mandatory for an account number that is not an IBAN.";
    faults.push({ code: "U001", member: "agent", message });
  }
  if (/^[A-Z0-9]{1,34}$/.test(creditor.identification ?? "")) return faults;
  const message =
    "An account number must have 1 to 34 capital letters and digits, without separators.";
  return [...faults, { code: "U021", member: "creditor.identification", message }];
};

/** A SEPA payment is in euros and between IBANs of SEPA countries; an urgent one is instant. */
const checkNetwork: Check = ({ request }) => {
  const instrument = request.localInstrument ?? "";
  if (!instrument.startsWith("UK.OBIE.SEPA")) return [];
  if (!isInSepa(request)) {
    const message = "A SEPA payment must be in euros and go to an IBAN in a SEPA country.";
    return [{ code: "U002", member: "localInstrument", message }];
  }
  const isUrgent = request.international?.isUrgent ?? false;
  if (instrument !== "UK.OBIE.SEPACreditTransfer" || !isUrgent) return [];
  const message = "An urgent SEPA payment must use UK.OBIE.SEPAInstantCreditTransfer.";
  return [{ code: "U005", member: "priority", message }];
};

// Currencies that can be held only in these countries.
const homeOnly: Readonly<Record<string, readonly string[]>> = {
  CNY: ["CN", "HK", "MO"],
  INR: ["IN"],
};

/** The country of the payee allows the currency. */
const checkCurrencyCountry: Check = ({ request }) => {
  const currency = request.international?.transferCurrency ?? "";
  const countries = Object.hasOwn(homeOnly, currency) ? homeOnly[currency] : undefined;
  const { country } = destinationOf(request);
  if (!countries || country === null || countries.includes(country)) return [];
  const message = `${currency} can be sent only to accounts in ${countries.join(", ")}.`;
  return [{ code: "U023", member: "transferCurrency", message }];
};

/** The checks of every international kind, including standing orders. */
export const crossBorderChecks: readonly Check[] = [
  checkCurrencies,
  checkAmountCurrency,
  checkChargeBearer,
  checkAgentNamed,
  checkAgentScheme,
  checkAccountNumbers,
  checkCountry,
  checkNetwork,
  checkCurrencyCountry,
];

/** The further checks of kinds that may request a rate. */
export const internationalChecks: readonly Check[] = [
  checkUnitCurrency,
  checkRateType,
  checkContract,
  ...crossBorderChecks,
];
