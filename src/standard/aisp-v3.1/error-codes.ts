/**
 * The v3.1 name of each code of ours. Codes that v3.1 has no word for stand in our own namespace.
 * Source: digest 3.16 and D-12; namespaced enumerations, OBErrorResponseError1Code.
 */
export const errorNames: Readonly<Record<string, string>> = {
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
  AG08: "GB.Aldgate.AccessDenied",
};

/** The names that the published file lists; a bank may have more under its own namespace. */
export const publishedErrorNames: readonly string[] = Object.values(errorNames)
  .filter((name) => name.startsWith("UK.OBIE.") && name !== "UK.OBIE.Rules.ResourceAlreadyExists")
  .sort();

/** The v3.1 name of a code. */
export const errorName = (code: string): string => errorNames[code] ?? `GB.Aldgate.${code}`;
