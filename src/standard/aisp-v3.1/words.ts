import type { AccountKind } from "#src/standard/shared/accounts/account-kinds.ts";
import type {
  AddressKind,
  BalanceKind,
  CollectionFrequency,
  CurrencyKind,
  MandateState,
} from "#src/standard/shared/accounts/facts.ts";
import type { balanceSubTypes } from "./resources.ts";

type AccountSubType =
  | "ChargeCard"
  | "CreditCard"
  | "CurrentAccount"
  | "EMoney"
  | "Loan"
  | "Mortgage"
  | "PrePaidCard"
  | "Savings"
  | "Wallet";

/**
 * AccountSubType of each kind. A kind without a v3.1 word has the nearest one. Source: E-025,
 * E-027.
 */
export const accountSubTypes: Readonly<Record<AccountKind, AccountSubType>> = {
  ChargeCard: "ChargeCard",
  CreditCard: "CreditCard",
  CurrentAccount: "CurrentAccount",
  EMoney: "EMoney",
  Loan: "Loan",
  Mortgage: "Mortgage",
  PrePaidCard: "PrePaidCard",
  Savings: "Savings",
  Wallet: "Wallet",
  CashIncome: "CurrentAccount",
  CashPayment: "CurrentAccount",
  CashTrading: "CurrentAccount",
  Charges: "CurrentAccount",
  ClearingParticipantSettlement: "CurrentAccount",
  Commission: "CurrentAccount",
  LimitedLiquiditySavings: "Savings",
  MarginalLending: "Loan",
  MoneyMarket: "Savings",
  NonResidentExternal: "CurrentAccount",
  NonResidentForeignCurrency: "CurrentAccount",
  Other: "CurrentAccount",
  Overdraft: "Loan",
  OvernightDeposit: "Savings",
  Salary: "CurrentAccount",
  Settlement: "CurrentAccount",
  Tax: "CurrentAccount",
  Transacting: "CurrentAccount",
  Virtual: "CurrentAccount",
};

/** Type of each balance: v3.1 has a word for every kind. Source: E-031. */
export const balanceTypes = {
  ClosingAvailable: "ClosingAvailable",
  ClosingBooked: "ClosingBooked",
  ClosingCleared: "ClosingCleared",
  Expected: "Expected",
  ForwardAvailable: "ForwardAvailable",
  Information: "Information",
  InterimAvailable: "InterimAvailable",
  InterimBooked: "InterimBooked",
  InterimCleared: "InterimCleared",
  OpeningAvailable: "OpeningAvailable",
  OpeningBooked: "OpeningBooked",
  OpeningCleared: "OpeningCleared",
  PreviouslyClosedBooked: "PreviouslyClosedBooked",
} as const satisfies Record<BalanceKind, string>;

/** SubType of amounts in each kind of currency. Source: OBExternalBalanceSubType1Code. */
export const currencySubTypes = {
  Base: "BaseCurrency",
  Local: "LocalCurrency",
} as const satisfies Record<CurrencyKind, (typeof balanceSubTypes)[number]>;

/**
 * Status of each entry. v3.1 does not show entries that are only information, and has no word for
 * future entries. Source: E-035, E-036.
 */
export const entryStatuses = {
  Booked: "Booked",
  Future: "Pending",
  Information: "Pending",
  Pending: "Pending",
  Rejected: "Rejected",
} as const;

/** DirectDebitStatusCode and StandingOrderStatusCode of each state. Source: E-045. */
export const mandateStatuses: Readonly<Record<MandateState, "Active" | "Inactive">> = {
  Active: "Active",
  Cancelled: "Inactive",
  Expired: "Inactive",
  Suspended: "Inactive",
};

/** Frequency of each direct debit. */
export const collectionFrequencies: Readonly<Record<CollectionFrequency, string>> = {
  Annual: "UK.OBIE.Annual",
  Daily: "UK.OBIE.Daily",
  Fortnightly: "UK.OBIE.Fortnightly",
  HalfYearly: "UK.OBIE.HalfYearly",
  Monthly: "UK.OBIE.Monthly",
  NotKnown: "UK.OBIE.NotKnown",
  Quarterly: "UK.OBIE.Quarterly",
  Weekly: "UK.OBIE.Weekly",
};

/** AddressType of each kind of address: v3.1 has a word for every kind. */
export const addressTypes = {
  Business: "Business",
  Correspondence: "Correspondence",
  DeliveryTo: "DeliveryTo",
  MailTo: "MailTo",
  POBox: "POBox",
  Postal: "Postal",
  Residential: "Residential",
  Statement: "Statement",
} as const satisfies Record<AddressKind, string>;
