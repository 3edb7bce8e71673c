import Type from "typebox";
import { oneOf, open, text } from "#src/standard/shared/schema.ts";
import { accountScheme, agentScheme } from "#src/standard/shared/scheme-names.ts";

/** An account's identifier at the bank. It never changes and says nothing about the account. */
export const accountId = text(40);

/** Whether money came in (Credit, zero included) or went out (Debit). Source: A-156. */
export const creditDebitIndicator = oneOf(["Credit", "Debit"]);

const secondary = {
  Name: Type.Optional(text(350)),
  SecondaryIdentification: Type.Optional(text(34)),
};

/** Members of an account whose identification is mandatory. Source: OBCashAccount5. */
export const namedAccountMembers = {
  SchemeName: accountScheme,
  Identification: text(256),
  ...secondary,
};

/** Members of the account on the other side of a transaction. Source: OBCashAccount6. */
export const knownAccountMembers = {
  SchemeName: Type.Optional(accountScheme),
  Identification: Type.Optional(text(256)),
  ...secondary,
};

/**
 * Members of a bank whose identification is mandatory.
 * Source: OBBranchAndFinancialInstitutionIdentification5.
 */
export const namedAgentMembers = { SchemeName: agentScheme, Identification: text(35) };

/**
 * Members of a bank of which any part may be known.
 * Source: OBBranchAndFinancialInstitutionIdentification6.
 */
export const knownAgentMembers = {
  SchemeName: Type.Optional(agentScheme),
  Identification: Type.Optional(text(35)),
  Name: Type.Optional(text(140)),
};

/** Anything that a bank and its TPPs agree on. */
export const supplementaryData = open(
  {},
  { additionalProperties: true, title: "OBSupplementaryData1" },
);
