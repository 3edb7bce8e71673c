import { present } from "#src/lib/assert.ts";
import { type Money, parseAmount } from "#src/lib/money.ts";
import { processingInstant } from "#src/payments/calendar/timing.ts";
import { holidaysOf } from "#src/payments/calendar/working-days.ts";
import { internationalTerms } from "#src/payments/international/terms.ts";
import {
  type Account,
  accountReference,
  type OrderPlan,
  type PaymentDraft,
  referenceOf,
} from "#src/payments/kinds/payment-kind.ts";
import { debtorCharges } from "#src/payments/request/tariff.ts";
import { readSchedule, type ScheduleContext, type ScheduleInitiation } from "./read-schedule.ts";
import { type Amounts, firstOccurrence, type Schedule } from "./schedule.ts";

type Amount = { Amount: string; Currency: string };
type Given = ScheduleInitiation & {
  FirstPaymentAmount: Amount;
  RecurringPaymentAmount?: Amount;
  FinalPaymentAmount?: Amount;
  CreditorAccount: Account;
};

/** When a domestic standing order pays what: each amount that is left out is the one before. */
export function domesticSchedule({ initiation, now, config }: OrderPlan): Schedule {
  const given = initiation as unknown as Given; // its schema has found no fault in it
  const first = moneyOf(given.FirstPaymentAmount);
  const recurring = given.RecurringPaymentAmount ? moneyOf(given.RecurringPaymentAmount) : first;
  const final = given.FinalPaymentAmount ? moneyOf(given.FinalPaymentAmount) : recurring;
  const amounts: Amounts = { first, recurring, final };
  return readSchedule(given, amounts, contextOf(now, config));
}

/** When an international standing order pays: the same amount each time. */
export function internationalSchedule({ initiation, now, config }: OrderPlan): Schedule {
  const given = initiation as unknown as ScheduleInitiation & { InstructedAmount: Amount };
  const amount = moneyOf(given.InstructedAmount);
  const amounts = { first: amount, recurring: amount, final: amount };
  return readSchedule(given, amounts, contextOf(now, config));
}

const contextOf = (now: Temporal.Instant, config: OrderPlan["config"]): ScheduleContext => ({
  now,
  v3Patterns: config.STANDING_ORDER_V3_FREQUENCIES,
  holidays: holidaysOf(config),
});

const moneyOf = ({ Amount, Currency }: Amount): Money => ({
  amountMinor: present(parseAmount(Amount, Currency), "a checked amount"),
  currency: Currency,
});

/** The payment that a standing order starts with; the engine plans those after it. */
export function firstPayment(plan: OrderPlan): PaymentDraft[] {
  const { kind, initiation, terms } = plan;
  const holidays = holidaysOf(plan.config);
  const schedule = present(kind.schedule, "the schedule of a standing order")(plan);
  const occurrence = present(
    firstOccurrence(schedule, holidays),
    "the first payment of a checked schedule",
  );
  return [
    {
      amount: occurrence.amount,
      chargeMinor: debtorCharges(terms, occurrence.amount.currency),
      executeAt: processingInstant(occurrence.date, holidays),
      creditor: accountReference(present(initiation.CreditorAccount, "the creditor account")),
      endToEndId: null,
      reference: referenceOf(initiation),
      localInstrument: null,
      occurrence,
    },
  ];
}

/** The same abroad: charged for in the account's currency, at the rate of the day. */
export const firstInternationalPayment = (plan: OrderPlan): PaymentDraft[] =>
  firstPayment(plan).map((payment) => ({
    ...payment,
    chargeMinor: 0n,
    international: internationalTerms(plan),
  }));
