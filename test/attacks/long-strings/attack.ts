import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BankProcess, startBank } from "#test/attacks/bank-process.ts";
import { createDraw, type Draw } from "#test/attacks/fuzz/draw.ts";
import { createGun, type Shot } from "#test/attacks/fuzz/shot.ts";
import { createSurroundings } from "#test/attacks/fuzz/world.ts";
import { freePort } from "#test/free-port.ts";
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
  settings?: Record<string, string>;
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
  findings: string[];
};

const stopsKept = 20;
const atOnce = 8;
// requests that together cause more work than this in one turn are sent again one by one
const suspiciousMs = 25;

/** Opens a bank in a process of its own, and sends long strings to it. */
export async function sendLongStrings(options: LongStringOptions): Promise<LongStringReport> {
  const folder = mkdtempSync(join(tmpdir(), "aldgate-strings-"));
  const port = await freePort();
  const bank = await startBank(
    folder,
    {
      LOGIN_FAILURES_PER_MINUTE: "0",
      REGISTRATION_PER_MINUTE: "0",
      WATCH_PORT: String(port),
      ...(options.recordsExpressions ? { WATCH_EXPRESSIONS: "yes" } : {}),
      ...options.settings,
    },
    { preload: fileURLToPath(new URL("./watch.ts", import.meta.url)) },
  );
  try {
    return await attack(bank, `http://127.0.0.1:${port}`, options);
  } finally {
    if (bank.isAlive()) await bank.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

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
    return [...places.values()].flatMap((target) =>
      shapesOf(target).map((shape) => ({ target, shape })),
    );
  }
  const all = targets.flatMap((target) => names.map((shape) => ({ target, shape })));
  return all.filter(() => draw.chance(share));
}

/** The member that a place is, with the object that has it: `InstructedAmount.Amount`. */
const memberOf = ({ name }: Target): string => name.split(/[ .]/).slice(-2).join(".");

async function attack(
  bank: BankProcess,
  watcher: string,
  { seed, share, recordsExpressions, onProgress }: LongStringOptions,
): Promise<LongStringReport> {
  const world = await createSurroundings(bank);
  const targets = await listTargets(world);
  const gun = createGun(world.actors.map(({ client }) => client.tpp));
  const watch = async (path = "/"): Promise<Watched> =>
    (await fetch(`${watcher}${path}`)).json() as Promise<Watched>;
  const report: LongStringReport = {
    sent: 0,
    places: targets.length,
    statuses: new Map(),
    stops: [],
    expressions: [],
    findings: [],
  };
  const fire = async (name: string, shot: Shot): Promise<void> => {
    const hit = await gun.fire(shot).catch((error: NodeJS.ErrnoException) => error);
    report.sent += 1;
    const status = hit instanceof Error ? 0 : hit.status;
    report.statuses.set(status, (report.statuses.get(status) ?? 0) + 1);
    // the bank may close a connection on which it has refused a body
    if (hit instanceof Error && !["ECONNRESET", "EPIPE"].includes(hit.code ?? "")) {
      report.findings.push(`${name}: no answer: ${hit.message}`);
    }
    if (status >= 500 && status !== 503) report.findings.push(`${name}: ${status}`);
  };
  const send = async (choices: readonly Choice[]): Promise<void> => {
    const made = choices.map(async ({ target, shape }) => {
      const name = `${target.name}: ${shape}`;
      try {
        return { name, shot: await target.make(shapes[shape] ?? "a") };
      } catch (error) {
        report.findings.push(`${name}: could not be made: ${(error as Error).message}`);
        return [];
      }
    });
    const shots = (await Promise.all(made)).flat();
    const fireAll = () => Promise.all(shots.map(({ name, shot }) => fire(name, shot)));
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
  try {
    // what first requests compile is no stop that a string causes
    const requests = new Map(targets.map((target) => [target.name.split(" ", 2).join(), target]));
    for (const target of requests.values()) await send([{ target, shape: "one letter" }]);
    report.stops = [];
    const chosen = choose(targets, share, createDraw(seed));
    for (let at = 0; at < chosen.length; at += atOnce) {
      if (at % 1000 < atOnce) onProgress?.(at, chosen.length);
      await send(chosen.slice(at, at + atOnce));
    }
    report.expressions = (await watch()).expressions;
  } finally {
    gun.close();
    world.close();
  }
  for (const line of bank.log) report.findings.push(`in the log: ${line.slice(0, 300)}`);
  return report;
}
