import { setImmediate as turn } from "node:timers/promises";
import type { Timers } from "#src/lib/clock.ts";

/** Timers whose time a test moves. */
export class HandTimers implements Timers {
  #now = 0;
  #planned = 0;
  readonly #waiting = new Set<{ at: number; run: () => void }>();

  now = (): number => this.#now;

  after = (milliseconds: number, run: () => void): (() => void) => {
    const timer = { at: this.#now + milliseconds, run };
    this.#planned += 1;
    this.#waiting.add(timer);
    return () => void this.#waiting.delete(timer);
  };

  /** Lets time pass. Work that falls due runs, and is planned again before more time passes. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    for (;;) {
      const [next] = [...this.#waiting].sort((one, other) => one.at - other.at);
      if (!next || next.at > end) break;
      this.#waiting.delete(next);
      this.#now = next.at;
      const before = this.#planned;
      next.run();
      while (this.#planned === before) await turn();
    }
    this.#now = end;
  }
}
