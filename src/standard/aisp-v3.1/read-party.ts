import Type, { type Static } from "typebox";
import { envelope } from "#src/standard/shared/envelope.ts";
import { closed, namespaced, oneOf, open, text } from "#src/standard/shared/schema.ts";

const legalStructure = namespaced([
  "UK.OBIE.CIC",
  "UK.OBIE.CIO",
  "UK.OBIE.Charity",
  "UK.OBIE.CoOp",
  "UK.OBIE.GeneralPartnership",
  "UK.OBIE.Individual",
  "UK.OBIE.LimitedLiabilityPartnership",
  "UK.OBIE.LimitedPartnership",
  "UK.OBIE.PrivateLimitedCompany",
  "UK.OBIE.PublicLimitedCompany",
  "UK.OBIE.ScottishLimitedPartnership",
  "UK.OBIE.Sole",
]);

const accountRole = namespaced([
  "UK.OBIE.Administrator",
  "UK.OBIE.Beneficiary",
  "UK.OBIE.CustodianForMinor",
  "UK.OBIE.Granter",
  "UK.OBIE.LegalGuardian",
  "UK.OBIE.OtherParty",
  "UK.OBIE.PowerOfAttorney",
  "UK.OBIE.Principal",
  "UK.OBIE.Protector",
  "UK.OBIE.RegisteredShareholderName",
  "UK.OBIE.SecondaryOwner",
  "UK.OBIE.SeniorManagingOfficial",
  "UK.OBIE.Settlor",
  "UK.OBIE.SuccessorOnDeath",
]);

const phoneNumber = Type.String({ pattern: String.raw`\+[0-9]{1,3}-[0-9()+\-]{1,30}` });

const address = open({
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
  AddressLine: Type.Optional(Type.Array(text(70), { minItems: 0, maxItems: 5 })),
  StreetName: Type.Optional(text(70)),
  BuildingNumber: Type.Optional(text(16)),
  PostCode: Type.Optional(text(16)),
  TownName: Type.Optional(text(35)),
  CountrySubDivision: Type.Optional(text(35)),
  Country: Type.String({ pattern: "^[A-Z]{2,2}$" }),
});

const party = closed(
  {
    PartyId: text(40),
    PartyNumber: Type.Optional(text(35)),
    PartyType: Type.Optional(oneOf(["Delegate", "Joint", "Sole"])),
    Name: Type.Optional(text(350)),
    FullLegalName: Type.Optional(text(350)),
    LegalStructure: Type.Optional(legalStructure),
    BeneficialOwnership: Type.Optional(Type.Boolean()),
    AccountRole: Type.Optional(accountRole),
    EmailAddress: Type.Optional(text(256)),
    Phone: Type.Optional(phoneNumber),
    Mobile: Type.Optional(phoneNumber),
    Relationships: Type.Optional(
      open(
        {
          Account: Type.Optional(open({ Related: Type.String({ format: "uri" }), Id: text(40) })),
        },
        { title: "OBPartyRelationships1" },
      ),
    ),
    Address: Type.Optional(Type.Array(address)),
  },
  { title: "OBParty2" },
);

/** Body of `GET /party` and `GET /accounts/{AccountId}/party`. Source: OBReadParty2. */
export const readParty = closed(
  { Data: open({ Party: Type.Optional(party) }), ...envelope },
  { title: "OBReadParty2" },
);

/** Body of `GET /accounts/{AccountId}/parties`. Source: OBReadParty3. */
export const readParties = closed(
  { Data: open({ Party: Type.Optional(Type.Array(party)) }), ...envelope },
  { title: "OBReadParty3" },
);

/** One party of them. */
export type Party = Static<typeof party>;
