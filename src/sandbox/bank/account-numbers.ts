/** The sandbox bank's code in IBANs and its BIC: no real bank has it. */
export const bankCode = "ALDG";

/**
 * The first digits of the sandbox bank's sort codes. No real bank's sort code begins with 00, so a
 * payment that leaves a sandbox by mistake finds no account.
 */
export const ownSortCodePrefix = "0010";

/**
 * Check digits and all: the IBAN of a sort code and account number (14 digits) at this bank, or at
 * the one with that code (four letters).
 */
export const ibanOf = (sortCodeAccountNumber: string, bank: string = bankCode): string =>
  ibanFrom("GB", `${bank}${sortCodeAccountNumber}`);

/** The IBAN of a country's account number. Source: ISO 13616, ISO 7064 MOD 97-10. */
export function ibanFrom(country: string, basic: string): string {
  // A = 10 … Z = 35, and 98 less the remainder
  const letters = `${basic}${country}00`;
  const digits = letters.replace(/[A-Z]/g, (letter) => `${letter.charCodeAt(0) - 55}`);
  const check = 98n - (BigInt(digits) % 97n);
  return `${country}${check.toString().padStart(2, "0")}${basic}`;
}

/** Whether an account is said to be in this bank, whether or not there is such an account. */
export function isOwnIdentification({
  schemeName,
  identification,
}: {
  schemeName: string;
  identification: string;
}): boolean {
  if (schemeName === "UK.OBIE.SortCodeAccountNumber") {
    return identification.startsWith(ownSortCodePrefix);
  }
  return schemeName === "UK.OBIE.IBAN" && identification.startsWith(bankCode, 4);
}
