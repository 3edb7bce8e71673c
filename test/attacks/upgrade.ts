import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type * as prepareModule from "#bench/lib/prepare-orders.ts";
import { migrate } from "#src/storage/migrate.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { History } from "#test/model/history.ts";
import { patienceMs } from "#test/until.ts";
import { type BankProcess, quickTakeover, startBank } from "./bank-process.ts";
import { judgeOrders, lookAfter } from "./kills.ts";
import { type EarlierBuild, unpackLastRelease } from "./last-release.ts";
import { type OrderStream, startOrders } from "./order-stream.ts";
import { startServer } from "./postgres-server.ts";
import { compareAnswers, loadJourneys } from "./replay.ts";

/** How many orders each stage of the upgrade must see. */
export type UpgradeOptions = {
  ordersPerStage: number;
  history?: History;
  onProgress?(text: string): void;
};

/** The result of the upgrade. */
export type UpgradeReport = {
  /** The last release; null if git does not have it. */
  from: string | null;
  /** Why nothing was tried; null if it was. */
  skipped: string | null;
  applied: number;
  acknowledged: number;
  replayed: number;
  answers: Map<string, number>;
  findings: string[];
};

/**
 * Upgrades a bank under a load of signed orders, as docs/upgrading.md describes: the last release
 * serves; its database is migrated; a process of this version is added; the old process is stopped.
 * Orders must go on in each stage. The journeys of the last release get the same answers from both
 * versions. At the end, the model judges what the TPP was told and what the database has.
 */
export async function upgradeUnderLoad(options: UpgradeOptions): Promise<UpgradeReport> {
  const report: UpgradeReport = {
    from: null,
    skipped: null,
    applied: 0,
    acknowledged: 0,
    replayed: 0,
    answers: new Map(),
    findings: [],
  };
  const earlier = unpackLastRelease();
  if (typeof earlier === "string") return { ...report, skipped: earlier };
  const folder = mkdtempSync(join(tmpdir(), "aldgate-upgrade-"));
  const server = await startServer();
  const banks: BankProcess[] = [];
  try {
    const url = await server.createDatabase("bank");
    await upgrade({ ...options, url, folder, earlier, banks }, report);
    return report;
  } finally {
    for (const bank of banks) if (bank.isAlive()) await bank.kill();
    await server.stop();
    earlier.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Scene = UpgradeOptions & {
  url: string;
  folder: string;
  earlier: EarlierBuild;
  /** Those to which orders are sent. */
  banks: BankProcess[];
};

async function upgrade(scene: Scene, report: UpgradeReport): Promise<void> {
  const { url, folder, earlier, banks, ordersPerStage } = scene;
  const { onProgress = () => undefined, history = new History() } = scene;
  report.from = earlier.name;
  for (const line of ["migrate", "seed --newest 20"]) runEarlier(scene, line);
  const settings = { DATABASE_URL: url, ...quickTakeover };
  const old = await startBank(folder, settings, { root: earlier.root });
  banks.push(old);
  const journeys = await loadJourneys(earlier.root);
  const before = await journeys.send(old);
  const database = await openPostgres(url, 2);
  // rows as the earlier version stores them
  const { prepareOrders }: typeof prepareModule = await import(
    pathToFileURL(join(earlier.root, "bench/lib/prepare-orders.ts")).href
  );
  const stream = await startOrders(banks, database, {
    // more orders than there is time for
    orders: ordersPerStage * 10 + 4000,
    lanes: 4,
    pauseMs: 200,
    history,
    prepare: prepareOrders,
  });
  const stage = async (name: string): Promise<void> => {
    report.findings.push(
      ...(await untilAcknowledged(stream, ordersPerStage, name)),
      ...(await lookAfter(name, url, banks, stream)),
    );
    onProgress(`${name}: ${stream.acknowledged()} orders`);
  };
  await stage(`${earlier.name} alone`);
  report.applied = (await migrate(database)).length;
  await stage(`${earlier.name} on the new schema`);
  await database.close();
  const next = await startBank(folder, settings);
  banks.push(next);
  await stage("both versions");
  const after = await journeys.send(next);
  report.replayed = after.length;
  report.findings.push(...compareAnswers(before, after));
  banks.splice(banks.indexOf(old), 1);
  const code = await old.close();
  if (code !== 0) report.findings.push(`the old process ended with ${code}`);
  await stage("the new version alone");
  await stream.finish();
  report.findings.push(
    ...stream.faults,
    ...old.log.map((line) => `the old process logged ${line}`),
    ...next.log.map((line) => `the new process logged ${line}`),
    ...(await judgeOrders(url, stream)),
  );
  report.acknowledged = stream.acknowledged();
  report.answers = stream.answers;
}

/** Runs a command of the earlier build. */
function runEarlier({ earlier, url, folder }: Scene, line: string): void {
  const main = join(earlier.root, "src/main.ts");
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...line.split(" ")], {
    env: { PATH: process.env.PATH ?? "", DATABASE_URL: url, ALDGATE_DATA: folder },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${earlier.name} ${line}: ${stdout}${stderr}`);
}

/** Waits for so many more orders. */
async function untilAcknowledged(
  stream: OrderStream,
  orders: number,
  when: string,
): Promise<string[]> {
  const wanted = stream.acknowledged() + orders;
  const deadline = performance.now() + patienceMs;
  while (stream.acknowledged() < wanted) {
    if (performance.now() > deadline) return [`${when}: fewer than ${orders} orders were made`];
    await delay(50);
  }
  return [];
}
