import Type from "typebox";
import { closed, oneOf, text } from "#src/standard/shared/schema.ts";
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
