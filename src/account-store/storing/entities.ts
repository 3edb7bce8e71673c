import type {
  AccountFact,
  BeneficiaryFact,
  DirectDebitFact,
  HolderFact,
  OfferFact,
  PartyFact,
  ProductFact,
  ScheduledPaymentFact,
  StandingOrderFact,
  StatementFact,
} from "#src/account-store/facts.ts";
import type { TransactionFact } from "#src/account-store/transaction.ts";
import type { Entity, RemovableEntity } from "./entity.ts";

/**
 * The identity of an account's fact. It includes the account's id, because a change of the fact
 * locks the account.
 */
type Of<Fact extends { accountId: string }, Id extends keyof Fact> = Pick<Fact, "accountId" | Id>;

/** Accounts. A closed account has the status `Deleted` until the bank removes it. */
export const accountEntity: Entity<AccountFact, Pick<AccountFact, "accountId">> = {
  name: "account",
  table: "account",
  key: ["account_id"],
  toKey: ({ accountId }) => ({ account_id: accountId }),
  columns: [
    "account_type",
    "account_sub_type",
    "currency",
    "nickname",
    "description",
    "holder_name",
    "opened_on",
    "matures_on",
    "status",
    "status_updated_at",
    "is_switched",
    "sort_code_account_number",
    "secondary_identification",
    "iban",
    "masked_pan",
    "signatories_required",
    "product_id",
    "company_id",
    "servicer",
    "statement_deliveries",
  ],
  toRow: (fact) => ({
    account_type: fact.accountType,
    account_sub_type: fact.accountSubType,
    currency: fact.currency,
    nickname: fact.nickname,
    description: fact.description,
    holder_name: fact.holderName,
    opened_on: fact.openedOn.toString(),
    matures_on: fact.maturesOn?.toString(),
    status: fact.status,
    status_updated_at: fact.statusUpdatedAt.toString(),
    is_switched: fact.isSwitched,
    sort_code_account_number: fact.sortCodeAccountNumber,
    secondary_identification: fact.secondaryIdentification,
    iban: fact.iban,
    masked_pan: fact.maskedPan,
    signatories_required: fact.signatoriesRequired,
    product_id: fact.productId,
    company_id: fact.companyId,
    servicer: fact.servicer,
    statement_deliveries: fact.statementDeliveries,
  }),
  // the number of a closed account may be given to another one
  isFirst: ({ status }) => status === "Deleted",
};

/** The holders of each account. */
export const holderEntity: Entity<HolderFact, Of<HolderFact, "customerId">> = {
  name: "holder",
  table: "account_holder",
  key: ["account_id", "customer_id"],
  toKey: ({ accountId, customerId }) => ({ account_id: accountId, customer_id: customerId }),
  columns: ["role", "is_beneficial_owner"],
  toRow: ({ role, isBeneficialOwner }) => ({ role, is_beneficial_owner: isBeneficialOwner }),
};

/** The terms of accounts. */
export const productEntity: Entity<ProductFact, Pick<ProductFact, "productId">> = {
  name: "product",
  isApart: true,
  table: "product",
  key: ["product_id"],
  toKey: ({ productId }) => ({ product_id: productId }),
  columns: ["name", "details", "purchase_rate"],
  toRow: ({ name, details, purchaseRate }) => ({ name, details, purchase_rate: purchaseRate }),
};

/** Persons and companies. */
export const partyEntity: Entity<PartyFact, Pick<PartyFact, "partyId">> = {
  name: "party",
  isApart: true,
  table: "party",
  key: ["party_id"],
  toKey: ({ partyId }) => ({ party_id: partyId }),
  columns: ["name", "legal_structure", "lei", "contact"],
  toRow: ({ name, legalStructure, lei, contact }) => ({
    name,
    legal_structure: legalStructure,
    lei,
    contact,
  }),
};

/** Offers to the customers of accounts. */
export const offerEntity: Entity<OfferFact, Of<OfferFact, "offerId">> = {
  name: "offer",
  table: "offer",
  key: ["offer_id"],
  toKey: ({ offerId }) => ({ offer_id: offerId }),
  columns: ["account_id", "ends_at", "details"],
  toRow: ({ accountId, endsAt, details }) => ({
    account_id: accountId,
    ends_at: endsAt.toString(),
    details,
  }),
};

/** The payees of customers. */
export const beneficiaryEntity: Entity<BeneficiaryFact, Pick<BeneficiaryFact, "beneficiaryId">> = {
  name: "beneficiary",
  isApart: true,
  table: "beneficiary",
  key: ["beneficiary_id"],
  toKey: ({ beneficiaryId }) => ({ beneficiary_id: beneficiaryId }),
  columns: [
    "customer_id",
    "beneficiary_type",
    "scheme_name",
    "identification",
    "name",
    "secondary_identification",
    "proxy",
    "creditor_bic",
    "creditor_agent",
    "reference",
    "created_at",
    "supplementary",
  ],
  toRow: (fact) => ({
    customer_id: fact.customerId,
    beneficiary_type: fact.isTrusted ? "Trusted" : "Ordinary",
    scheme_name: fact.schemeName,
    identification: fact.identification,
    name: fact.name,
    secondary_identification: fact.secondaryIdentification,
    proxy: fact.proxy,
    creditor_bic: fact.creditorBic,
    creditor_agent: fact.creditorAgent,
    reference: fact.reference,
    created_at: fact.createdAt.toString(),
    supplementary: fact.supplementary,
  }),
};

/** The mandates of accounts. */
export const directDebitEntity: Entity<DirectDebitFact, Of<DirectDebitFact, "directDebitId">> = {
  name: "direct-debit",
  table: "direct_debit",
  key: ["direct_debit_id"],
  toKey: ({ directDebitId }) => ({ direct_debit_id: directDebitId }),
  columns: [
    "account_id",
    "mandate_reference",
    "originator_name",
    "frequency",
    "status",
    "status_updated_at",
    "mandate",
    "previous_at",
    "previous_minor",
    "previous_currency",
  ],
  toRow: (fact) => ({
    account_id: fact.accountId,
    mandate_reference: fact.mandateReference,
    originator_name: fact.originatorName,
    frequency: fact.frequency,
    status: fact.state,
    status_updated_at: fact.stateUpdatedAt.toString(),
    mandate: fact.mandate,
    previous_at: fact.previous?.at.toString() ?? null,
    previous_minor: fact.previous?.amount.amountMinor.toString() ?? null,
    previous_currency: fact.previous?.amount.currency ?? null,
  }),
};

/** Standing orders of the bank's own channels. */
export const standingOrderEntity: Entity<
  StandingOrderFact,
  Of<StandingOrderFact, "standingOrderId">
> = {
  name: "standing-order",
  table: "channel_standing_order",
  key: ["standing_order_id"],
  toKey: ({ standingOrderId }) => ({ standing_order_id: standingOrderId }),
  columns: [
    "account_id",
    "rhythm",
    "reference",
    "currency",
    "number_of_payments",
    "state",
    "first_payment_on",
    "first_payment_minor",
    "recurring_payment_on",
    "next_payment_at",
    "next_payment_minor",
    "last_payment_at",
    "last_payment_minor",
    "final_payment_on",
    "final_payment_minor",
    "mandate",
    "remittance",
    "creditor",
    "creditor_agent",
    "supplementary",
  ],
  toRow: (fact) => ({
    account_id: fact.accountId,
    rhythm: fact.rhythm,
    reference: fact.reference,
    currency: fact.currency,
    number_of_payments: fact.numberOfPayments,
    state: fact.state,
    first_payment_on: fact.first.on?.toString() ?? null,
    first_payment_minor: fact.first.amountMinor.toString(),
    recurring_payment_on: fact.recurringOn?.toString() ?? null,
    next_payment_at: fact.next?.at.toString() ?? null,
    next_payment_minor: fact.next?.amountMinor.toString() ?? null,
    last_payment_at: fact.last?.at.toString() ?? null,
    last_payment_minor: fact.last?.amountMinor.toString() ?? null,
    final_payment_on: fact.final?.on?.toString() ?? null,
    final_payment_minor: fact.final?.amountMinor.toString() ?? null,
    mandate: fact.mandate,
    remittance: fact.remittance,
    creditor: fact.creditor,
    creditor_agent: fact.creditorAgent,
    supplementary: fact.supplementary,
  }),
};

/** Scheduled payments of the bank's own channels. */
export const scheduledPaymentEntity: Entity<
  ScheduledPaymentFact,
  Of<ScheduledPaymentFact, "scheduledPaymentId">
> = {
  name: "scheduled-payment",
  table: "channel_scheduled_payment",
  key: ["scheduled_payment_id"],
  toKey: ({ scheduledPaymentId }) => ({ scheduled_payment_id: scheduledPaymentId }),
  columns: [
    "account_id",
    "execute_at",
    "reference",
    "debtor_reference",
    "amount_minor",
    "currency",
    "creditor",
    "creditor_agent",
  ],
  toRow: (fact) => ({
    account_id: fact.accountId,
    execute_at: fact.executeAt.toString(),
    reference: fact.reference,
    debtor_reference: fact.debtorReference,
    amount_minor: fact.amount.amountMinor.toString(),
    currency: fact.amount.currency,
    creditor: fact.creditor,
    creditor_agent: fact.creditorAgent,
  }),
};

/** Statements. */
export const statementEntity: Entity<StatementFact, Of<StatementFact, "statementId">> = {
  name: "statement",
  table: "account_statement",
  key: ["statement_id"],
  toKey: ({ statementId }) => ({ statement_id: statementId }),
  columns: [
    "account_id",
    "starts_at",
    "ends_at",
    "number",
    "created_at",
    "period_name",
    "currency",
    "currency_kind",
    "opening_minor",
    "closing_minor",
    "credits_minor",
    "debits_minor",
    "credit_count",
    "debit_count",
    "limit_minor",
    "costs",
    "minimum_payment_minor",
    "payment_due_at",
    "rates",
    "particulars",
  ],
  toRow: (fact) => ({
    account_id: fact.accountId,
    starts_at: fact.startsAt.toString(),
    ends_at: fact.endsAt.toString(),
    number: fact.number,
    created_at: fact.createdAt.toString(),
    period_name: fact.periodName,
    currency: fact.currency,
    currency_kind: fact.currencyKind,
    opening_minor: fact.openingMinor.toString(),
    closing_minor: fact.closingMinor.toString(),
    credits_minor: fact.creditsMinor.toString(),
    debits_minor: fact.debitsMinor.toString(),
    credit_count: fact.creditCount,
    debit_count: fact.debitCount,
    limit_minor: fact.limitMinor.toString(),
    costs: fact.costs,
    minimum_payment_minor: fact.minimumPaymentMinor?.toString() ?? null,
    payment_due_at: fact.paymentDueAt?.toString() ?? null,
    rates: fact.rates,
    particulars: fact.particulars,
  }),
};

/** The identity of a transaction; `feed_transactions` stores it. */
export const transactionEntity: RemovableEntity<Of<TransactionFact, "transactionId">> = {
  name: "transaction",
  table: "account_transaction",
  key: ["transaction_id"],
  toKey: ({ transactionId }) => ({ transaction_id: transactionId }),
};
