import { setImmediate as turn } from "node:timers/promises";
import { present } from "#src/lib/assert.ts";
import { Unavailable } from "#src/lib/unavailable.ts";
import type { Random } from "#src/sandbox/random.ts";
import { ArchivedFiles, type Snapshot, snapshot } from "#src/storage/archived-files.ts";
import type { Database, Queryable } from "#src/storage/database.ts";
import { openPglite } from "#src/storage/pglite.ts";

/**
 * What goes wrong with a statement: the connection is lost before it or after it, or the process
 * that sent it is killed then. After it, the statement is done, and nobody learns that.
 */
export const databaseTroubles = ["lost", "unanswered", "killed before", "killed after"] as const;
export type DatabaseTrouble = (typeof databaseTroubles)[number];

/**
 * Where a trouble strikes: at the statement, or the write, after so many others; or at the next
 * write of one kind. The number chooses among the kinds that the processes have sent so far.
 */
export type StrikePlace = { after: number; ofWrites: boolean } | { kind: number };

/** A trouble, and where it strikes. */
export type Strike = StrikePlace & { trouble: DatabaseTrouble };

/** The process's connection to the server, as the bank's database. */
export type SimulatedLine = Database & {
  /** Lets the trouble happen there. */
  plan(given: Strike): void;
  /** Forgets what was planned. */
  heal(): void;
  /** From now on, the process can do nothing to the database. */
  cut(): void;
};

// Work that waits for a thread, such as a signature, may be quiet for some turns of the event loop.
const quietTurns = 12;

type Engine = Awaited<ReturnType<typeof openPglite>>;

/**
 * The database server of a simulation: an embedded database with many clients. When several of them
 * have asked for something, the seed decides whose turn is next.
 */
export class SimulatedServer {
  #engine: Engine;
  readonly #random: Random;
  readonly #waiting: (() => Promise<void>)[] = [];
  #isBusy = false;
  readonly #writes = new Set<string>();
  /** How many statements and transactions clients have asked for. */
  asked = 0;

  private constructor(engine: Engine, random: Random) {
    this.#engine = engine;
    this.#random = random;
  }

  /** Opens a copy of an archived database. */
  static async open(file: string, random: Random): Promise<SimulatedServer> {
    return new SimulatedServer(await openPglite({ files: new ArchivedFiles(file) }), random);
  }

  /** The database itself, for those who look at it from outside. */
  get database(): Database {
    return this.#engine;
  }

  /** Connects a process. `onKilled` is called when a planned trouble kills it. */
  connect(onKilled: () => void = () => undefined): SimulatedLine {
    return createLine(this, onKilled);
  }

  /** Runs work of a client in its turn. */
  inTurn<T>(work: (database: Database) => Promise<T>): Promise<T> {
    this.asked += 1;
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => work(this.#engine).then(resolve, reject));
      if (!this.#isBusy) void this.#serve();
    });
  }

  async #serve(): Promise<void> {
    this.#isBusy = true;
    while (this.#waiting.length > 0) {
      // lets everybody ask who is about to
      await turn();
      await turn();
      const next = this.#random.between(0, this.#waiting.length - 1);
      await present(this.#waiting.splice(next, 1)[0], "a statement")();
    }
    this.#isBusy = false;
  }

  /** Notes a statement that is sent, if it writes. */
  note(text: string): void {
    if (isWrite.test(text)) this.#writes.add(text);
  }

  /** Returns one of the kinds of writes so far; their order is that of their texts. */
  kindOfWrite(number: number): string | undefined {
    return [...this.#writes].sort()[number % this.#writes.size];
  }

  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Makes a backup. */
  backUp(): Promise<Snapshot> {
    return snapshot(this.#engine.engine);
  }

  /** Replaces the database by that of a backup. Nobody may be connected. */
  async restore(backup: Snapshot): Promise<void> {
    await this.#engine.close();
    this.#engine = await openPglite({ files: new ArchivedFiles(backup) });
  }

  close(): Promise<void> {
    return this.#engine.close();
  }
}

/** Waits until no client of the servers asks for anything more. */
export async function untilQuiet(servers: readonly SimulatedServer[]): Promise<void> {
  const sum = (): number => servers.reduce((all, { asked }) => all + asked, 0);
  for (let quiet = 0; quiet < quietTurns; ) {
    const before = sum();
    await turn();
    quiet = sum() === before && !servers.some(({ isBusy }) => isBusy) ? quiet + 1 : 0;
  }
}

const lost = (): Unavailable =>
  new Unavailable("database", "the simulated connection was lost", { retryAfterSeconds: 1 });

type Session = { isLost: boolean };

const isWrite = /\b(insert into|update|delete from|take_limits|commit)\b/;

function createLine(server: SimulatedServer, onKilled: () => void): SimulatedLine {
  let plans: { trouble: DatabaseTrouble; isAt(text: string): boolean }[] = [];
  let isCut = false;

  /** Looks at a statement or a commit. Returns what goes wrong with it, or null. */
  function next(text: string): DatabaseTrouble | null {
    const due = plans.filter((plan) => plan.isAt(text));
    plans = plans.filter((plan) => !due.includes(plan));
    return due[0]?.trouble ?? null;
  }

  function placeOf(place: StrikePlace): (text: string) => boolean {
    if ("kind" in place) {
      const kind = server.kindOfWrite(place.kind);
      return (text) => text === kind;
    }
    let left = place.after;
    return (text) => (!place.ofWrites || isWrite.test(text)) && left-- === 0;
  }

  function fail(trouble: DatabaseTrouble, session: Session): never {
    session.isLost = true;
    if (trouble.startsWith("killed")) {
      isCut = true;
      onKilled();
    }
    throw lost();
  }

  const isBefore = (trouble: DatabaseTrouble | null): trouble is "lost" | "killed before" =>
    trouble === "lost" || trouble === "killed before";

  async function step<T>(text: string, run: () => Promise<T>, session: Session): Promise<T> {
    if (isCut || session.isLost) throw lost();
    server.note(text);
    const trouble = next(text);
    if (isBefore(trouble)) fail(trouble, session);
    const result = await run();
    if (trouble !== null) fail(trouble, session);
    return result;
  }

  const alone = <T>(text: string, run: (database: Database) => Promise<T>): Promise<T> =>
    server.inTurn((database) => step(text, () => run(database), { isLost: false }));

  async function transaction<T>(work: (on: Queryable) => Promise<T>): Promise<T> {
    const session: Session = { isLost: false };
    return server.inTurn(async (database) => {
      let atCommit: DatabaseTrouble | null = null;
      const result = await database.transaction(async (on) => {
        if (isCut) throw lost();
        const query: Queryable["query"] = (statement) =>
          step(statement.text, () => on.query(statement), session);
        const done = await work({ query });
        if (isCut || session.isLost) throw lost(); // what its process did not commit is undone
        atCommit = next("commit");
        if (isBefore(atCommit)) fail(atCommit, session);
        return done;
      });
      if (atCommit !== null) fail(atCommit, session);
      return result;
    });
  }

  const query: Database["query"] = (statement) =>
    alone(statement.text, (database) => database.query(statement));
  const line: SimulatedLine = {
    kind: "pglite",
    query,
    read: query,
    readOnStandby: query,
    standbyUse: () => null,
    transaction,
    execute: (text) => alone(text, (database) => database.execute(text)),
    alone: (_purpose, work) => work(line),
    probe: async () => {
      if (isCut) throw lost();
    },
    close: async () => undefined,
    plan({ trouble, ...place }) {
      plans.push({ trouble, isAt: placeOf(place) });
    },
    heal() {
      plans = [];
    },
    cut() {
      isCut = true;
    },
  };
  return line;
}
