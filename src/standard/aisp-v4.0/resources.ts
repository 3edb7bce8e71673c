import Type, { type Static } from "typebox";
import {
  accountCategory,
  accountDescription,
  accountIdentity,
  readAccountOf,
} from "#src/standard/shared/accounts/account.ts";
import { readBalanceOf } from "#src/standard/shared/accounts/balance.ts";
import { beneficiarySchemas } from "#src/standard/shared/accounts/beneficiary.ts";
import { readDirectDebitOf } from "#src/standard/shared/accounts/direct-debit.ts";
import { partySchemas } from "#src/standard/shared/accounts/party.ts";
import { limitedRate } from "#src/standard/shared/accounts/product-parts.ts";
import { scheduledPaymentSchemas } from "#src/standard/shared/accounts/scheduled-payment.ts";
import {
  standingOrderMembers,
  standingOrderSchemas,
} from "#src/standard/shared/accounts/standing-order.ts";
import {
  feeTypes,
  interestTypes,
  obie,
  statementSchemas,
} from "#src/standard/shared/accounts/statement.ts";
import {
  basicTransactionMembers,
  detailTransactionMembers,
  readTransactionOf,
} from "#src/standard/shared/accounts/transaction.ts";
import { currencyCode } from "#src/standard/shared/amount.ts";
import { categoryPurposeCodes, purposeCodes } from "#src/standard/shared/purpose-codes.ts";
import { oneOf, open, text } from "#src/standard/shared/schema.ts";
import { mandateRelatedInformation } from "#src/standard/shared/v4/mandate-related-information.ts";
import { lei, openPostalAddress } from "#src/standard/shared/v4/parties.ts";
import { remittanceInformationSchema } from "#src/standard/shared/v4/remittance-information.ts";
import { mandateStatuses } from "./mandate-statuses.ts";
import {
  intermediaryAgent,
  knownAccount,
  knownAgent,
  namedAccount,
  namedAgent,
  ownAccount,
  servicer,
  ultimateCreditor,
  ultimateDebtor,
} from "./parties.ts";

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

const accountType = {
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

const accountDetails = {
  StatementFrequencyAndFormat: Type.Optional(Type.Array(statementFrequencyAndFormat)),
  Servicer: Type.Optional(servicer),
};

/** Body of `GET /accounts` and of one account. Source: OBReadAccount6, E-024. */
export const readAccount = readAccountOf({
  ...accountIdentity,
  ...accountType,
  ...accountDescription,
  Account: Type.Optional(Type.Array(ownAccount)),
  ...accountDetails,
});

/** One account of it. */
export type Account = NonNullable<Static<typeof readAccount>["Data"]["Account"]>[number];

/** Kinds of balance; v4.0 has none for cleared balances. Source: OBBalanceType1Code, E-032. */
const balanceTypes = [
  "CLAV",
  "CLBD",
  "FWAV",
  "INFO",
  "ITAV",
  "ITBD",
  "OPAV",
  "OPBD",
  "PRCD",
  "XPCD",
] as const;

/** A kind of balance. */
export type BalanceType = (typeof balanceTypes)[number];

/** The two currencies of a wallet. Source: OBExternalBalanceSubType1Code, E-032. */
export const balanceSubTypes = ["BCUR", "LCUR"] as const;

/** Body of `GET /accounts/{AccountId}/balances`. Source: OBReadBalance1. */
export const readBalance = readBalanceOf({ types: balanceTypes, subTypes: balanceSubTypes });

/** The statuses of a transaction. Source: ExternalEntryStatus1Code, E-035, E-036. */
const transactionStatuses = ["BOOK", "FUTR", "INFO", "PDNG", "RJCT"] as const;

// Source: E-038.
const extendedProprietaryCode = open(
  {
    Code: text(35),
    Issuer: Type.Optional(text(35)),
    Description: Type.Optional(text(500)),
  },
  { title: "OBExtendedProprietaryBankTransactionCode" },
);

const basicMembers = {
  ...basicTransactionMembers(transactionStatuses),
  ExtendedProprietaryBankTransactionCodes: Type.Optional(Type.Array(extendedProprietaryCode)),
  CategoryPurposeCode: Type.Optional(oneOf(categoryPurposeCodes)),
  PaymentPurposeCode: Type.Optional(oneOf(purposeCodes, { minLength: 1, maxLength: 4 })),
};

const detailMembers = {
  ...detailTransactionMembers(balanceTypes),
  CreditorAgent: Type.Optional(knownAgent),
  CreditorAccount: Type.Optional(knownAccount),
  DebtorAgent: Type.Optional(knownAgent),
  DebtorAccount: Type.Optional(knownAccount),
  UltimateCreditor: Type.Optional(ultimateCreditor),
  UltimateDebtor: Type.Optional(ultimateDebtor),
};

/** Body of `GET /accounts/{AccountId}/transactions`. Source: OBReadTransaction6, E-040. */
export const readTransaction = readTransactionOf({
  ...basicMembers,
  ...detailMembers,
  IntermediaryAgent1: Type.Optional(intermediaryAgent),
  IntermediaryAgent2: Type.Optional(intermediaryAgent),
  IntermediaryAgent3: Type.Optional(intermediaryAgent),
});

const beneficiaries = beneficiarySchemas(knownAgent, namedAccount);

/** Body of `GET /accounts/{AccountId}/beneficiaries`. Source: OBReadBeneficiary5. */
export const readBeneficiary = open(beneficiaries.readMembers, { title: "OBReadBeneficiary5" });

/** Body of `GET /accounts/{AccountId}/direct-debits`. Source: OBReadDirectDebit2, E-044. */
export const readDirectDebit = readDirectDebitOf(mandateStatuses, {
  MandateRelatedInformation: Type.Optional(mandateRelatedInformation),
});

/** One direct debit of it. */
export type DirectDebitItem = NonNullable<
  Static<typeof readDirectDebit>["Data"]["DirectDebit"]
>[number];

/** Kinds of document that a payment can refer to. Source: ExternalDocumentType1Code. */
const documentTypes = [
  ...["AROI", "BOLD", "CINV", "CMCN", "CNFA", "CONT", "CREN", "DEBN", "DISP", "DNFA", "HIRI"],
  ...["INVS", "MSIN", "PROF", "PUOR", "QUOT", "SBIN", "SOAC", "SPRR", "TISH", "TSUT", "USAR"],
  "VCHR",
];

const remittanceInformation = remittanceInformationSchema({ documentTypes, issuerLength: 140 });

// Source: E-046, E-054.
const standingOrders = standingOrderSchemas(
  {
    ...standingOrderMembers,
    StandingOrderStatusCode: Type.Optional(oneOf(mandateStatuses)),
    MandateRelatedInformation: Type.Optional(mandateRelatedInformation),
    RemittanceInformation: Type.Optional(remittanceInformation),
  },
  namedAgent,
  namedAccount,
);

/** Body of `GET /accounts/{AccountId}/standing-orders`. Source: OBReadStandingOrder6. */
export const readStandingOrder = standingOrders.read;

const scheduledPayments = scheduledPaymentSchemas(namedAgent, namedAccount);

/** Body of `GET /accounts/{AccountId}/scheduled-payments`. Source: OBReadScheduledPayment3. */
export const readScheduledPayment = scheduledPayments.read;

// Source: E-058, E-059, E-060.
const partyBodies = partySchemas(openPostalAddress, { LEI: Type.Optional(lei) });

/** Body of `GET /party` and `GET /accounts/{AccountId}/party`. Source: OBReadParty2. */
export const readParty = partyBodies.readParty;

/** Body of `GET /accounts/{AccountId}/parties`. Source: OBReadParty3. */
export const readParties = partyBodies.readParties;

// Source: E-062, E-063, E-064.
const statements = statementSchemas({
  subTypes: balanceSubTypes,
  feeTypes: [...feeTypes, ...obie("InstalmentPlan ReturnedPayment")],
  interestTypes: [...interestTypes, ...obie("InstalmentPlan MoneyTransfer")],
  rate: limitedRate,
});

/** Body of `GET /accounts/{AccountId}/statements`. Source: OBReadStatement2. */
export const readStatement = statements.read;
