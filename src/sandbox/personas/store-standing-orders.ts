import { formatAmount } from "#src/lib/money.ts";
import { processingInstant } from "#src/payments/calendar/timing.ts";
import { domesticStandingOrder } from "#src/payments/kinds/domestic-standing-order.ts";
import { nextOccurrence, type Schedule } from "#src/payments/schedule/schedule.ts";
import { toScheduleRecord } from "#src/payments/schedule/schedule-record.ts";
import { type OwnOrder, storeOwnPayments } from "#src/payments/submission/store-own-orders.ts";
import { stableId } from "#src/sandbox/stable-id.ts";
import type { AccountProxy } from "#src/standard/shared/accounts/facts.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { isStandingOrder } from "./habits.ts";
import type { Habit, Household } from "./persona.ts";
import type { SeededHousehold } from "./store-direct-debits.ts";
import { orderedPaymentId } from "./store-history.ts";
import { storeChannelOrders } from "./store-own-orders.ts";

/** An account in the format of a payment order. */
type NamedAccount = {
  schemeName: string;
  identification: string;
  name: string;
  proxy?: AccountProxy;
};

type Paid = { paymentId: string; date: Temporal.PlainDate; at: number };

/**
 * Stores the standing orders behind a household's history as payment orders. Past payments are
 * stored as executed, and the engine continues with the next one.
 */
export async function storeStandingOrders(on: Queryable, seeded: SeededHousehold): Promise<void> {
  const habits = seeded.household.habits.filter(isStandingOrder);
  if (habits.length === 0) return;
  const own = await loadOwnAccounts(on, seeded);
  const orders = habits.map((habit) => orderOf(seeded, habit, own));
  const { household, now } = seeded;
  const rows = orders.map((order) => orderRow(household, order));
  await storeChannelOrders(on, { kind: domesticStandingOrder, status: "INCO", now }, rows);
  const payments = orders.flatMap((order) => order.payments);
  await storeOwnPayments(on, payments);
  const made = payments.filter(({ status }) => status === "ACCC");
  await on.query(sql`
    insert into bank_payment (payment_id, state, created_at, debtor_account_id, amount_minor,
      charge_minor, currency, creditor, reference)
    select payment_id, 'settled', created_at, debtor_account_id, amount_minor, charge_minor,
      currency, creditor, reference
    from json_populate_recordset(null::bank_payment, ${JSON.stringify(made)}::json)`);
}

async function loadOwnAccounts(
  on: Queryable,
  { accountIds }: SeededHousehold,
): Promise<Map<string, NamedAccount>> {
  const rows = await on.query<NamedAccount & { accountId: string }>(sql`
    select account_id as "accountId", 'UK.OBIE.SortCodeAccountNumber' as "schemeName",
      sort_code_account_number as identification, holder_name as name
    from account where account_id = any(${[...accountIds.values()]}::text[])
      and sort_code_account_number is not null`);
  return new Map(rows.map(({ accountId, ...account }) => [accountId, account]));
}

type SeededOrder = ReturnType<typeof orderOf>;

function orderOf(
  { household, history, accountIds, now }: SeededHousehold,
  habit: Habit,
  own: ReadonlyMap<string, NamedAccount>,
) {
  const orderId = stableId("dso", `${household.name} ${habit.account} ${habit.text}`);
  const paid: Paid[] = history.movements.flatMap((movement) =>
    movement.habit?.habit === habit
      ? [
          {
            paymentId: orderedPaymentId(household.name, movement) ?? "",
            date: movement.habit.day,
            at: movement.at,
          },
        ]
      : [],
  );
  const today = now.toZonedDateTimeISO("UTC").toPlainDate();
  const schedule = scheduleOf(habit, paid[0]?.date ?? firstDay(habit, today));
  const last = paid.at(-1);
  const next = last
    ? nextOccurrence(schedule, { sequence: paid.length, date: last.date })?.date
    : schedule.firstDate;
  const debtorId = accountIds.get(habit.account) ?? "";
  const creditor = creditorOf(habit, own.get(accountIds.get(habit.other) ?? ""));
  const reference = habit.reference ?? habit.text;
  const common = {
    order_id: orderId,
    debtor_account_id: debtorId,
    amount_minor: schedule.amounts.first.amountMinor.toString(),
    charge_minor: "0",
    currency: "GBP",
    creditor,
    reference,
    is_last: false,
  };
  const made = paid.map(({ paymentId, date, at }, index) => {
    const instant = Temporal.Instant.fromEpochMilliseconds(at).toString();
    return {
      ...common,
      payment_id: paymentId,
      sequence: index + 1,
      status: "ACCC",
      created_at: instant,
      status_updated_at: instant,
      execute_at: instant,
      due_at: null,
      scheduled_on: date.toString(),
    };
  });
  const dueAt = next && processingInstant(next).toString();
  const coming = {
    ...common,
    payment_id: stableId("pay", `${orderId} next`),
    sequence: made.length + 1,
    status: "PDNG",
    created_at: now.toString(),
    status_updated_at: now.toString(),
    execute_at: dueAt,
    due_at: dueAt,
    scheduled_on: next?.toString(),
  };
  const payments = [...made, coming];
  return { orderId, habit, debtorId, creditor, reference, schedule, payments };
}

/** Returns the first payment date of a habit that the engine can still make. */
function firstDay({ when }: Habit, today: Temporal.PlainDate): Temporal.PlainDate {
  const day = "day" in when ? when.day : today.day;
  const here = today.with({ day: Math.min(day, today.daysInMonth) });
  const later = today.with({ day: 1 }).add({ months: 1 });
  return Temporal.PlainDate.compare(here, today) >= 0
    ? here
    : later.with({ day: Math.min(day, later.daysInMonth) });
}

function scheduleOf({ when, sum }: Habit, firstDate: Temporal.PlainDate): Schedule {
  const amount = { amountMinor: BigInt(typeof sum === "number" ? sum : 0), currency: "GBP" };
  return {
    rhythm: { unit: "month", every: 1, day: "day" in when ? when.day : firstDate.day },
    firstDate,
    recurringDate: null,
    numberOfPayments: null,
    finalDate: null,
    amounts: { first: amount, recurring: amount, final: amount },
  };
}

const creditorOf = ({ party }: Habit, own: NamedAccount | undefined): NamedAccount => {
  const schemeName = "UK.OBIE.SortCodeAccountNumber";
  if (party) {
    const { name, number, proxy } = party;
    return { schemeName, identification: number, name, ...(proxy ? { proxy } : {}) };
  }
  return own ?? { schemeName, identification: "", name: "" };
};

/** Makes the order of a customer who set it up in the bank's own channel, with its signatories. */
function orderRow(household: Household, order: SeededOrder): OwnOrder {
  const { orderId, habit, debtorId, creditor, reference, schedule } = order;
  const account = household.accounts.find(({ key }) => key === habit.account);
  const signers = (account?.holders ?? []).flatMap(
    ({ login }) => household.personas.find((one) => one.login === login)?.customerId ?? [],
  );
  const required = account?.signatoriesRequired ?? 1;
  const amount = {
    Amount: formatAmount(schedule.amounts.first.amountMinor, "GBP"),
    Currency: "GBP",
  };
  const initiation = {
    MandateRelatedInformation: {
      FirstPaymentDateTime: `${schedule.firstDate}T00:00:00+00:00`,
      Frequency: {
        Type: "MNTH",
        PointInTime: String("day" in habit.when ? habit.when.day : 1).padStart(2, "0"),
      },
    },
    FirstPaymentAmount: amount,
    CreditorAccount: {
      SchemeName: creditor.schemeName,
      Identification: creditor.identification,
      Name: creditor.name,
    },
    RemittanceInformation: { Unstructured: [reference] },
  };
  return {
    order_id: orderId,
    consent_id: stableId("dsoc", orderId),
    created_at: `${schedule.firstDate.subtract({ days: 7 })}T12:00:00Z`,
    body: { Data: { Permission: "Create", Initiation: initiation }, Risk: {} },
    customer_id: signers[0],
    debtor_account_id: debtorId,
    consent_terms: {},
    terms: {
      schedule: toScheduleRecord(schedule),
      mandate: habit.mandate,
      remittance: habit.remittance,
    },
    signatories: required > 1 ? required : null,
    signed_by: required > 1 ? signers.slice(0, required) : [],
  };
}
