import Type from "typebox";
import { closed, oneOf, open, text } from "#src/standard/shared/schema.ts";
import { accountScheme, agentScheme } from "#src/standard/shared/scheme-names.ts";
import { addressTypeCodes, countryCode } from "#src/standard/shared/v4/parties.ts";

const addressLine = (maxItems: number) => Type.Array(text(70), { minItems: 0, maxItems });

const street = {
  StreetName: Type.Optional(text(70)),
  BuildingNumber: Type.Optional(text(16)),
  PostCode: Type.Optional(text(16)),
  CountrySubDivision: Type.Optional(text(35)),
};

/** A postal address. v4.0 has codes for the same types. Source: OBPostalAddress6, V-174. */
export const postalAddress = closed(
  {
    AddressType: Type.Optional(oneOf(Object.keys(addressTypeCodes))),
    Department: Type.Optional(text(70)),
    SubDepartment: Type.Optional(text(70)),
    ...street,
    TownName: Type.Optional(text(35)),
    Country: Type.Optional(countryCode),
    AddressLine: Type.Optional(addressLine(7)),
  },
  { title: "OBPostalAddress6" },
);

/** The members of a delivery address, which names at least a town and a country. */
export const deliveryAddressMembers = {
  ...street,
  TownName: text(35),
  Country: countryCode,
  AddressLine: Type.Optional(addressLine(2)),
};

const account = {
  SchemeName: accountScheme,
  Identification: text(256),
  SecondaryIdentification: Type.Optional(text(34)),
};

/** The account to be credited, or to be refunded. */
export const creditorAccount = closed({ ...account, Name: text(350) });

/** The account to be debited; its holder's name is optional. */
export const debtorAccount = closed({ ...account, Name: Type.Optional(text(350)) });

/** The debtor as a response names him. */
export const debtor = open(
  {
    SchemeName: Type.Optional(Type.String()),
    Identification: Type.Optional(Type.String()),
    Name: Type.Optional(Type.String()),
    SecondaryIdentification: Type.Optional(Type.String()),
  },
  { title: "OBCashAccountDebtor4" },
);

/** The creditor of an international payment. */
export const creditor = (nameLength: number) =>
  closed({ Name: Type.Optional(text(nameLength)), PostalAddress: Type.Optional(postalAddress) });

/** The creditor's bank. */
export const creditorAgent = closed({
  SchemeName: Type.Optional(agentScheme),
  Identification: Type.Optional(text(35)),
  Name: Type.Optional(text(140)),
  PostalAddress: Type.Optional(postalAddress),
});
