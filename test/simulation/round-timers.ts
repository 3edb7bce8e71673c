import type { Timers } from "#src/lib/clock.ts";
import type { Random } from "#src/sandbox/random.ts";

/** Longer than the longest interval of the bank's regular work. */
export const wholeRound = 60_000;
/** Long enough for a process to learn the time, and too short for what it does now and then. */
export const shortRound = 500;

/** The timers of a simulated process: its regular work is done in rounds. */
export class RoundTimers implements Timers {
  #now = 0;
  #isOver = false;
  readonly #waiting = new Map<() => void, number>();

  now = (): number => this.#now;

  after = (milliseconds: number, run: () => void): (() => void) => {
    this.#waiting.set(run, milliseconds);
    return () => void this.#waiting.delete(run);
  };

  /** Begins everything that waits for so long at most, in an order that the seed decides. */
  round(random: Random, milliseconds: number): void {
    this.#now += milliseconds;
    const due = [...this.#waiting].filter(([, after]) => after <= milliseconds).map(([run]) => run);
    for (const run of due) this.#waiting.delete(run);
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
