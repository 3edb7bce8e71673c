import type { OpenLoadResult } from "./open-load.ts";
import type { Cpu } from "./open-world.ts";
import { conclude } from "./report.ts";

// What a quarter of the UK costs, calculated from what a call and a payment have used. The volumes
// and their sources are on the page of the results.

/** Account calls and payments of a quarter of the UK: in a second of the peak, and in a month. */
const peak = { calls: 2500, payments: 90 };
const month = { calls: 650e6, payments: 11.25e6 };

/** US dollars for an hour of a virtual core: half an m7g.large, on demand, us-east-1, June 2026. */
const dollarsPerCoreHour = 0.0816 / 2;

/** A run: the rate of account calls, what came of it, and the CPU seconds in each second. */
type Run = { calls: number; result: OpenLoadResult; cpu: Cpu };

const all = ({ bank, database }: Cpu): number => bank + database;

/** Concludes from a run of account calls, and one with payments, how many cores are busy. */
export function concludeCosts(calls: Run, mixed: Run): void {
  const perCall = all(calls.cpu) / calls.calls;
  const payments = (mixed.calls * peak.payments) / peak.calls;
  const perPayment = (all(mixed.cpu) - mixed.calls * perCall) / payments;
  const busy = peak.calls * perCall + peak.payments * perPayment;
  const hours = (month.calls * perCall + month.payments * perPayment) / 3600;
  const aim = "calculated";
  conclude({ name: "CPU of an account call", value: perCall * 1000, unit: "ms", aim: "measured" });
  conclude({ name: "CPU of a payment", value: perPayment * 1000, unit: "ms", aim });
  conclude({ name: "cores that the peak keeps busy", value: busy, unit: "", aim });
  conclude({ name: "core-hours of a month", value: hours, unit: "h", aim });
  const price = `calculated, at $${dollarsPerCoreHour.toFixed(4)} for a core-hour`;
  conclude({ name: "price of them", value: hours * dollarsPerCoreHour, unit: "$", aim: price });
}
