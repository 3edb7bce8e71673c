// Times that a core sends and that cannot be true yet. A mark in the future would make old data
// look current, so it is refused. A fact that is refused is lost until its next version, so only a
// time that makes no sense refuses one.
import { isBefore, laterOf } from "#src/lib/date-time.ts";
import { integer } from "#src/storage/prepared.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import type { RefusedFact } from "./check-facts.ts";
import type { FactKind } from "./fact-rules.ts";

type Limit = {
  member: string;
  seconds: number;
  words: string;
  /** Whether a later time that is not refused is kept; otherwise the bank's time is. */
  isKept?: true;
  isOf?(fact: Members): boolean;
};
type Members = Readonly<Record<string, unknown>>;

/** How much the clocks of a core and of the bank may differ. */
const clockSeconds = 60;

const ofClocks = { seconds: clockSeconds, words: `${clockSeconds} seconds` };

// A core may state a balance as of the end of its day. A bank may book on the next working day what
// happens at a weekend or on a holiday. A transaction that is not booked yet has the time at which
// it is expected.
const limits: Readonly<Record<string, Limit>> = {
  balances: { member: "statedAt", seconds: 24 * 60 * 60, words: "a day" },
  transactions: {
    member: "bookedAt",
    seconds: 7 * 24 * 60 * 60,
    words: "7 days",
    isKept: true,
    isOf: ({ status }) => status === "Booked",
  },
  delivered: { member: "asOf", ...ofClocks },
  position: { member: "deliveredUpTo", ...ofClocks },
} satisfies Partial<Record<FactKind | "delivered" | "position", Limit>>;

/** The bank's time, and the core's as far as it is known: a sandbox's time may be another. */
export type Times = { now: Temporal.Instant; latest: Temporal.Instant };

/**
 * Judges the time of a fact, a delivery or a position. Returns it as it is stored, or why it is
 * refused.
 */
export function judgeTime<Timed extends object>(
  kind: string,
  fact: Timed,
  { now, latest }: Times,
): { fact: Timed; fault?: never } | { fault: Pick<RefusedFact, "path" | "rule"> } {
  const limit = limits[kind];
  const members = fact as Members;
  const time = limit && limit.isOf?.(members) !== false ? members[limit.member] : null;
  if (!limit || !(time instanceof Temporal.Instant)) return { fact };
  const { member, seconds, words, isKept = false } = limit;
  if (isBefore(laterOf(now, latest).add({ seconds }), time)) {
    const rule = `must not be more than ${words} after the bank's time`;
    return { fault: { path: `/${member}`, rule } };
  }
  return { fact: isKept || !isBefore(now, time) ? fact : { ...fact, [member]: now } };
}

/**
 * SQL: whether a time that an earlier release has stored was in the future when its source was last
 * heard, by more than clocks differ.
 */
export const neverTrue = (time: Sql, heard: Sql): Sql =>
  sql`${time} > ${heard} + interval '1 second' * ${integer(clockSeconds)}`;
