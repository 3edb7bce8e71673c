import { ibanFrom } from "#src/sandbox/bank/account-numbers.ts";

/** Payees in other countries, by their currency. */
export const payees = {
  EUR: {
    payee: {
      SchemeName: "UK.OBIE.IBAN",
      Identification: ibanFrom("DE", "009900990099000001"),
      Name: "Kaffeerösterei Lindenau",
    },
  },
  USD: {
    payee: { SchemeName: "UK.OBIE.BBAN", Identification: "000099000001", Name: "Bright Harbor" },
    CreditorAgent: { SchemeName: "UK.OBIE.BICFI", Identification: "NONEUS33" },
  },
};
