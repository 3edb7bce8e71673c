import { createHash } from "node:crypto";
import type Big from "big.js";
import { decimal, formatRate } from "#src/bank/exchange.ts";
import type { ExchangeRate } from "#src/bank/port.ts";
import { eurosIn } from "./reference-rates.ts";

const zone = "Europe/London";
const stepMinutes = 15;
const opens = Temporal.PlainTime.from("06:00");
const closes = Temporal.PlainTime.from("21:00");
const [monday, friday] = [1, 5];

// The bank's margin on a rate, in basis points. A pair has the larger margin of its two currencies.
const spreads: Readonly<Record<string, number>> = { EUR: 80, GBP: 80, USD: 80 };
const spreadElsewhere = 150;
// While the market is closed, the last rate stays in use and the bank adds a margin for the risk.
const spreadWhenClosed = 75;
// How far a currency varies around its reference rate, in basis points.
const swing = 120;

/** A pair of currencies. Its rate is how much of the second currency one unit of the first buys. */
export type CurrencyPair = Pick<ExchangeRate, "unitCurrency" | "otherCurrency">;

/** The Friday evening on which the market closed, if it is closed at that time; otherwise null. */
function closedSince(at: Temporal.ZonedDateTime): Temporal.ZonedDateTime | null {
  const time = at.toPlainTime();
  const { dayOfWeek } = at;
  const early = dayOfWeek === monday && Temporal.PlainTime.compare(time, opens) < 0;
  const late = dayOfWeek === friday && Temporal.PlainTime.compare(time, closes) >= 0;
  if (!early && !late && dayOfWeek <= friday) return null;
  const days = early ? 3 : dayOfWeek - friday;
  return at.toPlainDate().subtract({ days }).toZonedDateTime({ timeZone: zone, plainTime: closes });
}

/** Whether rates move at that time: from Monday 06:00 to Friday 21:00 London time. */
export const isMarketOpen = (now: Temporal.Instant): boolean =>
  closedSince(now.toZonedDateTimeISO(zone)) === null;

/** Returns the time at which the current rate was set: the start of the quarter of an hour. */
function madeAt(now: Temporal.Instant): Temporal.Instant {
  const local = now.toZonedDateTimeISO(zone);
  return (closedSince(local) ?? local)
    .round({ smallestUnit: "minute", roundingIncrement: stepMinutes, roundingMode: "floor" })
    .toInstant();
}

const dayMs = 86_400_000;

/** Returns a currency's deviation on a day, from −1 to 1. It is the same in every sandbox. */
function mark(currency: string, day: number): number {
  const digest = createHash("sha256").update(`${currency} ${day}`).digest();
  return digest.readUInt16BE(0) / 32_767.5 - 1;
}

/** Returns the value of a euro in a currency, which varies around its reference from day to day. */
function euroIn(currency: string, made: Temporal.Instant): Big | null {
  const reference = Object.hasOwn(eurosIn, currency) ? eurosIn[currency] : undefined;
  if (reference === undefined) return null;
  if (currency === "EUR") return decimal(1);
  const day = Math.floor(made.epochMilliseconds / dayMs);
  const [from, to] = [mark(currency, day), mark(currency, day + 1)];
  const stands = from + (to - from) * ((made.epochMilliseconds % dayMs) / dayMs);
  return decimal(reference).times(decimal(1_000_000 + Math.round(stands * swing * 100)).div(1e6));
}

/** Returns the mid-market rate, or null if the bank does not offer one of the currencies. */
export function midRate(pair: CurrencyPair, now: Temporal.Instant): ExchangeRate | null {
  const rate = middle(pair, now);
  return rate && { ...pair, rate: formatRate(rate) };
}

function middle({ unitCurrency, otherCurrency }: CurrencyPair, now: Temporal.Instant): Big | null {
  const made = madeAt(now);
  const [unit, other] = [euroIn(unitCurrency, made), euroIn(otherCurrency, made)];
  return unit === null || other === null ? null : other.div(unit);
}

/** Returns the rate for a customer who sells the unit currency, or null as in `midRate`. */
export function customerRate(
  pair: CurrencyPair,
  now: Temporal.Instant,
  spread = spreadOf(pair, now),
): ExchangeRate | null {
  const rate = middle(pair, now);
  return rate && { ...pair, rate: formatRate(rate.times(decimal(10_000 - spread).div(10_000))) };
}

const spreadOf = ({ unitCurrency, otherCurrency }: CurrencyPair, now: Temporal.Instant): number =>
  Math.max(...[unitCurrency, otherCurrency].map((one) => spreads[one] ?? spreadElsewhere)) +
  (isMarketOpen(now) ? 0 : spreadWhenClosed);
