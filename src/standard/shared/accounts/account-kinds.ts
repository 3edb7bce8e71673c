/** What the bank's pages and the rules of payments need to know of a kind of account. */
type Row = {
  /** The kind in a customer's words, for an account without a nickname. */
  label: string;
  /**
   * The kind with its article, if payments cannot be made from it. Source: FCA PERG section 15.3
   */
  notForPayments?: string;
};

/**
 * Every kind of account, in no version's words: the one list of the port to a bank's core, of the
 * feed and of both versions' words. v3.1 has no word for those of the second group; v4.0 has one
 * word for several cards and wallets of the first. Source: E-026, E-027.
 */
export const accountKinds = {
  ChargeCard: { label: "Charge card", notForPayments: "a charge card account" },
  CreditCard: { label: "Credit card", notForPayments: "a credit card account" },
  CurrentAccount: { label: "Current account" },
  EMoney: { label: "E-money account" },
  Loan: { label: "Loan", notForPayments: "a loan account" },
  Mortgage: { label: "Mortgage", notForPayments: "a mortgage account" },
  PrePaidCard: { label: "Prepaid card" },
  Savings: { label: "Savings" },
  Wallet: { label: "Wallet" },
  CashIncome: { label: "Income account" },
  CashPayment: { label: "Cash account" },
  CashTrading: { label: "Trading account" },
  Charges: { label: "Charges account", notForPayments: "an account for charges" },
  ClearingParticipantSettlement: {
    label: "Clearing account",
    notForPayments: "a clearing account",
  },
  Commission: { label: "Commission account" },
  LimitedLiquiditySavings: {
    label: "Notice savings",
    notForPayments: "a savings account with limited withdrawals",
  },
  MarginalLending: { label: "Lending account", notForPayments: "a lending account" },
  MoneyMarket: { label: "Money market account" },
  NonResidentExternal: { label: "Non-resident account" },
  NonResidentForeignCurrency: { label: "Non-resident currency account" },
  Other: { label: "Account" },
  Overdraft: { label: "Overdraft", notForPayments: "an overdraft account" },
  OvernightDeposit: { label: "Overnight deposit" },
  Salary: { label: "Salary account" },
  Settlement: { label: "Settlement account" },
  Tax: { label: "Tax account" },
  Transacting: { label: "Transaction account" },
  Virtual: { label: "Virtual account" },
} as const satisfies Record<string, Row>;

/** A kind of account. */
export type AccountKind = keyof typeof accountKinds;

/** What is known of a kind of account. */
export const aboutKind = (kind: AccountKind): Row => accountKinds[kind];
