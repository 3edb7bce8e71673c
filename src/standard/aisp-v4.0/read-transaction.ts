import Type from "typebox";
import {
  basicTransactionMembers,
  detailTransactionMembers,
  readTransactionOf,
} from "#src/standard/shared/accounts/transaction.ts";
import { categoryPurposeCodes, purposeCodes } from "#src/standard/shared/purpose-codes.ts";
import { oneOf, open, text } from "#src/standard/shared/schema.ts";
import {
  intermediaryAgent,
  knownAccount,
  knownAgent,
  ultimateCreditor,
  ultimateDebtor,
} from "./parties.ts";
import { balanceTypes } from "./read-balance.ts";

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
