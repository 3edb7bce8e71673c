import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { openPostgres } from "#src/storage/postgres.ts";
import type { History } from "#test/model/history.ts";
import { type BankProcess, startBank } from "./bank-process.ts";
import { fillDatabase, judgeOrders } from "./kills.ts";
import { startOrders } from "./order-stream.ts";
import { type PostgresPlace, type PostgresServer, startServer } from "./postgres-server.ts";
import type { SmallDisk } from "./small-disk.ts";

/** The part of PostgreSQL on the disk that fills up. */
export type Full = "data" | "log";

/** The result of the attack. */
export type DiskReport = {
  acknowledged: number;
  /** Counts by status. `none` is a broken connection. */
  answers: Map<string, number>;
  findings: string[];
};

const leftBytes = 512 * 1024;
const noticesWithinMs = 90_000;
const recoversWithinMs = 60_000;

// For `data`, log segments are recycled, so the tables fill the disk. For `log`, they never are.
const placeOf: Record<Full, (disk: SmallDisk) => PostgresPlace> = {
  data: ({ folder }) => ({ folder, settings: { max_wal_size: "64MB", min_wal_size: "32MB" } }),
  log: ({ folder }) => ({
    walFolder: folder,
    settings: { max_wal_size: "4GB", checkpoint_timeout: "1h" },
  }),
};

/**
 * Fills the disk of PostgreSQL's tables, or of its write-ahead log, under a load of orders. The
 * bank must respond with 503, must recover by itself once there is space, and must not lose an
 * order. A server that has stopped is started again, as a host's supervisor would do.
 */
export async function fillDisk(
  full: Full,
  disk: SmallDisk,
  { say, history }: { say(text: string): void; history: History },
): Promise<DiskReport> {
  const folder = mkdtempSync(join(tmpdir(), "aldgate-disk-bank-"));
  const server = await startServer(placeOf[full](disk));
  let bank: BankProcess | undefined;
  try {
    const url = await server.createDatabase("bank");
    await fillDatabase(url);
    bank = await startBank(folder, { DATABASE_URL: url });
    return await attack({ full, disk, say, history, server, bank, url });
  } finally {
    disk.free();
    if (bank?.isAlive()) await bank.kill();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Scene = {
  full: Full;
  disk: SmallDisk;
  say(text: string): void;
  history: History;
  server: PostgresServer;
  bank: BankProcess;
  url: string;
};

async function attack({ full, disk, say, history, server, bank, url }: Scene): Promise<DiskReport> {
  const findings: string[] = [];
  const database = await openPostgres(url, 1);
  const stream = await startOrders([bank], database, {
    orders: 20_000,
    lanes: 8,
    pauseMs: 0,
    history,
  });
  await database.close();
  const supervisor = supervise(server);
  try {
    await until(() => stream.acknowledged() > 50, noticesWithinMs);
    disk.fill(leftBytes);
    say(`the disk of the ${full} is full after ${stream.acknowledged()} orders`);
    const failed = () => (stream.answers.get("503") ?? 0) + (stream.answers.get("500") ?? 0) > 20;
    if (!(await until(failed, noticesWithinMs))) findings.push("a full disk was never noticed");
    await delay(3000);
    if (!bank.isAlive()) findings.push("the bank has died of a full disk");
    disk.free();
    const before = stream.acknowledged();
    const freedAt = performance.now();
    const recovered = await until(() => stream.acknowledged() > before + 20, recoversWithinMs);
    if (!recovered) findings.push("the bank does not serve although there is space again");
    say(`orders again ${Math.round(performance.now() - freedAt)} ms after there was space`);
  } finally {
    disk.free();
    await stream.finish();
    await supervisor.stop();
  }
  findings.push(...stream.faults, ...(await judgeOrders(url, stream)));
  return { acknowledged: stream.acknowledged(), answers: stream.answers, findings };
}

/** Restarts a server that has stopped, as systemd would. */
function supervise(server: PostgresServer): { stop(): Promise<void> } {
  let on = true;
  const watching = (async () => {
    while (on) {
      await delay(1000);
      if (on && !server.isAlive()) await server.start().catch(() => undefined);
    }
  })();
  return {
    async stop() {
      on = false;
      await watching;
    },
  };
}

async function until(isSo: () => boolean, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (!isSo()) {
    if (performance.now() > deadline) return false;
    await delay(50);
  }
  return true;
}
