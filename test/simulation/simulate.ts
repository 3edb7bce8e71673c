import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { generateRsaKey } from "#src/sandbox/directory/keys.ts";
import type { SimulationPlan, SimulationReport } from "./run-simulations.ts";
import { usualBeginning, writeTemplate } from "./template.ts";

const run = promisify(execFile);
const checkout = fileURLToPath(new URL("../..", import.meta.url));
const keyCount = 7;
const mostOutput = 64 * 2 ** 20;
// Simulations allocate much and keep little.
const nodeOptions = ["--max-semi-space-size=32"];

/**
 * The most banks that one process simulates, because an embedded database never returns its memory.
 */
export const banksOfProcess = 10;

/** What every simulation of a run needs: a database to copy, and keys. */
export type SimulationGround = {
  folder: string;
  template: string;
  keys: string;
  beginning: string;
};

/** Prepares simulations. */
export async function prepareGround(beginning: string = usualBeginning): Promise<SimulationGround> {
  const folder = mkdtempSync(join(tmpdir(), "aldgate-simulations-"));
  const ground = {
    folder,
    beginning,
    template: join(folder, "template.tar"),
    keys: join(folder, "keys.json"),
  };
  const keys = await Promise.all(Array.from({ length: keyCount }, generateRsaKey));
  writeFileSync(ground.keys, JSON.stringify(keys), { mode: 0o600 });
  await writeTemplate(ground.template, beginning);
  return ground;
}

export const removeGround = ({ folder }: SimulationGround): void =>
  rmSync(folder, { recursive: true, force: true });

/** Simulates banks in a process of its own, with the source in `root`. */
export async function simulateApart(
  { folder: _, ...ground }: SimulationGround,
  plan: Pick<
    SimulationPlan,
    "seed" | "runs" | "commands" | "path" | "replay" | "shrinks" | "planted"
  >,
  root = checkout,
): Promise<SimulationReport> {
  const given = JSON.stringify({ ...plan, ...ground });
  const line = [...nodeOptions, join(root, "test/simulation/child.ts"), given];
  const { stdout } = await run(process.execPath, line, { maxBuffer: mostOutput });
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
}
