import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { Bank } from "#src/bank/port.ts";
import { systemClock } from "#src/lib/clock.ts";
import { Unavailable } from "#src/lib/unavailable.ts";
import { createEngine } from "#src/payments/execution/engine.ts";
import type { Database } from "#src/storage/database.ts";

test("the engine logs an outage of the database once, and keeps trying", async () => {
  let asked = 0;
  const fail = async (): Promise<never> => {
    asked += 1;
    throw new Unavailable("database", "the database is away", {});
  };
  const logged: string[] = [];
  const engine = createEngine({
    database: { query: fail, read: fail, transaction: fail } as unknown as Database,
    bank: {} as Bank, // never called, because nothing is leased
    clock: systemClock,
    owner: "engine",
    batchSize: 8,
    log: { error: (_details, text) => void logged.push(text) },
  });
  engine.start(5);
  while (asked < 10) await delay(5);
  await engine.stop();
  assert.deepEqual(logged, ["the engine failed; it will try again"]);
});
