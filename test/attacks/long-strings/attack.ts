import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadConfig } from "#src/config/config.ts";
import { corePath } from "#src/connector/core-rows.ts";
import { systemClock } from "#src/lib/clock.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { listOperations } from "#src/server/routes/list-operations.ts";
import { openServedBank } from "#src/server/sandbox/served-bank.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { type BankProcess, startBank } from "#test/attacks/bank-process.ts";
import { createDraw, type Draw } from "#test/attacks/fuzz/draw.ts";
import { createGun, type Gun, type Shot } from "#test/attacks/fuzz/shot.ts";
import { createSurroundings } from "#test/attacks/fuzz/world.ts";
import { serveAsIs } from "#test/connector/kit/served-core.ts";
import { freePort } from "#test/free-port.ts";
import { copySeeded } from "#test/harness.ts";
import { unreached } from "./excused.ts";
import { routeTargets } from "./route-targets.ts";
import type { Served } from "./served.ts";
import { shapes } from "./shapes.ts";
import type { Target } from "./target.ts";
import { listTargets } from "./targets.ts";
import type { Watched } from "./watch.ts";

/** What to send. */
export type LongStringOptions = {
  seed: number;
  /** The share of all shapes in all places, at most 1; null sends one string per member. */
  share: number | null;
  /** Whether the process records its regular expressions, which makes them slow. */
  recordsExpressions: boolean;
  /**
   * Creates a database of PostgreSQL and returns its URL. Without it, banks have embedded ones,
   * which work in their own processes.
   */
  createDatabase?(name: string): Promise<string>;
  onProgress?(done: number, all: number): void;
};

/** How long the event loop stopped during a request, and how long it worked in one turn. */
export type Stop = { name: string; ms: number; busyMs: number };

/** The result of the attack. */
export type LongStringReport = {
  sent: number;
  places: number;
  statuses: Map<number, number>;
  /** The stops of the event loop with the most work, the longest first. */
  stops: Stop[];
  expressions: Watched["expressions"];
  /** The routes of the listeners that no string reaches, and reasons that no route needs. */
  unreached: string[];
  findings: string[];
};

const stopsKept = 20;
const atOnce = 8;
// requests that together cause more work than this in one turn are sent again one by one
const suspiciousMs = 25;

/** Opens banks in processes of their own, and sends long strings to them. */
export async function sendLongStrings(options: LongStringOptions): Promise<LongStringReport> {
  const report: LongStringReport = {
    sent: 0,
    places: 0,
    statuses: new Map(),
    stops: [],
    expressions: [],
    unreached: [],
    findings: [],
  };
  await withBank(options, await storage(options, "strings"), (opened) =>
    attack(opened, options, report),
  );
  // only a bank with a core of its own has routes for the core
  const { url, close } = await openCore(options);
  try {
    const settings = { BANK_URL: url, ...(await storage(options, "strings_own_core")) };
    await withBank(options, settings, (opened) => attackFromCore(opened, options, report));
  } finally {
    await close();
  }
  return report;
}

/** The setting of a bank's database. */
async function storage(
  { createDatabase }: LongStringOptions,
  name: string,
): Promise<Record<string, string>> {
  return createDatabase ? { DATABASE_URL: await createDatabase(name) } : {};
}

/** Serves the sandbox's bank as a core. */
async function openCore({ createDatabase }: LongStringOptions) {
  const database = createDatabase
    ? await openPostgres(await createDatabase("strings_core"))
    : await copySeeded();
  const { core, stop } = await openServedBank({
    config: loadConfig({}),
    database,
    clock: systemClock,
    onProgress: () => undefined,
  });
  const { url, close } = await serveAsIs(core);
  return {
    url,
    async close() {
      await close();
      await stop();
      await database.close();
    },
  };
}

type Opened = { bank: BankProcess; watcher: string; managementUrl: string; token: string };

async function withBank(
  { recordsExpressions }: LongStringOptions,
  settings: Record<string, string>,
  use: (opened: Opened) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "aldgate-strings-"));
  const [port, management] = [await freePort(), await freePort()];
  const token = `${randomUUID()}-${randomUUID()}`;
  const bank = await startBank(
    folder,
    {
      LOGIN_FAILURES_PER_MINUTE: "0",
      REGISTRATION_PER_MINUTE: "0",
      WATCH_PORT: String(port),
      MANAGEMENT_PORT: String(management),
      CHANNELS_TOKEN: token,
      APP_TOKEN: token,
      BANK_TOKEN: token,
      ...(recordsExpressions ? { WATCH_EXPRESSIONS: "yes" } : {}),
      ...settings,
    },
    { preload: fileURLToPath(new URL("./watch.ts", import.meta.url)) },
  );
  try {
    const watcher = `http://127.0.0.1:${port}`;
    await use({ bank, watcher, managementUrl: `http://127.0.0.1:${management}`, token });
  } finally {
    if (bank.isAlive()) await bank.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Sent = { name: string; target: Target; shot: Shot };
type Choice = { target: Target; shape: string };

/** Every shape in every place or a share of them; or one shape for each member. */
function choose(targets: Target[], share: number | null, draw: Draw): Choice[] {
  const names = Object.keys(shapes);
  if (share === null) {
    // the first place of each, which is that of a consent if consents have the member
    const places = new Map(targets.toReversed().map((target) => [memberOf(target), target]));
    // the bank normalises amounts
    const shapesOf = (target: Target): string[] =>
      target.name.endsWith("SupplementaryData.Amount") ? names : [draw.pick(names)];
    const chosen = new Set([...places.values(), ...someOfEachRoute(targets, draw)]);
    return [...chosen].flatMap((target) => shapesOf(target).map((shape) => ({ target, shape })));
  }
  const all = targets.flatMap((target) => names.map((shape) => ({ target, shape })));
  return all.filter(() => draw.chance(share));
}

/** A place of each route, and another in its body if it has one. */
function someOfEachRoute(targets: Target[], draw: Draw): Target[] {
  const ofRoutes = Map.groupBy(targets, ({ route }) => route).values();
  return [...ofRoutes].flatMap((places) => {
    const inBody = places.filter(({ isBody }) => isBody);
    return [draw.pick(places), ...(inBody.length > 0 ? [draw.pick(inBody)] : [])];
  });
}

/** The member that a place is, with the object that has it: `InstructedAmount.Amount`. */
const memberOf = ({ name }: Target): string => name.split(/[ .]/).slice(-2).join(".");

async function attack(
  opened: Opened,
  options: LongStringOptions,
  report: LongStringReport,
): Promise<void> {
  const world = await createSurroundings(opened.bank);
  const gun = createGun(world.actors.map(({ client }) => client.tpp));
  try {
    const served = await servedBy(opened);
    const targets = await listTargets(world, served);
    report.unreached.push(...unreached(served, targets, listOperations(paymentKinds)));
    await volley(opened, { gun, targets }, options, report);
  } finally {
    gun.close();
    world.close();
  }
}

/** Sends long strings to what the bank's core may call. */
async function attackFromCore(
  opened: Opened,
  options: LongStringOptions,
  report: LongStringReport,
): Promise<void> {
  const { management, ...rest } = await servedBy(opened);
  const own = { ...rest, bank: [], management: management.filter((one) => one.includes(corePath)) };
  const targets = routeTargets({ address: opened.bank }, own, []);
  report.unreached.push(...unreached(own, targets, []).filter((one) => one.includes(corePath)));
  const gun = createGun([]);
  try {
    await volley(opened, { gun, targets }, options, report);
  } finally {
    gun.close();
  }
}

/** Asks the process which routes its listeners have. */
async function servedBy({ watcher, managementUrl, token }: Opened): Promise<Served> {
  const { routes } = (await (await fetch(watcher)).json()) as Watched;
  const management = routes.find((own) => own.includes("GET /metrics")) ?? [];
  const bank = routes.filter((own) => own !== management).flat();
  return { bank, management, managementUrl, token };
}

/** Sends strings to places of one process, and adds what happens to the report. */
async function volley(
  { bank, watcher }: Opened,
  { gun, targets }: { gun: Gun; targets: Target[] },
  { seed, share, recordsExpressions, onProgress }: LongStringOptions,
  report: LongStringReport,
): Promise<void> {
  const watch = async (path = "/"): Promise<Watched> =>
    (await fetch(`${watcher}${path}`)).json() as Promise<Watched>;
  report.places += targets.length;
  const fire = async ({ name, shot, target }: Sent): Promise<void> => {
    const hit = await gun.fire(shot).catch((error: NodeJS.ErrnoException) => error);
    report.sent += 1;
    const status = hit instanceof Error ? 0 : hit.status;
    report.statuses.set(status, (report.statuses.get(status) ?? 0) + 1);
    // the bank may close a connection on which it has refused a body
    if (hit instanceof Error && !["ECONNRESET", "EPIPE"].includes(hit.code ?? "")) {
      report.findings.push(`${name}: no answer: ${hit.message}`);
    }
    // the string has reached nothing
    if (status === 413) report.findings.push(`${name}: the body was not read`);
    if (status === 403 && target.isForm) report.findings.push(`${name}: the form was not read`);
    if (status >= 500 && status !== 503) report.findings.push(`${name}: ${status}`);
  };
  const send = async (choices: readonly Choice[]): Promise<void> => {
    const made = choices.map(async ({ target, shape }) => {
      const name = `${target.name}: ${shape}`;
      try {
        return { name, target, shot: await target.make(shapes[shape] ?? "a") };
      } catch (error) {
        report.findings.push(`${name}: could not be made: ${(error as Error).message}`);
        return [];
      }
    });
    const shots = (await Promise.all(made)).flat();
    const fireAll = () => Promise.all(shots.map(fire));
    if (recordsExpressions) return void (await fireAll());
    await watch("/begin");
    await fireAll();
    const { longestMs: ms, busiestMs: busyMs } = await watch();
    if (busyMs > suspiciousMs && choices.length > 1) {
      for (const choice of choices) await send([choice]);
      return;
    }
    report.stops.push({ name: shots.map(({ name }) => name).join("; "), ms, busyMs });
    report.stops.sort((one, other) => other.busyMs - one.busyMs).splice(stopsKept);
  };
  // what first requests compile is no stop that a string causes
  const requests = new Map(targets.map((target) => [target.name.split(" ", 2).join(), target]));
  const before = [...report.stops];
  for (const target of requests.values()) await send([{ target, shape: "one letter" }]);
  report.stops = before;
  const chosen = choose(targets, share, createDraw(seed));
  for (let at = 0; at < chosen.length; at += atOnce) {
    if (at % 1000 < atOnce) onProgress?.(at, chosen.length);
    await send(chosen.slice(at, at + atOnce));
  }
  report.expressions.push(...(await watch()).expressions);
  for (const line of bank.log) report.findings.push(`in the log: ${line.slice(0, 300)}`);
}
