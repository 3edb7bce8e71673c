import { holidaysOf } from "#src/payments/calendar/timing.ts";
import type { Check, RequestFault } from "#src/payments/request/checks.ts";
import type { RequestMember } from "#src/payments/request/payment-request.ts";
import { dateOf, nextProcessingDate } from "./read-schedule.ts";

/** P-136, P-138, P-139, P-145, D-401-46…D-401-48: the bank offers the requested frequency. */
const checkFrequency: Check = ({ request: { schedule }, config }) => {
  const { frequency = null } = schedule ?? {};
  if (frequency === null) return [];
  const { read, superseded } = frequency;
  if (superseded && !config.STANDING_ORDER_V3_FREQUENCIES) return [superseded];
  return "fault" in read ? [read.fault] : [];
};

/** P-141, P-142, D-401-49, D-401-50: the request defines the end of the order in one way only. */
const checkEnd: Check = ({ request: { schedule, finalAmount } }) => {
  const faults: RequestFault[] = [];
  const number = schedule?.numberOfPayments ?? null;
  const hasFinalDate = (schedule?.finalDate ?? null) !== null;
  if (hasFinalDate && schedule?.frequency?.hasCount) {
    const message = "Send CountPerPeriod or FinalPaymentDateTime, not both.";
    faults.push({ code: "U005", member: "frequency.perPeriod", message });
  }
  if (hasFinalDate && number !== null) {
    const message = "Send NumberOfPayments or FinalPaymentDateTime, not both.";
    faults.push({ code: "U005", member: "numberOfPayments", message });
  } else if (number === "invalid") {
    const message = "NumberOfPayments must be from 1 to 9999.";
    faults.push({ code: "U002", member: "numberOfPayments", message });
  }
  if ((finalAmount?.text ?? null) === null) return faults;
  if (number === null && !hasFinalDate) {
    const message = "With FinalPaymentAmount, send FinalPaymentDateTime or NumberOfPayments too.";
    faults.push({ code: "U001", member: "finalDate", message });
  }
  if (number === 1) {
    const message = "A single payment uses FirstPaymentAmount: leave FinalPaymentAmount out.";
    faults.push({ code: "U005", member: "finalAmount", message });
  }
  return faults;
};

/** P-143: the dates are in order; every kind checks that the first one is in the future. */
const checkScheduleDates: Check = ({ request: { schedule, executionDate }, now, config }) => {
  const first = dateOf(executionDate) ?? nextProcessingDate(now, holidaysOf(config));
  const fault = (member: RequestMember, message: string): RequestFault[] => [
    { code: "U003", member, message },
  ];
  const recurring = dateOf(schedule?.recurringDate ?? null);
  if (recurring && isBefore(recurring, first)) {
    const message = "RecurringPaymentDateTime must not be before the date of the first payment.";
    return fault("recurringDate", message);
  }
  const final = dateOf(schedule?.finalDate ?? null);
  if (final && isBefore(final, recurring ?? first)) {
    return fault(
      "finalDate",
      "FinalPaymentDateTime must not be before the date of another payment.",
    );
  }
  return [];
};

const isBefore = (a: Temporal.PlainDate, b: Temporal.PlainDate): boolean =>
  Temporal.PlainDate.compare(a, b) < 0;

/** The checks of a standing order's consent, in addition to those of every kind. */
export const scheduleChecks: readonly Check[] = [checkFrequency, checkEnd, checkScheduleDates];

/**
 * The checks that are repeated for the order, because dates that the bank sets may have moved since
 * the consent.
 */
export const scheduleOrderChecks: readonly Check[] = [checkScheduleDates];
