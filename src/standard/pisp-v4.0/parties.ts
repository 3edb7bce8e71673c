import Type, { type TSchema } from "typebox";
import { closed, namespaced, oneOf, open, text } from "#src/standard/shared/schema.ts";

/** What an account is named by. Source: OBInternalAccountIdentification4Code. */
export const accountScheme = namespaced([
  "UK.OBIE.BBAN",
  "UK.OBIE.IBAN",
  "UK.OBIE.PAN",
  "UK.OBIE.Paym",
  "UK.OBIE.SortCodeAccountNumber",
  "UK.OBIE.Wallet",
]);

const agentScheme = namespaced(["UK.OBIE.BICFI"]);

/** Legal entity identifier. Source: D-401-32. */
export const lei = Type.String({
  minLength: 1,
  maxLength: 20,
  pattern: "^[A-Z0-9]{18,18}[0-9]{2,2}$",
});

/** Two capitals: the form alone, no list of countries. Source: digest 2.12. */
export const countryCode = Type.String({ pattern: "^[A-Z]{2,2}$" });

const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema);

/** A postal address, all of it optional. */
export const postalAddress = closed(
  {
    AddressType: optional(oneOf(["BIZZ", "DLVY", "MLTO", "PBOX", "ADDR", "HOME", "CORR", "STAT"])),
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
  },
  { title: "OBPostalAddress7" },
);

/** What stands for an account: a telephone number, an e-mail address… */
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

/** Where a refund would go: the debited account. Source: D-401-28. */
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

/** Who is paid, where a kind says it apart from the account's name. Source: C-18. */
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

const ultimateParty = (title: string) =>
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

/** For whom the creditor receives. */
export const ultimateCreditor = ultimateParty("OBUltimateCreditor1");

/** For whom the debtor pays. */
export const ultimateDebtor = ultimateParty("OBUltimateDebtor1");
