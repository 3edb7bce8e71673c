import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openBank } from "#src/testing/index.ts";
import { conclude, isQuick, median, show } from "./lib/report.ts";

// How long `openBank()` of aldgate/testing takes when what it copies has been made: one bank after
// the other in one process, each closed before the next, and then several at the same time. The
// first opening of a day makes the copy's original, and is shown separately.

const clock = "2026-11-24T09:00Z";
const times = isQuick ? 20 : 50;
const together = 4;

/** Returns the seconds that an opening takes, and those of CPU. Closes the bank. */
async function openOnce(cache: string): Promise<{ seconds: number; cpu: number }> {
  const begun = performance.now();
  const before = process.cpuUsage();
  const bank = await openBank({ clock, cache });
  const seconds = (performance.now() - begun) / 1000;
  const { user, system } = process.cpuUsage(before);
  await bank.close();
  return { seconds, cpu: (user + system) / 1_000_000 };
}

const percentile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.ceil(share * values.length) - 1] ?? Number.NaN;

const cache = mkdtempSync(join(tmpdir(), "aldgate-bench-cache-"));
try {
  console.log("\nopenBank() of aldgate/testing");
  const first = await openOnce(cache);
  const shown = ({ seconds, cpu }: typeof first) => [
    `${seconds.toFixed(3)} s`,
    `${cpu.toFixed(3)} s of CPU`,
  ];
  show("the first of a day, which makes the original", ...shown(first));
  const all: (typeof first)[] = [];
  for (let left = times; left > 0; left -= 1) all.push(await openOnce(cache));
  const seconds = all.map((one) => one.seconds);
  const cpu = median(all.map((one) => one.cpu));
  show("one after the other, median", ...shown({ seconds: median(seconds), cpu }));
  const begun = performance.now();
  await Promise.all(Array.from({ length: together }, () => openOnce(cache)));
  show(`${together} at the same time`, `${((performance.now() - begun) / 1000).toFixed(3)} s`);
  conclude({
    name: `openBank(), 95th percentile of ${times}`,
    value: percentile(seconds, 0.95),
    unit: "s",
    aim: "aim: under 1",
  });
} finally {
  rmSync(cache, { recursive: true, force: true });
}
