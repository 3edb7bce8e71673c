// The one way in which facts come into the account store, for every bank: the sandbox bank, a
// bank's module, a service that reads a bank's changes. A feeder sends facts whenever it likes, in
// any order, and again after a failure. Each fact has a version that the bank chose: a newer
// version replaces an older one, and everything else changes nothing. A removal is a version too.
//
// One call is stored whole or not at all. A bank whose ledger is in the same database gives its own
// transaction, so that ledger and facts change together.
import type { Database, Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { balancesEntity, storeBalances } from "./balances.ts";
import {
  accountEntity,
  beneficiaryEntity,
  companyEntity,
  holderEntity,
  offerEntity,
  productEntity,
  transactionEntity,
} from "./entities.ts";
import { newestOf, removeFacts, upsertFacts, type Versioned } from "./entity.ts";
import type {
  AccountFact,
  BalancesFact,
  BeneficiaryFact,
  CompanyFact,
  HolderFact,
  OfferFact,
  ProductFact,
} from "./facts.ts";
import {
  storeStatuses,
  storeTransactions,
  type TransactionStatusChange,
} from "./store-transactions.ts";
import type { TransactionFact } from "./transaction.ts";
import { toTransactionRow } from "./transaction-rows.ts";

/** Facts that a bank delivers together, and of which it can say how fresh they are. */
export type Cluster = (typeof clusters)[number];

/** Every cluster. */
export const clusters = [
  "account",
  "balances",
  "transactions",
  "regular-payments",
  "statements",
] as const;

/** The input from a feeder: facts in their newest version, and the versions of removals. */
export type AccountChanges = {
  products?: readonly Versioned<ProductFact>[];
  companies?: readonly Versioned<CompanyFact>[];
  accounts?: readonly Versioned<AccountFact>[];
  holders?: readonly Versioned<HolderFact>[];
  balances?: readonly Versioned<BalancesFact>[];
  transactions?: readonly TransactionFact[];
  /** Newer versions of transactions in which only the status has changed. */
  statuses?: readonly TransactionStatusChange[];
  beneficiaries?: readonly Versioned<BeneficiaryFact>[];
  offers?: readonly Versioned<OfferFact>[];
  removed?: {
    holders?: readonly Versioned<Pick<HolderFact, "accountId" | "customerId">>[];
    balances?: readonly Versioned<Pick<BalancesFact, "accountId" | "currency">>[];
    transactions?: readonly Versioned<Pick<TransactionFact, "accountId" | "transactionId">>[];
    beneficiaries?: readonly Versioned<Pick<BeneficiaryFact, "beneficiaryId">>[];
    offers?: readonly Versioned<Pick<OfferFact, "accountId" | "offerId">>[];
  };
  /** Every change of the cluster up to that time has been delivered. */
  delivered?: readonly Delivery[];
};

/**
 * The time up to which every change of a cluster has been delivered. `live` is for a bank that
 * sends each change in the transaction that makes it: its facts are always those of this moment.
 */
export type Delivery = { accountId: string; cluster: Cluster; asOf: Temporal.Instant | "live" };

/** The one interface through which facts come into the store. */
export type AccountFeed = {
  /** Stores all of the changes or none. Throws if one names an account that is not in the store. */
  apply(changes: AccountChanges): Promise<void>;
};

/** A feed each of whose calls has its own transaction. */
export const createAccountFeed = (database: Database): AccountFeed => ({
  apply: (changes) => database.transaction((on) => applyChanges(on, changes)),
});

/** Stores changes in the transaction of the bank that sends them. */
export async function applyChanges(on: Queryable, changes: AccountChanges): Promise<void> {
  const { removed = {}, transactions = [] } = changes;
  await lock(on, changes);
  await upsertFacts(on, productEntity, changes.products ?? []);
  await upsertFacts(on, companyEntity, changes.companies ?? []);
  await upsertFacts(on, accountEntity, changes.accounts ?? []);
  await upsertFacts(on, holderEntity, changes.holders ?? []);
  await storeBalances(on, changes.balances ?? []);
  await storeTransactions(
    on,
    newestOf(transactions, ({ transactionId }) => transactionId).map(toTransactionRow),
  );
  await storeStatuses(on, changes.statuses ?? []);
  await upsertFacts(on, beneficiaryEntity, changes.beneficiaries ?? []);
  await upsertFacts(on, offerEntity, changes.offers ?? []);
  await removeFacts(
    on,
    holderEntity,
    (removed.holders ?? []).map(({ accountId, customerId, version }) => ({
      account_id: accountId,
      customer_id: customerId,
      version,
    })),
  );
  await removeFacts(
    on,
    balancesEntity,
    (removed.balances ?? []).map(({ accountId, currency, version }) => ({
      account_id: accountId,
      currency,
      version,
    })),
  );
  await removeFacts(
    on,
    transactionEntity,
    (removed.transactions ?? []).map(({ transactionId, version }) => ({
      transaction_id: transactionId,
      version,
    })),
  );
  await removeFacts(
    on,
    beneficiaryEntity,
    (removed.beneficiaries ?? []).map(({ beneficiaryId, version }) => ({
      beneficiary_id: beneficiaryId,
      version,
    })),
  );
  await removeFacts(
    on,
    offerEntity,
    (removed.offers ?? []).map(({ offerId, version }) => ({ offer_id: offerId, version })),
  );
  await advance(on, changes.delivered ?? []);
}

/**
 * Makes feeders of the same facts take turns: a removal must see a fact that another feeder stores,
 * and that feeder must see the removal. Accounts are locked in a fixed order. Facts without an
 * account are few; only one feeder at a time changes them.
 */
async function lock(on: Queryable, changes: AccountChanges): Promise<void> {
  const { removed = {} } = changes;
  const ids = [
    ...(changes.holders ?? []),
    ...(changes.balances ?? []),
    ...(changes.transactions ?? []),
    ...(changes.statuses ?? []),
    ...(changes.offers ?? []),
    ...(removed.holders ?? []),
    ...(removed.balances ?? []),
    ...(removed.transactions ?? []),
    ...(removed.offers ?? []),
  ].map(({ accountId }) => accountId);
  if (changes.beneficiaries || removed.beneficiaries) {
    await on.query(sql`select pg_advisory_xact_lock(hashtext('account-store beneficiary'))`);
  }
  if (ids.length === 0) return;
  await on.query(sql`
    select from account where account_id = any(${[...new Set(ids)]}::text[])
    order by account_id for no key update`);
}

async function advance(on: Queryable, delivered: readonly Delivery[]): Promise<void> {
  if (delivered.length === 0) return;
  const rows = delivered.map(({ accountId, cluster, asOf }) => ({
    account_id: accountId,
    cluster,
    as_of: asOf === "live" ? "infinity" : asOf.toString(),
  }));
  await on.query(sql`
    insert into account_freshness as f (account_id, cluster, as_of)
    select account_id, cluster, max(as_of)
    from json_populate_recordset(null::account_freshness, ${JSON.stringify(rows)}::json)
    group by account_id, cluster order by account_id, cluster
    on conflict (account_id, cluster) do update set as_of = excluded.as_of
    where f.as_of < excluded.as_of`);
}
