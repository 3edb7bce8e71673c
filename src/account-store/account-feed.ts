// The feed of a bank's core: what a module or a service sends, with the place to which its source
// has got. Each fact is judged alone: what keeps the rules is stored, and what breaks one is
// refused, listed and never stops the feed. The place is stored in the transaction of the facts, so
// after a restore of an older backup a source continues where the store is.
import { machineTimers, type Timers } from "#src/lib/clock.ts";
import { Unavailable } from "#src/lib/unavailable.ts";
import { type Database, type Queryable, sqlState } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { createFactCheck, keyOfFact, type RefusedFact, unstorableIn } from "./check-facts.ts";
import type { FactKind } from "./fact-rules.ts";
import { type AccountChanges, applyChanges, type FeedPosition, lockChanges } from "./feed.ts";
import { type OwnedRefusal, withOwners, withPage } from "./forget-refusals.ts";
import { type JudgedChanges, judgeChanges } from "./judge-changes.ts";
import {
  factsOf,
  keepPlace,
  keyOfDelivery,
  type SourcePosition,
  storedMembers,
} from "./keep-place.ts";
import { type Loaded, type LoadOptions, loadChanges, type StoreCall } from "./load-changes.ts";
import { noteUnread } from "./refusals.ts";

/** What became of a call: the facts that were not stored, each with the rule that it breaks. */
export type FeedResult = { refused: readonly RefusedFact[] };

/** The only interface through which the facts of a core reach the store. */
export type AccountFeed = {
  /**
   * Stores the facts that keep the rules, and the position, in one transaction. Lists the others,
   * also for `./aldgate facts refused`, until a version of them is stored. Throws TypeError for a
   * position that is not allowed, CursorMoved if the store is not where `after` says, and whatever
   * the database throws if it fails: then nothing is stored, and the call can be repeated.
   */
  apply(changes: AccountChanges, position?: FeedPosition): Promise<FeedResult>;
  /**
   * Loads lines of JSON, each with changes and optionally the position after them, in calls of some
   * hundred facts: the first fill of the store, or a backfill. If the lines pause, what has been
   * read is stored after about a second. Refuses facts as `apply` does.
   * Throws WrongLine for a line that is no change; what was loaded before is stored.
   */
  load(lines: AsyncIterable<string>, options?: LoadOptions): Promise<Loaded>;
  /** The cursor that a source sent last; null if it has sent none. */
  cursor(source?: string): Promise<string | null>;
  /**
   * Says that what the source has after the cursor cannot be read, and why. Operators see it in
   * `./aldgate facts refused` and in a gauge, until a call with `after` is stored.
   */
  noteUnread(after: string | null, reason: string, source?: string): Promise<void>;
};

/** How a feed is made: the bank's time, the timers of a load, and when facts may be stored. */
type FeedOptions = {
  timers?: Timers;
  now?(): Temporal.Instant;
  /** The core's time, as the machine's clock has it; the bank's time by default. */
  coreNow?(): Temporal.Instant;
  /** Whether facts may be stored now: by default, yes. */
  admits?(): boolean;
};

type FeedLog = { warn(details: object, text: string): void };

/** The source of a feeder that names none. */
export const defaultSource = "core";

/** Creates the feed of a bank's core. Its log names refused facts, without their values. */
export function createAccountFeed(
  database: Database,
  log: FeedLog = { warn: () => undefined },
  options: FeedOptions = {},
): AccountFeed {
  const { timers = machineTimers, now = Temporal.Now.instant, admits = () => true } = options;
  const { coreNow = now } = options;
  const check = createFactCheck();
  /** The refused members of positions, until one is stored: a core may send one every second. */
  const wrongMarks = new Set<string>();
  async function cursor(source = defaultSource): Promise<string | null> {
    checkPosition({ source });
    const [row] = await database.query<{ cursor: string | null }>(
      sql`select cursor from feed_source where source = ${source}`,
    );
    return row?.cursor ?? null;
  }
  const apply: StoreCall = async (changes, position, refusedBefore) => {
    const given = { source: defaultSource, ...position };
    checkPosition(given);
    if (!admits()) throw new Unavailable("database", "this process may not store facts now", {});
    const time = { now: now(), latest: coreNow() };
    const judged = judgeChanges(check, changes, given, time, refusedBefore);
    const { position: place } = judged;
    if (judged.refused.some(({ key }) => key === "")) {
      const { source, after = await cursor(source) } = given;
      judged.refused = withPage(judged.refused, after);
    }
    const refused = (await store(database, judged, place, time.now)).map(named);
    for (const key of storedMembers(place)) wrongMarks.delete(`${given.source} ${key}`);
    const said = refused.filter(({ kind, key }) => {
      const mark = `${given.source} ${key}`;
      const isNew = !wrongMarks.has(mark);
      if (kind === "position") wrongMarks.add(mark);
      return kind !== "position" || isNew;
    });
    if (said.length > 0) {
      const details = { source: given.source, count: said.length, refused: said.slice(0, 20) };
      log.warn(details, "facts of the core were refused");
    }
    return { refused };
  };
  return {
    apply: (changes, position = {}) => apply(changes, position, []),
    load: (lines, options) => loadChanges(apply, lines, options, timers),
    cursor,
    async noteUnread(after, reason, source = defaultSource) {
      checkPosition({ source, after });
      if (admits()) await noteUnread(database, source, after, reason);
    },
  };
}

const named = ({ kind, key, path, rule }: OwnedRefusal): RefusedFact => ({ kind, key, path, rule });

const isCursor = (value: unknown): boolean =>
  typeof value === "string" && /^[^\0]{0,1000}$/u.test(value) && value.isWellFormed();

function checkPosition({ source, cursor, after, deliveredUpTo }: SourcePosition): void {
  if (!/^[!-~]{1,40}$/.test(source)) {
    throw new TypeError("source must be 1 to 40 ASCII characters without spaces");
  }
  if (cursor === "" || (cursor !== undefined && !isCursor(cursor))) {
    throw new TypeError("cursor must be a text of 1 to 1,000 characters, without NUL");
  }
  if (after !== undefined && after !== null && !isCursor(after)) {
    throw new TypeError("after must be a text of up to 1,000 characters, without NUL, or null");
  }
  if (deliveredUpTo !== undefined && !(deliveredUpTo instanceof Temporal.Instant)) {
    throw new TypeError("deliveredUpTo must be a Temporal.Instant");
  }
}

/** Stores the facts together, or one by one if the store refuses one of them. */
async function store(
  database: Database,
  { kept, refused }: Omit<JudgedChanges, "position">,
  position: SourcePosition,
  now: Temporal.Instant,
): Promise<OwnedRefusal[]> {
  try {
    await database.transaction(async (on) => {
      await applyChanges(on, kept, position.source);
      await keepPlace(on, kept, refused, position, now);
    });
    return refused;
  } catch (error) {
    if (!isAboutFacts(error)) throw error;
  }
  return database.transaction(async (on) => {
    // all accounts in order: the changes come to them one by one, in the order of the facts
    await lockChanges(on, kept);
    const { stored, unfit } = await applyEach(on, kept, position.source);
    const all = [...refused, ...unfit];
    await keepPlace(on, stored, all, position, now);
    return all;
  });
}

/**
 * Whether the store has refused what was sent: it breaks a constraint, is no valid value, is too
 * long for an index (54000), or has objects in more levels than PostgreSQL (54001) or we can write.
 */
const isAboutFacts = (error: unknown): boolean =>
  error instanceof RangeError || /^(?:2[23]|5400[01]$)/.test(sqlState(error) ?? "");

/**
 * Applies each change alone. A change may fit after another one, such as a new account after the
 * closure of the one that had its number, so those that did not fit are tried again until a turn
 * stores none of them.
 */
async function applyEach(on: Queryable, changes: AccountChanges, source: string) {
  const stored: Record<string, object[]> = {};
  let left = single(changes);
  let unfit: OwnedRefusal[] = [];
  for (let tried = Number.POSITIVE_INFINITY; left.length > 0 && left.length < tried; ) {
    tried = left.length;
    const again: Single[] = [];
    unfit = [];
    for (const one of left) {
      const fault = await fits(on, one, source);
      if (fault === null) {
        if (one.fact) stored[one.kind] = [...(stored[one.kind] ?? []), one.fact];
        continue;
      }
      again.push(one);
      unfit.push(withOwners({ kind: one.kind, key: one.key, ...fault }, one.about));
    }
    left = again;
  }
  // safe: the facts are those of the changes
  return { stored: { ...stored, delivered: changes.delivered } as AccountChanges, unfit };
}

/** One change of a call. A removal and a delivery are no facts. */
type Single = {
  kind: string;
  key: string;
  /** What names the account and the customer. */
  about: object;
  fact?: object;
  isRemoval?: boolean;
  change: AccountChanges;
};

function single(changes: AccountChanges): Single[] {
  const { removed = {}, delivered = [] } = changes;
  const facts = factsOf(changes).map((one) => ({
    ...one,
    about: one.fact,
    change: { [one.kind]: [one.fact] } as AccountChanges, // safe: a fact of that kind
  }));
  const removals = Object.entries(removed).flatMap(([kind, keys]) =>
    (keys as readonly object[]).map((key) => ({
      kind: `removed ${kind}`,
      key: keyOfFact(kind as FactKind, key), // every kind that can be removed has rules
      isRemoval: true,
      about: key,
      change: { removed: { [kind]: [key] } } as AccountChanges,
    })),
  );
  const marks = delivered.map((delivery) => ({
    kind: "delivered",
    key: keyOfDelivery(delivery),
    about: delivery,
    change: { delivered: [delivery] },
  }));
  return [...facts, ...removals, ...marks];
}

/** Stores one change. Returns what does not fit the store; null if it was stored. */
async function fits(
  on: Queryable,
  { change, about, isRemoval = false }: Single,
  source: string,
): Promise<Pick<RefusedFact, "path" | "rule"> | null> {
  await on.query(sql`savepoint one_change`);
  try {
    await applyChanges(on, change, source);
    await on.query(sql`release savepoint one_change`);
    return null;
  } catch (error) {
    if (!isAboutFacts(error)) throw error;
    await on.query(sql`rollback to savepoint one_change`);
    const wrong = sqlState(error)?.startsWith("22") ? unstorableIn(about) : null;
    const rule = `must fit what is stored: ${isRemoval ? stillNamed : whyNot(error)}`;
    return wrong ?? { path: "", rule };
  }
}

// the other facts of an account are removed with it
const stillNamed = "other facts still name it";

const reasons: Readonly<Record<string, string>> = {
  "23503": "it names an account or a transaction that the store does not have",
  "23505": "another open account has this number",
};

// the database's own words may contain a customer's data
const whyNot = (error: unknown): string =>
  reasons[sqlState(error) ?? ""] ?? "it breaks a rule of the store";
