// Simulates banks in a process of its own, because embedded databases never return their memory.
// The argument is the plan in JSON; the report is written to the standard output.
import { keysInTurn } from "#src/testing/template.ts";
import { runSimulations, type SimulationPlan } from "./run-simulations.ts";

const { keys, ...plan }: SimulationPlan & { keys: string } = JSON.parse(process.argv[2] ?? "");
const report = await runSimulations({ ...plan, generateKey: keysInTurn(keys) });
process.stdout.write(`${JSON.stringify(report)}\n`, () => process.exit(0));
