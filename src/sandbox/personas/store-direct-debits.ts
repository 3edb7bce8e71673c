import { present } from "#src/lib/assert.ts";
import { collectionTry, nextCollectionDay } from "#src/sandbox/direct-debits/collection-days.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import type { History } from "./history.ts";
import type { Habit, Household, Sum } from "./persona.ts";
import { stableId } from "./stable-id.ts";
import { historyPostingId } from "./store-history.ts";

/** A household that has its customers, accounts and history. */
export type SeededHousehold = {
  household: Household;
  history: History;
  /** The ledger's ids of its accounts, by key. */
  accountIds: ReadonlyMap<string, string>;
  now: Temporal.Instant;
};

/**
 * Stores the mandates behind the direct debits of a household's history: the collections so far,
 * and the next collection from today on, with which the sandbox continues.
 */
export async function storeDirectDebits(on: Queryable, seeded: SeededHousehold): Promise<void> {
  const habits = seeded.household.habits.filter(isMandate);
  if (habits.length === 0) return;
  const collections = collectionsOf(seeded);
  const mandates = habits.map((habit) => mandateOf(seeded, habit));
  await on.query(sql`
    insert into direct_debit (direct_debit_id, account_id, mandate_reference, originator_name,
      creditor_account_id, frequency, day_of_month, least_minor, most_minor, status,
      status_updated_at, next_on, due_at)
    select direct_debit_id, account_id, mandate_reference, originator_name, creditor_account_id,
      'Monthly', day_of_month, least_minor, most_minor, 'Active', status_updated_at, next_on, due_at
    from json_populate_recordset(null::direct_debit, ${JSON.stringify(mandates)}::json)`);
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

function mandateOf(seeded: SeededHousehold, habit: Habit): object {
  const { household, accountIds } = seeded;
  const day = nextDayOf(seeded, habit);
  const account = present(
    household.accounts.find(({ key }) => key === habit.account),
    `account ${habit.account}`,
  );
  return {
    direct_debit_id: mandateId(household, habit),
    account_id: accountIds.get(habit.account),
    mandate_reference: habit.reference,
    originator_name: habit.party?.name ?? "Aldgate Credit Card",
    creditor_account_id: accountIds.get(habit.other) ?? habit.other,
    day_of_month: dayOf(habit),
    ...amountsOf(habit.sum),
    status_updated_at: `${account.openedOn}T00:00:00Z`,
    next_on: day.toString(),
    due_at: collectionTry(day, 0)?.toString(),
  };
}

/** The day of the next collection: after the last one of the history, and not before today. */
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

// the balance of a card is calculated when its month comes
function amountsOf(sum: Sum): { least_minor: number | null; most_minor: number | null } {
  if (typeof sum === "number") return { least_minor: sum, most_minor: sum };
  if ("owedOn" in sum || "interestOn" in sum) return { least_minor: null, most_minor: null };
  return { least_minor: sum[0], most_minor: sum[1] };
}

const collectionsOf = ({ household, history }: SeededHousehold): object[] =>
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
