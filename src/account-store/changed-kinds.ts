// Each table of facts as JSON, in the form in which fact-rules.ts reads facts, and in the order in
// which another store must get them.
import { type Sql, sql } from "#src/storage/sql.ts";

/** A table whose rows are facts. */
export type ChangedKind = {
  /**
   * Whether rows of other tables name these. A row that a later transaction has rewritten is shown
   * too, because another store refuses the rows that name it if it comes after them.
   */
  isNamed?: true;
  /** The table as `t`, and what else the facts need. */
  from: Sql;
  /** The key of a row of `t` as one text that sorts. */
  key: Sql;
  /** Which rows of the table are meant; all without it. */
  where?: Sql;
  /**
   * The facts that the row of `t` names and that a transaction from `until` on has written, as the
   * JSON of changes: another store refuses the row without them.
   */
  named?(until: Sql): Sql;
  /** The row of `t` as JSON. */
  fact: Sql;
  /** The members of the changes that have these facts. */
  shown(facts: unknown[]): object;
};

const asKind = (kind: string) => (facts: unknown[]) => ({ [kind]: facts });

const product = sql`json_build_object('version', t.version, 'productId', t.product_id,
  'name', t.name, 'details', t.details, 'purchaseRate', t.purchase_rate)`;

const party = sql`json_build_object('version', t.version, 'partyId', t.party_id, 'name', t.name,
  'legalStructure', t.legal_structure, 'lei', t.lei, 'contact', t.contact)`;

const account = sql`json_build_object('version', t.version, 'accountId', t.account_id,
  'accountType', t.account_type, 'accountSubType', t.account_sub_type, 'currency', t.currency,
  'nickname', t.nickname, 'description', t.description, 'holderName', t.holder_name,
  'openedOn', t.opened_on, 'maturesOn', t.matures_on, 'status', t.status,
  'statusUpdatedAt', t.status_updated_at, 'isSwitched', t.is_switched,
  'sortCodeAccountNumber', t.sort_code_account_number,
  'secondaryIdentification', t.secondary_identification, 'iban', t.iban,
  'maskedPan', t.masked_pan, 'signatoriesRequired', t.signatories_required,
  'productId', t.product_id, 'companyId', t.company_id, 'servicer', t.servicer,
  'statementDeliveries', t.statement_deliveries)`;

const holder = sql`json_build_object('version', t.version, 'accountId', t.account_id,
  'customerId', t.customer_id, 'role', t.role, 'isBeneficialOwner', t.is_beneficial_owner)`;

const balances = sql`json_build_object('version', t.version, 'accountId', t.account_id,
  'currency', t.currency, 'currencyKind', t.currency_kind, 'statedAt', t.stated_at,
  'balances', (case when t.booked_minor is null then '[]'::jsonb else jsonb_build_array(
      jsonb_build_object('type', 'InterimBooked', 'amountMinor', t.booked_minor::text)) end
    || case when t.available_minor is null then '[]'::jsonb else jsonb_build_array(
      jsonb_build_object('type', 'InterimAvailable', 'amountMinor', t.available_minor::text,
        'creditLines', t.credit_lines)) end
    || coalesce(t.further::jsonb, '[]'::jsonb)))`;

// texts that are too long for the columns are among the particulars
const inParticulars = sql`array['reference', 'information', 'merchantName', 'partyName',
  'partyIdentification', 'partySecondaryIdentification']`;

const transaction = sql`json_build_object('version', t.version, 'accountId', t.account_id,
  'transactionId', t.transaction_id, 'indicator', t.indicator, 'status', t.status,
  'bookedAt', t.booked_at, 'valueAt', t.value_at,
  'amount', json_build_object('amountMinor', t.amount_minor::text, 'currency', t.currency),
  'isoCode', t.iso_code,
  'bankCode', case when t.bank_code is not null then
    json_build_object('code', t.bank_code, 'issuer', t.bank_code_issuer) end,
  'reference', coalesce(t.reference, t.particulars->>'reference'),
  'information', coalesce(t.information, t.particulars->>'information'),
  'card', case when t.card_scheme is not null then json_build_object('scheme', t.card_scheme,
    'authorisation', t.card_authorisation, 'maskedPan', coalesce(t.card_ending, '')) end,
  'merchant', case when coalesce(t.merchant_name, t.particulars->>'merchantName') is not null then
    json_build_object('name', coalesce(t.merchant_name, t.particulars->>'merchantName'),
      'categoryCode', t.merchant_category_code) end,
  'counterparty', case when t.party_scheme is not null then json_build_object(
    'schemeName', t.party_scheme,
    'identification', coalesce(t.party_identification, t.particulars->>'partyIdentification', ''),
    'name', coalesce(t.party_name, t.particulars->>'partyName'),
    'secondaryIdentification', t.particulars->>'partySecondaryIdentification') end,
  'balance', case when t.balance_minor is not null then
    json_build_object('amountMinor', t.balance_minor::text, 'type', t.balance_type) end,
  'particulars', nullif(t.particulars::jsonb - ${inParticulars}, '{}'::jsonb),
  'bookingId', t.posting_id)`;

const statement = sql`json_build_object('version', t.version, 'accountId', t.account_id,
  'statementId', t.statement_id, 'number', t.number, 'startsAt', t.starts_at,
  'endsAt', t.ends_at, 'createdAt', t.created_at, 'periodName', t.period_name,
  'currency', t.currency, 'currencyKind', t.currency_kind, 'openingMinor', t.opening_minor::text,
  'closingMinor', t.closing_minor::text, 'creditsMinor', t.credits_minor::text,
  'debitsMinor', t.debits_minor::text, 'creditCount', t.credit_count,
  'debitCount', t.debit_count, 'limitMinor', t.limit_minor::text, 'costs', t.costs,
  'minimumPaymentMinor', t.minimum_payment_minor::text, 'paymentDueAt', t.payment_due_at,
  'rates', t.rates, 'particulars', t.particulars)`;

const directDebit = sql`json_build_object('version', t.version, 'accountId', t.account_id,
  'directDebitId', t.direct_debit_id, 'mandateReference', t.mandate_reference,
  'originatorName', t.originator_name, 'frequency', t.frequency, 'state', t.status,
  'stateUpdatedAt', t.status_updated_at, 'mandate', t.mandate,
  'previous', case when t.previous_at is not null then json_build_object('at', t.previous_at,
    'amount', json_build_object('amountMinor', t.previous_minor::text,
      'currency', t.previous_currency)) end)`;

const standingOrder = sql`json_build_object('version', t.version, 'accountId', t.account_id,
  'standingOrderId', t.standing_order_id, 'rhythm', t.rhythm, 'reference', t.reference,
  'currency', t.currency, 'numberOfPayments', t.number_of_payments, 'state', t.state,
  'first', json_build_object('on', t.first_payment_on,
    'amountMinor', t.first_payment_minor::text),
  'recurringOn', t.recurring_payment_on,
  'next', case when t.next_payment_at is not null then
    json_build_object('at', t.next_payment_at, 'amountMinor', t.next_payment_minor::text) end,
  'last', case when t.last_payment_at is not null then
    json_build_object('at', t.last_payment_at, 'amountMinor', t.last_payment_minor::text) end,
  'final', case when t.final_payment_minor is not null then
    json_build_object('on', t.final_payment_on, 'amountMinor', t.final_payment_minor::text) end,
  'mandate', t.mandate, 'remittance', t.remittance, 'creditor', t.creditor,
  'creditorAgent', t.creditor_agent, 'supplementary', t.supplementary)`;

const scheduledPayment = sql`json_build_object('version', t.version, 'accountId', t.account_id,
  'scheduledPaymentId', t.scheduled_payment_id, 'executeAt', t.execute_at,
  'reference', t.reference, 'debtorReference', t.debtor_reference,
  'amount', json_build_object('amountMinor', t.amount_minor::text, 'currency', t.currency),
  'creditor', t.creditor, 'creditorAgent', t.creditor_agent)`;

const beneficiary = sql`json_build_object('version', t.version,
  'beneficiaryId', t.beneficiary_id, 'customerId', t.customer_id,
  'isTrusted', t.beneficiary_type = 'Trusted', 'schemeName', t.scheme_name,
  'identification', t.identification, 'name', t.name,
  'secondaryIdentification', t.secondary_identification, 'proxy', t.proxy,
  'creditorBic', t.creditor_bic, 'creditorAgent', t.creditor_agent, 'reference', t.reference,
  'createdAt', t.created_at, 'supplementary', t.supplementary)`;

const offer = sql`json_build_object('version', t.version, 'accountId', t.account_id,
  'offerId', t.offer_id, 'endsAt', t.ends_at, 'details', t.details)`;

const delivery = sql`json_build_object('accountId', t.account_id, 'cluster', t.cluster,
  'asOf', case when t.as_of = 'infinity' then 'live' else to_json(t.as_of)#>>'{}' end)`;

// What a removal of each entity is called, and the members of its key. An earlier release did not
// remember the account of a fact whose id is unique without it.
type RemovedKind = { kind: string; key: readonly string[]; isApart?: true };
const removals: Readonly<Record<string, RemovedKind>> = {
  product: { kind: "products", key: ["productId"], isApart: true },
  party: { kind: "parties", key: ["partyId"], isApart: true },
  account: { kind: "accounts", key: ["accountId"] },
  holder: { kind: "holders", key: ["accountId", "customerId"] },
  balances: { kind: "balances", key: ["accountId", "currency"] },
  transaction: { kind: "transactions", key: ["transactionId"] },
  statement: { kind: "statements", key: ["statementId"] },
  "direct-debit": { kind: "directDebits", key: ["directDebitId"] },
  "standing-order": { kind: "standingOrders", key: ["standingOrderId"] },
  "scheduled-payment": { kind: "scheduledPayments", key: ["scheduledPaymentId"] },
  beneficiary: { kind: "beneficiaries", key: ["beneficiaryId"], isApart: true },
  offer: { kind: "offers", key: ["offerId"] },
};

/** A row of `removed_fact`. */
type Removed = { entity: string; key: string; version: string; accountId: string };

function removedMember(facts: unknown[]): object {
  const removed: Record<string, object[]> = {};
  for (const { entity, key, version, accountId } of facts as Removed[]) {
    const known = removals[entity];
    if (!known) continue;
    const values = key.split(" ");
    const members = known.key.map((name, index) => [name, values[index]] as const);
    removed[known.kind] = [
      ...(removed[known.kind] ?? []),
      { ...(known.isApart ? {} : { accountId }), ...Object.fromEntries(members), version },
    ];
  }
  return { removed };
}

const writtenFrom = (until: Sql): Sql => sql`t.xmin::text::bigint >= ${until}`;

// A closed or removed account gives its number to another one, so both come before the accounts.
const removed = (where: Sql): ChangedKind => ({
  from: sql`removed_fact t`,
  key: sql`t.entity || ' ' || t.key`,
  fact: sql`json_build_object('entity', t.entity, 'key', t.key, 'version', t.version::text,
    'accountId', coalesce(t.account_id, ''))`,
  where,
  shown: removedMember,
});

const accounts: ChangedKind = {
  isNamed: true,
  from: sql`account t cross join lateral (select t.product_id, t.company_id) a`,
  key: sql`t.account_id`,
  fact: account,
  named: (until) => sql`json_build_object(
    'products', (select json_agg(${product}) from product t
      where t.product_id = a.product_id and ${writtenFrom(until)}),
    'parties', (select json_agg(${party}) from party t
      where t.party_id = a.company_id and ${writtenFrom(until)}))`,
  shown: asKind("accounts"),
};

/** Every kind, in the order in which another store must get them. */
export const changedKinds: readonly ChangedKind[] = [
  removed(sql`t.entity = 'account'`),
  {
    isNamed: true,
    from: sql`product t`,
    key: sql`t.product_id`,
    fact: product,
    shown: asKind("products"),
  },
  {
    isNamed: true,
    from: sql`party t`,
    key: sql`t.party_id`,
    fact: party,
    shown: asKind("parties"),
  },
  { ...accounts, where: sql`t.status = 'Deleted'` },
  accounts,
  {
    from: sql`account_holder t`,
    key: sql`t.account_id || ' ' || t.customer_id`,
    fact: holder,
    shown: asKind("holders"),
  },
  {
    from: sql`account_balance t`,
    key: sql`t.account_id || ' ' || t.currency`,
    fact: balances,
    shown: asKind("balances"),
  },
  {
    from: sql`account_transaction t`,
    key: sql`t.transaction_id`,
    fact: transaction,
    shown: asKind("transactions"),
  },
  {
    from: sql`account_statement t`,
    key: sql`t.statement_id`,
    fact: statement,
    shown: asKind("statements"),
  },
  {
    from: sql`direct_debit t`,
    key: sql`t.direct_debit_id`,
    fact: directDebit,
    shown: asKind("directDebits"),
  },
  {
    from: sql`channel_standing_order t`,
    key: sql`t.standing_order_id`,
    fact: standingOrder,
    shown: asKind("standingOrders"),
  },
  {
    from: sql`channel_scheduled_payment t`,
    key: sql`t.scheduled_payment_id`,
    fact: scheduledPayment,
    shown: asKind("scheduledPayments"),
  },
  {
    from: sql`beneficiary t`,
    key: sql`t.beneficiary_id`,
    fact: beneficiary,
    shown: asKind("beneficiaries"),
  },
  { from: sql`offer t`, key: sql`t.offer_id`, fact: offer, shown: asKind("offers") },
  {
    from: sql`account_freshness t`,
    key: sql`t.account_id || ' ' || t.cluster`,
    fact: delivery,
    shown: asKind("delivered"),
  },
  removed(sql`t.entity <> 'account'`),
];
