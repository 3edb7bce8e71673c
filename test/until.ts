import { setTimeout as delay } from "node:timers/promises";

/**
 * How long a test waits for something before it fails. The time is long, so that no test fails
 * because the machine is slow. It only ensures that no test waits forever.
 */
export const patienceMs = 120_000;

/** Repeats `look` until its result is as wanted. Fails with the last result if it never is. */
export async function until<T>(look: () => T | Promise<T>, isSo: (seen: T) => boolean): Promise<T> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const seen = await look();
    if (isSo(seen)) return seen;
    if (performance.now() > deadline) {
      throw new Error(`the last result was not as wanted: ${JSON.stringify(seen)}`);
    }
    await delay(50);
  }
}
