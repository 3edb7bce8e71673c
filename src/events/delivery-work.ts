import type { Sender } from "#src/http/outgoing/guarded-request.ts";
import type { Clock } from "#src/lib/clock.ts";
import { newUuid } from "#src/lib/ids.ts";
import type { Database } from "#src/storage/database.ts";
import { type ClaimedEvent, claimEvents, settleEvents, type Trouble } from "./claimed-events.ts";
import {
  type DeliveryOutcome,
  type Finished,
  judgeReply,
  deliveryLimits as limits,
} from "./delivery.ts";
import { type SigningDeps, signEvents } from "./event-set.ts";

/** Sends events to callback URLs. */
export type DeliveryWork = {
  /** Stores the outcomes of finished tries, and begins to send the events that are due. */
  run(): Promise<void>;
  /** Gives the running tries a short time to finish, aborts the others, and stores all outcomes. */
  stop(): Promise<void>;
};

type DeliveryOptions = SigningDeps & {
  database: Database;
  clock: Clock;
  sender: Sender;
  /** The bank's id for receivers, sent in the header x-fapi-financial-id. Source: EV-08. */
  financialId: string;
  /** Whether work may begin now. */
  admits(): boolean;
  /** Called after each try. */
  onTried(outcome: DeliveryOutcome): void;
  /** Called when an event or an endpoint needs an operator's attention. */
  onTrouble(trouble: Trouble): void;
  onFailure(error: unknown): void;
};

const graceMs = 1_000;
// Outcomes wait this long for others, so that one statement stores them all. The next event of the
// same resource waits too.
const gatherMs = 100;
// The first events are sent while later ones are signed.
const signedTogether = 50;

/**
 * Creates the delivery of a process. One transaction claims many events, and one statement stores
 * many outcomes, because statements cost more than requests. Source: EV-10, EV-19.
 */
export function createDeliveryWork(options: DeliveryOptions): DeliveryWork {
  const { database, clock, sender, onFailure } = options;
  const processId = newUuid();
  const stopping = new AbortController();
  let finished: Finished[] = [];
  let running: Promise<void> | undefined;
  let gathering: NodeJS.Timeout | undefined;
  let isStopped = false;
  let isWanted = false;
  const queue = createSendQueue({
    clock,
    onFailure,
    send: (event) => sendEvent(options, event, stopping.signal),
    onFinished(outcome) {
      finished.push(outcome);
      options.onTried(outcome.outcome);
      if (queue.size() === 0) wake();
      else gathering ??= setTimeout(wake, gatherMs);
    },
  });

  async function begin(): Promise<void> {
    if (isStopped || !options.admits()) return;
    const places = limits.claimsPerProcess - queue.size();
    const claim = { processId, places, now: clock.now() };
    const claimed = await claimEvents(database, claim);
    const parts = signInParts(options, claimed, claim.now);
    const unsigned = await queueSigned(queue, parts, claimed);
    // due again immediately, not when their lease expires
    finished.push(...unsigned.events.map(giveUp));
    if (unsigned.error !== null) throw unsigned.error;
  }

  async function settle(): Promise<void> {
    clearTimeout(gathering);
    gathering = undefined;
    if (finished.length === 0) return;
    const stored = finished;
    finished = [];
    try {
      for (const trouble of await settleEvents(database, stored, clock.now())) {
        options.onTrouble(trouble);
      }
    } catch (error) {
      finished = [...stored, ...finished]; // for the next run
      throw error;
    }
  }

  async function loop(): Promise<void> {
    do {
      isWanted = false;
      await settle();
      await begin();
    } while (isWanted);
  }

  function work(): Promise<void> {
    isWanted = true;
    running ??= loop().finally(() => {
      running = undefined;
    });
    return running;
  }
  const wake = (): void => void work().catch(onFailure);

  return {
    run: work,
    async stop() {
      isStopped = true;
      await running?.catch(onFailure);
      queue.close();
      const timer = setTimeout(() => stopping.abort(), graceMs);
      await queue.idle();
      clearTimeout(timer);
      await running?.catch(onFailure);
      await settle().catch(onFailure);
      sender.close();
    },
  };
}

/** Queues events as they are signed. Returns those that could not be signed, and the reason. */
async function queueSigned(
  queue: Pick<ReturnType<typeof createSendQueue>, "add">,
  parts: AsyncGenerator<SignedEvent[]>,
  claimed: readonly ClaimedEvent[],
): Promise<{ events: readonly ClaimedEvent[]; error: unknown }> {
  let count = 0;
  try {
    for await (const events of parts) {
      queue.add(events);
      count += events.length;
    }
    return { events: [], error: null };
  } catch (error) {
    return { events: claimed.slice(count), error };
  }
}

const giveUp = ({ jti, attempts }: ClaimedEvent): Finished => ({
  jti,
  attempts,
  outcome: "stopped",
  wait: 0,
  error: null,
});

/** Signs claimed events. Yields the first ones while the others are not signed yet. */
async function* signInParts(
  options: DeliveryOptions,
  claimed: readonly ClaimedEvent[],
  claimedAt: Temporal.Instant,
): AsyncGenerator<SignedEvent[]> {
  for (let from = 0; from < claimed.length; from += signedTogether) {
    const part = claimed.slice(from, from + signedTogether);
    const tokens = await signEvents(options, part, options.clock.now());
    yield part.map((event) => ({ ...event, claimedAt, token: tokens.get(event.jti) ?? "" }));
  }
}

/** Sends an event and judges the reply. */
async function sendEvent(
  { sender, financialId }: Pick<DeliveryOptions, "sender" | "financialId">,
  event: SignedEvent,
  signal: AbortSignal,
): Promise<Finished> {
  const headers = {
    "content-type": "application/jwt",
    accept: "application/json",
    // every try of an event has the same id
    "x-fapi-interaction-id": event.jti,
    "x-fapi-financial-id": financialId,
  };
  const reply = await sender.post({ url: event.callbackUrl, body: event.token, headers }, signal);
  const judged = judgeReply(event, reply);
  const isStopped = signal.aborted && reply.status === null;
  return isStopped ? { ...judged, outcome: "stopped", wait: 0 } : judged;
}

/** An event that this process has claimed and signed. */
export type SignedEvent = ClaimedEvent & {
  token: string;
  claimedAt: Temporal.Instant;
};

/** The claimed events of a process that wait to be sent or are being sent. */
export type SendQueue = {
  add(events: readonly SignedEvent[]): void;
  /** Returns the number of events that wait or are being sent. */
  size(): number;
  /** Gives up the events that wait, and lets no others be sent. */
  close(): void;
  /** Resolves when no event is being sent. */
  idle(): Promise<void>;
};

/** Sends one event, and reports outcomes. */
type QueueOptions = {
  clock: Clock;
  send(event: SignedEvent): Promise<Finished>;
  onFinished(finished: Finished): void;
  onFailure(error: unknown): void;
};

/** The events of one TPP. */
type Lane = { waiting: SignedEvent[]; sending: number };

/**
 * Creates the queue of a process. Each TPP has a limited number of requests in progress. When a
 * request fails, or an event has waited too long, the events behind it are given up: they are
 * claimed again, if they are still to be sent. Source: EV-19.
 */
export function createSendQueue({ clock, send, onFinished, onFailure }: QueueOptions): SendQueue {
  const lanes = new Map<string, Lane>();
  const running = new Set<Promise<void>>();
  let size = 0;
  let isClosed = false;

  const finish = (finished: Finished): void => {
    size -= 1;
    onFinished(finished);
  };
  function giveUp(lane: Lane): void {
    const given = lane.waiting;
    lane.waiting = [];
    for (const { jti, attempts } of given) {
      finish({ jti, attempts, outcome: "stopped", wait: 0, error: null });
    }
  }
  async function sendOne(lane: Lane, event: SignedEvent): Promise<void> {
    try {
      const finished = await send(event);
      if (finished.outcome === "failed" || finished.outcome === "gone") giveUp(lane);
      finish(finished);
    } catch (error) {
      size -= 1; // another process sends it when the lease expires
      onFailure(error);
    }
  }
  function fill(clientId: string, lane: Lane): void {
    const oldest = clock.now().subtract({ seconds: limits.queueSeconds });
    const [next] = lane.waiting; // the one that has waited longest
    const isOld = next && Temporal.Instant.compare(next.claimedAt, oldest) < 0;
    if (isClosed || isOld) giveUp(lane);
    while (lane.sending < limits.perTpp && running.size < limits.perProcess) {
      const event = lane.waiting.shift();
      if (!event) break;
      lane.sending += 1;
      const one = sendOne(lane, event).finally(() => {
        lane.sending -= 1;
        const wasFull = running.size >= limits.perProcess;
        running.delete(one);
        if (wasFull) for (const [id, each] of lanes) fill(id, each);
        else fill(clientId, lane);
      });
      running.add(one);
    }
    if (lane.sending === 0 && lane.waiting.length === 0) lanes.delete(clientId);
  }
  return {
    add(events) {
      size += events.length;
      for (const event of events) {
        const lane = lanes.get(event.clientId) ?? { waiting: [], sending: 0 };
        lanes.set(event.clientId, lane);
        lane.waiting.push(event);
      }
      for (const clientId of new Set(events.map((event) => event.clientId))) {
        const lane = lanes.get(clientId);
        if (lane) fill(clientId, lane);
      }
    },
    size: () => size,
    close() {
      isClosed = true;
      for (const lane of lanes.values()) giveUp(lane);
    },
    async idle() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
