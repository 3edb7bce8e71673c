import Type, { type TProperties, type TSchema } from "typebox";
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

const relationships = open(
  {
    Account: Type.Optional(open({ Related: Type.String({ format: "uri" }), Id: text(40) })),
  },
  { title: "OBPartyRelationships1" },
);

/** The schemas of parties in a version, given its address and further members. Source: OBParty2. */
export const partySchemas = <Address extends TSchema, Members extends TProperties>(
  address: Address,
  members: Members,
) => {
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
      Relationships: Type.Optional(relationships),
      Address: Type.Optional(Type.Array(address)),
      ...members,
    },
    { title: "OBParty2" },
  );
  return {
    party,
    readParty: closed(
      { Data: open({ Party: Type.Optional(party) }), ...envelope },
      { title: "OBReadParty2" },
    ),
    readParties: closed(
      { Data: open({ Party: Type.Optional(Type.Array(party)) }), ...envelope },
      { title: "OBReadParty3" },
    ),
  };
};
