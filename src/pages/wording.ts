import { currencyExponent, formatAmount } from "#src/lib/money.ts";
import { keepRecent } from "#src/lib/recent.ts";

const moneyFormats = new Map<string, Intl.NumberFormat>();

// A format is expensive to make, and the same for every amount of a currency.
function moneyFormat(currency: string): Intl.NumberFormat {
  const known = moneyFormats.get(currency);
  if (known) return known;
  const format = new Intl.NumberFormat("en-GB", {
    style: "currency",
    currency,
    minimumFractionDigits: currencyExponent(currency),
  });
  moneyFormats.set(currency, format);
  return format;
}

// the pages of a journey show the same few amounts; the text is the currency and the amount, such
// as `GBP1249.50`
const sizeText = keepRecent({ values: 500, textLength: 40 }, (text) =>
  // a text keeps every digit, unlike a number; the type of `format` accepts only numerals
  moneyFormat(text.slice(0, 3)).format(text.slice(3) as Intl.StringNumericLiteral),
);

/** Formats an amount for customers: `£1,249.50`, `−£310.22`; minor units may be negative. */
export function moneyText(amountMinor: bigint, currency: string): string {
  const size = formatAmount(amountMinor < 0n ? -amountMinor : amountMinor, currency);
  const text = sizeText(currency + size);
  return amountMinor < 0n ? `−${text}` : text;
}

const numbers = new Intl.NumberFormat("en-GB");

/** Formats a number for customers: `12,345`. */
export const numberText = (value: number): string => numbers.format(value);

/** `20201010981789` as `20-20-10 10981789`; other text stays as it is. */
export const sortCodeText = (identification: string): string =>
  identification.replace(/^(\d\d)(\d\d)(\d\d)(\d{8})$/, "$1-$2-$3 $4");

/** An IBAN in groups of four. */
export const ibanText = (iban: string): string =>
  iban.replaceAll(" ", "").replace(/(.{4})(?=.)/g, "$1 ");

/** Formats the number of an account for customers, in any scheme. */
export function accountNumberText(schemeName: string, identification: string): string {
  if (schemeName === "UK.OBIE.SortCodeAccountNumber") return sortCodeText(identification);
  return schemeName === "UK.OBIE.IBAN" ? ibanText(identification) : identification;
}

const datesIn = (timeZone: string, parts: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat("en-GB", { timeZone, ...parts });
const londonDates = datesIn("Europe/London", { dateStyle: "long" });
const plainDates = datesIn("UTC", { dateStyle: "long" });
const plainWeekdays = datesIn("UTC", { dateStyle: "full" });
const plainMonths = datesIn("UTC", { month: "long" });

/** `3 March 2027`: the date in London. */
export const dateText = (instant: Temporal.Instant): string =>
  londonDates.format(instant.epochMilliseconds);

const londonTimes = datesIn("Europe/London", { dateStyle: "long", timeStyle: "short" });

/** `3 March 2027 at 09:30`: the date and the time in London. */
export const dateTimeText = (instant: Temporal.Instant): string =>
  londonTimes.format(instant.epochMilliseconds);

const londonClock = new Intl.DateTimeFormat("en-GB", {
  timeZone: "Europe/London",
  hour: "2-digit",
  minute: "2-digit",
});

/** `06:27` for a time of today, `06:27 on 4 March 2027` for another day, both in London. */
export function momentText(instant: Temporal.Instant, now: Temporal.Instant): string {
  const time = londonClock.format(instant.epochMilliseconds);
  const day = dateText(instant);
  return day === dateText(now) ? time : `${time} on ${day}`;
}

/** The end of a wait, in whole minutes: not before it, so that the next try succeeds. */
export const waitEndText = (end: Temporal.Instant, now: Temporal.Instant): string =>
  momentText(end.round({ smallestUnit: "minute", roundingMode: "ceil" }), now);

const midnightOf = ({ year, month, day }: Temporal.PlainDate): number =>
  Date.UTC(year, month - 1, day);

/** `3 March 2027`. */
export const dayText = (date: Temporal.PlainDate): string => plainDates.format(midnightOf(date));

/** `Wednesday 3 March 2027`: the day of a payment. */
export const weekdayText = (date: Temporal.PlainDate): string =>
  plainWeekdays.format(midnightOf(date)).replace(",", "");

/**
 * When payments are made that wait for others: at the earliest on that day, if one is given, such
 * as `Friday 4 December 2026`.
 */
export const onceApproved = (day: string | null): string =>
  `Once all have approved${day === null ? "" : `, but not before ${day}`}`;

/** The beginning of a sentence: nobody can cancel a payment that others have not approved yet. */
export const youCanCancel = (waitsForOthers: boolean): string =>
  waitsForOthers ? "Once all have approved it, you can cancel" : "You can cancel";

/** What includes the whole of its last day, as `until`: `up to and including 30 June 2027`. */
export const includingDay = (day: string): string => `up to and including ${day}`;

/** The same as the value of a row: `At the end of 30 June 2027`. */
export const endOfDay = (day: string): string => `At the end of ${day}`;

/** The end of an access or a permission, as `until` and as the value of a row. */
export function endTexts(expiresAt: Temporal.Instant | null): { until: string; ends: string } {
  if (expiresAt === null) return { until: "until you cancel", ends: "When you cancel it" };
  // the last minute of a day, and midnight after it, include the whole day
  const day = dateText(expiresAt.subtract({ nanoseconds: 1 }));
  const isWhole = dateText(expiresAt.add({ minutes: 1 })) !== day;
  if (isWhole) return { until: includingDay(day), ends: endOfDay(day) };
  const moment = dateTimeText(expiresAt);
  return { until: `until ${moment}`, ends: `On ${moment}` };
}

/** The `until` of `endTexts` as the value of a row. */
export const endsText = (until: string): string =>
  until === endTexts(null).until
    ? endTexts(null).ends
    : until.replace(/^until /, "On ").replace(includingDay(""), endOfDay(""));

/** `pounds`, `euros`, `US dollars`: the name of a currency in a sentence. */
export function currencyText(currency: string): string {
  if (currency === "GBP") return "pounds";
  const names = new Intl.NumberFormat("en-GB", {
    style: "currency",
    currency,
    currencyDisplay: "name",
  });
  const name = names.formatToParts(2).find(({ type }) => type === "currency");
  return name?.value ?? currency;
}

/** `March`. */
export const monthText = (date: Temporal.PlainDate): string => plainMonths.format(midnightOf(date));

/** The word for an account that is not open: `closed` or `blocked`; null for an open one. */
export function notOpenText(status: "Enabled" | "Disabled" | "Deleted"): string | null {
  if (status === "Enabled") return null;
  return status === "Disabled" ? "blocked" : "closed";
}
