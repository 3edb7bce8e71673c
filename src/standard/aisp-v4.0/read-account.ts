import Type, { type Static } from "typebox";
import {
  accountCategory,
  accountDescription,
  accountIdentity,
  readAccountOf,
} from "#src/standard/shared/accounts/account.ts";
import { currencyCode } from "#src/standard/shared/amount.ts";
import { oneOf, open } from "#src/standard/shared/schema.ts";
import { openPostalAddress } from "#src/standard/shared/v4/parties.ts";
import { ownAccount, servicer } from "./parties.ts";

// biome-ignore format: a code set
/** The types of accounts; CARD is every card, CHAR an account for charges. Source: E-026. */
const accountTypeCodes = [
  "CACC", "CARD", "CASH", "CHAR", "CISH", "COMM", "CPAC", "LLSV", "LOAN", "MGLD", "MOMA", "MORT",
  "NFCA", "NREX", "ODFT", "ONDP", "OTHR", "SACC", "SLRY", "SVGS", "TAXE", "TRAN", "TRAS", "VACC",
  "WALT",
] as const;

/** One of the codes. */
export type AccountTypeCode = (typeof accountTypeCodes)[number];

// biome-ignore format: a code set
/** How often there is a statement; 4.0.1 added NONE and SLCT. Source: OBFrequency2, E-028. */
export const statementFrequencyCodes = [
  "YEAR", "DAIL", "INDA", "MNTH", "QURT", "MIAN", "TEND", "MOVE", "WEEK", "NONE", "SLCT",
] as const;

/** How a statement reaches the customer. Source: OBCommunicationMethod, E-030. */
export const communicationMethods = ["EMAL", "FAXI", "FILE", "ONLI", "POST"] as const;

/** The format of a statement; 4.0.1 added DCSV. Source: OBFileFormat, E-029. */
export const statementFormats = ["DPDF", "DXML", "SDSH", "WORD", "XSLT", "DCSV"] as const;

const type = {
  Currency: Type.Optional(currencyCode),
  AccountCategory: Type.Optional(accountCategory),
  AccountTypeCode: Type.Optional(oneOf(accountTypeCodes)),
};

// Source: E-028, E-029, E-030.
const statementFrequencyAndFormat = open(
  {
    Frequency: Type.Optional(oneOf(statementFrequencyCodes)),
    CommunicationMethod: Type.Optional(oneOf(communicationMethods)),
    DeliveryAddress: Type.Optional(openPostalAddress),
    Format: Type.Optional(oneOf(statementFormats)),
  },
  { title: "StatementFrequencyAndFormat" },
);

const detail = {
  StatementFrequencyAndFormat: Type.Optional(Type.Array(statementFrequencyAndFormat)),
  Servicer: Type.Optional(servicer),
};

/** Body of `GET /accounts` and of one account. Source: OBReadAccount6, E-024. */
export const readAccount = readAccountOf({
  ...accountIdentity,
  ...type,
  ...accountDescription,
  Account: Type.Optional(Type.Array(ownAccount)),
  ...detail,
});

/** One account of it. */
export type Account = NonNullable<Static<typeof readAccount>["Data"]["Account"]>[number];
