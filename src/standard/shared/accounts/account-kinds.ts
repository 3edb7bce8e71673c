const groups = {
  current: "Current accounts",
  savings: "Savings",
  card: "Cards",
  money: "E-money and wallets",
  lending: "Loans and mortgages",
  other: "Other accounts",
} as const;

/** What the bank's pages and the rules of payments need to know of a kind of account. */
type AccountKindRow = {
  /** The kind in a customer's words, for an account without a nickname. */
  label: string;
  /** The heading of such accounts in a long list. */
  group: (typeof groups)[keyof typeof groups];
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
  ChargeCard: { group: groups.card, label: "Charge card", notForPayments: "a charge card account" },
  CreditCard: { group: groups.card, label: "Credit card", notForPayments: "a credit card account" },
  CurrentAccount: { group: groups.current, label: "Current account" },
  EMoney: { group: groups.money, label: "E-money account" },
  Loan: { group: groups.lending, label: "Loan", notForPayments: "a loan account" },
  Mortgage: { group: groups.lending, label: "Mortgage", notForPayments: "a mortgage account" },
  PrePaidCard: { group: groups.card, label: "Prepaid card" },
  Savings: { group: groups.savings, label: "Savings" },
  Wallet: { group: groups.money, label: "Wallet" },
  CashIncome: { group: groups.other, label: "Income account" },
  CashPayment: { group: groups.other, label: "Cash account" },
  CashTrading: { group: groups.other, label: "Trading account" },
  Charges: {
    group: groups.other,
    label: "Charges account",
    notForPayments: "an account for charges",
  },
  ClearingParticipantSettlement: {
    group: groups.other,
    label: "Clearing account",
    notForPayments: "a clearing account",
  },
  Commission: { group: groups.other, label: "Commission account" },
  LimitedLiquiditySavings: {
    group: groups.savings,
    label: "Notice savings",
    notForPayments: "a savings account with limited withdrawals",
  },
  MarginalLending: {
    group: groups.lending,
    label: "Lending account",
    notForPayments: "a lending account",
  },
  MoneyMarket: { group: groups.savings, label: "Money market account" },
  NonResidentExternal: { group: groups.current, label: "Non-resident account" },
  NonResidentForeignCurrency: { group: groups.current, label: "Non-resident currency account" },
  Other: { group: groups.other, label: "Account" },
  Overdraft: { group: groups.lending, label: "Overdraft", notForPayments: "an overdraft account" },
  OvernightDeposit: { group: groups.savings, label: "Overnight deposit" },
  Salary: { group: groups.current, label: "Salary account" },
  Settlement: { group: groups.other, label: "Settlement account" },
  Tax: { group: groups.other, label: "Tax account" },
  Transacting: { group: groups.current, label: "Transaction account" },
  Virtual: { group: groups.other, label: "Virtual account" },
} as const satisfies Record<string, AccountKindRow>;

/** A kind of account. */
export type AccountKind = keyof typeof accountKinds;

/** What is known of a kind of account. */
export const aboutKind = (kind: AccountKind): AccountKindRow => accountKinds[kind];
