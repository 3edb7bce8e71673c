import type { Clock } from "#src/lib/clock.ts";
import { Unavailable } from "#src/lib/unavailable.ts";

/** How many logins a process accepts. */
export type AdmissionLimits = {
  /** How many passwords the bank's core checks at the same time. */
  concurrency: number;
  /** How many logins wait for their turn; further logins get 503. */
  queue: number;
  /** Wrong passwords that one address may send per minute; 0 means unlimited. */
  failuresPerMinute: number;
};

/** Protects the bank from a flood of logins, and other addresses from a flood from one address. */
export type LoginAdmission = {
  /** Whether an address has used up its wrong passwords of this minute. */
  isExhausted(address: string): boolean;
  countFailure(address: string): void;
  /** Runs `work` in turn. Throws Unavailable if too many are waiting. */
  run<T>(address: string, work: () => Promise<T>): Promise<T>;
};

const windowMs = 60_000;

/** Counts in memory, for this process, so that a refusal does not cost a statement. */
export function createAdmission(limits: AdmissionLimits, clock: Clock): LoginAdmission {
  const { concurrency, queue, failuresPerMinute } = limits;
  // half of all places, so that one address cannot keep the others out
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
    // a finished login passes its place to the next
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
