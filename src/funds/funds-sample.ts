/**
 * The bodies that the API reference starts from, by operation id. The account is that of a customer
 * of the sandbox, who can approve the consent.
 */
export const fundsSamples: Readonly<Record<string, object>> = {
  CreateFundsConfirmationConsents: {
    Data: {
      DebtorAccount: {
        SchemeName: "UK.OBIE.SortCodeAccountNumber",
        Identification: "00100168372990",
        Name: "Amara Okafor",
      },
    },
  },
  CreateFundsConfirmations: {
    Data: {
      ConsentId: "",
      Reference: "Purchase 1",
      InstructedAmount: { Amount: "20.00", Currency: "GBP" },
    },
  },
};
