/** The limits on calls of one group. */
export type CircuitLimits = {
  /** Calls that may be in progress at the same time. */
  callsAtOnce: number;
  /** Number of consecutive failures, each with a cause of its own, that opens the circuit. */
  failures: number;
  /** How long an open circuit waits before it lets one call through, in milliseconds. */
  retryMs: number;
};

/** A call was not made: the circuit is open, or no slot became free in time. */
export class NotCalled extends Error {}

// Failures further apart than this do not count as consecutive.
const rowMs = 60_000;

/**
 * A circuit breaker with a limited number of slots. Consecutive failures open it, unless fewer
 * customers than `failures` explain them. While it is open, it refuses calls, but lets a single
 * call through at intervals and closes if that call succeeds. A call that misses its deadline
 * releases its slot, so a core that hangs cannot hold all slots. For the customers who cannot open
 * the circuit, half of the slots at most are used at once, so there are always some for the others.
 */
export class Circuit {
  readonly #limits: CircuitLimits;
  readonly #onChange: (isOpen: boolean) => void;
  readonly #mostOfOne: number;
  readonly #waiting: { cause: Cause; admit(): void }[] = [];
  readonly #held = new Map<string, number>();
  #busy = 0;
  #failures = 0;
  #causes: readonly Cause[] = [];
  #failedAt = 0;
  #openedAt: number | null = null;
  #isTrying = false;
  #lastTried: Cause = none();

  constructor(limits: CircuitLimits, onChange: (isOpen: boolean) => void) {
    this.#limits = limits;
    this.#mostOfOne = Math.max(1, Math.floor(limits.callsAtOnce / (2 * limits.failures)));
    this.#onChange = onChange;
  }

  /** Whether calls are being refused, except one trial call at intervals. */
  get isOpen(): boolean {
    return this.#openedAt !== null;
  }

  /** Failed calls since the last one that succeeded. */
  get failuresInRow(): number {
    return this.#failures;
  }

  /** Whether a call made now would reach the core. */
  get admits(): boolean {
    return this.#admits(none());
  }

  #admits(cause: Cause): boolean {
    if (this.#openedAt === null) return true;
    return !this.#isTrying && this.#isDue(this.#openedAt, cause);
  }

  /**
   * Runs a call within the given time. Rejects with NotCalled if the call was not made. `cause`
   * has the customers or payments that the call is about, one of whom may be why it fails.
   */
  async run<T>(timeMs: number, call: () => Promise<T>, cause: Cause = none()): Promise<T> {
    const deadline = performance.now() + timeMs;
    if (!this.#admits(cause)) throw new NotCalled("calls have failed repeatedly and are paused");
    const isTrial = this.#openedAt !== null;
    this.#isTrying ||= isTrial;
    try {
      await this.#slot(timeMs, cause);
      try {
        const result = await within(call, deadline - performance.now());
        this.#succeeded();
        return result;
      } catch (error) {
        this.#failed(error, cause);
        throw error;
      } finally {
        this.#leave(cause);
      }
    } finally {
      if (isTrial) this.#isTrying = false;
    }
  }

  #isDue(openedAt: number, cause: Cause): boolean {
    // a customer on whom the core always fails must not be the only one who is tried
    const isSame = !cause.isDisjointFrom(this.#lastTried);
    return performance.now() - openedAt >= this.#limits.retryMs * (isSame ? 2 : 1);
  }

  async #slot(timeMs: number, cause: Cause): Promise<void> {
    if (this.#hasRoom(cause)) {
      this.#enter(cause);
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const place = { cause, admit: resolve };
    const timer = setTimeout(() => {
      const at = this.#waiting.indexOf(place);
      if (at >= 0) this.#waiting.splice(at, 1);
      reject(new NotCalled("too many calls are in progress"));
    }, timeMs);
    this.#waiting.push(place);
    await promise;
    clearTimeout(timer);
  }

  /** Whether a slot is free for a call, and one of its customers may hold another. */
  #hasRoom(cause: Cause): boolean {
    if (this.#busy >= this.#limits.callsAtOnce) return false;
    const may = (one: string) => (this.#held.get(one) ?? 0) < this.#mostOfOne;
    return cause.size === 0 || [...cause].some(may);
  }

  #enter(cause: Cause): void {
    this.#busy += 1;
    for (const one of cause) this.#held.set(one, (this.#held.get(one) ?? 0) + 1);
  }

  /** Releases a slot, and passes it to the next waiting call that may have it. */
  #leave(cause: Cause): void {
    this.#busy -= 1;
    for (const one of cause) {
      const left = (this.#held.get(one) ?? 0) - 1;
      if (left > 0) this.#held.set(one, left);
      else this.#held.delete(one);
    }
    for (;;) {
      const at = this.#waiting.findIndex((place) => this.#hasRoom(place.cause));
      const [next] = at < 0 ? [] : this.#waiting.splice(at, 1);
      if (!next) return;
      this.#enter(next.cause);
      next.admit();
    }
  }

  #succeeded(): void {
    this.#failures = 0;
    this.#causes = [];
    if (this.#openedAt === null) return;
    this.#openedAt = null;
    this.#onChange(false);
  }

  #failed(error: unknown, cause: Cause): void {
    if (isRefusal(error)) {
      // the core responded, so it works
      this.#succeeded();
      return;
    }
    const now = performance.now();
    const isRow = now - this.#failedAt <= rowMs;
    this.#failures = isRow ? this.#failures + 1 : 1;
    this.#failedAt = now;
    const wasOpen = this.#openedAt !== null;
    if (!wasOpen) {
      this.#causes = withCause(isRow ? this.#causes : [], cause);
      if (this.#causes.length < this.#limits.failures) return;
    }
    this.#openedAt = now;
    this.#lastTried = cause;
    if (!wasOpen) this.#onChange(true);
  }
}

/** The customers or payments of a failed call, one of which may explain it; it may have none. */
type Cause = ReadonlySet<string>;

const none = (): Cause => new Set();

/**
 * Adds the cause of a failure to causes that have nothing in common, so that their number is the
 * number of customers needed to explain all failures. When a batch fails and then a part of it,
 * the part takes the place of the batch.
 */
function withCause(causes: readonly Cause[], cause: Cause): Cause[] {
  if (causes.every((one) => one.isDisjointFrom(cause))) return [...causes, cause];
  return causes.map((one) => (cause.isSubsetOf(one) ? cause : one));
}

const isRefusal = (error: unknown): boolean =>
  (error as { outcome?: unknown } | null)?.outcome === "refused";

/** A call did not respond by its deadline. Its work may still be done. */
export class DeadlinePassed extends Error {}

/** Makes a call. Rejects with DeadlinePassed if there is no response within that time. */
export async function within<T>(call: () => Promise<T>, timeMs: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new DeadlinePassed("no response in time")),
    Math.max(0, timeMs),
  );
  try {
    // a later response is dropped, whatever it is
    return await Promise.race([call(), promise]);
  } finally {
    clearTimeout(timer);
  }
}
