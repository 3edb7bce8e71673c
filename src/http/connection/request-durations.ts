import { setImmediate as turn } from "node:timers/promises";
import { Histogram, Registry } from "prom-client";
import { present } from "#src/lib/assert.ts";

const name = "aldgate_request_duration_seconds";
const help = "Responses by operation and status, with the time from request head to response.";
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const waitingAtMost = 200;
const seriesInTurn = 100;
const metadata = /^# (?:HELP|TYPE) .*\n/gm;

type Observer = { observe(seconds: number): void };
type Slice = { registry: Registry; histogram: Histogram<"api" | "operation" | "status"> };

/** The durations of the responses of a process. */
type RequestDurations = {
  /** Returns a function that counts the responses of an operation. */
  answers(api: string, operation: string): (status: number, seconds: number) => void;
  /** The histogram in the text format of Prometheus. */
  render(): Promise<string>;
};

/**
 * Measures the durations of responses. They are most of a scrape: 14 lines for each operation and
 * status. They are kept in slices, each with a registry of its own, and each is rendered in a turn
 * of its own, because all at once would stop the event loop for longer than a request may.
 */
export function measureRequests(): RequestDurations {
  const slices: Slice[] = [];
  const series = new Map<string, Observer>();
  // the histogram's bookkeeping costs less for many responses in a row than for single ones
  const waiting: { child: Observer; seconds: number }[] = [];
  const count = (): void => {
    for (const { child, seconds } of waiting.splice(0)) child.observe(seconds);
  };
  const observerOf = (labels: Record<"api" | "operation" | "status", string>): Observer => {
    const key = Object.values(labels).join(" ");
    const known = series.get(key);
    if (known) return known;
    if (series.size % seriesInTurn === 0) slices.push(openSlice());
    const made = present(slices.at(-1), "a slice").histogram.labels(labels);
    series.set(key, made);
    return made;
  };
  return {
    answers(api, operation) {
      const byStatus = new Map<number, Observer>();
      return (status, seconds) => {
        let child = byStatus.get(status);
        if (!child) {
          child = observerOf({ api, operation, status: String(status) });
          byStatus.set(status, child);
        }
        waiting.push({ child, seconds });
        if (waiting.length === waitingAtMost) count();
      };
    },
    async render() {
      count();
      let text = `# HELP ${name} ${help}\n# TYPE ${name} histogram\n`;
      for (const { registry } of [...slices]) {
        await turn();
        text += (await registry.metrics()).replaceAll(metadata, "");
      }
      return text;
    },
  };
}

function openSlice(): Slice {
  const registry = new Registry();
  const labelNames = ["api", "operation", "status"] as const;
  return {
    registry,
    histogram: new Histogram({ name, help, labelNames, buckets, registers: [registry] }),
  };
}
