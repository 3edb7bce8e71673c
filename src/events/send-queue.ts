import type { Clock } from "#src/lib/clock.ts";
import type { ClaimedEvent } from "./claim-events.ts";
import { type Finished, deliveryLimits as limits } from "./delivery.ts";

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
