import { applyChanges } from "#src/account-store/feed.ts";
import type { TransactionFact } from "#src/account-store/transaction.ts";
import { present } from "#src/lib/assert.ts";
import { newId } from "#src/lib/ids.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { collectedMandates } from "./mandates.ts";
import { newTransaction, type TransactionType } from "./transaction-codes.ts";

/** An originator's request for a collection under a mandate. */
export type Collection = {
  directDebitId: string;
  accountId: string;
  /**
   * The ledger account that receives the money. If it is a card of this bank, its holder sees a
   * credit.
   */
  creditorAccountId: string;
  originatorName: string;
  mandateReference: string;
  /** The collection day. A mandate has at most one collection per day. */
  dueOn: Temporal.PlainDate;
  amountMinor: bigint;
  /**
   * Whether the collection is returned unpaid if funds are insufficient; otherwise it is tried
   * again.
   */
  isLastTry: boolean;
};

/** The outcome of a collection. `short`: funds are insufficient, and it will be tried again. */
export type CollectionOutcome = "collected" | "unpaid" | "short";

type Funds = { accountId: string; availableMinor: bigint; currency: string; status: string | null };

/**
 * Makes collections in the given order and returns an outcome for each. Call it in the transaction
 * that locks the mandates, so that only one process makes them. A collection that fails for lack of
 * funds at its last attempt leaves a transaction with status Rejected and moves no money.
 */
export async function collectDirectDebits(
  on: Queryable,
  asked: readonly Collection[],
  at: Temporal.Instant,
): Promise<CollectionOutcome[]> {
  const funds = await lockFunds(on, asked);
  const decided = asked.map((collection): Decided => {
    const debtor = present(funds.get(collection.accountId), "the account of a mandate");
    const { amountMinor, creditorAccountId } = collection;
    const isOpen = debtor.status === "Enabled";
    const outcome =
      isOpen && amountMinor <= debtor.availableMinor
        ? "collected"
        : collection.isLastTry || !isOpen
          ? "unpaid"
          : "short";
    if (outcome === "collected") {
      debtor.availableMinor -= amountMinor;
      const creditor = funds.get(creditorAccountId);
      if (creditor) creditor.availableMinor += amountMinor;
    }
    return { collection, outcome, currency: debtor.currency, postingId: newId("post") };
  });
  const ownAccounts = new Set(
    [...funds.values()].filter(({ status }) => status !== null).map(({ accountId }) => accountId),
  );
  await store(on, decided, ownAccounts, at);
  return decided.map(({ outcome }) => outcome);
}

type Decided = {
  collection: Collection;
  outcome: CollectionOutcome;
  currency: string;
  postingId: string;
};

// All code that moves money locks accounts in this order, so that no two transactions deadlock.
async function lockFunds(on: Queryable, asked: readonly Collection[]): Promise<Map<string, Funds>> {
  const ids = asked.flatMap(({ accountId, creditorAccountId }) => [accountId, creditorAccountId]);
  const rows = await on.query<Funds>(sql`
    with locked as materialized (
      select account_id, currency, balance_minor - held_minor + overdraft_limit_minor as available
      from ledger_account where account_id = any(${[...new Set(ids)]}::text[])
      order by account_id for no key update
    )
    select l.account_id as "accountId", l.available as "availableMinor", l.currency, a.status
    from locked l left join account a on a.account_id = l.account_id`);
  return new Map(rows.map((row) => [row.accountId, row]));
}

async function store(
  on: Queryable,
  all: readonly Decided[],
  ownAccounts: ReadonlySet<string>,
  at: Temporal.Instant,
): Promise<void> {
  const decided = all.filter(({ outcome }) => outcome !== "short");
  if (decided.length === 0) return;
  const collected = decided.filter(({ outcome }) => outcome === "collected");
  const newest = new Map(
    collected.map(({ collection: { directDebitId, amountMinor }, currency }) => [
      directDebitId,
      { at, amount: { amountMinor, currency } },
    ]),
  );
  // The facts are sent before the postings are inserted, so that the feed locks all accounts
  // together and in order. An unpaid collection has no posting that would lock its account.
  await applyChanges(on, {
    transactions: decided.flatMap((each) => linesOf(each, ownAccounts, at)),
    directDebits: await collectedMandates(on, newest),
  });
  await on.query(sql`
    insert into direct_debit_collection (direct_debit_id, due_on, outcome, amount_minor, currency,
      posting_id, decided_at)
    select direct_debit_id, due_on, outcome, amount_minor, currency, posting_id, ${at}
    from json_populate_recordset(null::direct_debit_collection,
      ${JSON.stringify(decided.map(toCollectionRow))}::json)`);
  await on.query(sql`
    insert into posting (posting_id, debit_account_id, credit_account_id, amount_minor, currency,
      booked_at, purpose)
    select posting_id, debit_account_id, credit_account_id, amount_minor, currency, ${at},
      'direct-debit'
    from json_populate_recordset(null::posting,
      ${JSON.stringify(collected.map(toPostingRow))}::json)`);
}

const toCollectionRow = ({ collection, outcome, currency, postingId }: Decided): object => ({
  direct_debit_id: collection.directDebitId,
  due_on: collection.dueOn.toString(),
  outcome,
  amount_minor: collection.amountMinor.toString(),
  currency,
  posting_id: outcome === "collected" ? postingId : null,
});

const toPostingRow = ({ collection, currency, postingId }: Decided): object => ({
  posting_id: postingId,
  debit_account_id: collection.accountId,
  credit_account_id: collection.creditorAccountId,
  amount_minor: collection.amountMinor.toString(),
  currency,
});

/**
 * Makes the transactions of a collection: the customer's and, if it pays a card, the card holder's.
 */
function linesOf(
  { collection, outcome, currency, postingId }: Decided,
  ownAccounts: ReadonlySet<string>,
  at: Temporal.Instant,
): TransactionFact[] {
  const { originatorName, accountId, creditorAccountId, amountMinor } = collection;
  const isPaid = outcome === "collected";
  const line = (
    type: TransactionType,
    given: Pick<TransactionFact, "accountId" | "indicator" | "information">,
  ): TransactionFact => ({
    ...given,
    ...newTransaction(type),
    transactionId: newId("tx"),
    status: isPaid ? "Booked" : "Rejected",
    bookedAt: at,
    amount: { amountMinor, currency },
    // the mandate's reference, by which a TPP can match the transaction to the mandate
    reference: collection.mandateReference,
    counterparty: null,
    bookingId: isPaid ? postingId : null,
  });
  const name = `${originatorName.toUpperCase()} DD`;
  const out = line("DD", {
    accountId,
    indicator: "Debit",
    information: isPaid ? name : `UNPAID DIRECT DEBIT ${name}`,
  });
  if (!isPaid || !ownAccounts.has(creditorAccountId)) return [out];
  const information = "DIRECT DEBIT PAYMENT - THANK YOU";
  return [out, line("BGC", { accountId: creditorAccountId, indicator: "Credit", information })];
}
