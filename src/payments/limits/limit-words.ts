import { present } from "#src/lib/assert.ts";
import type { PaymentSummary, SummaryRow } from "#src/pages/consent-summary.ts";
import { dayText, endOfDay, moneyText } from "#src/pages/wording.ts";
import { bankDay, type Day, toDate } from "#src/payments/calendar/timing.ts";
import type { RequestedLimits } from "#src/payments/request/payment-request.ts";
import {
  anchorOf,
  type PeriodicLimit,
  type PeriodType,
  periodicLimit,
  periodOf,
  validityOf,
} from "./order-limits.ts";

// Describes the limits of a consent to its customer. The words are the same on the pages of the
// journey, in the text that the second factor confirms, and on the bank's own pages. Source:
// customer experience guidelines, Payment Initiation Services; V-052, V-194.

const each: Readonly<Record<PeriodType, string>> = {
  Day: "Each day",
  Week: "Each week",
  Fortnight: "Each fortnight",
  Month: "Each month",
  "Half-year": "Each half-year",
  Year: "Each year",
};

const ofCalendar: Readonly<Record<PeriodType, string>> = {
  Day: "from midnight to midnight",
  Week: "from Monday to Sunday",
  Fortnight: "",
  Month: "by calendar month",
  "Half-year": "from January to June and from July to December",
  Year: "by calendar year",
};

const firstOfCalendar: Readonly<Record<PeriodType, string>> = {
  Day: "first day",
  Week: "first week",
  Fortnight: "first fortnight",
  Month: "first month",
  "Half-year": "first half-year",
  Year: "first year",
};

/** Returns the label of a limit, such as `Each month`. */
export const periodLabel = (type: PeriodType): string => each[type];

function limitText(
  limit: PeriodicLimit,
  { anchor, currency }: { anchor: Day; currency: string },
): string {
  const upTo = `Up to ${moneyText(limit.amountMinor, currency)}`;
  if (limit.alignment === "Consent") {
    return limit.type === "Day" ? upTo : `${upTo}, starting on ${dayText(toDate(anchor))}`;
  }
  const first = periodOf(limit, anchor, anchor);
  const whole = `${upTo}, ${ofCalendar[limit.type]}`;
  if (first.limitMinor === limit.amountMinor) return whole;
  const atFirst = moneyText(first.limitMinor, currency);
  const last = dayText(toDate(first.last));
  const start = firstOfCalendar[limit.type];
  return `${whole}. In the ${start}, which is not a whole one, up to ${atFirst} until ${last}.`;
}

/** Describes the limits of a consent that was created at that instant. */
export function limitWords(
  limits: RequestedLimits,
  { createdAt }: { createdAt: Temporal.Instant },
): Pick<PaymentSummary, "amount" | "rows"> {
  const validity = validityOf(limits);
  const anchor = anchorOf(validity, bankDay(createdAt));
  const { amountMinor, currency } = present(limits.single?.money, "a checked maximum");
  const rows: SummaryRow[] = limits.periods.map(periodicLimit).map((limit) => ({
    label: each[limit.type],
    value: limitText(limit, { anchor, currency }),
  }));
  if (validity.from !== null) {
    const value = `From ${dayText(toDate(validity.from))}`;
    rows.push({ label: "First payment", value, about: "when" });
  }
  const ends =
    validity.to === null
      ? "When you cancel it"
      : `${endOfDay(dayText(toDate(validity.to)))}, or when you cancel it before`;
  rows.push({ label: "Ends", value: ends, about: "when" });
  return { amount: `Up to ${moneyText(amountMinor, currency)} per payment`, rows };
}
