type LoadGateOptions = {
  /** The process is late if callers wait longer than this; 0 never sheds load. */
  lateMilliseconds: number;
  /** The time in milliseconds; only differences count. */
  clock?: () => number;
};

const intervalMs = 100;
const tickMs = 20;
// While load is shed, a request may wait this share of the time after which the process is late, or
// this many times as long as it usually does.
const targetShare = 0.1;
const targetFactor = 1.5;
const smoothing = 0.05;
// The number of intervals in a row after which the gate starts and stops shedding: a pause of the
// collector or a slow statement makes one interval late.
const lateIntervals = 2;
const calmIntervals = 3;
// Requests per millisecond that are always admitted, and those that may be admitted at once.
const leastRate = 0.05;
const burstMs = 10;
const leastBurst = 10;
// A caller with at most this many requests in an interval has a separate share.
const fewRequests = 5;

/**
 * Keeps a process fast that gets more requests than it can serve. The measure is the time that a
 * request waits until its token has been read, which includes the queues of the event loop and of
 * the database, and the lateness of a timer. A short wait at any moment of an interval shows that
 * there is no queue, so bursts do no harm (the idea of CoDel, RFC 8289). If the shortest wait stays
 * too long, the gate admits requests at half the rate of before. The rate falls while those that it
 * admits wait too long, and rises while they do not. Half of the rate is for callers with few
 * requests, so that a caller with many takes little from them. The gate opens when nothing has been
 * refused for a few intervals.
 */
export class LoadGate {
  readonly #late: number;
  readonly #clock: () => number;
  /** Requests per millisecond; null while everything is admitted. */
  #rate: number | null = null;
  #tokens = { few: 0, all: 0 };
  #tokensAt = 0;
  readonly #byCaller = new Map<string, number>();
  #usual = 0;
  #admitted = 0;
  #refused = 0;
  #intervalAt: number;
  #tickAt: number;
  #shortest = Number.POSITIVE_INFINITY;
  #sum = 0;
  #count = 0;
  #leastLag = Number.POSITIVE_INFINITY;
  #lateInRow = 0;
  #calmInRow = 0;

  constructor({ lateMilliseconds, clock = () => performance.now() }: LoadGateOptions) {
    this.#late = lateMilliseconds;
    this.#clock = clock;
    this.#intervalAt = clock();
    this.#tickAt = this.#intervalAt;
  }

  /** Starts to watch the event loop; returns the function that ends it. */
  watch(): () => void {
    if (this.#late === 0) return () => undefined;
    const timer = setInterval(() => this.tick(), tickMs);
    timer.unref();
    return () => clearInterval(timer);
  }

  /** Whether the next request of a caller is admitted. */
  admits(caller: string): boolean {
    if (this.#rate !== null && !this.#takeToken(this.#rate / 2, caller)) {
      this.#refused += 1;
      return false;
    }
    this.#admitted += 1;
    return true;
  }

  /** Records the milliseconds that a request waited until its token was read. */
  waited(milliseconds: number): void {
    this.#sum += milliseconds;
    this.#count += 1;
    if (milliseconds < this.#shortest) this.#shortest = milliseconds;
  }

  #takeToken(rate: number, caller: string): boolean {
    const now = this.#clock();
    const more = (now - this.#tokensAt) * rate;
    // a late event loop admits no more for the time that it was late
    const most = Math.max(leastBurst, rate * burstMs);
    const tokens = this.#tokens;
    tokens.few = Math.min(most, tokens.few + more);
    tokens.all = Math.min(most, tokens.all + more);
    this.#tokensAt = now;
    const sent = (this.#byCaller.get(caller) ?? 0) + 1;
    this.#byCaller.set(caller, sent);
    const share = sent <= fewRequests && tokens.few >= 1 ? "few" : "all";
    if (tokens[share] < 1) return false;
    tokens[share] -= 1;
    return true;
  }

  /** Measures how late the event loop is; called every 20 milliseconds. */
  tick(): void {
    const now = this.#clock();
    const lag = Math.max(0, now - this.#tickAt - tickMs);
    this.#tickAt = now;
    if (lag < this.#leastLag) this.#leastLag = lag;
    const elapsed = now - this.#intervalAt;
    if (elapsed < intervalMs) return;
    this.#intervalAt = now;
    this.#rate = this.#rate === null ? this.#rateIfLate(elapsed) : this.#nextRate(this.#rate);
    this.#shortest = Number.POSITIVE_INFINITY;
    this.#leastLag = Number.POSITIVE_INFINITY;
    this.#sum = 0;
    this.#count = 0;
    this.#admitted = 0;
    this.#refused = 0;
    this.#byCaller.clear();
  }

  get #mean(): number {
    return this.#count > 0 ? this.#sum / this.#count : 0;
  }

  /** The rate with which shedding begins; null if the process is not late. */
  #rateIfLate(elapsed: number): number | null {
    const wait = Math.max(this.#count > 0 ? this.#shortest : 0, this.#leastLag);
    this.#lateInRow = wait > this.#late ? this.#lateInRow + 1 : 0;
    if (this.#lateInRow === 0 && this.#count > 0) {
      this.#usual += (this.#mean - this.#usual) * smoothing;
    }
    if (this.#lateInRow < lateIntervals) return null;
    this.#calmInRow = 0;
    this.#tokens = { few: leastBurst, all: leastBurst };
    this.#tokensAt = this.#clock();
    return Math.max(leastRate, this.#admitted / elapsed / 2);
  }

  /** The rate of the next interval; null if the gate opens. */
  #nextRate(rate: number): number | null {
    const target = Math.max(this.#late * targetShare, this.#usual * targetFactor);
    const isLate = Math.max(this.#mean, this.#leastLag) > target;
    this.#calmInRow = this.#refused === 0 ? this.#calmInRow + 1 : 0;
    if (this.#calmInRow === calmIntervals) {
      this.#lateInRow = 0;
      return null;
    }
    if (isLate) return Math.max(leastRate, rate * 0.75);
    return this.#refused > 0 ? rate * 1.1 + leastRate : rate;
  }
}
