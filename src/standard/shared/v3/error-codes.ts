import type { ErrorTable } from "#src/standard/api-version.ts";
import type { FaultCode } from "#src/standard/faults.ts";
import { makeErrorTable } from "#src/standard/shared/error-table.ts";

/** The v3.1 names of our codes. Source: namespaced enumerations, OBErrorResponseError1Code. */
export const errorNames = {
  U000: "UK.OBIE.UnexpectedError",
  U001: "UK.OBIE.Field.Expected",
  U002: "UK.OBIE.Field.Invalid",
  U003: "UK.OBIE.Field.InvalidDate",
  U004: "UK.OBIE.Field.Missing",
  U005: "UK.OBIE.Field.Unexpected",
  U006: "UK.OBIE.Header.Invalid",
  U007: "UK.OBIE.Header.Missing",
  U008: "UK.OBIE.Resource.ConsentMismatch",
  U009: "UK.OBIE.Resource.InvalidConsentStatus",
  U010: "UK.OBIE.Resource.InvalidFormat",
  U011: "UK.OBIE.Resource.NotFound",
  U012: "UK.OBIE.Rules.AfterCutOffDateTime",
  U013: "UK.OBIE.Rules.DuplicateReference",
  U014: "UK.OBIE.Rules.FailsControlParameters",
  U015: "UK.OBIE.Signature.Invalid",
  U016: "UK.OBIE.Signature.InvalidClaim",
  U017: "UK.OBIE.Signature.MissingClaim",
  U018: "UK.OBIE.Signature.Malformed",
  U019: "UK.OBIE.Signature.Missing",
  U020: "UK.OBIE.Signature.Unexpected",
  U021: "UK.OBIE.Unsupported.AccountIdentifier",
  U022: "UK.OBIE.Unsupported.AccountSecondaryIdentifier",
  U023: "UK.OBIE.Unsupported.Currency",
  U025: "UK.OBIE.Unsupported.Frequency",
  U026: "UK.OBIE.Unsupported.LocalInstrument",
  U027: "UK.OBIE.Unsupported.Scheme",
  U028: "UK.OBIE.Reauthenticate",
  U029: "UK.OBIE.Rules.ResourceAlreadyExists",
} as const satisfies Partial<Record<FaultCode, string>>;

/** The names that only the file of variable recurring payments lists. */
const paymentErrorNames: readonly string[] = [errorNames.U014, errorNames.U029];

/** Every published name, as the file of variable recurring payments lists them. */
export const allErrorNames: readonly string[] = Object.values(errorNames).sort();

/**
 * The names that the other published files list; a bank may have more under its own namespace.
 */
export const publishedErrorNames: readonly string[] = allErrorNames.filter(
  (name) => !paymentErrorNames.includes(name),
);

/** The names of faults in a file, for which v3.1 has no more exact ones. */
const namesOfFiles: Partial<Record<FaultCode, string>> = {
  FF01: errorNames.U002,
  AM10: errorNames.U002,
  AM18: errorNames.U002,
};

const accessDenied = "GB.Aldgate.AccessDenied";

/**
 * The v3.1 names and messages of faults. v3.1 has only one code for a 403, which asks the customer
 * to authenticate, and no code for some of our faults. In these cases the code is in our own
 * namespace. Source: A-127, D-12.
 */
export const errorTable: ErrorTable = makeErrorTable((code, row) => {
  const names: Partial<Record<FaultCode, string>> = errorNames;
  const known = code === "AG08" ? accessDenied : (names[code] ?? namesOfFiles[code]);
  const name = known ?? `GB.Aldgate.${code}`;
  const isDenied = known !== undefined && code !== "U028";
  return {
    name,
    text: row?.text ?? name,
    codeAt: (status) => (status === 403 && isDenied ? accessDenied : name),
  };
});
