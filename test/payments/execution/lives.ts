import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Returns a generator of numbers from 0 to below 1; a seed always gives the same (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Draws the points where workers kill themselves: each step of the engine, and random times. */
export function drawKills(count: number, random: () => number): string[] {
  const moments = ["claimed", "asked", "reserved", "executed", "settled", "ms", "ms", "ms"];
  return Array.from({ length: count }, (_, index) => {
    const moment = moments[index % moments.length];
    return `${moment}:${1 + Math.floor(random() * (moment === "ms" ? 40 : 2))}`;
  });
}

/** Runs one worker from the given time until it has killed itself. */
export async function live(
  url: string,
  owner: string,
  kill: string,
  now?: Temporal.Instant,
): Promise<void> {
  const worker = fileURLToPath(new URL("worker.ts", import.meta.url));
  const more = now ? [now.toString()] : [];
  const child = spawn(process.execPath, [worker, url, owner, kill, ...more], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let complaint = "";
  child.stderr.on("data", (chunk) => {
    complaint += chunk;
  });
  const signal = await new Promise((resolve) => child.on("close", (_, by) => resolve(by)));
  assert.equal(signal, "SIGKILL", `${owner} was to die by ${kill}: ${complaint}`);
  assert.equal(complaint, "", `${owner} complained`);
}
