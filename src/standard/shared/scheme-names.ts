import { namespaced } from "./schema.ts";

/** How an account is identified. Source: OBInternalAccountIdentification4Code. */
export const accountScheme = namespaced([
  "UK.OBIE.BBAN",
  "UK.OBIE.IBAN",
  "UK.OBIE.PAN",
  "UK.OBIE.Paym",
  "UK.OBIE.SortCodeAccountNumber",
  "UK.OBIE.Wallet",
]);

/** How a bank is identified. Source: OBInternalFinancialInstitutionIdentification4Code. */
export const agentScheme = namespaced(["UK.OBIE.BICFI"]);
