import Type from "typebox";
import { partySchemas } from "#src/standard/shared/accounts/party.ts";
import { lei, openPostalAddress } from "#src/standard/shared/v4/parties.ts";

// Source: E-058, E-059, E-060.
const schemas = partySchemas(openPostalAddress, { LEI: Type.Optional(lei) });

/** Body of `GET /party` and `GET /accounts/{AccountId}/party`. Source: OBReadParty2. */
export const readParty = schemas.readParty;

/** Body of `GET /accounts/{AccountId}/parties`. Source: OBReadParty3. */
export const readParties = schemas.readParties;
