import type { Fault } from "#src/http/api-error.ts";
import { bankDate } from "#src/payments/calendar/timing.ts";
import { holidaysOf } from "#src/payments/calendar/working-days.ts";
import type { Check } from "#src/payments/request/checks.ts";
import { textAt } from "#src/payments/request/json-path.ts";
import { type Frequency, isFrequencyType } from "#src/standard/shared/v4/frequency.ts";
import { readFrequency } from "./read-frequency.ts";
import { dateOf, nextProcessingDate, readNumberOfPayments } from "./read-schedule.ts";

const initiation = "Data.Initiation";
const mandate = `${initiation}.MandateRelatedInformation`;
const frequencyPath = `${mandate}.Frequency`;

/** P-136, P-138, P-139, P-145, D-401-46…D-401-48: the bank offers what the frequency asks for. */
const checkFrequency: Check = ({ body, now, config }) => {
  const frequency = frequencyIn(body);
  if (!frequency) return [];
  const anchor = dateOf(textAt(body, `${mandate}.FirstPaymentDateTime`)) ?? bankDate(now);
  const v3Patterns = config.STANDING_ORDER_V3_FREQUENCIES;
  const read = readFrequency(frequency, { anchor, v3Patterns });
  if ("rhythm" in read) return [];
  const { member, code, message } = read.fault;
  return [{ code, path: `${frequencyPath}.${member}`, message }];
};

/** The frequency of a body as far as its members have their types; the schema says the rest. */
function frequencyIn(body: unknown): Frequency | null {
  const Type = textAt(body, `${frequencyPath}.Type`);
  if (Type === undefined || !isFrequencyType(Type)) return null;
  const CountPerPeriod = countPerPeriodIn(body);
  const PointInTime = textAt(body, `${frequencyPath}.PointInTime`);
  return {
    Type,
    ...(typeof CountPerPeriod === "number" ? { CountPerPeriod } : {}),
    ...(PointInTime === undefined ? {} : { PointInTime }),
  };
}

function countPerPeriodIn(body: unknown): unknown {
  let value = body;
  for (const name of `${frequencyPath}.CountPerPeriod`.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return;
    value = (value as Record<string, unknown>)[name]; // an object that has the member
  }
  return value;
}

/** P-141, P-142, D-401-49, D-401-50: what ends the order is said in one way. */
const checkEnd: Check = ({ body }) => {
  const faults: Fault[] = [];
  const number = textAt(body, `${initiation}.NumberOfPayments`);
  const hasFinalDate = textAt(body, `${mandate}.FinalPaymentDateTime`) !== undefined;
  if (hasFinalDate && countPerPeriodIn(body) !== undefined) {
    const message = "Say how often in a period or when the order ends, not both.";
    faults.push({ code: "U005", path: `${frequencyPath}.CountPerPeriod`, message });
  }
  const path = `${initiation}.NumberOfPayments`;
  if (hasFinalDate && number !== undefined) {
    const message = "Say how many payments there are or when the last is, not both.";
    faults.push({ code: "U005", path, message });
  } else if (number !== undefined && readNumberOfPayments(number) === null) {
    faults.push({ code: "U002", path, message: "The number of payments is 1 to 9999." });
  }
  const finalAmount = `${initiation}.FinalPaymentAmount`;
  if (textAt(body, `${finalAmount}.Amount`) === undefined) return faults;
  if (number === undefined && !hasFinalDate) {
    const message = "A final amount needs the date of the last payment, or NumberOfPayments.";
    faults.push({ code: "U001", path: `${mandate}.FinalPaymentDateTime`, message });
  }
  if (number !== undefined && readNumberOfPayments(number) === 1) {
    const message = "The only payment is of the first amount: leave this one out.";
    faults.push({ code: "U005", path: finalAmount, message });
  }
  return faults;
};

/** P-143: the dates follow each other; that the first lies ahead is checked of every kind. */
const checkScheduleDates: Check = ({ body, now, config }) => {
  const at = (member: string): string => `${mandate}.${member}`;
  const firstText = textAt(body, at("FirstPaymentDateTime"));
  const first =
    firstText === undefined ? nextProcessingDate(now, holidaysOf(config)) : dateOf(firstText);
  if (!first) return []; // the schema's to say
  const fault = (member: string, message: string): Fault[] => [
    { code: "U003", path: at(member), message },
  ];
  const recurring = dateOf(textAt(body, at("RecurringPaymentDateTime")));
  if (recurring && isBefore(recurring, first)) {
    return fault("RecurringPaymentDateTime", "Recurring payments follow the first one.");
  }
  const final = dateOf(textAt(body, at("FinalPaymentDateTime")));
  if (final && isBefore(final, recurring ?? first)) {
    return fault("FinalPaymentDateTime", "The last payment follows the others.");
  }
  return [];
};

const isBefore = (a: Temporal.PlainDate, b: Temporal.PlainDate): boolean =>
  Temporal.PlainDate.compare(a, b) < 0;

/** What is checked of a standing order's consent beyond what holds for every kind. */
export const scheduleChecks: readonly Check[] = [checkFrequency, checkEnd, checkScheduleDates];

/** What is looked at again when the order comes: dates that the bank sets have moved on by then. */
export const scheduleOrderChecks: readonly Check[] = [checkScheduleDates];
