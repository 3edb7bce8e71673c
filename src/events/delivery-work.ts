import type { Sender } from "#src/http/outgoing/guarded-post.ts";
import type { Clock } from "#src/lib/clock.ts";
import type { Database } from "#src/storage/database.ts";
import { type ClaimedEvent, claimEvents } from "./claim-events.ts";
import { deliveryLimits, type Finished, judgeReply } from "./delivery.ts";
import { settleEvents, type Trouble } from "./settle-events.ts";
import { type SigningDeps, signEvents } from "./sign-events.ts";

/** Sends events to callback URLs. */
export type DeliveryWork = {
  /** Stores the outcomes of finished tries, and begins to send the events that are due. */
  run(): Promise<void>;
  /** Gives the running tries a short time to finish, aborts the others, and stores all outcomes. */
  stop(): Promise<void>;
};

/** The dependencies of the delivery. */
export type DeliveryOptions = SigningDeps & {
  database: Database;
  clock: Clock;
  sender: Sender;
  /** The bank's id for receivers, sent in the header x-fapi-financial-id. Source: EV-08. */
  financialId: string;
  /** Called when an event or an endpoint needs an operator's attention. */
  onTrouble(trouble: Trouble): void;
  onFailure(error: unknown): void;
};

const graceMs = 1_000;

/**
 * Creates the delivery of a process. When a try finishes, the process can send another event
 * immediately. One statement stores the outcomes of all tries that have finished in the meantime.
 * Source: EV-10, EV-19.
 */
export function createDeliveryWork(options: DeliveryOptions): DeliveryWork {
  const { database, clock, sender, onFailure } = options;
  const sending = new Set<Promise<void>>();
  const stopping = new AbortController();
  let finished: Finished[] = [];
  let running: Promise<void> | undefined;
  let isStopped = false;
  let isWanted = false;

  async function begin(): Promise<void> {
    const places = isStopped ? 0 : deliveryLimits.perProcess - sending.size;
    const claimed = await claimEvents(database, places, clock.now());
    const tokens = await signEvents(options, claimed, clock.now());
    for (const event of claimed) {
      const one = sendEvent(options, event, tokens.get(event.jti) ?? "", stopping.signal)
        .then((judged) => void finished.push(judged), onFailure)
        .finally(() => {
          sending.delete(one);
          work().catch(onFailure);
        });
      sending.add(one);
    }
  }

  async function settle(): Promise<void> {
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

  return {
    run: work,
    async stop() {
      isStopped = true;
      await running?.catch(onFailure);
      const timer = setTimeout(() => stopping.abort(), graceMs);
      await Promise.all(sending);
      clearTimeout(timer);
      await running?.catch(onFailure);
      await settle().catch(onFailure);
      sender.close();
    },
  };
}

/** Sends an event and judges the reply. */
async function sendEvent(
  { sender, financialId }: Pick<DeliveryOptions, "sender" | "financialId">,
  event: ClaimedEvent,
  token: string,
  signal: AbortSignal,
): Promise<Finished> {
  const headers = {
    "content-type": "application/jwt",
    accept: "application/json",
    // every try of an event has the same id
    "x-fapi-interaction-id": event.jti,
    "x-fapi-financial-id": financialId,
  };
  const reply = await sender.post({ url: event.callbackUrl, body: token, headers }, signal);
  const judged = judgeReply(event, reply);
  const isStopped = signal.aborted && reply.status === null;
  return isStopped ? { ...judged, outcome: "stopped", wait: 0 } : judged;
}
