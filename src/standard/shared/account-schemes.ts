import { ibanLengths } from "./iban-countries.ts";

/**
 * 6 digits of sort code and 8 of account number, with nothing between. Source: PISP profile,
 * Identifier Fields.
 */
export const isSortCodeAccountNumber = (identification: string): boolean =>
  /^[0-9]{14}$/.test(identification);

/**
 * An IBAN in capitals without spaces, with the length of its country and valid check digits.
 * Source: ISO 13616, IBAN structure; ISO 7064, MOD 97-10.
 */
export function isIban(identification: string): boolean {
  if (!hasIbanForm(identification)) return false;
  let remainder = 0;
  for (const character of identification.slice(4) + identification.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1;
}

const hasIbanForm = (identification: string): boolean =>
  /^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$/.test(identification) &&
  ibanLengths.get(identification.slice(0, 2)) === identification.length;

/**
 * A card number of 12 to 19 digits with a valid check digit. Source: ISO/IEC 7812, Luhn check
 * digit.
 */
function isPan(identification: string): boolean {
  if (!/^[0-9]{12,19}$/.test(identification)) return false;
  let sum = 0;
  for (let index = 0; index < identification.length; index += 1) {
    const digit = Number(identification.at(-1 - index));
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/**
 * A bank's code of 8 characters, or 11 with its branch. Source: ISO 9362, BIC structure; PISP
 * profile, Identifier Fields.
 */
export const isBic = (identification: string): boolean =>
  /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/.test(identification);

const isAnything = (identification: string): boolean => identification.trim() !== "";

/**
 * A format of identifications: a check, and the words for what it wants; `hint` says more about a
 * wrong identification.
 */
type IdentificationFormat = {
  check(identification: string): boolean;
  words: string;
  hint?(identification: string): string;
};

const anyText: IdentificationFormat = { check: isAnything, words: "a text that is not empty" };

/**
 * The standard's account schemes, each with what an identification must look like. Which of them a
 * bank supports is its own matter. Source: PISP profile, Identifier Fields;
 * OBInternalAccountIdentification4Code.
 */
const accountSchemes: Readonly<Record<string, IdentificationFormat>> = {
  "UK.OBIE.BBAN": anyText,
  "UK.OBIE.IBAN": {
    check: isIban,
    words:
      "an IBAN in capitals without spaces, with the length of its country and valid check digits",
    hint: (identification) =>
      hasIbanForm(identification)
        ? " Its form and length are right, but the check digits, its third and fourth characters, " +
          "do not fit the other characters."
        : "",
  },
  "UK.OBIE.PAN": {
    check: isPan,
    words: "a card number of 12 to 19 digits with a valid check digit",
  },
  "UK.OBIE.Paym": anyText,
  "UK.OBIE.SortCodeAccountNumber": {
    check: isSortCodeAccountNumber,
    words: "14 digits: the sort code and the account number, without hyphens or spaces",
  },
  "UK.OBIE.Wallet": anyText,
};

/** Whether an identification has the format of its scheme; null if the scheme is unknown. */
export const checkIdentification = (schemeName: string, identification: string): boolean | null =>
  formatOf(schemeName)?.check(identification) ?? null;

/** What to do about an identification that has another format than its scheme. */
export function identificationAdvice(schemeName: string, identification: string): string {
  const { words, hint } = formatOf(schemeName) ?? { words: "valid" };
  return `For ${schemeName}, the identification must be ${words}.${hint?.(identification) ?? ""}`;
}

/** What to do about a scheme that is not offered: the identification may show which one it has. */
export function schemeAdvice(offered: readonly string[], identification: string | null): string {
  const fitting = offered.filter(
    (name) => identification !== null && checkIdentification(name, identification) === true,
  );
  const hint = fitting.length === 1 ? ` The identification has the form of ${fitting[0]}.` : "";
  return `The scheme must be one of ${offered.join(", ")}.${hint}`;
}

const formatOf = (schemeName: string): IdentificationFormat | undefined =>
  Object.hasOwn(accountSchemes, schemeName) ? accountSchemes[schemeName] : undefined;
