import Type, { type TSchema } from "typebox";
import { closed, open, text } from "#src/standard/shared/schema.ts";
import { accountScheme, agentScheme } from "#src/standard/shared/scheme-names.ts";
import {
  lei,
  closedPostalAddress as postalAddress,
  proxy,
  ultimateParty,
} from "#src/standard/shared/v4/parties.ts";

const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema);

const account = {
  SchemeName: accountScheme,
  Identification: text(256),
};

/** The account to be debited; its holder's name is optional. Source: D-401-29. */
export const debtorAccount = closed({
  ...account,
  Name: optional(text(350)),
  SecondaryIdentification: optional(text(34)),
  Proxy: optional(proxy),
});

/** The account to be credited. */
export const creditorAccount = closed({
  ...account,
  Name: text(350),
  SecondaryIdentification: optional(text(34)),
  Proxy: optional(proxy),
});

/** The account for a refund: the debited account. Source: D-401-28. */
export const refund = closed(
  {
    Account: closed({
      ...account,
      Name: text(350),
      SecondaryIdentification: optional(text(34)),
    }),
  },
  { title: "OBDomesticRefundAccount1" },
);

/** The debtor as a response names him. */
export const debtor = open(
  {
    SchemeName: optional(Type.String()),
    Identification: optional(Type.String()),
    Name: optional(Type.String()),
    SecondaryIdentification: optional(Type.String()),
    LEI: optional(lei),
  },
  { title: "OBCashAccountDebtor4" },
);

/** The creditor, if a kind has a member for it besides the account's name. Source: PC-18. */
export const creditor = closed({
  Name: optional(text(350)),
  LEI: optional(lei),
  PostalAddress: optional(postalAddress),
});

/** The creditor's bank. */
export const creditorAgent = closed({
  SchemeName: optional(agentScheme),
  Identification: optional(text(35)),
  Name: optional(text(140)),
  LEI: optional(lei),
  PostalAddress: optional(postalAddress),
});

/** For whom the creditor receives. */
export const ultimateCreditor = ultimateParty("OBUltimateCreditor1", postalAddress);

/** For whom the debtor pays. */
export const ultimateDebtor = ultimateParty("OBUltimateDebtor1", postalAddress);
