import Type, { type Static } from "typebox";
import { envelope } from "#src/standard/shared/envelope.ts";
import { closed, oneOf, open, text } from "#src/standard/shared/schema.ts";
import { accountId, knownAgent, namedAccount, supplementaryData } from "./parties.ts";

const basicMembers = {
  AccountId: Type.Optional(accountId),
  BeneficiaryId: Type.Optional(text(40)),
  BeneficiaryType: Type.Optional(oneOf(["Trusted", "Ordinary"])),
  Reference: Type.Optional(text(35)),
  SupplementaryData: Type.Optional(supplementaryData),
};

/** A beneficiary without ReadBeneficiariesDetail. Source: OBBeneficiary5Basic, digest 3.8. */
export const beneficiaryBasic = closed(basicMembers, { title: "OBBeneficiary5Basic" });

/** A beneficiary with ReadBeneficiariesDetail. Source: OBBeneficiary5Detail, digest 3.8. */
export const beneficiaryDetail = closed(
  { ...basicMembers, CreditorAgent: Type.Optional(knownAgent), CreditorAccount: namedAccount },
  { title: "OBBeneficiary5Detail" },
);

const beneficiary = closed(
  {
    ...basicMembers,
    CreditorAgent: Type.Optional(knownAgent),
    CreditorAccount: Type.Optional(namedAccount),
  },
  { title: "OBBeneficiary5" },
);

/** Body of `GET /accounts/{AccountId}/beneficiaries`. Source: OBReadBeneficiary5. */
export const readBeneficiary = closed(
  { Data: open({ Beneficiary: Type.Optional(Type.Array(beneficiary)) }), ...envelope },
  { title: "OBReadBeneficiary5" },
);

/** One beneficiary of it. */
export type BeneficiaryItem = Static<typeof beneficiary>;
