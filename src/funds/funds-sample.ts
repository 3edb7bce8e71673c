/**
 * The sample request bodies in the API reference, by operation id. The account belongs to a sandbox
 * customer, who can approve the consent.
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
