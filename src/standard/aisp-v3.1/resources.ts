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
import { balanceKinds } from "#src/standard/shared/accounts/facts.ts";
import { otherProductType } from "#src/standard/shared/accounts/other-product-type.ts";
import { partySchemas } from "#src/standard/shared/accounts/party.ts";
import { readProductOf } from "#src/standard/shared/accounts/product.ts";
import { fourLetterPattern, productRate } from "#src/standard/shared/accounts/product-parts.ts";
import { scheduledPaymentSchemas } from "#src/standard/shared/accounts/scheduled-payment.ts";
import {
  standingOrderMembers,
  standingOrderSchemas,
} from "#src/standard/shared/accounts/standing-order.ts";
import {
  feeTypes,
  interestTypes,
  statementSchemas,
} from "#src/standard/shared/accounts/statement.ts";
import {
  basicTransactionMembers,
  detailTransactionMembers,
  readTransactionOf,
} from "#src/standard/shared/accounts/transaction.ts";
import { currencyCode } from "#src/standard/shared/amount.ts";
import {
  closed,
  dateTime,
  namespaced,
  oneOf,
  open,
  replacePattern,
  text,
} from "#src/standard/shared/schema.ts";
import { v3FrequencyPattern } from "#src/standard/shared/v4/frequency.ts";
import { addressType, knownAccount, knownAgent, namedAccount, namedAgent } from "./parties.ts";

// biome-ignore format: a code set
const accountSubType = oneOf([
  "ChargeCard", "CreditCard", "CurrentAccount", "EMoney", "Loan", "Mortgage", "PrePaidCard",
  "Savings", "Wallet",
]);

/**
 * Body of `GET /accounts` and of one account. It requires less than OBAccount6Basic and
 * OBAccount6Detail, because a switched account must match it too. Source: OBReadAccount6.
 */
export const readAccount = readAccountOf({
  ...accountIdentity,
  Currency: Type.Optional(currencyCode),
  AccountType: Type.Optional(accountCategory),
  AccountSubType: Type.Optional(accountSubType),
  ...accountDescription,
  Account: Type.Optional(Type.Array(namedAccount)),
  Servicer: Type.Optional(namedAgent),
});

/** One account in that body. */
export type Account = NonNullable<Static<typeof readAccount>["Data"]["Account"]>[number];

/** The two currencies of a wallet. Source: OBExternalBalanceSubType1Code. */
export const balanceSubTypes = ["BaseCurrency", "LocalCurrency"] as const;

/** Body of `GET /accounts/{AccountId}/balances`. Source: OBReadBalance1. */
export const readBalance = readBalanceOf({ types: balanceKinds, subTypes: balanceSubTypes });

const basicMembers = basicTransactionMembers(["Booked", "Pending", "Rejected"]);

const detailMembers = {
  ...detailTransactionMembers(balanceKinds),
  CreditorAgent: Type.Optional(knownAgent),
  CreditorAccount: Type.Optional(knownAccount),
  DebtorAgent: Type.Optional(knownAgent),
  DebtorAccount: Type.Optional(knownAccount),
};

/** Body of `GET /accounts/{AccountId}/transactions`. Source: OBReadTransaction6. */
export const readTransaction = readTransactionOf({ ...basicMembers, ...detailMembers });

const beneficiaries = beneficiarySchemas(knownAgent, namedAccount);

/** Body of `GET /accounts/{AccountId}/beneficiaries`. Source: OBReadBeneficiary5. */
export const readBeneficiary = closed(beneficiaries.readMembers, { title: "OBReadBeneficiary5" });

/** How often a direct debit is collected. Source: OBReadDirectDebit2. */
const directDebitFrequencies = [
  "UK.OBIE.Annual",
  "UK.OBIE.Daily",
  "UK.OBIE.Fortnightly",
  "UK.OBIE.HalfYearly",
  "UK.OBIE.Monthly",
  "UK.OBIE.NotKnown",
  "UK.OBIE.Quarterly",
  "UK.OBIE.Weekly",
] as const;

/** Body of `GET /accounts/{AccountId}/direct-debits`. Source: OBReadDirectDebit2, E-043. */
export const readDirectDebit = readDirectDebitOf(["Active", "Inactive"], {
  MandateIdentification: text(35),
  Frequency: Type.Optional(namespaced(directDebitFrequencies)),
});

/** One direct debit in that body. */
export type DirectDebitItem = NonNullable<
  Static<typeof readDirectDebit>["Data"]["DirectDebit"]
>[number];

/** When a standing order is paid, in the words of v3.1. Source: OBFrequency6, A-161. */
const standingOrderFrequency = Type.String({ pattern: v3FrequencyPattern });

const standingOrders = standingOrderSchemas(
  {
    ...standingOrderMembers,
    Frequency: standingOrderFrequency,
    Reference: Type.Optional(text(35)),
    FirstPaymentDateTime: Type.Optional(dateTime()),
    FinalPaymentDateTime: Type.Optional(dateTime()),
    StandingOrderStatusCode: Type.Optional(oneOf(["Active", "Inactive"])),
  },
  namedAgent,
  namedAccount,
);

/** Body of `GET /accounts/{AccountId}/standing-orders`. Source: OBReadStandingOrder6. */
export const readStandingOrder = standingOrders.read;

const scheduledPayments = scheduledPaymentSchemas(namedAgent, namedAccount);

/** Body of `GET /accounts/{AccountId}/scheduled-payments`. Source: OBReadScheduledPayment3. */
export const readScheduledPayment = scheduledPayments.read;

// v3.1 publishes the pattern with a doubled backslash, which no code fits. Source: E-065
const published = String.raw`^\\w{0,4}$`;

/** Body of `GET /accounts/{AccountId}/product`. Source: OBReadProduct2. */
export const readProduct = readProductOf(
  replacePattern(otherProductType, fourLetterPattern, published),
);

const partyAddress = open({
  AddressType: Type.Optional(addressType),
  AddressLine: Type.Optional(Type.Array(text(70), { minItems: 0, maxItems: 5 })),
  StreetName: Type.Optional(text(70)),
  BuildingNumber: Type.Optional(text(16)),
  PostCode: Type.Optional(text(16)),
  TownName: Type.Optional(text(35)),
  CountrySubDivision: Type.Optional(text(35)),
  Country: Type.String({ pattern: "^[A-Z]{2,2}$" }),
});

const partyBodies = partySchemas(partyAddress, {});

/** Body of `GET /party` and `GET /accounts/{AccountId}/party`. Source: OBReadParty2. */
export const readParty = partyBodies.readParty;

/** Body of `GET /accounts/{AccountId}/parties`. Source: OBReadParty3. */
export const readParties = partyBodies.readParties;

const statements = statementSchemas({
  subTypes: balanceSubTypes,
  feeTypes,
  interestTypes,
  rate: productRate,
});

/** Body of `GET /accounts/{AccountId}/statements`. Source: OBReadStatement2. */
export const readStatement = statements.read;
