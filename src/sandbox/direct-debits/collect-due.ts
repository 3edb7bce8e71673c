import {
  type Collection,
  type CollectionOutcome,
  collectDirectDebits,
} from "#src/sandbox/bank/direct-debits.ts";
import { createRandom } from "#src/sandbox/random.ts";
import { type Database, first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { collectionTry, type MandateFrequency, nextCollectionDay } from "./collection-days.ts";

type DueMandate = Omit<Collection, "dueOn" | "amountMinor" | "isLastTry"> & {
  frequency: MandateFrequency;
  dayOfMonth: number;
  leastMinor: bigint | null;
  mostMinor: bigint | null;
  nextOn: Temporal.PlainDate;
  dueAt: Temporal.Instant;
  /** The amount owed on the creditor's account, a card, at the start of the collection's month. */
  owedMinor: bigint;
};

// Mandates per transaction: few, so that locks are short.
const batchSize = 100;

/**
 * Collects the direct debits that are due, earliest first, and returns the number of mandates
 * processed. Any number of processes may run this at the same time, and each may die at any point:
 * the transaction that moves the money also moves the mandate to its next day. If funds are
 * insufficient, the collection is tried once more in the afternoon and then returned unpaid.
 */
export async function collectDueDirectDebits(
  database: Database,
  now: Temporal.Instant,
): Promise<number> {
  return database.transaction(async (on) => {
    const due = await lockDue(on, now);
    const asked = due.map((mandate) => ({ mandate, collection: collectionOf(mandate) }));
    const wanted = asked.filter(({ collection }) => collection.amountMinor > 0n);
    const outcomes = await collectDirectDebits(
      on,
      wanted.map(({ collection }) => collection),
      now,
    );
    const shortOnes = new Set(
      wanted.filter((_, index) => outcomes[index] === "short").map(({ mandate }) => mandate),
    );
    await storeNext(
      on,
      due.map((mandate) => nextOf(mandate, shortOnes.has(mandate) ? "short" : "collected")),
    );
    return due.length;
  });
}

/** The time of the next collection, which may be in the past; null if there is none. */
export async function nextCollectionAt(on: Queryable): Promise<Temporal.Instant | null> {
  const row = await first<{ dueAt: Temporal.Instant | null }>(
    on,
    sql`select min(due_at) as "dueAt" from sandbox_mandate where due_at is not null`,
  );
  return row?.dueAt ?? null;
}

const lockDue = (on: Queryable, now: Temporal.Instant): Promise<DueMandate[]> =>
  on.query<DueMandate>(sql`
    with due as materialized (
      select direct_debit_id from sandbox_mandate
      where due_at <= ${now} order by due_at, direct_debit_id limit ${batchSize}
      for update skip locked
    )
    select d.direct_debit_id as "directDebitId", d.account_id as "accountId",
      m.creditor_account_id as "creditorAccountId", d.originator_name as "originatorName",
      d.mandate_reference as "mandateReference", d.frequency, m.day_of_month as "dayOfMonth",
      m.least_minor as "leastMinor", m.most_minor as "mostMinor", m.next_on as "nextOn",
      m.due_at as "dueAt", greatest(0, -(l.balance_minor - coalesce((
        select sum(case t.indicator when 'Credit' then t.amount_minor else -t.amount_minor end)
        from account_transaction t
        where m.least_minor is null and t.account_id = m.creditor_account_id
          and t.status = 'Booked' and t.booked_at >= date_trunc('month', m.next_on::timestamp)
            at time zone 'UTC'), 0)))::bigint as "owedMinor"
    from due join sandbox_mandate m on m.direct_debit_id = due.direct_debit_id
    join direct_debit d on d.direct_debit_id = due.direct_debit_id
    join ledger_account l on l.account_id = m.creditor_account_id
    order by m.due_at, d.direct_debit_id`);

function collectionOf(mandate: DueMandate): Collection {
  const { directDebitId, accountId, creditorAccountId, originatorName, mandateReference } = mandate;
  return {
    directDebitId,
    accountId,
    creditorAccountId,
    originatorName,
    mandateReference,
    dueOn: mandate.nextOn,
    amountMinor: amountOf(mandate),
    isLastTry: nextTry(mandate) === null,
  };
}

/** Returns the amount that the originator requests, which is fixed for a mandate and day. */
function amountOf({ directDebitId, nextOn, leastMinor, mostMinor, owedMinor }: DueMandate): bigint {
  if (leastMinor === null || mostMinor === null) return owedMinor;
  const random = createRandom(`${directDebitId} ${nextOn}`);
  return BigInt(random.between(Number(leastMinor), Number(mostMinor)));
}

/** Returns the time of the second attempt, or null if this is the second. */
function nextTry({ nextOn, dueAt }: DueMandate): Temporal.Instant | null {
  const second = collectionTry(nextOn, 1);
  return second !== null && Temporal.Instant.compare(dueAt, second) < 0 ? second : null;
}

type Next = { directDebitId: string; nextOn: Temporal.PlainDate; dueAt: Temporal.Instant | null };

function nextOf(mandate: DueMandate, outcome: CollectionOutcome): Next {
  const { directDebitId, nextOn, frequency, dayOfMonth } = mandate;
  if (outcome === "short") return { directDebitId, nextOn, dueAt: nextTry(mandate) };
  const next = nextCollectionDay(nextOn, frequency, dayOfMonth);
  return { directDebitId, nextOn: next, dueAt: collectionTry(next, 0) };
}

async function storeNext(on: Queryable, rows: readonly Next[]): Promise<void> {
  if (rows.length === 0) return;
  await on.query(sql`
    update sandbox_mandate m set next_on = n.next_on, due_at = n.due_at
    from unnest(
      ${rows.map(({ directDebitId }) => directDebitId)}::text[],
      ${rows.map(({ nextOn }) => nextOn)}::date[],
      ${rows.map(({ dueAt }) => dueAt)}::timestamptz[]
    ) as n(direct_debit_id, next_on, due_at)
    where m.direct_debit_id = n.direct_debit_id`);
}
