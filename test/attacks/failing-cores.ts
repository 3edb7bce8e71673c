import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { verifyInvariants } from "#src/server/health/verify-invariants.ts";
import { describeBreach } from "#src/storage/invariants.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import type { BrokenCore } from "#test/connector/kit/broken-core.ts";
import { bankFile, createKitCustomers } from "#test/connector/kit/served-core.ts";
import { freePort } from "#test/free-port.ts";
import { History } from "#test/model/history.ts";
import { describe as describeFinding } from "#test/model/judge.ts";
import { until } from "#test/until.ts";
import { type BankProcess, quickTakeover, startBank } from "./bank-process.ts";
import { type Compared, compareWithCore, type JudgedFinding } from "./compare-with-core.ts";
import { createLoadTpp, type LoadReport, type Payer, startCoreLoad } from "./core-load.ts";
import { createDraw, type Draw } from "./fuzz/draw.ts";
import { fillDatabase } from "./kills.ts";
import { startServer } from "./postgres-server.ts";

/** The cores to run behind the banks, and the seed that decides when something is killed. */
export type CoresOptions = {
  cores: readonly BrokenCore[];
  seed: number;
  /** Where the calls are recorded. */
  history?: History;
  onProgress?(text: string): void;
};

/** The result of the attack with one core. */
export type CoreReport = Pick<Compared, "states"> & {
  name: string;
  load: LoadReport;
  /** How many wrong outcomes of the core `./aldgate reconcile` lists. */
  listed: number;
  findings: string[];
};

/** The result of the attack. */
export type CoresReport = {
  cores: CoreReport[];
  kills: { core: number; bank: number };
  findings: string[];
};

/**
 * Cores that give wrong outcomes of payments, by the cases that catch them. Aldgate cannot know, so
 * orders differ from the core's books. But nothing is paid twice, and `./aldgate reconcile` lists
 * each difference.
 */
const liars: ReadonlySet<string> = new Set(["K4-12", "K4-24"]);

const { own, empty = "" } = bankFile.accounts;
const login = bankFile.customers[0]?.login ?? "";
const rich: Payer = { login, accountId: own };
const poor: Payer = { login, accountId: empty };

/**
 * Runs two banks on one database, with each of these cores in turn behind them over HTTP. Under a
 * load of orders, approvals and reads, the core is killed and stays away for a while, and a bank is
 * killed. Then the model judges what the TPP was told, with the orders and the core's payments.
 */
export async function attackCores(options: CoresOptions): Promise<CoresReport> {
  const { cores, seed, history = new History(), onProgress = () => undefined } = options;
  const folder = mkdtempSync(join(tmpdir(), "aldgate-cores-"));
  const server = await startServer();
  const banks: BankProcess[] = [];
  const report: CoresReport = { cores: [], kills: { core: 0, bank: 0 }, findings: [] };
  const place = { url: await server.createDatabase("core"), port: await freePort() };
  let core: CoreProcess | null = null;
  try {
    await fillCore(place.url);
    const bankUrl = await server.createDatabase("bank");
    const settings = {
      DATABASE_URL: bankUrl,
      BANK_URL: `http://127.0.0.1:${place.port}`,
      BANK_BREAKER_RETRY_MS: "500",
      ...quickTakeover,
    };
    const draw = createDraw(seed);
    for (const broken of cores) {
      core = await startCore(place, broken);
      // one after the other, because the first makes the keys
      while (banks.length < 2) banks.push(await startBank(folder, settings));
      const { kills } = report;
      const scene = { banks, core, draw, bankUrl, coreUrl: place.url, kills, history };
      const found = await attackOne(broken, scene);
      report.cores.push(found);
      report.findings.push(...found.findings.map((finding) => `${broken.name}: ${finding}`));
      onProgress(describe(found));
      await core.kill();
    }
    report.findings.push(...(await findBreaches(bankUrl)));
    return report;
  } finally {
    for (const bank of banks) if (bank.isAlive()) await bank.kill();
    await core?.kill();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function findBreaches(url: string): Promise<string[]> {
  const database = await openPostgres(url, 1, { statementSeconds: 0, transactionSeconds: 0 });
  const breaches = await verifyInvariants(database, { hasOwnCore: true });
  await database.close();
  return breaches.map(describeBreach);
}

async function fillCore(url: string): Promise<void> {
  await fillDatabase(url);
  const database = await openPostgres(url, 1);
  await createKitCustomers(database);
  await database.close();
}

type Scene = {
  banks: readonly BankProcess[];
  core: CoreProcess;
  draw: Draw;
  bankUrl: string;
  coreUrl: string;
  kills: CoresReport["kills"];
  history: History;
};

async function attackOne({ name, caughtBy }: BrokenCore, scene: Scene): Promise<CoreReport> {
  const { banks, core, draw, kills, bankUrl, coreUrl, history } = scene;
  const since = Temporal.Now.instant();
  const [issuer] = banks as [BankProcess];
  await until(
    () => fetch(`${issuer.publicUrl}/health/ready`),
    ({ status }) => status === 200,
  );
  const places = await createLoadTpp(banks, history);
  const load = await startCoreLoad({ places, rich, poor });
  try {
    await delay(800 + draw.below(800));
    await core.kill();
    // orders go on meanwhile, and are made in larger batches afterwards
    await delay(500 + draw.below(1500));
    await core.open();
    kills.core += 1;
    await delay(800 + draw.below(800));
    const bank = draw.pick(banks);
    await bank.kill();
    await bank.reopen();
    kills.bank += 1;
    await delay(200 + draw.below(600));
  } finally {
    await load.finish();
    for (const { client } of places) client.close();
  }
  const clientId = places[0]?.client.tpp.clientId ?? "";
  const compared = await compareWithCore({ bankUrl, coreUrl, clientId, history, since });
  const isMeant = ({ isListed }: JudgedFinding): boolean => liars.has(caughtBy) && isListed;
  const unmeant = compared.findings.filter((one) => !isMeant(one));
  const findings = [
    ...load.report.faults,
    ...(compared.isDone ? [] : ["the banks have not done what is due"]),
    ...unmeant.map(describeFinding),
  ];
  // two rules may be about one wrong outcome
  const wrong = compared.findings.filter(({ isListed }) => isListed);
  const listed = new Set(wrong.map(({ subject }) => subject)).size;
  return { name, load: load.report, states: compared.states, listed, findings };
}

/** A core in a process of its own. */
type CoreProcess = { kill(): Promise<void>; open(): Promise<void> };

const program = fileURLToPath(new URL("core-process.ts", import.meta.url));

async function startCore(
  { url, port }: { url: string; port: number },
  { name }: BrokenCore,
): Promise<CoreProcess> {
  let child: ChildProcess | null = null;
  const core: CoreProcess = {
    async open() {
      const line = [program, url, String(port), name];
      const started = spawn(process.execPath, line, { stdio: ["ignore", "pipe", "inherit"] });
      child = started;
      await Promise.race([
        once(createInterface(started.stdout), "line"),
        once(started, "exit").then(() => Promise.reject(new Error("the core ended"))),
      ]);
    },
    async kill() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
  await core.open();
  return core;
}

/** One line about the attack with a core. */
function describe({ name, load, states, listed, findings }: CoreReport): string {
  const { acknowledged, approvals, reads } = load;
  const counted = Object.entries(states).map(([state, times]) => `${state} ${times}`);
  return (
    `a core that ${name}: ${acknowledged} orders (${counted.join(", ")}), ` +
    `${approvals.made} of ${approvals.made + approvals.failed} approvals, ${reads} reads, ` +
    `${listed} wrong outcomes that reconcile lists, ` +
    `${findings.length} findings`
  );
}
