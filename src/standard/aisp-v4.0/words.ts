import type { AccountKind } from "#src/standard/shared/accounts/account-kinds.ts";
import type {
  BalanceKind,
  CollectionFrequency,
  CurrencyKind,
  MandateState,
  StatementChannel,
  StatementFormat,
  StatementFrequency,
} from "#src/standard/shared/accounts/facts.ts";
import type { FrequencyCode } from "#src/standard/shared/v4/frequency.ts";
import type { MandateStatus } from "./mandate-statuses.ts";
import type {
  AccountTypeCode,
  BalanceType,
  balanceSubTypes,
  communicationMethods,
  statementFormats,
  statementFrequencyCodes,
} from "./resources.ts";

/** AccountTypeCode of each kind. CHAR is an account for charges, never a card. Source: E-026. */
export const accountTypeCodes: Readonly<Record<AccountKind, AccountTypeCode>> = {
  ChargeCard: "CARD",
  CreditCard: "CARD",
  CurrentAccount: "CACC",
  EMoney: "WALT",
  Loan: "LOAN",
  Mortgage: "MORT",
  PrePaidCard: "CARD",
  Savings: "SVGS",
  Wallet: "WALT",
  CashIncome: "CISH",
  CashPayment: "CASH",
  CashTrading: "TRAS",
  Charges: "CHAR",
  ClearingParticipantSettlement: "CPAC",
  Commission: "COMM",
  LimitedLiquiditySavings: "LLSV",
  MarginalLending: "MGLD",
  MoneyMarket: "MOMA",
  NonResidentExternal: "NREX",
  NonResidentForeignCurrency: "NFCA",
  Other: "OTHR",
  Overdraft: "ODFT",
  OvernightDeposit: "ONDP",
  Salary: "SLRY",
  Settlement: "SACC",
  Tax: "TAXE",
  Transacting: "TRAN",
  Virtual: "VACC",
};

/** Type of each balance; the cleared ones have no word. Source: E-031, E-032. */
export const balanceTypeCodes: Readonly<Record<BalanceKind, BalanceType>> = {
  ClosingAvailable: "CLAV",
  ClosingBooked: "CLBD",
  ClosingCleared: "INFO",
  Expected: "XPCD",
  ForwardAvailable: "FWAV",
  Information: "INFO",
  InterimAvailable: "ITAV",
  InterimBooked: "ITBD",
  InterimCleared: "INFO",
  OpeningAvailable: "OPAV",
  OpeningBooked: "OPBD",
  OpeningCleared: "INFO",
  PreviouslyClosedBooked: "PRCD",
};

/** SubType of amounts in each kind of currency. Source: E-032, E-062. */
export const currencySubTypeCodes = {
  Base: "BCUR",
  Local: "LCUR",
} as const satisfies Record<CurrencyKind, (typeof balanceSubTypes)[number]>;

/** Status of each entry. Source: E-035, E-036. */
export const entryStatusCodes = {
  Booked: "BOOK",
  Future: "FUTR",
  Information: "INFO",
  Pending: "PDNG",
  Rejected: "RJCT",
} as const;

/** DirectDebitStatusCode and StandingOrderStatusCode of each state. Source: E-045. */
export const mandateStatusCodes: Readonly<Record<MandateState, MandateStatus>> = {
  Active: "ACTV",
  Cancelled: "CANC",
  Expired: "EXPI",
  Suspended: "SUSP",
};

/** Type of a direct debit's Frequency. Source: E-044. */
export const collectionFrequencyCodes: Readonly<Record<CollectionFrequency, FrequencyCode>> = {
  Annual: "YEAR",
  Daily: "DAIL",
  Fortnightly: "FRTN",
  HalfYearly: "MIAN",
  Monthly: "MNTH",
  NotKnown: "NONE",
  Quarterly: "QURT",
  Weekly: "WEEK",
};

/** Frequency of each StatementFrequencyAndFormat. Source: E-028. */
export const statementFrequencies: Readonly<
  Record<StatementFrequency, (typeof statementFrequencyCodes)[number]>
> = {
  Annual: "YEAR",
  Daily: "DAIL",
  HalfYearly: "MIAN",
  IntraDay: "INDA",
  Monthly: "MNTH",
  Movement: "MOVE",
  None: "NONE",
  Quarterly: "QURT",
  Selected: "SLCT",
  TenDays: "TEND",
  Weekly: "WEEK",
};

/** Its CommunicationMethod. Source: E-030. */
export const statementChannels: Readonly<
  Record<StatementChannel, (typeof communicationMethods)[number]>
> = { Email: "EMAL", Fax: "FAXI", File: "FILE", Online: "ONLI", Post: "POST" };

/** Its Format. Source: E-029. */
export const statementFormatCodes: Readonly<
  Record<StatementFormat, (typeof statementFormats)[number]>
> = {
  Csv: "DCSV",
  Pdf: "DPDF",
  Spreadsheet: "SDSH",
  Word: "WORD",
  Xml: "DXML",
  Xslt: "XSLT",
};
