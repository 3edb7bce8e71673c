import Type from "typebox";
import { partySchemas } from "#src/standard/shared/accounts/party.ts";
import { open, text } from "#src/standard/shared/schema.ts";
import { addressType } from "./parties.ts";

const address = open({
  AddressType: Type.Optional(addressType),
  AddressLine: Type.Optional(Type.Array(text(70), { minItems: 0, maxItems: 5 })),
  StreetName: Type.Optional(text(70)),
  BuildingNumber: Type.Optional(text(16)),
  PostCode: Type.Optional(text(16)),
  TownName: Type.Optional(text(35)),
  CountrySubDivision: Type.Optional(text(35)),
  Country: Type.String({ pattern: "^[A-Z]{2,2}$" }),
});

const schemas = partySchemas(address, {});

/** Body of `GET /party` and `GET /accounts/{AccountId}/party`. Source: OBReadParty2. */
export const readParty = schemas.readParty;

/** Body of `GET /accounts/{AccountId}/parties`. Source: OBReadParty3. */
export const readParties = schemas.readParties;
