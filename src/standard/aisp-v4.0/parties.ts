import Type from "typebox";
import {
  knownAccountMembers,
  knownAgentMembers,
  namedAccountMembers,
  namedAgentMembers,
} from "#src/standard/shared/accounts/parties.ts";
import { oneOf, open, text } from "#src/standard/shared/schema.ts";
import { accountScheme } from "#src/standard/shared/scheme-names.ts";
import {
  lei,
  openPostalAddress as postalAddress,
  proxy,
  ultimateParty,
} from "#src/standard/shared/v4/parties.ts";

/** A creditor's account that is named in full. Source: OBCashAccount5, E-061. */
export const namedAccount = open({ ...namedAccountMembers, Proxy: Type.Optional(proxy) });

/** The customer's own account. Source: OBCashAccount5, E-060. */
export const ownAccount = open({ ...namedAccountMembers, LEI: Type.Optional(lei) });

/** The known facts about the account on the other side of a transaction. Source: OBCashAccount6. */
export const knownAccount = open({ ...knownAccountMembers, Proxy: Type.Optional(proxy) });

/** The customer's own bank. Source: OBBranchAndFinancialInstitutionIdentification5. */
export const servicer = open({ ...namedAgentMembers, Name: Type.Optional(text(140)) });

/** A creditor's bank named in full. Source: OBBranchAndFinancialInstitutionIdentification5. */
export const namedAgent = open({
  ...namedAgentMembers,
  Name: Type.Optional(text(140)),
  LEI: Type.Optional(lei),
  PostalAddress: Type.Optional(postalAddress),
});

/** The known facts about a bank. Source: OBBranchAndFinancialInstitutionIdentification6. */
export const knownAgent = open({
  ...knownAgentMembers,
  LEI: Type.Optional(lei),
  PostalAddress: Type.Optional(postalAddress),
});

/** A bank between those of payer and payee. Source: OBIntermediaryAgent, E-039, E-040. */
export const intermediaryAgent = open(
  {
    Name: Type.Optional(text(140)),
    SchemeName: Type.Optional(accountScheme),
    Identification: Type.Optional(text(35)),
    LEI: Type.Optional(lei),
    PostalAddress: Type.Optional(postalAddress),
    ProcessingStatus: Type.Optional(
      oneOf(["PDNG", "RCVD", "ACSP", "ACSC", "RJCT", "UNKN", "CANC"]),
    ),
  },
  { title: "OBIntermediaryAgent" },
);

/** The party on whose behalf the creditor receives. Source: OBUltimateCreditor1, E-039. */
export const ultimateCreditor = ultimateParty("OBUltimateCreditor1", postalAddress);

/** The party on whose behalf the debtor pays. Source: OBUltimateDebtor1, E-039. */
export const ultimateDebtor = ultimateParty("OBUltimateDebtor1", postalAddress);
