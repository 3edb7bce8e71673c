import { type Histogram, monitorEventLoopDelay } from "node:perf_hooks";
import { collectDefaultMetrics, Gauge, type Registry } from "prom-client";

const quantiles = [0.5, 0.9, 0.99, 1];

// prom-client's histogram of the event loop has a timer, which would wake an idle process 100 times
// a second. The histogram cannot be left out, so its timer gets the longest interval, and its
// metrics are removed.
const longestInterval = 2 ** 31 - 1;
const needTimer = ["min", "max", "mean", "stddev", "p50", "p90", "p99"];

/**
 * Registers the metrics of Node's process (CPU, memory, garbage collection), and how long the
 * iterations of the event loop took since the last scrape.
 */
export function measureProcess(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: longestInterval });
  for (const name of needTimer) registry.removeSingleMetric(`nodejs_eventloop_lag_${name}_seconds`);
  const iterations = monitorEventLoopDelay({ samplePerIteration: true });
  iterations.enable();
  new Gauge({
    name: "aldgate_event_loop_iteration_seconds",
    help: "How long the iterations of the event loop took since the last scrape, by quantile.",
    labelNames: ["quantile"] as const,
    registers: [registry],
    collect() {
      for (const quantile of quantiles) this.set({ quantile }, secondsAt(iterations, quantile));
      iterations.reset();
    },
  });
}

/** Returns a quantile in seconds; 0 if there was no iteration. */
const secondsAt = (iterations: Histogram, quantile: number): number =>
  iterations.count === 0 ? 0 : iterations.percentile(quantile * 100) / 1e9;
