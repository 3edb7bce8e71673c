import type { Static } from "typebox";
import { beneficiarySchemas } from "#src/standard/shared/accounts/beneficiary.ts";
import { closed } from "#src/standard/shared/schema.ts";
import { knownAgent, namedAccount } from "./parties.ts";

const schemas = beneficiarySchemas(knownAgent, namedAccount);

/** A beneficiary without ReadBeneficiariesDetail. Source: OBBeneficiary5Basic. */
export const beneficiaryBasic = schemas.basic;

/** A beneficiary with ReadBeneficiariesDetail. Source: OBBeneficiary5Detail. */
export const beneficiaryDetail = schemas.detail;

/** Body of `GET /accounts/{AccountId}/beneficiaries`. Source: OBReadBeneficiary5. */
export const readBeneficiary = closed(schemas.readMembers, { title: "OBReadBeneficiary5" });

/** One beneficiary in that body. */
export type BeneficiaryItem = NonNullable<
  Static<typeof readBeneficiary>["Data"]["Beneficiary"]
>[number];
