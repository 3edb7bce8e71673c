import Type, { type TProperties, type TSchema } from "typebox";
import { envelope } from "#src/standard/shared/envelope.ts";
import { closed, oneOf, open, text } from "#src/standard/shared/schema.ts";
import { accountId, supplementaryData } from "./parties.ts";

const basicMembers = {
  AccountId: Type.Optional(accountId),
  BeneficiaryId: Type.Optional(text(40)),
  BeneficiaryType: Type.Optional(oneOf(["Trusted", "Ordinary"])),
  Reference: Type.Optional(text(35)),
  SupplementaryData: Type.Optional(supplementaryData),
};

/**
 * The schemas of beneficiaries in a version. Whether the body is open or closed is left to
 * the version. Source: OBReadBeneficiary5, A-163.
 */
export const beneficiarySchemas = <Agent extends TSchema, Account extends TSchema>(
  agent: Agent,
  account: Account,
) => ({
  basic: closed(basicMembers, { title: "OBBeneficiary5Basic" }),
  detail: closed(
    { ...basicMembers, CreditorAgent: Type.Optional(agent), CreditorAccount: account },
    { title: "OBBeneficiary5Detail" },
  ),
  readMembers: {
    Data: open({
      Beneficiary: Type.Optional(
        Type.Array(
          closed(
            {
              ...basicMembers,
              CreditorAgent: Type.Optional(agent),
              CreditorAccount: Type.Optional(account),
            },
            { title: "OBBeneficiary5" },
          ),
        ),
      ),
    }),
    ...envelope,
  } satisfies TProperties,
});
