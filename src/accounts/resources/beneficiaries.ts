import type { AgentFact, CreditorFact } from "#src/account-store/facts.ts";
import { defineAccountResource } from "#src/accounts/resource.ts";
import {
  renderCreditorAccount,
  renderCreditorAccountV4,
  renderPayeeAgentV3,
  renderPayeeAgentV4,
} from "#src/accounts/views/creditor.ts";
import { covers } from "#src/consents/consent-account.ts";
import { readBeneficiary } from "#src/standard/aisp-v3.1/read-beneficiary.ts";
import { readBeneficiary as readBeneficiaryV4 } from "#src/standard/aisp-v4.0/read-beneficiary.ts";
import type { SupplementaryFacts } from "#src/standard/shared/accounts/facts.ts";
import { sql } from "#src/storage/sql.ts";

type BeneficiaryFacts = {
  /** Null in the customer's list, which belongs to no account. */
  accountId: string | null;
  beneficiaryId: string;
  beneficiaryType: "Ordinary" | "Trusted";
  reference: string | null;
  /** BIC; null if the account number identifies the bank. */
  creditorBic: string | null;
  /** Further facts of the payee's bank. */
  creditorAgent: Omit<AgentFact, "bic"> | null;
  creditor: CreditorFact;
  supplementary: SupplementaryFacts | null;
};

/**
 * The payees of the customer. The list belongs to the customer: every account that can pay shows
 * it, a card does not, and another holder of the account has a different list. Source: A-163,
 * A-164.
 */
export const beneficiaries = defineAccountResource<BeneficiaryFacts>({
  path: "/accounts/:AccountId/beneficiaries",
  operationId: "GetAccountsAccountIdBeneficiaries",
  summary: "Get the beneficiaries of an account",
  tag: "Beneficiaries",
  arrayName: "Beneficiary",
  source: {
    permissions: [["ReadBeneficiariesBasic", "ReadBeneficiariesDetail"]],
    detailPermission: "ReadBeneficiariesDetail",
    from: sql`beneficiary b`,
    where: sql`b.customer_id = r.customer_id and exists (
      select from account p
      where p.account_id = r.account_id and p.account_sub_type <> 'CreditCard')`,
    key: { columns: [{ column: sql`b.beneficiary_id`, type: "text" }], descending: false },
    facts: sql`json_build_object('accountId', r.account_id, 'beneficiaryId', b.beneficiary_id,
      'beneficiaryType', b.beneficiary_type, 'reference', b.reference,
      'creditorBic', b.creditor_bic, 'creditorAgent', b.creditor_agent,
      'supplementary', b.supplementary, 'creditor', json_build_object('schemeName', b.scheme_name,
        'identification', b.identification, 'name', b.name,
        'secondaryIdentification', b.secondary_identification, 'proxy', b.proxy))::text`,
    paged: true,
  },
  views: {
    "aisp-v3.1": {
      detailMembers: ["CreditorAgent", "CreditorAccount"],
      schema: readBeneficiary,
      render: (beneficiary, context) => [
        {
          ...basicOf(beneficiary),
          CreditorAgent: renderPayeeAgentV3(agentOf(beneficiary)),
          CreditorAccount: renderCreditorAccount(beneficiary.creditor, context),
        },
      ],
    },
    "aisp-v4.0": {
      detailMembers: ["CreditorAgent", "CreditorAccount"],
      schema: readBeneficiaryV4,
      render: (beneficiary, context) => [
        {
          ...basicOf(beneficiary),
          CreditorAgent: renderPayeeAgentV4(agentOf(beneficiary)),
          CreditorAccount: renderCreditorAccountV4(beneficiary.creditor, context),
        },
      ],
    },
  },
  // the list once, if one of the consent's accounts can show it Source: A-164, D-09
  bulk: {
    path: "/beneficiaries",
    operationId: "GetBeneficiaries",
    summary: "Get the beneficiaries of the customer",
    source: {
      perCustomer: true,
      where: sql`b.customer_id = r.customer_id and exists (
        select from account p join account_holder h on h.account_id = p.account_id
        where ${covers(sql`r.consent_id`, sql`p.account_id`)} and p.status = 'Enabled'
          and p.account_sub_type <> 'CreditCard' and h.customer_id = r.customer_id)`,
    },
  },
});

const basicOf = (beneficiary: BeneficiaryFacts) => ({
  AccountId: beneficiary.accountId ?? undefined,
  BeneficiaryId: beneficiary.beneficiaryId,
  BeneficiaryType: beneficiary.beneficiaryType,
  Reference: beneficiary.reference ?? undefined,
  SupplementaryData: beneficiary.supplementary ?? undefined,
});

const agentOf = ({ creditorBic, creditorAgent }: BeneficiaryFacts): AgentFact => ({
  ...creditorAgent,
  bic: creditorBic,
});
