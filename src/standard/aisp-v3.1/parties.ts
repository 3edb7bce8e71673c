import Type from "typebox";
import { namespaced, oneOf, open, text } from "#src/standard/shared/schema.ts";

/** An account's identifier with the bank: it never changes and tells a customer nothing. */
export const accountId = text(40);

/** Whether money came (Credit; zero too) or went. Source: digest 3.0. */
export const creditDebitIndicator = oneOf(["Credit", "Debit"]);

const accountScheme = namespaced([
  "UK.OBIE.BBAN",
  "UK.OBIE.IBAN",
  "UK.OBIE.PAN",
  "UK.OBIE.Paym",
  "UK.OBIE.SortCodeAccountNumber",
  "UK.OBIE.Wallet",
]);

const agentScheme = namespaced(["UK.OBIE.BICFI"]);

/** An account that is named in full. Source: OBCashAccount5. */
export const namedAccount = open({
  SchemeName: accountScheme,
  Identification: text(256),
  Name: Type.Optional(text(350)),
  SecondaryIdentification: Type.Optional(text(34)),
});

/** As much of an account as is known of the other side of a transaction. Source: OBCashAccount6. */
export const knownAccount = open({
  SchemeName: Type.Optional(accountScheme),
  Identification: Type.Optional(text(256)),
  Name: Type.Optional(text(350)),
  SecondaryIdentification: Type.Optional(text(34)),
});

/** A bank that is named in full. Source: OBBranchAndFinancialInstitutionIdentification5. */
export const namedAgent = open({ SchemeName: agentScheme, Identification: text(35) });

const postalAddress = open(
  {
    AddressType: Type.Optional(
      oneOf([
        "Business",
        "Correspondence",
        "DeliveryTo",
        "MailTo",
        "POBox",
        "Postal",
        "Residential",
        "Statement",
      ]),
    ),
    Department: Type.Optional(text(70)),
    SubDepartment: Type.Optional(text(70)),
    StreetName: Type.Optional(text(70)),
    BuildingNumber: Type.Optional(text(16)),
    PostCode: Type.Optional(text(16)),
    TownName: Type.Optional(text(35)),
    CountrySubDivision: Type.Optional(text(35)),
    Country: Type.Optional(Type.String({ pattern: "^[A-Z]{2,2}$" })),
    AddressLine: Type.Optional(Type.Array(text(70), { minItems: 0, maxItems: 7 })),
  },
  { title: "OBPostalAddress6" },
);

/** As much of a bank as is known. Source: OBBranchAndFinancialInstitutionIdentification6. */
export const knownAgent = open({
  SchemeName: Type.Optional(agentScheme),
  Identification: Type.Optional(text(35)),
  Name: Type.Optional(text(140)),
  PostalAddress: Type.Optional(postalAddress),
});

/** Anything that a bank and its TPPs agree on. */
export const supplementaryData = open(
  {},
  { additionalProperties: true, title: "OBSupplementaryData1" },
);
