import { nextCollectionDay } from "#src/sandbox/direct-debits/collection-days.ts";
import { incomeInstant } from "#src/sandbox/incomes/income-days.ts";
import { stableId } from "#src/sandbox/stable-id.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { counterpartyOf } from "./history.ts";
import type { Habit, Sum } from "./persona.ts";
import type { SeededHousehold } from "./store-direct-debits.ts";

/** Stores a household's future income, such as wages, customers' payments and takings. */
export async function storeIncomes(on: Queryable, seeded: SeededHousehold): Promise<void> {
  const rows = [
    ...seeded.household.habits.filter(isIncome).map((habit) => incomeOf(seeded, habit)),
    ...takingsOf(seeded),
  ];
  if (rows.length === 0) return;
  await on.query(sql`
    insert into sandbox_income (income_id, account_id, source_account_id, frequency, day_of_month,
      comes_before, time_of_day, least_minor, most_minor, transaction_type, information, reference,
      payer, next_on, due_at)
    select income_id, account_id, source_account_id, frequency, day_of_month, comes_before,
      time_of_day, least_minor, most_minor, transaction_type, information, reference, payer,
      next_on, due_at
    from json_populate_recordset(null::sandbox_income, ${JSON.stringify(rows)}::json)`);
}

const isIncome = ({ flow, type }: Habit): boolean =>
  flow === "in" && (type === "PAY" || type === "FPI");

type Frequency = "Daily" | "Weekly" | "Monthly";

function incomeOf(seeded: SeededHousehold, habit: Habit): object {
  const { household, history, accountIds, now } = seeded;
  const { when, party } = habit;
  const frequency: Frequency = "weekday" in when ? "Weekly" : "Monthly";
  const comesBefore = "day" in when && when.roll === "before";
  const today = now.toZonedDateTimeISO("UTC").toPlainDate();
  const last = history.movements.findLast((each) => each.habit?.habit === habit)?.habit?.day;
  const dayOfMonth = "day" in when ? when.day : 1;
  let day = last ?? lastBefore(when, today);
  do day = nextCollectionDay(day, frequency, dayOfMonth);
  while (
    Temporal.Instant.compare(
      incomeInstant(day, habit.time, comesBefore),
      today.toZonedDateTime("UTC").toInstant(),
    ) < 0
  );
  const [least, most] = rangeOf(habit.sum);
  return {
    income_id: stableId("inc", `${household.name} ${habit.account} ${habit.text}`),
    account_id: accountIds.get(habit.account),
    source_account_id: habit.other,
    frequency,
    day_of_month: dayOfMonth,
    comes_before: comesBefore,
    time_of_day: habit.time,
    least_minor: least,
    most_minor: most,
    transaction_type: habit.type,
    information: habit.text,
    reference: habit.reference ?? null,
    payer: party ? counterpartyOf(party) : null,
    next_on: day.toString(),
    due_at: incomeInstant(day, habit.time, comesBefore).toString(),
  };
}

/** Returns a day of the habit before today, for a habit without a movement in the history. */
function lastBefore(when: Habit["when"], today: Temporal.PlainDate): Temporal.PlainDate {
  if ("day" in when) return today.subtract({ months: 2 });
  return today.subtract({ days: 7 + ((today.dayOfWeek - when.weekday + 7) % 7) });
}

function rangeOf(sum: Sum): readonly [number, number] {
  if (typeof sum === "number") return [sum, sum];
  return "owedOn" in sum || "interestOn" in sum ? [1, 1] : sum;
}

// The history contains single sales. From now on, each evening's income is the sales of the day.
function takingsOf({ household, accountIds, now }: SeededHousehold): object[] {
  const { takings } = household;
  if (!takings) return [];
  const today = now.toZonedDateTimeISO("UTC").toPlainDate();
  const average = (takings.perDay * (takings.from + takings.to)) / 2;
  return [
    {
      income_id: stableId("inc", `${household.name} ${takings.account} takings`),
      account_id: accountIds.get(takings.account),
      source_account_id: "internal-cards",
      frequency: "Daily",
      day_of_month: 1,
      comes_before: false,
      time_of_day: "18:30",
      least_minor: Math.round(average * 0.9),
      most_minor: Math.round(average * 1.1),
      transaction_type: "TKG",
      information: `${takings.text}S OF THE DAY`,
      reference: null,
      payer: null,
      next_on: today.toString(),
      due_at: incomeInstant(today, "18:30", false).toString(),
    },
  ];
}
