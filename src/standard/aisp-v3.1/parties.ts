import Type from "typebox";
import {
  knownAccountMembers,
  knownAgentMembers,
  namedAccountMembers,
  namedAgentMembers,
} from "#src/standard/shared/accounts/parties.ts";
import { oneOf, open, text } from "#src/standard/shared/schema.ts";

/** An account that is named in full. Source: OBCashAccount5. */
export const namedAccount = open(namedAccountMembers);

/** The known facts about the account on the other side of a transaction. Source: OBCashAccount6. */
export const knownAccount = open(knownAccountMembers);

/** A bank that is named in full. Source: OBBranchAndFinancialInstitutionIdentification5. */
export const namedAgent = open(namedAgentMembers);

/** The uses of an address. Source: OBAddressTypeCode. */
export const addressType = oneOf([
  "Business",
  "Correspondence",
  "DeliveryTo",
  "MailTo",
  "POBox",
  "Postal",
  "Residential",
  "Statement",
]);

const postalAddress = open(
  {
    AddressType: Type.Optional(addressType),
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

/** The known facts about a bank. Source: OBBranchAndFinancialInstitutionIdentification6. */
export const knownAgent = open({
  ...knownAgentMembers,
  PostalAddress: Type.Optional(postalAddress),
});
