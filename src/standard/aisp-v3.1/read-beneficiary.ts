import { beneficiarySchemas } from "#src/standard/shared/accounts/beneficiary.ts";
import { closed } from "#src/standard/shared/schema.ts";
import { knownAgent, namedAccount } from "./parties.ts";

const schemas = beneficiarySchemas(knownAgent, namedAccount);

/** Body of `GET /accounts/{AccountId}/beneficiaries`. Source: OBReadBeneficiary5. */
export const readBeneficiary = closed(schemas.readMembers, { title: "OBReadBeneficiary5" });
