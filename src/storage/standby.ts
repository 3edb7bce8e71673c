import { setTimeout as delay } from "node:timers/promises";
import { textOf } from "#src/lib/plain-text.ts";
import { Unavailable, unavailableOf } from "#src/lib/unavailable.ts";
import type { Connection, PostgresLimits } from "./connection.ts";
import { first, type StandbyReport } from "./database.ts";
import type { Host } from "./database-url.ts";
import { PipelinedConnections } from "./pipelined-connections.ts";
import { bytes, identity, type Position, type PrimaryFacts } from "./primary.ts";
import { ServerWatch } from "./server-watch.ts";
import { type Sql, sql } from "./sql.ts";

/** How long a read waits for a standby to reach the primary's position. */
const catchUpMs = 100;
/** Between two looks at the position of a standby that is behind. */
const lookAgainMs = 3;
/** How long a read waits for a standby in all. Then the primary answers it. */
const answerMs = 1000;
/** Between two looks at a standby, so that its state is known without reads. */
const lookMs = { inUse: 1000, resting: 250 };

/** The two groups of connections of a server: for single statements, and for shared reads. */
export type Group = "alone" | "shared";

/** The sizes of the groups, and the statements with which the connections of one begin. */
export type Groups = Readonly<Record<Group, { size: number; settings?: readonly string[] }>>;

class Behind extends Error {}

const lacksPromotion = "its log lacks the promotion of the primary: rebuild it if that lasts";
const lacksLog = "it lacks a part of the primary's log";

/**
 * One standby, which answers reads while it keeps up with the primary. A read waits until the
 * standby has everything up to the position that the read needs. If the standby is behind for too
 * long, or does not answer, the read fails, and the standby is not used until it has caught up.
 */
export class Standby {
  readonly #primary: PrimaryFacts;
  readonly #server: ServerWatch;
  readonly #groups: Readonly<Record<Group, PipelinedConnections>>;
  // by connection: behind one name, a later connection may find another server
  readonly #reached = new WeakMap<Connection, Position>();
  readonly #report: StandbyReport;
  #underWay = 0;
  #next: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(host: Host, primary: PrimaryFacts, limits: PostgresLimits, groups: Groups) {
    this.#primary = primary;
    const check = (connection: Connection) => checkStandby(connection, primary);
    this.#server = new ServerWatch({ hosts: [host], check }, limits, () => {
      for (const group of Object.values(this.#groups)) group.refill();
    });
    const open = ({ size, settings }: Groups[Group]) =>
      new PipelinedConnections(this.#server, limits, size, settings);
    this.#groups = { alone: open(groups.alone), shared: open(groups.shared) };
    this.#report = {
      name: host.name,
      state: "not answering",
      reason: null,
      reads: 0,
      bytesBehind: 0,
    };
  }

  /** Connects to the standby, as soon as it can be reached. */
  open(): void {
    this.#server.openLater();
    void this.#look();
  }

  /** Whether reads should be sent here. */
  get isInUse(): boolean {
    return this.#report.state === "in use";
  }

  /** How many statements wait for their answer. */
  get underWay(): number {
    return this.#underWay;
  }

  get report(): StandbyReport {
    const { isKnown, reason } = this.#server;
    return isKnown || this.isInUse ? { ...this.#report } : { ...this.#report, reason };
  }

  /**
   * Runs a statement on the state of the database at a position, or a later one. `reads` is how
   * many reads the statement answers. Throws if the standby cannot answer in time.
   */
  async query<Row>(
    group: Group,
    { statement, reads }: { statement: Sql; reads: number },
    position: Position,
  ): Promise<Row[]> {
    this.#underWay += 1;
    try {
      const rows = await within(answerMs, async () => {
        const connection = await this.#caughtUp(group, position);
        return connection.query<Row>(statement);
      });
      this.#report.reads += reads;
      return rows;
    } catch (error) {
      // any other error is the statement's own
      if (error instanceof Behind || unavailableOf(error)) this.#note(error);
      throw error;
    } finally {
      this.#underWay -= 1;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#next);
    const { alone, shared } = this.#groups;
    await Promise.all([alone.close(), shared.close(), this.#server.close()]);
  }

  /** Returns a connection whose next statement shows everything up to a position. */
  async #caughtUp(group: Group, position: Position): Promise<Connection> {
    const connection = this.#groups[group].pick();
    if (!connection) throw this.#server.absence();
    const reached = this.#reached.get(connection);
    if (reached && hasReached(reached, position)) return connection;
    const deadline = performance.now() + catchUpMs;
    for (let isFirst = true; ; isFirst = false) {
      // a separate statement: one that reads data has its snapshot before it can ask
      const seen = await loadReached(connection);
      if (!seen) {
        this.#server.leave(notStandby);
        throw new Unavailable("database", notStandby, {});
      }
      if (isFirst) this.#report.bytesBehind = Math.max(0, Number(position.end - seen.end));
      this.#reached.set(connection, seen);
      if (hasReached(seen, position)) return connection;
      if (performance.now() > deadline) {
        throw new Behind(seen.timeline === position.timeline ? lacksLog : lacksPromotion);
      }
      await delay(lookAgainMs);
    }
  }

  /** Looks whether the standby keeps up, again and again. */
  async #look(): Promise<void> {
    // without a primary, nothing is known of its standbys
    const position = await this.#primary.position().catch(() => null);
    if (position) await this.#compare(position).catch((error) => this.#note(error));
    if (this.#isClosed) return;
    const pause = this.isInUse ? lookMs.inUse : lookMs.resting;
    this.#next = setTimeout(() => void this.#look(), pause).unref();
  }

  async #compare(position: Position): Promise<void> {
    await within(answerMs, () =>
      Promise.all([this.#caughtUp("alone", position), this.#caughtUp("shared", position)]),
    );
    this.#report.state = "in use";
    this.#report.reason = null;
  }

  #note(error: unknown): void {
    this.#report.state = error instanceof Behind ? "behind" : "not answering";
    this.#report.reason = textOf(error);
  }
}

const hasReached = (reached: Position, { end, timeline }: Position): boolean =>
  reached.timeline === timeline && reached.end >= end;

const notStandby = "it is not a standby";

/** How far a server has got; null if it is not a standby, such as after its promotion. */
async function loadReached(connection: Connection): Promise<Position | null> {
  const row = await first<{ end: bigint | null; timeline: string }>(
    connection,
    sql`select timeline,
        case when pg_is_in_recovery() then ${bytes(sql`pg_last_wal_replay_lsn()`)} end as "end"
      from primary_timeline`,
  );
  return row && row.end !== null ? { end: row.end, timeline: row.timeline } : null;
}

async function checkStandby(connection: Connection, primary: PrimaryFacts): Promise<void> {
  const row = await first<{ isStandby: boolean; identity: string }>(
    connection,
    sql`select pg_is_in_recovery() as "isStandby", ${identity} as identity`,
  );
  if (!row?.isStandby) throw new Error(notStandby);
  if (row.identity !== (await primary.identity())) {
    throw new Error("it is not a standby of the server in DATABASE_URL");
  }
}

/** Fails with Unavailable if work takes too long. */
async function within<T>(ms: number, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const fail = () => reject(new Unavailable("database", `no answer within ${ms} ms`, {}));
    timer = setTimeout(fail, ms);
  });
  const working = work();
  working.catch(() => undefined); // it may fail after the time is over
  try {
    return await Promise.race([working, late]);
  } finally {
    clearTimeout(timer);
  }
}
