import type { PostReply } from "#src/http/outgoing/guarded-request.ts";
import type {
  BankAnswer,
  ClientJudgement,
  Misbehaviour,
  PlayEvidence,
  PushTools,
  RunSettings,
  SentAnswer,
  Tools,
} from "./misbehaviour.ts";
import type { Delivery, ObservedCall } from "./observed-call.ts";

/** A misbehaviour in a run: whether it has been played, and what the client came to. */
export type PlayedRow = {
  row: Misbehaviour;
  state: "waiting" | "playing" | "done";
  plays: ObservedCall[];
  judgement: ClientJudgement | null;
};

type LiveRow = PlayedRow & { memory: Map<string, unknown>; later: ObservedCall[] };

const mostLater = 500;

/**
 * The misbehaviours that are played on one client, one at a time. A row waits for a call that fits,
 * and is then played until the client has done something decisive, or the time for that is over.
 */
export class RobustRun {
  readonly clientId: string;
  readonly settings: RunSettings;
  readonly startedAt: number;
  readonly rows: LiveRow[];
  readonly #newKey: Tools["newKey"];
  readonly #keySetFetches: number[] = [];
  readonly #spared = new WeakSet<ObservedCall>();
  readonly #deliveries = new Set<Delivery>();
  endedAt: number | null = null;

  constructor(
    clientId: string,
    rows: readonly Misbehaviour[],
    { settings, now, newKey }: { settings: RunSettings; now: number; newKey: Tools["newKey"] },
  ) {
    this.clientId = clientId;
    this.settings = settings;
    this.startedAt = now;
    this.#newKey = newKey;
    this.rows = rows.map(newRow);
  }

  get endsAt(): number {
    return this.endedAt ?? this.startedAt + this.settings.lasts * 1000;
  }

  /** A call has arrived. Returns what is sent in place of the bank's answer, or null. */
  arrived(call: ObservedCall): BankAnswer | null {
    for (const { calls } of this.#deliveries) calls.push(call);
    const active = this.#follow(call);
    if (active) {
      // a client that has just coped is left alone with the call by which it did
      if (active.state === "done") this.#spared.add(call);
    }
    if (this.#spared.has(call)) return null;
    for (const one of this.#candidates()) {
      const answer = one.row.refuse?.(call, this.#tools(one)) ?? null;
      if (!answer) continue;
      this.#play(one, call, answer);
      return answer;
    }
    return null;
  }

  /** The client has sent a customer's browser to the bank: nothing is played on the browser. */
  sentBrowser(call: ObservedCall): void {
    this.#follow(call);
  }

  /** Judges what is being played by a further call. */
  #follow(call: ObservedCall): LiveRow | undefined {
    const active = this.#active();
    if (!active) return undefined;
    if (active.later.length < mostLater) active.later.push(call);
    this.#judge(active);
    return active;
  }

  /** The bank has answered a call. Returns what is sent in place of the answer, or null. */
  async answered(call: ObservedCall, answer: BankAnswer): Promise<SentAnswer | null> {
    if (this.#spared.has(call)) return null;
    for (const one of this.#candidates()) {
      const sent = (await one.row.change?.(call, answer, this.#tools(one))) ?? null;
      // another call may have been faster
      if (!sent || !this.#candidates().includes(one)) continue;
      this.#play(one, call, sent);
      return sent;
    }
    return null;
  }

  /**
   * The bank sends an event to the client's URL: once, or as a row wants it. Returns the answer
   * that counts.
   */
  async push(
    call: ObservedCall,
    { now, post, wait }: Pick<PushTools, "wait"> & { now(): number; post(): Promise<PostReply> },
  ): Promise<PostReply> {
    const send = async (): Promise<PostReply> => {
      const delivery: Delivery = { endedAt: null, status: null, reason: null, calls: [] };
      call.pushed?.deliveries.push(delivery);
      this.#deliveries.add(delivery);
      const reply = await post();
      this.#deliveries.delete(delivery);
      const reason = reply.status === null ? reply.reason : null;
      Object.assign(delivery, { endedAt: now(), status: reply.status, reason });
      return reply;
    };
    const toolsOf = (one: LiveRow): PushTools => ({
      ...this.#tools(one),
      send,
      wait,
      play: () => this.#candidates().includes(one) && this.#play(one, call),
    });
    for (const one of this.#candidates()) await one.row.push?.(call, toolsOf(one));
    let reply = await send();
    for (const one of this.#candidates()) {
      reply = (await one.row.pushed?.(call, reply, toolsOf(one))) ?? reply;
    }
    call.endedAt = now();
    call.status = reply.status;
    this.finished();
    return reply;
  }

  /** The answer to a call has been sent, or the client has hung up. */
  finished(): void {
    const active = this.#active();
    if (active) this.#judge(active);
  }

  /** Somebody has fetched the bank's key set. */
  keySetFetched(now: number): void {
    this.#keySetFetches.push(now);
  }

  /** Judges what is overdue, and ends the run when nothing is left or its time is over. */
  tick(now: number): void {
    const active = this.#active();
    if (active) {
      this.#judge(active);
      const last = active.plays.at(-1);
      const since = last ? (last.endedAt ?? Number.POSITIVE_INFINITY) : now;
      if (active.state === "playing" && now - since > this.settings.patience * 1000) {
        const evidence = this.#evidence(active);
        this.#decide(active, evidence && active.row.judgeSilence(evidence));
      }
    }
    if (this.rows.every(({ state }) => state === "done") || now >= this.endsAt) this.end(now);
  }

  /** Plays a row again, or adds it. */
  add(row: Misbehaviour): void {
    const place = this.rows.findIndex((one) => one.row === row);
    if (place < 0) this.rows.push(newRow(row));
    else if (this.rows[place]?.state === "done") this.rows[place] = newRow(row);
  }

  /** Ends the run. What has not been played is not reached. */
  end(now: number): void {
    if (this.endedAt !== null) return;
    for (const one of this.rows) {
      if (one.state === "waiting") this.#decide(one, notReached(one.row));
      if (one.state === "playing") this.#decide(one, endedEarly);
    }
    this.endedAt = now;
  }

  #active(): LiveRow | undefined {
    return this.rows.find(({ state }) => state === "playing");
  }

  #candidates(): LiveRow[] {
    if (this.endedAt !== null) return [];
    const active = this.#active();
    if (!active) return this.rows.filter(({ state }) => state === "waiting");
    return active.plays.length < (active.row.most ?? 1) ? [active] : [];
  }

  #tools({ memory }: LiveRow): Tools {
    return { settings: this.settings, memory, newKey: this.#newKey };
  }

  #play(one: LiveRow, call: ObservedCall, sent?: SentAnswer): true {
    one.state = "playing";
    one.plays.push(call);
    call.played = one.row.name;
    call.sentRetryAfter = sent?.headers["retry-after"] !== undefined;
    return true;
  }

  #evidence({ plays, later, memory }: LiveRow): PlayEvidence | null {
    const [played] = plays;
    if (!played) return null;
    const keySetFetches = this.#keySetFetches.filter((at) => at >= played.at);
    const others = later.filter((one) => one !== played);
    return { played, plays, later: others, keySetFetches, memory, settings: this.settings };
  }

  #judge(one: LiveRow): void {
    const evidence = this.#evidence(one);
    const judgement = evidence && one.row.judge(evidence);
    if (judgement) this.#decide(one, judgement);
  }

  #decide(one: LiveRow, judgement: ClientJudgement | null): void {
    if (one.state === "done") return;
    one.state = "done";
    one.judgement = judgement;
    one.later = [];
    one.memory.clear();
  }
}

const newRow = (row: Misbehaviour): LiveRow => ({
  row,
  state: "waiting",
  plays: [],
  judgement: null,
  memory: new Map(),
  later: [],
});

const notReached = ({ touches }: Misbehaviour): ClientJudgement => ({
  verdict: "not reached",
  seen: `The client made no call that fits: ${touches}.`,
});

const endedEarly: ClientJudgement = {
  verdict: "cannot be judged",
  seen: "The run ended before the client had done anything decisive.",
};
