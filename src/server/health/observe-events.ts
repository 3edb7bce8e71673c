import { Counter, Gauge } from "prom-client";
import type { DeliveryOutcome } from "#src/events/delivery.ts";
import { type EventFigures, measureEvents } from "#src/events/event-figures.ts";
import type { Metrics } from "#src/http/connection/observe.ts";
import type { Clock } from "#src/lib/clock.ts";
import { setErrorCodes } from "#src/standard/shared/events/polling.ts";
import type { Queryable } from "#src/storage/database.ts";

/** Counts what this process does with events. */
type EventCounters = {
  /** Counts a try to send an event to a callback URL. */
  tried(outcome: DeliveryOutcome): void;
  /** Counts an event that a TPP has refused in a poll. */
  refused(err: string): void;
};

/**
 * Adds the counters and the gauges of events. All gauges of a scrape share one query, which reads
 * an index of the events that are waiting.
 */
export function observeEvents(metrics: Metrics, database: Queryable, clock: Clock): EventCounters {
  const registers = [metrics.registry];
  const tries = new Counter({
    name: "aldgate_event_tries_total",
    help: "Requests of this process to callback URLs, by outcome. Requests that the bank stopped are sent again.",
    labelNames: ["outcome"] as const,
    registers,
  });
  const refusals = new Counter({
    name: "aldgate_event_refusals_total",
    help: "Events that TPPs have refused in polls of this process, by the err code of setErrs.",
    labelNames: ["err"] as const,
    registers,
  });
  addGauges(
    registers,
    shareCalls(() => measureEvents(database)),
    clock,
  );
  return {
    tried: (outcome) => tries.inc({ outcome }),
    // TPPs choose unknown codes freely, and each label is stored
    refused: (err) => refusals.inc({ err: setErrorCodes.has(err) ? err : "other" }),
  };
}

function addGauges(
  registers: Metrics["registry"][],
  measure: () => Promise<EventFigures[]>,
  clock: Clock,
): void {
  const add = (name: string, help: string, measured: (figures: EventFigures) => number): void => {
    new Gauge({
      name,
      help,
      labelNames: ["way"] as const,
      registers,
      async collect() {
        // without the database there are no figures, and the other metrics are shown
        const all = await measure().catch(() => []);
        this.reset();
        for (const figures of all) this.set({ way: figures.way }, measured(figures));
      },
    });
  };
  add(
    "aldgate_events_waiting",
    "Events that TPPs have not accepted yet, by the way of delivery: callback or polling.",
    ({ waiting }) => waiting,
  );
  add(
    "aldgate_events_oldest_waiting_seconds",
    "Age of the oldest event that a TPP has not accepted yet, by the way of delivery.",
    ({ oldest }) => (oldest ? Math.max(0, clock.now().since(oldest).total("seconds")) : 0),
  );
  add(
    "aldgate_event_endpoints_unresponsive",
    "Callback URLs that are unresponsive: one event is sent to each every six hours.",
    ({ unresponsive }) => unresponsive,
  );
}

/** Gives the callers that come while a call is running the result of that call. */
function shareCalls<Result>(call: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | undefined;
  return () => {
    running ??= call().finally(() => {
      running = undefined;
    });
    return running;
  };
}
