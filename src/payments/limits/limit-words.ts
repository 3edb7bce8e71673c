import { present } from "#src/lib/assert.ts";
import type { PaymentSummary, SummaryRow } from "#src/pages/consent-summary.ts";
import { dayText, moneyText } from "#src/pages/wording.ts";
import { type Day, toDate } from "#src/payments/calendar/day.ts";
import { bankDay } from "#src/payments/calendar/timing.ts";
import type { RequestedLimits } from "#src/payments/request/payment-request.ts";
import { periodicLimit, validityOf } from "./order-limits.ts";
import { type PeriodicLimit, type PeriodType, periodOf } from "./periods.ts";
import { anchorOf } from "./validity.ts";

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
  Month: "per calendar month",
  "Half-year": "from January to June and from July to December",
  Year: "per calendar year",
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
  return `${whole}; up to ${atFirst} until ${dayText(toDate(first.last))}`;
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
    rows.push({ label: "First payment", value: `From ${dayText(toDate(validity.from))}` });
  }
  const until =
    validity.to === null ? "you cancel" : `${dayText(toDate(validity.to))}, or until you cancel`;
  rows.push({ label: "Lasts until", value: until });
  return { amount: `Up to ${moneyText(amountMinor, currency)} per payment`, rows };
}
