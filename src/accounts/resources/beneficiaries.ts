import type { AgentFact, CreditorFact } from "#src/account-store/facts.ts";
import type { AccountRow } from "#src/accounts/resource.ts";
import { covers } from "#src/consents/consent-account.ts";
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
export const beneficiaries: AccountRow<BeneficiaryFacts> = {
  path: "/accounts/:AccountId/beneficiaries",
  operationId: "GetAccountsAccountIdBeneficiaries",
  summary: "Get the beneficiaries of an account",
  tag: "Beneficiaries",
  arrayName: "Beneficiary",
  source: {
    cluster: "regular-payments",
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
};

/** What every version shows of a payee besides its account and bank. */
export const beneficiaryOf = (beneficiary: BeneficiaryFacts) => ({
  AccountId: beneficiary.accountId ?? undefined,
  BeneficiaryId: beneficiary.beneficiaryId,
  BeneficiaryType: beneficiary.beneficiaryType,
  Reference: beneficiary.reference ?? undefined,
  SupplementaryData: beneficiary.supplementary ?? undefined,
});

/** The bank of a payee. */
export const beneficiaryAgentOf = ({
  creditorBic,
  creditorAgent,
}: BeneficiaryFacts): AgentFact => ({
  ...creditorAgent,
  bic: creditorBic,
});
