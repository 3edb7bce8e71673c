/** The sandbox bank's code in IBANs and in its BIC. No real bank has this code. */
const bankCode = "ALDG";

/** The sandbox bank's BIC. */
export const ownBic = `${bankCode}GB2L`;

/**
 * The first digits of the sandbox bank's sort codes. No real bank's sort code begins with 00, so a
 * payment that leaves a sandbox by mistake finds no account.
 */
export const ownSortCodePrefix = "0010";

/**
 * Returns the IBAN, with check digits, of a sort code and account number (14 digits) at this bank
 * or at the bank with the given code (four letters).
 */
export const ibanOf = (sortCodeAccountNumber: string, bank: string = bankCode): string =>
  ibanFrom("GB", `${bank}${sortCodeAccountNumber}`);

/**
 * Returns the IBAN of a national account number. Source: ISO 13616, IBAN structure; ISO 7064, MOD
 * 97-10.
 */
export function ibanFrom(country: string, basic: string): string {
  // letters become numbers from A = 10 to Z = 35; the check digits are 98 minus the remainder
  const letters = `${basic}${country}00`;
  const digits = letters.replace(/[A-Z]/g, (letter) => `${letter.charCodeAt(0) - 55}`);
  const check = 98n - (BigInt(digits) % 97n);
  return `${country}${check.toString().padStart(2, "0")}${basic}`;
}

/** Whether an identification belongs to this bank, even if there is no such account. */
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
