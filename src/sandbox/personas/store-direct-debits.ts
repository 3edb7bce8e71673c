import type { DirectDebitFact, Versioned } from "#src/account-store/facts.ts";
import { applyChanges } from "#src/account-store/feed.ts";
import { present } from "#src/lib/assert.ts";
import { collectionTry, nextCollectionDay } from "#src/sandbox/direct-debits/collection-days.ts";
import { stableId } from "#src/sandbox/stable-id.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { accountOf, type History } from "./history.ts";
import type { Habit, Household, Sum } from "./persona.ts";
import { historyPostingId } from "./store-history.ts";

/** A household whose customers, accounts and history have been seeded. */
export type SeededHousehold = {
  household: Household;
  history: History;
  /** The ledger ids of its accounts, by their keys. */
  accountIds: ReadonlyMap<string, string>;
  now: Temporal.Instant;
};

/**
 * Stores the mandates behind the direct debits of a household's history: the past collections, and
 * the next collection, with which the sandbox continues from today.
 */
export async function storeDirectDebits(on: Queryable, seeded: SeededHousehold): Promise<void> {
  const habits = seeded.household.habits.filter(isMandate);
  if (habits.length === 0) return;
  const collections = collectionsOf(seeded);
  await applyChanges(on, {
    directDebits: habits.map((habit) => mandateOf(seeded, habit, collections)),
  });
  const plans = habits.map((habit) => planOf(seeded, habit));
  await on.query(sql`
    insert into sandbox_mandate (direct_debit_id, creditor_account_id, day_of_month, least_minor,
      most_minor, next_on, due_at)
    select direct_debit_id, creditor_account_id, day_of_month, least_minor, most_minor, next_on,
      due_at
    from json_populate_recordset(null::sandbox_mandate, ${JSON.stringify(plans)}::json)`);
  await on.query(sql`
    insert into direct_debit_collection (direct_debit_id, due_on, outcome, amount_minor, currency,
      posting_id, decided_at)
    select direct_debit_id, due_on, 'collected', amount_minor, 'GBP', posting_id, decided_at
    from json_populate_recordset(null::direct_debit_collection,
      ${JSON.stringify(collections)}::json)`);
}

const isMandate = ({ type, flow }: Habit): boolean => type === "DD" && flow === "out";

const mandateId = ({ name }: Household, { account, reference }: Habit): string =>
  stableId("dd", `${name} ${account} ${reference}`);

function mandateOf(
  { household, accountIds }: SeededHousehold,
  habit: Habit,
  collections: readonly SeededCollection[],
): Versioned<DirectDebitFact> {
  const account = accountOf(household, habit.account);
  const directDebitId = mandateId(household, habit);
  const last = collections.findLast((each) => each.direct_debit_id === directDebitId);
  return {
    version: 1n,
    directDebitId,
    accountId: present(accountIds.get(habit.account), "the account of a mandate"),
    mandateReference: present(habit.reference, "the reference of a mandate"),
    originatorName: habit.party?.name ?? "Aldgate Credit Card",
    frequency: "Monthly",
    state: "Active",
    mandate: { classification: typeof habit.sum === "number" ? "Fixed" : "Variable" },
    stateUpdatedAt: Temporal.Instant.from(`${account.openedOn}T00:00:00Z`),
    previous: last
      ? {
          at: Temporal.Instant.from(last.decided_at),
          amount: { amountMinor: BigInt(last.amount_minor), currency: "GBP" },
        }
      : null,
  };
}

/** Makes a row of `sandbox_mandate`: the next collection. */
function planOf(seeded: SeededHousehold, habit: Habit): object {
  const day = nextDayOf(seeded, habit);
  return {
    direct_debit_id: mandateId(seeded.household, habit),
    creditor_account_id: seeded.accountIds.get(habit.other) ?? habit.other,
    day_of_month: dayOf(habit),
    ...amountsOf(habit.sum),
    next_on: day.toString(),
    due_at: collectionTry(day, 0)?.toString(),
  };
}

/** Returns the next collection day: after the last one in the history, but not before today. */
function nextDayOf({ history, now }: SeededHousehold, habit: Habit): Temporal.PlainDate {
  const dayOfMonth = dayOf(habit);
  const today = now.toZonedDateTimeISO("UTC").toPlainDate();
  const last = history.movements.findLast((each) => each.habit?.habit === habit)?.habit?.day;
  let day = last ?? today.subtract({ months: 2 });
  do day = nextCollectionDay(day, "Monthly", dayOfMonth);
  while (isBefore(collectionTry(day, 0), today));
  return day;
}

const isBefore = (instant: Temporal.Instant | null, today: Temporal.PlainDate): boolean =>
  instant !== null &&
  Temporal.Instant.compare(instant, today.toZonedDateTime("UTC").toInstant()) < 0;

const dayOf = ({ when, text }: Habit): number =>
  present("day" in when ? when.day : null, `the day of ${text}`);

// the amount owed on a card is calculated at the start of the month of the collection
function amountsOf(sum: Sum): { least_minor: number | null; most_minor: number | null } {
  if (typeof sum === "number") return { least_minor: sum, most_minor: sum };
  if ("owedOn" in sum || "interestOn" in sum) return { least_minor: null, most_minor: null };
  return { least_minor: sum[0], most_minor: sum[1] };
}

/** A collection in the history, which is in order of time. */
type SeededCollection = {
  direct_debit_id: string;
  due_on: string;
  amount_minor: number;
  posting_id: string;
  decided_at: string;
};

const collectionsOf = ({ household, history }: SeededHousehold): SeededCollection[] =>
  history.movements.flatMap(({ habit, sum, at }, index) =>
    habit && isMandate(habit.habit)
      ? [
          {
            direct_debit_id: mandateId(household, habit.habit),
            due_on: habit.day.toString(),
            amount_minor: sum,
            posting_id: historyPostingId(household.name, index),
            decided_at: Temporal.Instant.fromEpochMilliseconds(at).toString(),
          },
        ]
      : [],
  );
