// The bank of a benchmark, in a separate process. It is opened as by `npm start`, configured by
// environment variables, and answers the commands of bank.ts.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { loadConfig } from "#src/config/config.ts";
import { allEventNames, storeRegistration } from "#src/events/registration.ts";
import { assert } from "#src/lib/assert.ts";
import { systemClock } from "#src/lib/clock.ts";
import { openServer } from "#src/server/open-server.ts";
import { first } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { recordStatements, type StatementRecord } from "#test/statements.ts";
import type { BankCommand, Watched } from "./bank.ts";
import { readCpuTime, readWorkerTime } from "./cpu-time.ts";
import { prepareOrders } from "./prepare-orders.ts";

const engineIntervalMs = 250;
const eventIntervalMs = 500;
const watchIntervalMs = 2;
const megabyte = 2 ** 20;

let watch: (() => Watched) | undefined;
let record: StatementRecord | undefined;

function threadMicroseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

/**
 * Watches memory and the event loop. The returned function ends the watch and returns the result.
 */
function startWatch(): () => Watched {
  globalThis.gc?.();
  const idle = process.memoryUsage.rss();
  let peak = idle;
  let held = 0;
  let worked = threadMicroseconds();
  const timer = setInterval(() => {
    const now = threadMicroseconds();
    held = Math.max(held, now - worked);
    worked = now;
    peak = Math.max(peak, process.memoryUsage.rss());
  }, watchIntervalMs);
  const delay = monitorEventLoopDelay({ resolution: 2 });
  delay.enable();
  return () => {
    clearInterval(timer);
    delay.disable();
    return {
      idleMegabytes: idle / megabyte,
      peakMegabytes: peak / megabyte,
      stallMilliseconds: delay.max / 1e6,
      heldMilliseconds: held / 1000,
    };
  };
}

const aldgate = await openServer({
  config: loadConfig(process.env),
  clock: systemClock,
  onProgress: () => undefined,
});

function cpuMilliseconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Registers only this TPP for events, or none; it polls unless it has a URL. */
async function subscribe(given: BankCommand & { name: "subscribe" }): Promise<void> {
  const { clientId, callbackUrl } = given;
  await aldgate.database.query(sql`delete from event_subscription`);
  if (clientId === null) return;
  const registration = {
    clientId,
    subscriptionId: clientId,
    form: "subscription",
    apiVersion: "events-v4.0",
    callbackUrl,
    version: "4.0",
    namedTypes: null,
  } as const;
  const serves = new Set(["events-v4.0"] as const);
  const stored = await storeRegistration(
    aldgate.database,
    { ...registration, eventTypes: [...allEventNames] },
    serves,
    systemClock.now(),
  );
  assert(stored, "the TPP is registered");
}

async function run(command: BankCommand): Promise<unknown> {
  const { database, engine, sandbox } = aldgate;
  switch (command.name) {
    case "prepareOrders":
      assert(sandbox, "a benchmark runs on a sandbox");
      return prepareOrders(database, sandbox.directory, command);
    case "engine":
      if (command.on) engine.start(engineIntervalMs);
      else await engine.stop();
      return null;
    case "events":
      if (command.on) aldgate.events.start(eventIntervalMs);
      else await aldgate.events.pause();
      return null;
    case "tickEvents":
      await aldgate.events.tick();
      return null;
    case "subscribe":
      await subscribe(command);
      return null;
    case "acceptedEvents": {
      const row = await first<{ count: number }>(
        database,
        sql`select count(*)::integer as count from event where state = 'accepted'`,
      );
      return row?.count;
    }
    case "drain":
      await engine.drain();
      return null;
    case "settled": {
      const row = await first<{ count: number }>(
        database,
        sql`select count(*)::integer as count from payment where status = 'ACCC'`,
      );
      return row?.count;
    }
    case "cpuMilliseconds":
      return cpuMilliseconds();
    case "cpuTime":
      return { ...(await readCpuTime(database)), hashing: readWorkerTime() };
    case "collectGarbage":
      globalThis.gc?.();
      return null;
    case "startRecord":
      record ??= recordStatements(database);
      record.start();
      return null;
    case "stopRecord":
      return record?.stop();
    case "peakMegabytes":
      return process.resourceUsage().maxRSS / 1024;
    case "watch":
      watch = startWatch();
      return null;
    case "watched":
      return watch?.();
    case "close":
      await aldgate.close();
      return null;
  }
}

process.on("message", async ({ id, command }: { id: number; command: BankCommand }) => {
  try {
    process.send?.({ id, result: await run(command) });
  } catch (error) {
    process.send?.({ id, error: String((error as Error).stack) });
  }
  if (command.name === "close") process.disconnect?.();
});
process.send?.({ publicUrl: aldgate.publicUrl, mtlsUrl: aldgate.mtlsUrl });
