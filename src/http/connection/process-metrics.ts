import { type Histogram, monitorEventLoopDelay } from "node:perf_hooks";
import { collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { present } from "#src/lib/assert.ts";

const quantiles = [0.5, 0.9, 0.99, 1];

// An interval of 100 ms costs an idle process 0.6 ms of CPU per second. prom-client's default of
// 10 ms costs ten times as much.
const intervalMs = 100;

// prom-client's histogram cannot be turned off, so its timer gets the longest interval. Its metrics
// are removed, because their values include the interval.
const longestInterval = 2 ** 31 - 1;
const needTimer = ["min", "max", "mean", "stddev", "p50", "p90", "p99"];

let ofProcess: Registry | undefined;

/**
 * Registers the metrics of Node's process (CPU, memory, garbage collection), and the delays with
 * which the event loop ran a timer since the last scrape. All banks of a process share them,
 * because prom-client never stops measuring. If each bank had separate metrics, closed banks would
 * stay in memory.
 */
export function measureProcess(registry: Registry): void {
  ofProcess ??= startMeasuring();
  for (const { name } of ofProcess.getMetricsAsArray()) {
    registry.registerMetric(present(ofProcess.getSingleMetric(name), name));
  }
}

// Node can also measure each iteration of the event loop without a timer (`samplePerIteration`).
// But that measurement leaves out work in callbacks of sockets, and counts some of the time in
// which the process waits.
function startMeasuring(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: longestInterval });
  for (const name of needTimer) registry.removeSingleMetric(`nodejs_eventloop_lag_${name}_seconds`);
  const intervals = monitorEventLoopDelay({ resolution: intervalMs });
  intervals.enable();
  new Gauge({
    name: "aldgate_event_loop_delay_seconds",
    help: `Delay of a ${intervalMs} ms timer in the event loop since the last scrape, by quantile.`,
    labelNames: ["quantile"] as const,
    registers: [registry],
    collect() {
      for (const quantile of quantiles) this.set({ quantile }, delayAt(intervals, quantile));
      intervals.reset();
    },
  });
  return registry;
}

/** Returns a quantile of the delays in seconds; 0 if the timer has not run. */
function delayAt(intervals: Histogram, quantile: number): number {
  if (intervals.count === 0) return 0;
  return Math.max(0, intervals.percentile(quantile * 100) / 1e9 - intervalMs / 1000);
}
