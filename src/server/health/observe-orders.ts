import { Counter, Gauge } from "prom-client";
import { listOldestDeliveries } from "#src/account-store/freshness.ts";
import { countRefusedFacts, listUnread } from "#src/account-store/refusals.ts";
import type { GuardedBank } from "#src/bank/guarded-bank.ts";
import { callGroups } from "#src/bank/port-calls.ts";
import type { Listeners } from "#src/http/connection/listeners.ts";
import { type Metrics, type Readiness, shareResult } from "#src/http/connection/observe.ts";
import type { Clock } from "#src/lib/clock.ts";
import {
  measureUnfinished,
  paymentCalls,
  type UnfinishedFigures,
} from "#src/payments/execution/stuck-payments.ts";
import type { KindId } from "#src/standard/kind-id.ts";
import type { Queryable } from "#src/storage/database.ts";

// The state of the bank, as operators see it. This file has the metrics of payments, the core, the
// age of facts and connections. observe-events.ts has those of events, and observe-signing.ts those
// of signing keys. verify-invariants.ts finds breaches of invariants.

/**
 * Counts payments by the status to which this process has moved them. Returns the function to call
 * for each payment. A scrape reads numbers in memory and does not query orders.
 */
export function countPayments(metrics: Metrics): (kind: KindId, status: string) => void {
  const counter = new Counter({
    name: "aldgate_payments_total",
    help: "Payments that this process has moved to each status, by kind. A file counts once per payment.",
    labelNames: ["kind", "status"] as const,
    registers: [metrics.registry],
  });
  return (kind, status) => counter.inc({ kind, status });
}

/**
 * Adds the gauge of the engine's lag, which shares the result of the readiness check, and those of
 * unfinished payments.
 */
export function observeEngine(
  metrics: Metrics,
  readiness: () => Promise<Readiness>,
  { database, clock }: { database: Queryable; clock: Clock },
): void {
  observeUnfinished(metrics, database, clock);
  new Gauge({
    name: "aldgate_engine_lag_seconds",
    help: "Age of the oldest payment that is due and not yet processed.",
    registers: [metrics.registry],
    async collect() {
      const { engineLagSeconds } = await readiness();
      if (engineLagSeconds === null) this.reset();
      else this.set(engineLagSeconds);
    },
  });
}

/**
 * Adds the gauges of the bank's own core: of its groups of calls, whether they reach the core, and
 * failures; of its facts, their age, and how many were refused.
 */
export function observeCore(
  metrics: Metrics,
  { listFailing, failuresInRow }: Pick<GuardedBank, "listFailing" | "failuresInRow">,
  database: Queryable,
  clock: Clock,
): void {
  observeAge(metrics, database, clock);
  observeRefusals(metrics, database);
  new Gauge({
    name: "aldgate_bank_failures_in_row",
    help: "Failed calls of this group (label) since the last one that succeeded, in this process.",
    labelNames: ["group"] as const,
    registers: [metrics.registry],
    collect() {
      for (const group of callGroups) this.set({ group }, failuresInRow(group));
    },
  });
  new Gauge({
    name: "aldgate_bank_up",
    help: "1 if the calls of this group (label) reach the bank's core, 0 if they are paused.",
    labelNames: ["group"] as const,
    registers: [metrics.registry],
    collect() {
      const failing = listFailing();
      for (const group of callGroups) this.set({ group }, failing.includes(group) ? 0 : 1);
    },
  });
}

/**
 * Adds the gauges of payments that do not proceed, by their next call of the port. A scrape reads
 * at most 1,000 payments on which the core fails, and at most 1,000 that are due.
 */
function observeUnfinished(metrics: Metrics, database: Queryable, clock: Clock): void {
  const labelNames = ["call"] as const;
  const registers = [metrics.registry];
  // all gauges and scrapes of a second share a statement; without the database they have no value
  const measure = shareResult(1000, () =>
    measureUnfinished(database, clock.now()).catch(() => null),
  );
  const byCall = (name: string, help: string, read: (found: UnfinishedFigures) => number) =>
    new Gauge({
      name,
      help: `${help}, by its next call (label).`,
      labelNames,
      registers,
      async collect() {
        const all = await measure();
        this.reset();
        for (const call of all === null ? [] : paymentCalls) {
          const found = all?.find((one) => one.call === call);
          this.set({ call }, found ? read(found) : 0);
        }
      },
    });
  byCall(
    "aldgate_payments_oldest_unfinished_seconds",
    "Time since the oldest unfinished payment should have been made",
    ({ oldest }) => Math.max(0, clock.now().since(oldest).total("seconds")),
  );
  byCall(
    "aldgate_payments_failures_in_row",
    "The most failed calls in a row that one unfinished payment has had",
    ({ failures }) => failures,
  );
  new Gauge({
    name: "aldgate_payments_in_doubt",
    help: "Payments of which it is not known whether the core has made them.",
    registers,
    async collect() {
      const all = await measure();
      this.reset();
      if (all) this.set(all.reduce((sum, { inDoubt }) => sum + inDoubt, 0));
    },
  });
}

/** A scrape reads one entry of an index per cluster and source. */
function observeAge(metrics: Metrics, database: Queryable, clock: Clock): void {
  new Gauge({
    name: "aldgate_facts_age_seconds",
    help: "Age of a cluster of facts, for the account whose delivery is furthest behind.",
    labelNames: ["cluster"] as const,
    registers: [metrics.registry],
    async collect() {
      const now = clock.now();
      this.reset();
      // without the database there is no age, and the other metrics are shown
      const oldest = await listOldestDeliveries(database).catch(() => []);
      for (const { cluster, asOf } of oldest) {
        this.set({ cluster }, Math.max(0, now.since(asOf).total("seconds")));
      }
    },
  });
}

function observeRefusals(metrics: Metrics, database: Queryable): void {
  new Gauge({
    name: "aldgate_facts_refused",
    help: "Facts that break a rule, until a version of them is stored, by source of the feed.",
    labelNames: ["source"] as const,
    registers: [metrics.registry],
    async collect() {
      this.reset();
      const counts = await countRefusedFacts(database).catch(() => []);
      for (const { source, count } of counts) this.set({ source }, count);
    },
  });
  new Gauge({
    name: "aldgate_feed_unread_seconds",
    help: "Time for which nothing of a source of the feed that Aldgate asks could be read.",
    labelNames: ["source"] as const,
    registers: [metrics.registry],
    async collect() {
      this.reset();
      const unread = await listUnread(database).catch(() => []);
      for (const { source, seconds } of unread) this.set({ source }, Math.max(0, seconds));
    },
  });
}

/** Adds the gauges of the public listeners' connections. */
export function observeConnections(metrics: Metrics, listeners: Listeners): void {
  const registers = [metrics.registry];
  new Gauge({
    name: "aldgate_connections",
    help: "Open connections of each listener, for browsers and for TPPs.",
    registers,
    collect() {
      this.set(listeners.counts().open);
    },
  });
  new Gauge({
    name: "aldgate_connections_dropped",
    help: "Connections refused, or closed to make room for a new one, because of a limit.",
    registers,
    collect() {
      this.set(listeners.counts().dropped);
    },
  });
}
