import type { IncomingMessage, ServerResponse } from "node:http";
import { networkOf } from "#src/http/connection/connections.ts";
import { judgedCertificateOf } from "#src/http/connection/peers.ts";
import { interactionHeader, interactionIdOf } from "#src/http/headers/request-headers.ts";
import { createBuckets, type RateBuckets } from "#src/http/refusal/rate-limit.ts";
import { Unavailable } from "#src/lib/unavailable.ts";

// Whether a request is admitted, before anything of it is read. While the process is overloaded,
// the gate refuses some requests. A request of a caller over its limits does not come to the gate:
// it is refused later, in the form of the endpoint.

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
  #isWatched = false;
  #timer: NodeJS.Timeout | null = null;

  constructor({ lateMilliseconds, clock = () => performance.now() }: LoadGateOptions) {
    this.#late = lateMilliseconds;
    this.#clock = clock;
    this.#intervalAt = clock();
    this.#tickAt = this.#intervalAt;
  }

  /**
   * Watches the event loop from now on, while there are requests. Returns the function that ends
   * this.
   */
  watch(): () => void {
    this.#isWatched = this.#late > 0;
    return () => {
      this.#isWatched = false;
      this.#rest();
    };
  }

  #begin(): void {
    this.#tickAt = this.#clock();
    this.#intervalAt = this.#tickAt;
    this.#timer = setInterval(() => this.tick(), tickMs).unref();
  }

  #rest(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Whether the next request of a caller is admitted. */
  admits(caller: string): boolean {
    if (this.#isWatched && !this.#timer) this.#begin();
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
    if (this.#rate === null && this.#lateInRow === 0 && this.#admitted === 0) this.#rest();
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

/** The limits on requests to a group of addresses, checked before anything is read for them. */
export type Surface = {
  /** The addresses below this prefix. */
  prefix: string;
  /** The name of its requests' own limit; null if there is none, or if it comes later. */
  group: string | null;
  /** Whether TPPs call it: their bytes and their requests in progress are limited. */
  isForTpps: boolean;
  /** The body of the refusal while the process is late; null if it never refuses them. */
  shedBody: string | null;
};

/** The limits of one caller; 0 for no limit. Every process counts separately. */
type CallerLimits = {
  /** Requests per second in total. */
  perSecond: number;
  /** Requests per second to each group of addresses. */
  groupPerSecond: number;
  bytesPerSecond: number;
  inProgress: number;
  /** Largest JSON body: the bucket of bytes has room for it. */
  bodyLimit: number;
};

/** Why a request is refused before anything is read for it. */
export type Cause = Limit | "late";

type Limit = "requests" | "group" | "bytes" | "in progress";

type AdmissionOptions = {
  limits: CallerLimits;
  gate: LoadGate;
  /** The first whose prefix fits counts. An address without any is always admitted. */
  surfaces: readonly Surface[];
  /** The prefixes of addresses at which every request is admitted. */
  unlimited: readonly string[];
  onRefused(cause: Cause): void;
};

/** The admission of requests, before a token or a client is looked up. */
export type Admission = {
  /**
   * Counts a request of a caller. Refuses it if the process is late and the caller is within its
   * limit, and says whether it did. That refusal costs as little as possible: it does not reach the
   * application, and only the number of such refusals is logged.
   */
  shed(request: IncomingMessage, response: ServerResponse): boolean;
  /**
   * Admits a request to the route with that template. Throws Unavailable if its caller is over a
   * limit. `isUpload` says that the body has separate limits.
   */
  admit(
    request: IncomingMessage,
    response: ServerResponse,
    route: { url: string; isUpload: boolean },
  ): void;
  /** The token of a request has been read: the request does not wait any more. */
  tokenRead(request: IncomingMessage): void;
  /** Counts a body that came without its length. Throws Unavailable if it is too much. */
  spend(request: IncomingMessage, bytes: number): void;
};

type Pass = { caller: string; admittedAt: number };

/**
 * Makes the admission of requests. A caller is the subject of a valid client certificate, which is
 * the same at every endpoint; without one, it is the address (with IPv6, the /64 network). Callers
 * are counted in memory, so a refusal costs no statement.
 */
export const createAdmission = (options: AdmissionOptions): Admission => new Callers(options);

class Callers implements Admission {
  readonly #options: AdmissionOptions;
  readonly #passes = new WeakMap<IncomingMessage, Pass>();
  readonly #overLimit = new WeakMap<IncomingMessage, number>();
  readonly #inProgress = new Map<string, number>();
  readonly #byRoute = new Map<string, Surface | undefined>();
  readonly #groups = new Map<string, RateBuckets | null>();
  readonly #requests: RateBuckets | null;
  readonly #bytes: RateBuckets | null;

  constructor(options: AdmissionOptions) {
    this.#options = options;
    const { perSecond, bytesPerSecond, bodyLimit } = options.limits;
    this.#requests = bucketsOf(perSecond, perSecond);
    this.#bytes = bucketsOf(bytesPerSecond, Math.max(bytesPerSecond, bodyLimit));
  }

  shed(request: IncomingMessage, response: ServerResponse): boolean {
    const surface = this.#surfaceOf(request.url ?? "");
    if (!surface) return false;
    const { gate, onRefused } = this.#options;
    const caller = callerOf(request);
    const decision = this.#requests?.take(caller, performance.now());
    if (decision?.allowed === false) {
      // refused later, in the form of the endpoint
      this.#overLimit.set(request, decision.seconds);
      return false;
    }
    const body = surface.shedBody;
    if (body === null || gate.admits(caller)) return false;
    onRefused("late");
    response.writeHead(503, {
      ...(body === "" ? {} : { "content-type": "application/json; charset=utf-8" }),
      "retry-after": "1",
      [interactionHeader]: interactionIdOf(request, null).value,
      "cache-control": "no-store",
      "content-length": body.length,
    });
    response.end(body);
    return true;
  }

  admit(
    request: IncomingMessage,
    response: ServerResponse,
    { url, isUpload }: { url: string; isUpload: boolean },
  ): void {
    const surface = this.#surfaceOfRoute(url);
    if (!surface) return;
    const seconds = this.#overLimit.get(request);
    if (seconds !== undefined) this.#refuse("requests", seconds);
    const caller = callerOf(request);
    if (surface.group !== null) this.#take("group", this.#groupNamed(surface.group), caller);
    if (!surface.isForTpps) return;
    if (!isUpload) {
      this.#take("bytes", this.#bytes, caller, Number(request.headers["content-length"] ?? 0));
    }
    const running = this.#inProgress.get(caller) ?? 0;
    const { inProgress } = this.#options.limits;
    if (inProgress > 0 && running >= inProgress) this.#refuse("in progress", 1);
    this.#passes.set(request, { caller, admittedAt: performance.now() });
    this.#inProgress.set(caller, running + 1);
    response.once("close", () => {
      const left = (this.#inProgress.get(caller) ?? 1) - 1;
      if (left === 0) this.#inProgress.delete(caller);
      else this.#inProgress.set(caller, left);
    });
  }

  tokenRead(request: IncomingMessage): void {
    const pass = this.#passes.get(request);
    if (pass) this.#options.gate.waited(performance.now() - pass.admittedAt);
  }

  spend(request: IncomingMessage, bytes: number): void {
    const pass = this.#passes.get(request);
    if (pass) this.#take("bytes", this.#bytes, pass.caller, bytes);
  }

  #surfaceOf(url: string): Surface | undefined {
    const { surfaces, unlimited } = this.#options;
    if (unlimited.some((prefix) => url.startsWith(prefix))) return undefined;
    return surfaces.find(({ prefix }) => url.startsWith(prefix));
  }

  /** Like `#surfaceOf`, for the template of a route, of which there are few. */
  #surfaceOfRoute(url: string): Surface | undefined {
    if (!this.#byRoute.has(url)) this.#byRoute.set(url, this.#surfaceOf(url));
    return this.#byRoute.get(url);
  }

  #groupNamed(name: string): RateBuckets | null {
    const { groupPerSecond } = this.#options.limits;
    const known = this.#groups.get(name) ?? bucketsOf(groupPerSecond, groupPerSecond);
    this.#groups.set(name, known);
    return known;
  }

  #take(cause: Limit, buckets: RateBuckets | null, caller: string, amount = 1): void {
    const decision = buckets?.take(caller, performance.now(), amount);
    if (decision?.allowed === false) this.#refuse(cause, decision.seconds);
  }

  #refuse(cause: Limit, seconds: number): never {
    this.#options.onRefused(cause);
    throw new Unavailable("limit", texts[cause], { retryAfterSeconds: seconds });
  }
}

const texts: Record<Limit, string> = {
  requests: "There were too many requests from this certificate or address.",
  group: "There were too many requests to these endpoints with this certificate.",
  bytes: "The requests from this certificate or address had too many bytes.",
  "in progress": "Too many requests with this certificate are in progress.",
};

const bucketsOf = (perSecond: number, burst: number): RateBuckets | null =>
  perSecond === 0 ? null : createBuckets("caller", { perSecond, burst });

function callerOf(request: IncomingMessage): string {
  const { certificate } = judgedCertificateOf(request);
  if (certificate) return certificate.subject;
  return `address ${networkOf(request.socket.remoteAddress ?? "")}`;
}
