import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { present } from "#src/lib/assert.ts";
import { type BankOptions, openBank, type TestBank } from "#src/testing/index.ts";

/** The bank's time in these tests, so that the history of its customers is made once per lane. */
export const start = "2026-11-24T09:00:00Z";

/** The lane's folder for what banks are copied from, as a user's cache has it. */
export function laneCache(): string {
  const folder = join(present(process.env.ALDGATE_TEST_CACHE, "the lane's cache"), "aldgate");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** Opens a bank as programs outside do, whose clock stands still. */
export const openCached = (options: BankOptions = {}): Promise<TestBank> =>
  openBank({ clock: start, rate: 0, cache: laneCache(), ...options });
