import { setTimeout as delay } from "node:timers/promises";
import { type Clock, createPace, type Pace } from "#src/lib/clock.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/**
 * The latest possible time of a sandbox. Any time later than this, with the periods that the bank
 * adds to it, might need a year of more than four digits.
 */
export const endOfTime: Temporal.Instant = Temporal.Instant.from("2100-01-01T00:00:00Z");

/** The work that depends on time, as seen by the clock. */
export type TimeBound = {
  /** Processes everything that is due now. */
  drain(): Promise<void>;
  /** Returns when something falls due next, or null if nothing is planned. */
  nextDueAt(): Promise<Temporal.Instant | null>;
  /** Does the regular work, such as rejecting overdue consents and deleting expired tokens. */
  sweep(): Promise<void>;
};

/** A move of the clock: the bank's time before it and after it. */
export type ClockMove = { from: Temporal.Instant; to: Temporal.Instant };

/** The clock of a sandbox. The database stores how it differs from the machine's clock. */
export type SandboxClock = Clock & {
  /** 0 if the clock stands still, 1 if it runs as the machine's, more if it runs faster. */
  rate(): number;
  /** The latest moves of the clock since this process began, the last one last. */
  moves(): readonly ClockMove[];
  /** Sets the clock forward and processes, in order, everything that falls due on the way. */
  advanceTo(target: Temporal.Instant, bound: TimeBound): Promise<void>;
  /** Stops the clock (0), lets it run as the machine's (1), or faster. The time does not jump. */
  setRate(rate: number): Promise<void>;
  /** From now on, adopts what other processes set, and sets a fast clock forward. */
  run(bound: TimeBound, pace?: Pace): void;
  stop(): void;
};

/** When the clock begins, and how fast it runs. */
type ClockBeginning = {
  /** The bank's time when the sandbox is first opened. The default is the machine's time. */
  start?: Temporal.Instant | undefined;
  /** By default, the rate does not change. */
  rate?: number | undefined;
};

type State = {
  version: bigint;
  /** How far the bank's clock is ahead of the machine's; negative if it is behind. */
  offset: bigint;
  frozenAt: Temporal.Instant | null;
  rate: number;
};

// Another process may be processing due items, and must finish before the time moves on. But a
// process that has died must not stop the clock.
const patience = { looks: 100, pauseMs: 20 };

// A journey is over after as many moves.
const mostMoves = 100;

// Within this time, other processes notice that the clock was set, and a fast clock moves.
const pollMs = 500;

/** Processes everything due by that time. Returns false if something is still unfinished. */
async function isDone(bound: TimeBound, instant: Temporal.Instant): Promise<boolean> {
  for (let look = 0; look < patience.looks; look++) {
    await bound.drain();
    const next = await bound.nextDueAt();
    if (next === null || Temporal.Instant.compare(next, instant) > 0) return true;
    await delay(patience.pauseMs);
  }
  return false;
}

/** The error if the clock is set back, which is impossible because events cannot be undone. */
export class ClockGoesForward extends Error {}

/** Begins the clock of a sandbox, unless it has begun. `source` is the machine's or a test's. */
export async function beginSandboxClock(
  database: Queryable,
  source: Clock,
  { start, rate }: ClockBeginning,
): Promise<SandboxClock> {
  const now = source.now();
  const begun = start ?? now;
  await database.query(sql`
    update sandbox_clock set begun_at = ${begun}, version = version + 1,
      offset_milliseconds = ${milliseconds(begun, now)}, rate = ${rate ?? 1},
      frozen_at = ${rate === 0 ? begun : null}
    where begun_at is null`);
  const clock = await createSandboxClock(database, source);
  if (rate !== undefined && rate !== clock.rate()) await clock.setRate(rate);
  return clock;
}

/** The bank's time or, while the clock of a sandbox has not begun, the time at which it will. */
export async function sandboxTime(
  database: Queryable,
  source: Clock,
  { start }: ClockBeginning,
): Promise<Temporal.Instant> {
  const begun = await first(
    database,
    sql`select begun_at from sandbox_clock where begun_at is not null`,
  );
  return begun ? (await createSandboxClock(database, source)).now() : (start ?? source.now());
}

/** Lets the clock of a copied database go on from that time. A clock that stands still has it. */
export const resumeSandboxClock = (
  database: Queryable,
  source: Clock,
  time: Temporal.Instant,
): Promise<unknown> =>
  database.query(sql`
    update sandbox_clock set version = version + 1,
      offset_milliseconds = ${milliseconds(time, source.now())}
    where rate <> 0`);

/** Reads the clock of a sandbox. `source` is the machine's clock or a test's. */
export async function createSandboxClock(
  database: Queryable,
  source: Clock,
): Promise<SandboxClock> {
  const stored = createStored(database, source);
  let stop = async (): Promise<void> => undefined;
  await stored.refresh();
  const { now, moves } = stored;
  const clock: SandboxClock = {
    now,
    moves,
    rate: () => stored.state().rate,
    async advanceTo(target, bound) {
      if (Temporal.Instant.compare(target, now()) < 0) {
        throw new ClockGoesForward(`the time is already ${now()}`);
      }
      const from = now();
      await bound.drain();
      for (;;) {
        const next = await bound.nextDueAt();
        if (next === null || Temporal.Instant.compare(next, target) > 0) break;
        await stored.setTime(next, from);
        if (!(await isDone(bound, next))) break;
      }
      await stored.setTime(target, from);
      await bound.sweep();
      await bound.drain();
    },
    setRate: (rate) => stored.setRate(rate),
    run(bound, pace = createPace()) {
      const poll = async (): Promise<void> => {
        await stored.refresh();
        if (stored.state().rate <= 1 || !pace.admits()) return;
        pace.stir(); // the time of a fast clock does not wait for a request
        await tick(clock, await stored.claimTick(), bound);
      };
      // after an outage, the next poll tries again
      stop = pace.watch(pollMs, () => poll().catch(() => undefined));
    },
    stop: () => void stop(),
  };
  return clock;
}

/** Sets a fast clock forward by what it lacks after this time. */
async function tick(clock: SandboxClock, passedMs: number, bound: TimeBound): Promise<void> {
  if (passedMs === 0) return; // another process has set it forward
  const ahead = Math.round(passedMs * (clock.rate() - 1));
  const target = clock.now().add({ milliseconds: ahead });
  if (Temporal.Instant.compare(target, endOfTime) < 0) await clock.advanceTo(target, bound);
}

const milliseconds = (one: Temporal.Instant, other: Temporal.Instant): number =>
  Math.ceil(one.since(other).total("milliseconds"));

const columns = sql`version, offset_milliseconds as offset, frozen_at as "frozenAt", rate`;

/** The clock in the database, and what this process has last read of it. */
type StoredClock = Pick<SandboxClock, "now" | "moves" | "setRate"> & {
  state(): State;
  /** Adopts what another process has set. */
  refresh(): Promise<void>;
  /** Sets the clock, unless it is past that time: a step of a move that began at `from`. */
  setTime(time: Temporal.Instant, from: Temporal.Instant): Promise<void>;
  /** Returns the time since a fast clock was last set forward; 0 if that was just now. */
  claimTick(): Promise<number>;
};

function createStored(database: Queryable, source: Clock): StoredClock {
  let state: State = { version: -1n, offset: 0n, frozenAt: null, rate: 1 };
  let moves: readonly ClockMove[] = [];
  const timeAt = ({ frozenAt, offset }: State, now: Temporal.Instant): Temporal.Instant =>
    frozenAt ?? (offset === 0n ? now : now.add({ milliseconds: Number(offset) }));
  const adopt = (read: State | undefined, begun?: Temporal.Instant): void => {
    if (read === undefined || read.version <= state.version) return;
    const machine = source.now();
    const from = begun ?? timeAt(state, machine);
    const to = timeAt(read, machine);
    if (state.version >= 0n && Temporal.Instant.compare(to, from) > 0) {
      // a move has many steps
      const before = begun ? moves.filter((move) => move.from !== begun) : moves;
      moves = [...before, { from, to }].slice(-mostMoves);
    }
    state = read;
  };
  return {
    state: () => state,
    now: () => timeAt(state, source.now()),
    moves: () => moves,
    refresh: async () =>
      adopt(await first<State>(database, sql`select ${columns} from sandbox_clock`)),
    async setTime(time, from) {
      const ahead = milliseconds(time, source.now());
      adopt(
        await first<State>(
          database,
          sql`update sandbox_clock set version = version + 1,
              offset_milliseconds = greatest(offset_milliseconds, ${ahead}),
              frozen_at = case when rate = 0 then greatest(frozen_at, ${time}) end
            returning ${columns}`,
        ),
        from,
      );
    },
    async setRate(rate) {
      const machine = source.now();
      const now = timeAt(state, machine);
      adopt(
        await first<State>(
          database,
          sql`update sandbox_clock set rate = ${rate}, version = version + 1,
              offset_milliseconds = ${milliseconds(now, machine)},
              frozen_at = ${rate === 0 ? now : null}, ticked_at = ${machine}
            returning ${columns}`,
        ),
      );
    },
    async claimTick() {
      const machine = source.now();
      const latest = machine.subtract({ milliseconds: pollMs - 50 });
      const row = await first<{ before: Temporal.Instant }>(
        database,
        sql`with last as (select coalesce(ticked_at, ${latest}) as before from sandbox_clock)
          update sandbox_clock set ticked_at = ${machine} from last
          where before <= ${latest} returning before`,
      );
      // a clock whose process was closed, or which could not keep up, does not make up for it
      return row ? Math.min(machine.since(row.before).total("milliseconds"), 2 * pollMs) : 0;
    },
  };
}
