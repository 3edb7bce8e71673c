import type { Timers } from "#src/lib/clock.ts";
import type { Random } from "#src/sandbox/random.ts";

// Longer than the longest interval of the bank's regular work.
const roundMs = 60_000;

/** The timers of a simulated process: its regular work is done in rounds. */
export class RoundTimers implements Timers {
  #now = 0;
  #isOver = false;
  readonly #waiting = new Set<() => void>();

  now = (): number => this.#now;

  after = (_milliseconds: number, run: () => void): (() => void) => {
    this.#waiting.add(run);
    return () => void this.#waiting.delete(run);
  };

  /** Begins everything that waits, in an order that the seed decides. */
  round(random: Random): void {
    this.#now += roundMs;
    const due = [...this.#waiting];
    this.#waiting.clear();
    while (due.length > 0 && !this.#isOver) {
      due.splice(random.between(0, due.length - 1), 1)[0]?.();
    }
  }

  /** Begins nothing more. */
  end(): void {
    this.#isOver = true;
    this.#waiting.clear();
  }
}
