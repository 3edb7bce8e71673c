/**
 * The kinds of account that facts distinguish, in no version's words. v3.1 has no word for those of
 * the second group; v4.0 has one word for several cards and wallets of the first. Source: E-026.
 */
export type AccountKind =
  | "ChargeCard"
  | "CreditCard"
  | "CurrentAccount"
  | "EMoney"
  | "Loan"
  | "Mortgage"
  | "PrePaidCard"
  | "Savings"
  | "Wallet"
  | SpecialAccountKind;

/** Kinds of account that only v4.0 has a word for. Source: E-027. */
export type SpecialAccountKind =
  | "CashIncome"
  | "CashPayment"
  | "CashTrading"
  | "Charges"
  | "ClearingParticipantSettlement"
  | "Commission"
  | "LimitedLiquiditySavings"
  | "MarginalLending"
  | "MoneyMarket"
  | "NonResidentExternal"
  | "NonResidentForeignCurrency"
  | "Other"
  | "Overdraft"
  | "OvernightDeposit"
  | "Salary"
  | "Settlement"
  | "Tax"
  | "Transacting"
  | "Virtual";

/** The kinds of balance that facts distinguish. v4.0 has no word for the cleared ones. */
export type BalanceKind =
  | "ClosingAvailable"
  | "ClosingBooked"
  | "ClosingCleared"
  | "Expected"
  | "ForwardAvailable"
  | "Information"
  | "InterimAvailable"
  | "InterimBooked"
  | "InterimCleared"
  | "OpeningAvailable"
  | "OpeningBooked"
  | "OpeningCleared"
  | "PreviouslyClosedBooked";

/** Whether a direct debit or a standing order still pays, and why not. Source: E-045. */
export type MandateState = "Active" | "Cancelled" | "Expired" | "Suspended";

/** How often a direct debit is collected. */
export type CollectionFrequency =
  | "Annual"
  | "Daily"
  | "Fortnightly"
  | "HalfYearly"
  | "Monthly"
  | "NotKnown"
  | "Quarterly"
  | "Weekly";

/** The use of an address. */
export type AddressKind =
  | "Business"
  | "Correspondence"
  | "DeliveryTo"
  | "MailTo"
  | "POBox"
  | "Postal"
  | "Residential"
  | "Statement";

/** A postal address as a fact, with a member for each part that the bank knows. */
export type PostalAddress = {
  kind?: AddressKind;
  careOf?: string;
  department?: string;
  subDepartment?: string;
  room?: string;
  floor?: string;
  unitNumber?: string;
  buildingName?: string;
  buildingNumber?: string;
  streetName?: string;
  postBox?: string;
  townLocationName?: string;
  districtName?: string;
  townName?: string;
  countrySubDivision?: string;
  postCode?: string;
  /** Two capital letters. Source: ISO 3166-1, alpha-2 codes. */
  country?: string;
  /** The lines that belong to none of the other parts. */
  lines?: readonly string[];
};

/** An amount as stored facts have it; minor units are text, which JSON keeps exactly. */
export type AmountFacts = { amountMinor: string; currency: string };

/** An offer of the bank to the customer of an account. Times are RFC 3339 in UTC. */
export type OfferFacts = {
  type: "BalanceTransfer" | "LimitIncrease" | "MoneyTransfer" | "Other" | "PromotionalRate";
  description: string;
  startsAt: string;
  endsAt: string;
  /** Percent a year. */
  rate?: string;
  value?: number;
  term?: string;
  url?: string;
  amount?: AmountFacts;
  fee?: AmountFacts;
};
