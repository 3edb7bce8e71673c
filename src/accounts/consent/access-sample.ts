/** The bodies that the API reference starts from, by operation id. */
export const accountSamples: Readonly<Record<string, object>> = {
  CreateAccountAccessConsents: {
    Data: {
      Permissions: [
        "ReadAccountsDetail",
        "ReadBalances",
        "ReadTransactionsCredits",
        "ReadTransactionsDebits",
        "ReadTransactionsDetail",
      ],
    },
    Risk: {},
  },
};
