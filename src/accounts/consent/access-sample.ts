/** The bodies that the API reference starts from, by operation id. */
export const accountSamples: Readonly<Record<string, object>> = {
  CreateAccountAccessConsents: {
    Data: {
      Permissions: [
        "ReadAccountsDetail",
        "ReadBalances",
        "ReadBeneficiariesDetail",
        "ReadDirectDebits",
        "ReadOffers",
        "ReadParty",
        "ReadPartyPSU",
        "ReadProducts",
        "ReadScheduledPaymentsDetail",
        "ReadStandingOrdersDetail",
        "ReadStatementsDetail",
        "ReadTransactionsCredits",
        "ReadTransactionsDebits",
        "ReadTransactionsDetail",
      ],
    },
    Risk: {},
  },
};
