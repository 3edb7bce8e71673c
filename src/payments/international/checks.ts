import type { Fault } from "#src/http/api-error.ts";
import type { Check } from "#src/payments/request/checks.ts";
import { hasMember, textAt } from "#src/payments/request/json-path.ts";
import { isBic } from "#src/standard/shared/account-schemes.ts";
import { isSameCountry } from "#src/standard/shared/iban-countries.ts";
import { destinationOf, isInSepa, networkOf, sepaBearers, swiftBearers } from "./destination.ts";
import {
  checkAmountCurrency,
  checkContract,
  checkCurrencies,
  checkRateType,
  checkUnitCurrency,
} from "./rate-checks.ts";

const initiation = "Data.Initiation";
const agent = `${initiation}.CreditorAgent`;

/** P-113: charges are borne as the network that the payment takes can do it. */
const checkChargeBearer: Check = ({ body }) => {
  const path = `${initiation}.ChargeBearer`;
  const bearer = textAt(body, path);
  const network = networkOf(body);
  const possible = network === "SWIFT" ? swiftBearers : sepaBearers;
  if (bearer === undefined || ![...swiftBearers, ...sepaBearers].includes(bearer)) return [];
  if (possible.includes(bearer)) return [];
  const message = `By ${network} charges can be ${possible.join(" or ")}.`;
  return [{ code: "U002", path, message }];
};

/** P-115: the creditor's bank is named by scheme and identification, or by name and address. */
const checkAgentNamed: Check = ({ body }) => {
  if (!hasMember(body, agent)) return [];
  const has = (member: string) => hasMember(body, `${agent}.${member}`);
  if ((has("SchemeName") && has("Identification")) || (has("Name") && has("PostalAddress"))) {
    return [];
  }
  const pairs = [
    ["SchemeName", "Identification"],
    ["Identification", "SchemeName"],
    ["Name", "PostalAddress"],
    ["PostalAddress", "Name"],
  ] as const;
  const [, missing] = pairs.find(([given]) => has(given)) ?? [null, "Identification"];
  const message = "Give SchemeName with Identification, or Name with PostalAddress.";
  return [{ code: "U001", path: `${agent}.${missing}`, message }];
};

/** The creditor's bank is named by a BIC of 8 or 11 characters. Source: digest 2.13. */
const checkAgentScheme: Check = ({ body }) => {
  const scheme = textAt(body, `${agent}.SchemeName`);
  const bic = textAt(body, `${agent}.Identification`);
  if (scheme === undefined) return [];
  if (scheme !== "UK.OBIE.BICFI") {
    const message = "The bank takes UK.OBIE.BICFI.";
    return [{ code: "U027", path: `${agent}.SchemeName`, message }];
  }
  if (bic === undefined || isBic(bic)) return [];
  const message = "A BIC has 8 or 11 capitals and digits.";
  return [{ code: "U021", path: `${agent}.Identification`, message }];
};

/** Account, bank and destination are in one country, and it is known which. */
const checkCountry: Check = (request) => {
  const { body } = request;
  const { country, accountCountry, agentCountry } = destinationOf(body);
  const said = textAt(body, `${initiation}.DestinationCountryCode`);
  const faults: Fault[] = [];
  if (accountCountry && agentCountry && !isSameCountry(accountCountry, agentCountry)) {
    const message = `The account is in ${accountCountry}, the bank in ${agentCountry}.`;
    faults.push({ code: "U002", path: `${agent}.Identification`, message });
  }
  if (said !== undefined && country !== null && !isSameCountry(said, country)) {
    const message = `The payment goes to ${country}.`;
    faults.push({ code: "U002", path: `${initiation}.DestinationCountryCode`, message });
  }
  if (country !== null) return faults;
  // a bank that is not named rightly cannot say
  const agentFaults = [...checkAgentNamed(request), ...checkAgentScheme(request)];
  if (!hasMember(body, agent) || agentFaults.length > 0) return faults;
  const message = "Neither the account nor its bank says which country the payment goes to.";
  return [...faults, { code: "U001", path: `${initiation}.DestinationCountryCode`, message }];
};

/** An account that is no IBAN needs its bank; the debtor's is one of this bank. */
const checkAccountNumbers: Check = ({ body }) => {
  const faults: Fault[] = [];
  const debtorScheme = textAt(body, `${initiation}.DebtorAccount.SchemeName`);
  if (debtorScheme === "UK.OBIE.BBAN") {
    const message = "Accounts of this bank have a sort code and number, and an IBAN.";
    faults.push({ code: "U027", path: `${initiation}.DebtorAccount.SchemeName`, message });
  }
  const account = `${initiation}.CreditorAccount`;
  if (textAt(body, `${account}.SchemeName`) !== "UK.OBIE.BBAN") return faults;
  if (!hasMember(body, agent)) {
    const message = "An account number that is no IBAN needs the creditor's bank.";
    faults.push({ code: "U001", path: agent, message });
  }
  const number = textAt(body, `${account}.Identification`) ?? "";
  if (/^[A-Z0-9]{1,34}$/.test(number)) return faults;
  const message = "An account number has up to 34 capitals and digits, with nothing between.";
  return [...faults, { code: "U021", path: `${account}.Identification`, message }];
};

/** SEPA carries euros between IBANs of its countries; what is urgent there is instant. */
const checkNetwork: Check = ({ body }) => {
  const path = `${initiation}.LocalInstrument`;
  const instrument = textAt(body, path) ?? "";
  if (!instrument.startsWith("UK.OBIE.SEPA")) return [];
  if (!isInSepa(body)) {
    const message = "SEPA carries euros to IBANs of its own countries.";
    return [{ code: "U002", path, message }];
  }
  const priority = `${initiation}.InstructionPriority`;
  if (instrument !== "UK.OBIE.SEPACreditTransfer" || textAt(body, priority) !== "Urgent") return [];
  const message = "What is urgent goes by UK.OBIE.SEPAInstantCreditTransfer.";
  return [{ code: "U005", path: priority, message }];
};

// Currencies that their countries let nobody else hold.
const homeOnly: Readonly<Record<string, readonly string[]>> = {
  CNY: ["CN", "HK", "MO"],
  INR: ["IN"],
};

/** A currency goes where it can be held. */
const checkCurrencyCountry: Check = ({ body }) => {
  const path = `${initiation}.CurrencyOfTransfer`;
  const currency = textAt(body, path) ?? "";
  const countries = Object.hasOwn(homeOnly, currency) ? homeOnly[currency] : undefined;
  const { country } = destinationOf(body);
  if (!countries || country === null || countries.includes(country)) return [];
  return [{ code: "U023", path, message: `${currency} reaches accounts in ${countries} only.` }];
};

/** What is checked of every kind that goes abroad, standing orders included. */
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

/** What is checked of the kinds that may ask for a rate besides. */
export const internationalChecks: readonly Check[] = [
  checkUnitCurrency,
  checkRateType,
  checkContract,
  ...crossBorderChecks,
];
