import type { Clock } from "#src/lib/clock.ts";
import { Unavailable } from "#src/lib/unavailable.ts";

/** How many logins a process takes. */
export type AdmissionLimits = {
  /** How many passwords the bank's core checks at the same time. */
  concurrency: number;
  /** How many logins wait for their turn; more are answered with 503. */
  queue: number;
  /** Wrong passwords that one address has per minute; 0 sets no limit. */
  failuresPerMinute: number;
};

/** Keeps a flood of logins away from the rest of the bank, and one address from all others. */
export type Admission = {
  /** Whether an address has had its wrong passwords of this minute. */
  isExhausted(address: string): boolean;
  countFailure(address: string): void;
  /** Runs `work` when it is its turn. Throws Unavailable if too many wait. */
  run<T>(address: string, work: () => Promise<T>): Promise<T>;
};

const windowMs = 60_000;

/** Counts in memory, for this process: what is refused costs no statement. */
export function createAdmission(limits: AdmissionLimits, clock: Clock): Admission {
  const { concurrency, queue, failuresPerMinute } = limits;
  // half of all places: one address does not keep the others out
  const share = Math.ceil((concurrency + queue) / 2);
  const present = new Map<string, number>();
  const waiting: (() => void)[] = [];
  let running = 0;
  let failures = new Map<string, number>();
  let windowStart = 0;
  const currentFailures = (): Map<string, number> => {
    const now = clock.now().epochMilliseconds;
    if (now - windowStart >= windowMs || now < windowStart) {
      failures = new Map();
      windowStart = now;
    }
    return failures;
  };
  const enter = async (): Promise<void> => {
    if (running < concurrency) {
      running += 1;
      return;
    }
    // whoever leaves hands its place over
    await new Promise<void>((resolve) => void waiting.push(resolve));
  };
  const leave = (address: string): void => {
    const left = (present.get(address) ?? 1) - 1;
    if (left === 0) present.delete(address);
    else present.set(address, left);
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  };
  return {
    isExhausted: (address) =>
      failuresPerMinute > 0 && (currentFailures().get(address) ?? 0) >= failuresPerMinute,
    countFailure(address) {
      const counts = currentFailures();
      counts.set(address, (counts.get(address) ?? 0) + 1);
    },
    async run(address, work) {
      const own = present.get(address) ?? 0;
      const isFull = running >= concurrency && waiting.length >= queue;
      if (isFull || own >= share) {
        throw new Unavailable("login", "too many logins at the same time", {
          retryAfterSeconds: 2,
        });
      }
      present.set(address, own + 1);
      await enter();
      try {
        return await work();
      } finally {
        leave(address);
      }
    },
  };
}
