const time = String.raw`(\d{2})(?::?(\d{2})(?::?(\d{2})(?:[.,](\d{1,9}))?)?)?`;
const offset = String.raw`(Z|z|[+\- ]\d{2}(?::?\d{2})?)?`;
const pattern = new RegExp(String.raw`^(\d{4})-?(\d{2})-?(\d{2})(?:[T ]${time}${offset})?$`);

/** A parsed date-time: the local time, and the offset if there was one. */
export type ParsedDateTime = { local: Temporal.PlainDateTime; offset: string | null };

/**
 * Parses any ISO 8601 calendar date or date-time (basic or extended, with or without seconds,
 * fraction and zone). Returns null if it is invalid or names a day that does not exist. A space
 * counts as a `+` that was decoded from a query string. A date alone means midnight.
 */
export function parseDateTime(text: string): ParsedDateTime | null {
  const match = pattern.exec(text);
  if (!match) return null;
  const [, year, month, day, hour, minute, second, fraction, zone] = match;
  try {
    const local = Temporal.PlainDateTime.from(
      `${year}-${month}-${day}T${hour ?? "00"}:${minute ?? "00"}:${second ?? "00"}` +
        (fraction ? `.${fraction}` : ""),
      { overflow: "reject" },
    );
    if (hour === "24" || second === "60") return null;
    return { local, offset: zone === undefined ? null : normalOffset(zone) };
  } catch {
    return null;
  }
}

function normalOffset(zone: string): string {
  if (zone === "Z" || zone === "z") return "+00:00";
  const digits = zone.slice(1).replace(":", "").padEnd(4, "0");
  const text = `${zone[0] === "-" ? "-" : "+"}${digits.slice(0, 2)}:${digits.slice(2)}`;
  Temporal.PlainDate.from("2000-01-01").toZonedDateTime(text); // throws if it is not an offset
  return text;
}

/** RFC 3339 with the offset that was written, or UTC: the same instant, not moved or rounded. */
export const formatDateTime = ({ local, offset }: ParsedDateTime): string =>
  `${local.toString()}${offset ?? "+00:00"}`;

/** The instant of a parsed date-time; without an offset it is read as UTC. */
export function toInstant({ local, offset }: ParsedDateTime): Temporal.Instant {
  return local.toZonedDateTime(offset ?? "UTC").toInstant();
}

/** RFC 3339 with milliseconds cut to seconds when they are zero: `2026-11-21T02:26:43Z`. */
export function formatInstant(instant: Temporal.Instant): string {
  // the same text as Temporal's with three digits, ten times as fast
  const text = new Date(instant.epochMilliseconds).toISOString();
  return text.endsWith(".000Z") ? `${text.slice(0, -5)}Z` : text;
}

/**
 * What to say about a date of a JWT that should be seconds since 1970, but is probably
 * milliseconds: as seconds, it is in the years 5138 to 318857; as milliseconds, in 1973 to 2286.
 * Null if it is not.
 */
export const millisecondsText = (value: unknown): string | null =>
  typeof value === "number" && value > 1e11 && value < 1e13 ? "milliseconds; send seconds" : null;

const earliest = Temporal.Instant.from("0001-01-01T00:00:00Z");
const latest = Temporal.Instant.from("9999-12-31T23:59:59Z");

/**
 * Returns the instant, limited to years of four digits. ISO 8601 allows dates at the edges of the
 * calendar that the database cannot read, and no fact of a bank is that old or that far ahead.
 */
export function withinCalendar(instant: Temporal.Instant): Temporal.Instant {
  return earlierOf(laterOf(instant, earliest), latest);
}

/** Whether a time is before another. */
export function isBefore(one: Temporal.Instant, other: Temporal.Instant): boolean {
  // comparing milliseconds is many times as fast; most differ in them
  const [first, second] = [one.epochMilliseconds, other.epochMilliseconds];
  return first === second ? Temporal.Instant.compare(one, other) < 0 : first < second;
}

/** The earlier of two times; the first if there is no second. */
export const earlierOf = (one: Temporal.Instant, other: Temporal.Instant | null) =>
  other !== null && isBefore(other, one) ? other : one;

/** The later of two times; the first if there is no second. */
export const laterOf = (one: Temporal.Instant, other: Temporal.Instant | null) =>
  other !== null && isBefore(one, other) ? other : one;

/** Reads a date that was stored as text, or null. */
export const dateOrNull = (text: string | null): Temporal.PlainDate | null =>
  text === null ? null : Temporal.PlainDate.from(text);
