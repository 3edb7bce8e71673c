import { applyChanges } from "#src/account-store/feed.ts";
import type { TransactionFact } from "#src/account-store/transaction.ts";
import { formatInstant } from "#src/lib/date-time.ts";
import { newTransaction } from "#src/sandbox/bank/transaction-codes.ts";
import { stableId } from "#src/sandbox/stable-id.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { isStandingOrder } from "./habits.ts";
import type { History, HistoryEntry, Movement, PendingPurchase } from "./history.ts";
import type { Habit } from "./persona.ts";

// small, because the embedded database's memory grows with the largest statement and never shrinks
const batchSize = 1000;

type PastPosting = {
  id: string;
  from: string;
  to: string;
  sum: number;
  currency: string;
  at: Temporal.Instant;
  /** The id of the payment that caused it; null if no order did. */
  paymentId: string | null;
  purpose: "opening" | "history" | "payment" | NonNullable<Habit["purpose"]>;
};

/** Returns the next transaction id of an account. */
type NextId = (accountId: string) => string;

/**
 * Books a household's history, oldest first: the opening balances, the movements in batches, and
 * the holds of pending purchases. `accountIds` maps the household's keys to the ledger's ids.
 */
export async function storeHistory(
  on: Queryable,
  name: string,
  history: History,
  accountIds: ReadonlyMap<string, string>,
  onProgress: (done: number, total: number) => void,
): Promise<void> {
  const { openedAt, opening, currencies, movements, pending } = history;
  // at least one of the two accounts is the household's, and both have its currency
  const currencyOf = (from: string, to: string) =>
    currencies.get(from) ?? currencies.get(to) ?? "GBP";
  const idOf = (account: string) => accountIds.get(account) ?? account;
  const nextId = createIds();
  const tag = historyTag(name);
  const opened = Temporal.Instant.fromEpochMilliseconds(openedAt);
  const openings = [...opening]
    .filter(([, sum]) => sum !== 0)
    .map(([account, sum], index) => {
      const currency = currencyOf(account, account);
      const source = currency === "GBP" ? "internal-opening" : `internal-opening-${currency}`;
      return {
        id: `${tag}-opening-${index + 1}`,
        from: sum > 0 ? source : idOf(account),
        to: sum > 0 ? idOf(account) : source,
        sum: Math.abs(sum),
        currency,
        at: opened,
        paymentId: null,
        purpose: "opening" as const,
      };
    });
  await insertPostings(on, openings);
  for (let start = 0; start < movements.length; start += batchSize) {
    const batch = movements.slice(start, start + batchSize);
    const booked = batch.map((movement, index) =>
      book(
        movement,
        {
          id: historyPostingId(name, start + index),
          currency: currencyOf(movement.from, movement.to),
          paymentId: orderedPaymentId(name, movement),
        },
        idOf,
        nextId,
      ),
    );
    await insertPostings(
      on,
      booked.map(({ posting }) => posting),
    );
    await applyChanges(on, { transactions: booked.flatMap(({ entries }) => entries) });
    onProgress(Math.min(start + batchSize, movements.length), movements.length);
  }
  await insertPending(on, pending, idOf, nextId);
}

const historyTag = (name: string): string => stableId("post", name);

/** Returns the id of a movement's posting, given the movement's position in the history. */
export const historyPostingId = (name: string, index: number): string =>
  `${historyTag(name)}-${numbered(index + 1)}`;

/** Returns the id of a movement's payment under a standing order; null if no order caused it. */
export const orderedPaymentId = (name: string, { habit }: Movement): string | null =>
  habit && isStandingOrder(habit.habit)
    ? stableId("pay", `${name} ${habit.habit.account} ${habit.habit.text} ${habit.day}`)
    : null;

// increasing ids add index entries only at the end of the index
const numbered = (count: number): string => count.toString().padStart(6, "0");

function createIds(): NextId {
  const counts = new Map<string, number>();
  return (accountId) => {
    const count = (counts.get(accountId) ?? 0) + 1;
    counts.set(accountId, count);
    return `tx-${accountId.slice(4)}-${numbered(count)}`;
  };
}

function book(
  movement: Movement,
  { id, currency, paymentId }: Pick<PastPosting, "id" | "currency" | "paymentId">,
  idOf: (account: string) => string,
  nextId: NextId,
) {
  const { from, to, sum, fromLine, toLine } = movement;
  const at = Temporal.Instant.fromEpochMilliseconds(movement.at);
  const purpose = paymentId === null ? (movement.habit?.habit.purpose ?? "history") : "payment";
  const ids = { id, from: idOf(from), to: idOf(to) };
  const posting: PastPosting = { ...ids, sum, currency, at, paymentId, purpose };
  const entries: TransactionFact[] = [];
  if (fromLine) entries.push(entryOf(posting, fromLine, "Debit", nextId));
  if (toLine) entries.push(entryOf(posting, toLine, "Credit", nextId));
  return { posting, entries };
}

function entryOf(
  { id, from, to, sum, currency, at }: PastPosting,
  line: HistoryEntry,
  indicator: "Credit" | "Debit",
  nextId: NextId,
): TransactionFact {
  const accountId = indicator === "Debit" ? from : to;
  return toFact(
    line,
    { accountId, indicator, status: "Booked", sum, currency, at, postingId: id },
    nextId,
  );
}

type Rest = Pick<TransactionFact, "accountId" | "indicator" | "status"> & {
  sum: number;
  currency: string;
  at: Temporal.Instant;
  postingId: string | null;
};

function toFact(
  { text, type, ...line }: HistoryEntry,
  rest: Rest,
  nextId: NextId,
): TransactionFact {
  const { accountId, indicator, status, sum, currency, at, postingId } = rest;
  return {
    ...newTransaction(type),
    ...line,
    accountId,
    transactionId: nextId(accountId),
    indicator,
    status,
    bookedAt: at,
    amount: { amountMinor: BigInt(sum), currency },
    information: text,
    bookingId: postingId,
  };
}

// Sends a long column as one text with one value per line. Values contain no line feed, because
// JSON escapes it. Writing and parsing an array's text would take longer than storing its rows.
const column = <Row>(rows: readonly Row[], pick: (row: Row) => unknown): string =>
  rows.map(pick).join("\n");

const instants = <Row>(rows: readonly Row[], pick: (row: Row) => Temporal.Instant): string =>
  column(rows, (row) => formatInstant(pick(row)));

async function insertPostings(on: Queryable, postings: readonly PastPosting[]): Promise<void> {
  await on.query(sql`
    insert into posting (posting_id, debit_account_id, credit_account_id, amount_minor, currency,
      booked_at, payment_id, purpose)
    select id, source, target, amount, currency, at, nullif(payment_id, ''), purpose
    from unnest(
      string_to_array(${column(postings, ({ id }) => id)}, e'\n'),
      string_to_array(${column(postings, ({ from }) => from)}, e'\n'),
      string_to_array(${column(postings, ({ to }) => to)}, e'\n'),
      string_to_array(${column(postings, ({ sum }) => sum)}, e'\n')::bigint[],
      string_to_array(${column(postings, ({ currency }) => currency)}, e'\n'),
      string_to_array(${instants(postings, ({ at }) => at)}, e'\n')::timestamptz[],
      string_to_array(${column(postings, ({ paymentId }) => paymentId ?? "")}, e'\n'),
      string_to_array(${column(postings, ({ purpose }) => purpose)}, e'\n')
    ) as p(id, source, target, amount, currency, at, payment_id, purpose)`);
}

async function insertPending(
  on: Queryable,
  pending: readonly PendingPurchase[],
  idOf: (account: string) => string,
  nextId: NextId,
): Promise<void> {
  const entries = pending.map(({ account, at, sum, line }) =>
    toFact(
      line,
      {
        accountId: idOf(account),
        indicator: "Debit",
        status: "Pending",
        sum,
        currency: "GBP",
        at: Temporal.Instant.fromEpochMilliseconds(at),
        postingId: null,
      },
      nextId,
    ),
  );
  const holds = entries.map(({ transactionId, accountId, amount, bookedAt }) => ({
    transaction_id: transactionId,
    account_id: accountId,
    amount_minor: amount.amountMinor.toString(),
    booked_at: bookedAt.toString(),
  }));
  await on.query(sql`
    insert into hold (hold_id, account_id, amount_minor, purpose, created_at)
    select transaction_id, account_id, amount_minor, 'card', booked_at - interval '1 day'
    from json_to_recordset(${JSON.stringify(holds)}::json)
      as h(transaction_id text, account_id text, amount_minor bigint, booked_at timestamptz)`);
  await applyChanges(on, { transactions: entries });
}
