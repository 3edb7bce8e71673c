// Times that a core sends and that cannot be true yet. A mark in the future would make old data
// look current, and a fact in the future would be shown as if it had happened.
import { integer } from "#src/storage/prepared.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import type { RefusedFact } from "./check-facts.ts";
import type { FactKind } from "./fact-rules.ts";

type Limit = { member: string; seconds: number; words: string; isOf?(fact: Members): boolean };
type Members = Readonly<Record<string, unknown>>;

/** How much the clocks of a core and of the bank may differ. */
const clockSeconds = 60;

const ofClocks = { seconds: clockSeconds, words: `${clockSeconds} seconds` };

// A bank may book on the next working day what happens at a weekend or on a holiday. A transaction
// that is not booked yet has the time at which it is expected.
const limits: Readonly<Record<string, Limit>> = {
  balances: { member: "statedAt", ...ofClocks },
  transactions: {
    member: "bookedAt",
    seconds: 7 * 24 * 60 * 60,
    words: "7 days",
    isOf: ({ status }) => status === "Booked",
  },
  delivered: { member: "asOf", ...ofClocks },
  position: { member: "deliveredUpTo", ...ofClocks },
} satisfies Partial<Record<FactKind | "delivered" | "position", Limit>>;

/** Returns why the time of a fact, a delivery or a position is refused; null if it may be true. */
export function futureFault(
  kind: string,
  fact: object,
  now: Temporal.Instant,
): Pick<RefusedFact, "path" | "rule"> | null {
  const limit = limits[kind];
  const members = fact as Members;
  if (!limit || limit.isOf?.(members) === false) return null;
  const time = members[limit.member];
  if (!(time instanceof Temporal.Instant)) return null;
  const latest = now.add({ seconds: limit.seconds });
  if (Temporal.Instant.compare(time, latest) <= 0) return null;
  const rule = `must not be more than ${limit.words} after the bank's time`;
  return { path: `/${limit.member}`, rule };
}

/** The earlier of two times. */
export const earlierOf = (one: Temporal.Instant, other: Temporal.Instant): Temporal.Instant =>
  Temporal.Instant.compare(one, other) < 0 ? one : other;

/** The later of two times. */
export const laterOf = (one: Temporal.Instant, other: Temporal.Instant): Temporal.Instant =>
  Temporal.Instant.compare(one, other) > 0 ? one : other;

/**
 * SQL: whether a time that an earlier release has stored was in the future when its source was last
 * heard, by more than clocks differ.
 */
export const neverTrue = (time: Sql, heard: Sql): Sql =>
  sql`${time} > ${heard} + interval '1 second' * ${integer(clockSeconds)}`;
