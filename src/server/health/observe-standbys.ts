import { Counter, Gauge } from "prom-client";
import type { Metrics } from "#src/http/connection/observe.ts";
import type { Pace } from "#src/lib/clock.ts";
import type { Database, StandbyUse } from "#src/storage/database.ts";

type Reads = Pick<Database, "standbyUse">;

/** The name by which the metrics count the reads of the primary. */
const primary = "primary";

/** Adds the metrics of reads from standbys, if the bank has standbys. */
export function observeStandbys(metrics: Metrics, database: Reads): void {
  if (database.standbyUse() === null) return;
  const registers = [metrics.registry];
  const labelNames = ["server"] as const;
  const all = (): StandbyUse["standbys"] => database.standbyUse()?.standbys ?? [];
  new Gauge({
    name: "aldgate_standby_up",
    help: "1 if this process reads from the standby (label), 0 if it is behind or does not answer.",
    labelNames,
    registers,
    collect() {
      for (const { name, state } of all()) this.set({ server: name }, state === "in use" ? 1 : 0);
    },
  });
  new Gauge({
    name: "aldgate_standby_behind_bytes",
    help: "Bytes of the primary's log that the standby (label) lacked when it was last asked.",
    labelNames,
    registers,
    collect() {
      for (const { name, bytesBehind } of all()) this.set({ server: name }, bytesBehind);
    },
  });
  new Counter({
    name: "aldgate_standby_reads_total",
    help: "Reads that a standby may answer, by the server that has answered them (label).",
    labelNames,
    registers,
    collect() {
      this.reset();
      for (const { name, reads } of all()) this.inc({ server: name }, reads);
      this.inc({ server: primary }, database.standbyUse()?.readsOnPrimary ?? 0);
    },
  });
}

const lookMs = 1000;

/**
 * Logs once when a standby begins or ceases to be used, with the reason. Returns the function that
 * ends this.
 */
export function logStandbys(
  database: Reads,
  pace: Pick<Pace, "watch">,
  log: { warn(details: object, text: string): void },
): () => Promise<void> {
  const idle = new Map<string, boolean>();
  return pace.watch(lookMs, () => {
    for (const { name, state, reason } of database.standbyUse()?.standbys ?? []) {
      const isIdle = state !== "in use";
      if (isIdle === (idle.get(name) ?? false)) continue;
      idle.set(name, isIdle);
      if (isIdle) log.warn({ standby: name, state, reason }, "a standby is not used for reads");
      else log.warn({ standby: name }, "a standby is used for reads again");
    }
  });
}

/** The standbys from which this process does not read, in words. */
export const listIdleStandbys = (database: Reads): string[] =>
  (database.standbyUse()?.standbys ?? [])
    .filter(({ state }) => state !== "in use")
    .map(({ name, state, reason }) => `standby ${name} (${reason ?? state})`);
