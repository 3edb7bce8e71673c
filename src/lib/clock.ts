/** The only source of the current time. Everything that depends on time receives a clock. */
export type Clock = { now(): Temporal.Instant };

/** The machine's own clock. */
export const systemClock: Clock = { now: () => Temporal.Now.instant() };

/** How often the regular work of a bank runs. */
export type Pace = {
  /**
   * Runs work at an interval, counted between the beginnings of two runs. A run begins only after
   * the last one has ended, and only while the pace admits work. Returns the function that ends
   * this, and waits for a run in progress.
   */
  every(intervalMs: number, run: () => unknown): () => Promise<void>;
  /** Like `every`, for work that only reads. It always runs. */
  watch(intervalMs: number, run: () => unknown): () => Promise<void>;
  /** Whether work that writes may begin now. Work of many steps asks before each of them. */
  admits(): boolean;
  /** Reports that the bank is in use. If it was idle, all its late work runs immediately. */
  stir(): void;
};

/** The timers by which a pace goes. */
export type Timers = {
  /** Milliseconds, of which only differences count. */
  now(): number;
  /** Calls the function after that time. Returns the function that prevents this. */
  after(milliseconds: number, run: () => void): () => void;
};

/** The machine's own timers. They do not keep a process alive. */
export const machineTimers: Timers = {
  now: () => performance.now(),
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

// how much less often work runs, by the time since the bank was in use
const slowness = [
  { afterMs: 60_000, factor: 120 },
  { afterMs: 10_000, factor: 20 },
];

/** Makes a pace of another one. Its work begins only while `admits` says so. */
export const gatePace = (pace: Pace, admits: () => boolean): Pace => ({
  every: (intervalMs, run) => pace.every(intervalMs, () => (admits() ? run() : undefined)),
  watch: (intervalMs, run) => pace.watch(intervalMs, run),
  admits: () => admits() && pace.admits(),
  stir: () => pace.stir(),
});

type Work = {
  intervalMs: number;
  run: () => unknown;
  begunAt: number;
  running: Promise<unknown> | null;
  cancel: () => void;
};

/**
 * Makes the pace of a bank. If it may idle, all its work slows down to a twentieth after ten
 * seconds in which nothing has stirred it, and to a sixth of that after a minute.
 */
export const createPace = (mayIdle = false, timers: Timers = machineTimers): Pace =>
  new SharedPace(mayIdle, timers);

class SharedPace implements Pace {
  readonly #mayIdle: boolean;
  readonly #timers: Timers;
  readonly #works = new Set<Work>();
  #usedAt: number;

  constructor(mayIdle: boolean, timers: Timers) {
    this.#mayIdle = mayIdle;
    this.#timers = timers;
    this.#usedAt = timers.now();
  }

  every(intervalMs: number, run: Work["run"]): () => Promise<void> {
    const begunAt = this.#timers.now();
    const work: Work = { intervalMs, run, begunAt, running: null, cancel: () => undefined };
    this.#works.add(work);
    this.#plan(work);
    return async () => {
      this.#works.delete(work);
      work.cancel();
      await work.running;
    };
  }

  watch(intervalMs: number, run: Work["run"]): () => Promise<void> {
    return this.every(intervalMs, run);
  }

  admits(): boolean {
    return true;
  }

  stir(): void {
    const wasSlow = this.#factor > 1;
    this.#usedAt = this.#timers.now();
    if (wasSlow) for (const work of this.#works) this.#plan(work);
  }

  get #factor(): number {
    if (!this.#mayIdle) return 1;
    const unusedMs = this.#timers.now() - this.#usedAt;
    return slowness.find(({ afterMs }) => unusedMs >= afterMs)?.factor ?? 1;
  }

  #plan(work: Work): void {
    work.cancel();
    if (work.running || !this.#works.has(work)) return;
    const pause = work.intervalMs * this.#factor;
    const left = Math.max(0, work.begunAt + pause - this.#timers.now());
    work.cancel = this.#timers.after(left, () => {
      work.begunAt = this.#timers.now();
      work.running = Promise.try(work.run).finally(() => {
        work.running = null;
        this.#plan(work);
      });
    });
  }
}
