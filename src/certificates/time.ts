import type { Der } from "./der.ts";

const utcTimeTag = 0x17;

/** Reads UTCTime or GeneralizedTime; throws if malformed. Source: RFC 5280 section 4.1.2.5. */
export function readTime(value: Der): Temporal.Instant {
  const text = value.content.toString("latin1");
  const full =
    value.tag === utcTimeTag ? `${Number(text.slice(0, 2)) < 50 ? 20 : 19}${text}` : text;
  const parts = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})?(?:\.\d+)?Z$/.exec(full);
  if (!parts) throw new Error("a date is malformed");
  const [, year, month, day, hour, minute, second = "00"] = parts;
  return Temporal.Instant.from(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}
