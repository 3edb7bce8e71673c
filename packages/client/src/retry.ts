/** How often and how long the library tries again. */
export type RetryOptions = {
  /** Attempts in all. The default is 4; 1 means that nothing is repeated. */
  attempts: number;
  /** The wait before the second attempt; each further wait is twice as long. */
  firstWaitMs: number;
  /** The library does not wait longer than this, whatever `Retry-After` says. */
  longestWaitMs: number;
};

/** The usual patience. */
export const usualRetry: RetryOptions = { attempts: 4, firstWaitMs: 500, longestWaitMs: 30_000 };

/** What an attempt came to: a value to return or throw, and whether to try again. */
export type Attempt<Result> =
  | { done: Result }
  | {
      /** What the last attempt comes to. */
      again: () => Promise<Result>;
      /** What the answer says about the wait. */
      retryAfterMs: number | null;
    };

/**
 * Makes attempts until one is done. After the last one, or if the bank wants a longer wait than
 * allowed, it returns what `again` returns or throws.
 */
export async function retry<Result>(
  options: RetryOptions,
  signal: AbortSignal | undefined,
  attempt: () => Promise<Attempt<Result>>,
): Promise<Result> {
  for (let count = 1; ; count++) {
    const outcome = await attempt();
    if ("done" in outcome) return outcome.done;
    const wait = outcome.retryAfterMs ?? backOff(options, count);
    if (count >= options.attempts || wait > options.longestWaitMs) return outcome.again();
    await pause(wait, signal);
  }
}

// Clients that failed together should not come back together.
const backOff = ({ firstWaitMs, longestWaitMs }: RetryOptions, count: number): number =>
  Math.min(longestWaitMs, firstWaitMs * 2 ** (count - 1) * (0.75 + Math.random() / 2));

/** Reads `Retry-After`: seconds or a date. Null if it is absent or neither. */
export function readRetryAfter(value: string | null, now: number): number | null {
  if (value === null) return null;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** Waits. Rejects with the signal's reason when the signal is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
