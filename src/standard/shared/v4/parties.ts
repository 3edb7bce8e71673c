import Type, { type TSchema } from "typebox";
import type { AddressKind } from "#src/standard/shared/accounts/facts.ts";
import { closed, oneOf, open, text } from "#src/standard/shared/schema.ts";
import { accountScheme } from "#src/standard/shared/scheme-names.ts";

/** Legal entity identifier. Source: ISO 17442, LEI structure; E-060. */
export const lei = Type.String({
  minLength: 1,
  maxLength: 20,
  pattern: "^[A-Z0-9]{18,18}[0-9]{2,2}$",
});

/**
 * Two capital letters; only the form is checked, not a list of countries. Source: ISO 3166-1,
 * alpha-2 codes.
 */
export const countryCode = Type.String({ pattern: "^[A-Z]{2,2}$" });

/** AddressType of each kind of address. Source: OBAddressType2Code. */
export const addressTypeCodes = {
  Business: "BIZZ",
  Correspondence: "CORR",
  DeliveryTo: "DLVY",
  MailTo: "MLTO",
  POBox: "PBOX",
  Postal: "ADDR",
  Residential: "HOME",
  Statement: "STAT",
} as const satisfies Record<AddressKind, string>;

const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema);

const addressMembers = {
  AddressType: optional(oneOf(Object.values(addressTypeCodes))),
  Department: optional(text(70)),
  SubDepartment: optional(text(70)),
  StreetName: optional(text(140)),
  BuildingNumber: optional(text(16)),
  BuildingName: optional(text(140)),
  Floor: optional(text(70)),
  UnitNumber: optional(text(16)),
  Room: optional(text(70)),
  PostBox: optional(text(16)),
  TownLocationName: optional(text(140)),
  DistrictName: optional(text(140)),
  CareOf: optional(text(140)),
  PostCode: optional(text(16)),
  TownName: optional(text(140)),
  CountrySubDivision: optional(text(35)),
  Country: optional(countryCode),
  AddressLine: optional(Type.Array(text(70), { minItems: 0, maxItems: 7 })),
};

/** A postal address as Payment Initiation has it. Source: OBPostalAddress7. */
export const closedPostalAddress = closed(addressMembers, { title: "OBPostalAddress7" });

/** A postal address as Account Information has it. Source: OBPostalAddress7. */
export const openPostalAddress = open(addressMembers, { title: "OBPostalAddress7" });

/** A telephone number, email address or other identifier used in place of an account number. */
export const proxy = open(
  {
    Identification: text(2048),
    // biome-ignore format: a code set
    Code: oneOf([
      "TELE", "EMAL", "DNAM", "CINC", "COTX", "COID", "CUST", "DRLC", "EIDN", "EWAL", "PVTX",
      "LEIC", "MBNO", "NIDN", "CCPT", "SHID", "SOSE", "TOKN", "UBIL", "VIPN", "BIID",
    ]),
    Type: optional(text(35)),
  },
  { title: "OBProxy1" },
);

/** The party on whose behalf money is paid or received. Source: E-039. */
export const ultimateParty = <Address extends TSchema>(title: string, postalAddress: Address) =>
  open(
    {
      Name: optional(text(140)),
      Identification: optional(text(256)),
      LEI: optional(lei),
      SchemeName: optional(accountScheme),
      PostalAddress: optional(postalAddress),
    },
    { title },
  );
