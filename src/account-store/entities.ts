import type { Entity } from "./entity.ts";
import type {
  AccountFact,
  BeneficiaryFact,
  CompanyFact,
  HolderFact,
  OfferFact,
  ProductFact,
} from "./facts.ts";

/** Accounts. They are never removed: a closed account has the status `Deleted`. */
export const accountEntity: Entity<AccountFact> = {
  name: "account",
  table: "account",
  key: ["account_id"],
  columns: [
    "account_id",
    "account_type",
    "account_sub_type",
    "currency",
    "nickname",
    "description",
    "holder_name",
    "opened_on",
    "status",
    "status_updated_at",
    "is_switched",
    "sort_code_account_number",
    "iban",
    "masked_pan",
    "signatories_required",
    "product_id",
    "company_id",
  ],
  toRow: (fact) => ({
    account_id: fact.accountId,
    account_type: fact.accountType,
    account_sub_type: fact.accountSubType,
    currency: fact.currency,
    nickname: fact.nickname,
    description: fact.description,
    holder_name: fact.holderName,
    opened_on: fact.openedOn.toString(),
    status: fact.status,
    status_updated_at: fact.statusUpdatedAt.toString(),
    is_switched: fact.isSwitched,
    sort_code_account_number: fact.sortCodeAccountNumber,
    iban: fact.iban,
    masked_pan: fact.maskedPan,
    signatories_required: fact.signatoriesRequired,
    product_id: fact.productId,
    company_id: fact.companyId,
  }),
};

/** The customers of each account. */
export const holderEntity: Entity<HolderFact> = {
  name: "holder",
  table: "account_holder",
  key: ["account_id", "customer_id"],
  columns: ["account_id", "customer_id", "role"],
  toRow: ({ accountId, customerId, role }) => ({
    account_id: accountId,
    customer_id: customerId,
    role,
  }),
};

/** The terms of accounts. */
export const productEntity: Entity<ProductFact> = {
  name: "product",
  table: "product",
  key: ["product_id"],
  columns: ["product_id", "name", "details", "purchase_rate"],
  toRow: ({ productId, name, details, purchaseRate }) => ({
    product_id: productId,
    name,
    details,
    purchase_rate: purchaseRate,
  }),
};

/** The companies that own accounts. */
export const companyEntity: Entity<CompanyFact> = {
  name: "company",
  table: "company",
  key: ["company_id"],
  columns: ["company_id", "name", "legal_structure", "contact"],
  toRow: ({ companyId, name, legalStructure, contact }) => ({
    company_id: companyId,
    name,
    legal_structure: legalStructure,
    contact,
  }),
};

/** Offers to the customers of accounts. */
export const offerEntity: Entity<OfferFact> = {
  name: "offer",
  table: "offer",
  key: ["offer_id"],
  columns: ["offer_id", "account_id", "ends_at", "details"],
  toRow: ({ offerId, accountId, endsAt, details }) => ({
    offer_id: offerId,
    account_id: accountId,
    ends_at: endsAt.toString(),
    details,
  }),
};

/** The payees of customers. */
export const beneficiaryEntity: Entity<BeneficiaryFact> = {
  name: "beneficiary",
  table: "beneficiary",
  key: ["beneficiary_id"],
  columns: [
    "beneficiary_id",
    "customer_id",
    "beneficiary_type",
    "scheme_name",
    "identification",
    "name",
    "secondary_identification",
    "creditor_bic",
    "reference",
    "created_at",
  ],
  toRow: (fact) => ({
    beneficiary_id: fact.beneficiaryId,
    customer_id: fact.customerId,
    beneficiary_type: fact.isTrusted ? "Trusted" : "Ordinary",
    scheme_name: fact.schemeName,
    identification: fact.identification,
    name: fact.name,
    secondary_identification: fact.secondaryIdentification,
    creditor_bic: fact.creditorBic,
    reference: fact.reference,
    created_at: fact.createdAt.toString(),
  }),
};

/** The identity of a transaction; `store_transactions` stores it. */
export const transactionEntity: Pick<Entity<never>, "name" | "table" | "key"> = {
  name: "transaction",
  table: "account_transaction",
  key: ["transaction_id"],
};
