import type { AmountFacts } from "#src/standard/shared/amount.ts";

/** The kinds of balance that facts distinguish. v4.0 has no word for the cleared ones. */
export const balanceKinds = [
  "ClosingAvailable",
  "ClosingBooked",
  "ClosingCleared",
  "Expected",
  "ForwardAvailable",
  "Information",
  "InterimAvailable",
  "InterimBooked",
  "InterimCleared",
  "OpeningAvailable",
  "OpeningBooked",
  "OpeningCleared",
  "PreviouslyClosedBooked",
] as const;

/** One of the kinds. */
export type BalanceKind = (typeof balanceKinds)[number];

/**
 * The currency of an amount: the bank's own accounting currency, or the currency of the market in
 * which the money is held. Source: E-032, E-062.
 */
export type CurrencyKind = "Base" | "Local";

/** Whether a direct debit or a standing order still pays, and why not. Source: E-045. */
export type MandateState = "Active" | "Cancelled" | "Expired" | "Suspended";

/** An alias of an account, such as a mobile phone number. Source: OBProxy1, E-061. */
export type AccountProxy = {
  /** An ISO 20022 code, such as MBNO for a mobile phone number. */
  code: string;
  identification: string;
  type?: string;
};

/**
 * Facts of the bank for which the standard has no member, as a JSON object. They are shown with the
 * Basic permission too, so they must not contain anything that it hides. Source:
 * OBSupplementaryData1.
 */
export type SupplementaryFacts = Readonly<Record<string, unknown>>;

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

/**
 * How often the bank gives the customer a statement. `Movement` means on days with a movement. The
 * standard does not explain `None` and `Selected`. Source: E-028.
 */
export type StatementFrequency =
  | "Annual"
  | "Daily"
  | "HalfYearly"
  | "IntraDay"
  | "Monthly"
  | "Movement"
  | "None"
  | "Quarterly"
  | "Selected"
  | "TenDays"
  | "Weekly";

/** How a statement reaches the customer. Source: E-030. */
export type StatementChannel = "Email" | "Fax" | "File" | "Online" | "Post";

/** The format of a statement. Source: E-029. */
export type StatementFormat = "Csv" | "Pdf" | "Spreadsheet" | "Word" | "Xml" | "Xslt";

/** One way in which the customer gets an account's statements. A member is absent if not known. */
export type StatementDelivery = {
  frequency?: StatementFrequency;
  channel?: StatementChannel;
  format?: StatementFormat;
  /** Where statements are sent. */
  address?: PostalAddress;
};

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
