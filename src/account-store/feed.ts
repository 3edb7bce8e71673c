// The only way in which facts reach the account store, for every bank: the sandbox bank, a bank's
// module, or a service that reads a bank's changes. A feeder sends facts at any time, in any order,
// and again after a failure. There are two exceptions: an account must come before the facts that
// belong to it, and a transaction before a change of its status. The bank gives each fact a
// version. A newer version replaces an older one; an older or equal version changes nothing. A
// removal has a version too.
//
// A core's module and other feeders use account-feed.ts, which judges each fact alone. A bank whose
// ledger is in the same database passes its own transaction to `applyChanges`, which stores all
// changes or none, so that the ledger and the facts change together.
//
// A bank whose ledger moves money in one SQL statement calls the feed inside that statement. The
// feed has two SQL functions for this, which `applyChanges` uses too: `feed_balances`, and
// `feed_transactions`, which accepts the result of `packTransactions`.
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import type {
  AccountFact,
  BalancesFact,
  BeneficiaryFact,
  DirectDebitFact,
  HolderFact,
  OfferFact,
  PartyFact,
  ProductFact,
  ScheduledPaymentFact,
  StandingOrderFact,
  StatementFact,
  Versioned,
} from "./facts.ts";
import { forgetRefusals } from "./forget-refusals.ts";
import { neverTrue } from "./future-times.ts";
import { balancesEntity, storeBalances } from "./storing/balances.ts";
import {
  accountEntity,
  beneficiaryEntity,
  directDebitEntity,
  holderEntity,
  offerEntity,
  partyEntity,
  productEntity,
  scheduledPaymentEntity,
  standingOrderEntity,
  statementEntity,
  transactionEntity,
} from "./storing/entities.ts";
import { type RemovableEntity, removeFacts, upsertFacts } from "./storing/entity.ts";
import { removeAccounts } from "./storing/remove-accounts.ts";
import { storeStatuses, storeTransactions, toNewestRows } from "./storing/transactions.ts";
import type { TransactionFact, TransactionStatusChange } from "./transaction.ts";

/** A group of facts that a bank delivers together and whose freshness it reports. */
export type Cluster = (typeof clusters)[number];

/** Every cluster. */
export const clusters = [
  "account",
  "balances",
  "transactions",
  "regular-payments",
  "statements",
] as const;

// The kinds of facts that the bank can remove: all. An account is removed with all its facts.
// Products come last, because accounts refer to them.
const removable = {
  accounts: accountEntity,
  holders: holderEntity,
  balances: balancesEntity,
  transactions: transactionEntity,
  statements: statementEntity,
  directDebits: directDebitEntity,
  standingOrders: standingOrderEntity,
  scheduledPayments: scheduledPaymentEntity,
  offers: offerEntity,
  beneficiaries: beneficiaryEntity,
  parties: partyEntity,
  products: productEntity,
};

type KeyOf<Each> = Each extends RemovableEntity<infer Key> ? Key : never;

/** The versions of removals, each with the key of the removed fact. */
type Removals = {
  [Kind in keyof typeof removable]?: readonly Versioned<KeyOf<(typeof removable)[Kind]>>[];
};

/** The changes that a feeder sends: the newest versions of facts, and the versions of removals. */
export type AccountChanges = {
  products?: readonly Versioned<ProductFact>[];
  parties?: readonly Versioned<PartyFact>[];
  accounts?: readonly Versioned<AccountFact>[];
  holders?: readonly Versioned<HolderFact>[];
  balances?: readonly Versioned<BalancesFact>[];
  transactions?: readonly TransactionFact[];
  /**
   * Newer versions of transactions of which only the status has changed. Each transaction must be
   * in the store or in the same call.
   */
  statuses?: readonly TransactionStatusChange[];
  statements?: readonly Versioned<StatementFact>[];
  directDebits?: readonly Versioned<DirectDebitFact>[];
  standingOrders?: readonly Versioned<StandingOrderFact>[];
  scheduledPayments?: readonly Versioned<ScheduledPaymentFact>[];
  beneficiaries?: readonly Versioned<BeneficiaryFact>[];
  offers?: readonly Versioned<OfferFact>[];
  removed?: Removals;
  /** The clusters of which every change up to a given time has been delivered. */
  delivered?: readonly Delivery[];
};

/**
 * The time up to which every change of a cluster has been delivered. `live` is for a bank that
 * sends each change at once: if it does so in the transaction that makes the change, its facts are
 * always current, and otherwise they are as old as the latest call of its source.
 */
type Delivery = { accountId: string; cluster: Cluster; asOf: Temporal.Instant | "live" };

/** Where a call of a feeder comes from, and how far its source has got with it. */
export type FeedPosition = {
  /** The source, such as a system of the bank: 1 to 40 ASCII characters; `core` by default. */
  source?: string;
  /** Where the source continues after this call, in its own words: 1 to 1,000 characters. */
  cursor?: string;
  /**
   * The cursor after which the source has read these changes; null if the store had none. If the
   * store has another one, such as after a restore, or because a second feeder of this source has
   * gone on, nothing is stored, and the call throws CursorMoved.
   */
  after?: string | null;
  /**
   * Every change of the clusters that this source has ever `delivered` is stored up to then, for
   * all its accounts. It only moves forward. One mark takes the place of one `delivered` per
   * account and cluster. A mark after the bank's time, within what clocks differ, is the bank's
   * time; a later one is refused as a fact is, and so is that of a call of which a part names no
   * fact.
   */
  deliveredUpTo?: Temporal.Instant;
};

/** Transactions as JSON text, in the format that the SQL function `feed_transactions` accepts. */
type PackedTransactions = string & { readonly packed: unique symbol };

/** Packs transactions for a statement of the bank that calls `feed_transactions`. */
export const packTransactions = (facts: readonly TransactionFact[]): PackedTransactions =>
  // safe: nothing else makes this type
  JSON.stringify(toNewestRows(facts)) as PackedTransactions;

/**
 * Stores changes in the given transaction, which is the sending bank's. `source` names the feeder.
 * Leave it out if the bank sends each change in the transaction that makes it.
 */
export async function applyChanges(
  on: Queryable,
  changes: AccountChanges,
  source = "",
): Promise<void> {
  const { removed = {} } = changes;
  await lockChanges(on, changes);
  await upsertFacts(on, productEntity, changes.products);
  await upsertFacts(on, partyEntity, changes.parties);
  await upsertFacts(on, accountEntity, changes.accounts);
  await upsertFacts(on, holderEntity, changes.holders);
  await storeBalances(on, changes.balances);
  await storeTransactions(on, changes.transactions);
  await storeStatuses(on, changes.statuses);
  await upsertFacts(on, statementEntity, changes.statements);
  await upsertFacts(on, directDebitEntity, changes.directDebits);
  await upsertFacts(on, standingOrderEntity, changes.standingOrders);
  await upsertFacts(on, scheduledPaymentEntity, changes.scheduledPayments);
  await upsertFacts(on, beneficiaryEntity, changes.beneficiaries);
  await upsertFacts(on, offerEntity, changes.offers);
  await removeAccounts(on, removed.accounts);
  for (const kind of kindsOf(removed)) await remove(on, kind, removed);
  await advance(on, changes.delivered ?? [], source);
}

// safe: the type has no other members
const kindsOf = (removed: Removals) => Object.keys(removed) as (keyof Removals)[];

async function remove(on: Queryable, kind: keyof Removals, removed: Removals): Promise<void> {
  // safe: the removals of a kind have the key of its entity
  const entity = removable[kind] as RemovableEntity<object>;
  const removals = (removed[kind] ?? []) as readonly Versioned<object>[];
  const made = await removeFacts(on, entity, removals);
  const { key, toKey } = entity;
  const gone = removals.flatMap((fact) => {
    const columns = toKey(fact);
    const text = key.map((one) => columns[one]).join(" ");
    return made.has(text) ? [{ kind, key: text, fact }] : [];
  });
  await forgetRefusals(on, gone);
}

/**
 * Makes feeders of the same facts take turns. The SQL function `lock_accounts` documents the reason
 * and the order. Facts without an account are few, so they have one lock per kind.
 */
export async function lockChanges(on: Queryable, changes: AccountChanges): Promise<void> {
  const { removed = {} } = changes;
  const { beneficiaries, parties, products, ...removedOfAccounts } = removed;
  const ofAccounts = [
    changes.accounts,
    changes.holders,
    changes.balances,
    changes.transactions,
    changes.statuses,
    changes.statements,
    changes.directDebits,
    changes.standingOrders,
    changes.scheduledPayments,
    changes.offers,
    ...Object.values(removedOfAccounts),
  ];
  const named = ofAccounts.flatMap((facts) => (facts ?? []).map(({ accountId }) => accountId));
  // no account has an id with NUL, which the store refuses
  const ids = named.filter((accountId) => !accountId.includes("\0"));
  if (changes.parties || parties) await lockKind(on, partyEntity.name);
  if (products) await lockKind(on, productEntity.name);
  if (changes.beneficiaries || beneficiaries) await lockKind(on, beneficiaryEntity.name);
  if (ids.length === 0) return;
  await on.query(sql`select lock_accounts(${[...new Set(ids)]}::text[])`);
}

const lockKind = (on: Queryable, kind: string) =>
  on.query(sql`select pg_advisory_xact_lock(hashtext(${`account-store ${kind}`}))`);

async function advance(
  on: Queryable,
  delivered: readonly Delivery[],
  source: string,
): Promise<void> {
  if (delivered.length === 0) return;
  const rows = delivered.map(({ accountId, cluster, asOf }) => ({
    account_id: accountId,
    cluster,
    as_of: asOf === "live" ? "infinity" : asOf.toString(),
  }));
  // What was live was current when its source was last heard, and never becomes older.
  const heard = sql`(select heard_at from feed_source s where s.source = f.source)`;
  await on.query(sql`
    insert into account_freshness as f (account_id, cluster, as_of, source)
    select account_id, cluster, max(as_of), ${source}
    from json_populate_recordset(null::account_freshness, ${JSON.stringify(rows)}::json)
    group by account_id, cluster order by account_id, cluster
    on conflict (account_id, cluster) do update
    set as_of = greatest(excluded.as_of, case
        when f.as_of = 'infinity' then ${heard}
        when ${neverTrue(sql`f.as_of`, heard)} then null else f.as_of end),
      source = excluded.source
    where (f.as_of, f.source) is distinct from (excluded.as_of, excluded.source)`);
}
