// `npm run soak`: the attacks at full size. Each part is a row of parts.ts; `--help` lists them.
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { History } from "#test/model/history.ts";
import { judgeFile } from "#test/model/judge-file.ts";
import { type Given, readOptions, usage } from "./options.ts";
import type { Outcome, Part } from "./part.ts";

const mostShown = 40;

/** Judges the history of an earlier run. Returns the exit code. */
function judgeAgain(file: string): number {
  const { findings, calls, rules } = judgeFile(file);
  for (const finding of findings) console.log(`FINDING  ${finding}`);
  console.log(`${calls} calls, ${rules} rules, ${findings.length} findings`);
  return findings.length > 0 ? 1 : 0;
}

/** Runs a part. If its attack cannot be carried out, that is a finding too. */
async function runPart(part: Part, options: Given["options"]): Promise<Outcome> {
  const startedAt = performance.now();
  const seconds = (): string => `${((performance.now() - startedAt) / 1000).toFixed(0)} s`;
  console.log(`\n${part.name}: ${part.about}`);
  const say = (text: string): void => console.log(`  ${seconds().padStart(6)}  ${text}`);
  const file = join(tmpdir(), `aldgate-history-${part.name}-${options.seed}-${process.pid}.jsonl`);
  const history = new History(file);
  let outcome: Outcome;
  try {
    outcome = await part.run({ ...options, say, history });
  } catch (error) {
    outcome = { counts: {}, findings: [`the part failed: ${inspect(error)}`] };
  }
  history.close();
  const calls = history.calls().length;
  if (outcome.skipped) console.log(`  SKIPPED  ${outcome.skipped}`);
  for (const finding of outcome.findings.slice(0, mostShown)) console.log(`  FINDING  ${finding}`);
  if (outcome.findings.length === 0 || calls === 0) rmSync(file);
  else {
    console.log(`  The history is in ${file}. To judge it again:`);
    console.log(`  npm run soak -- --judge ${file}`);
  }
  const judged = calls > 0 ? { "judged calls": calls } : {};
  return { ...outcome, counts: { ...outcome.counts, ...judged, time: seconds() } };
}

async function main(): Promise<number> {
  const given = readOptions(process.argv.slice(2));
  if (!given) {
    console.log(usage);
    return 0;
  }
  const { wanted, options, judged } = given;
  if (judged !== null) return judgeAgain(judged);
  const again = options.size === 1 ? "" : ` --size ${options.size}`;
  console.log(`Seed ${options.seed}: the same again with --seed ${options.seed}${again}`);
  const outcomes: [Part, Outcome][] = [];
  for (const part of wanted) outcomes.push([part, await runPart(part, options)]);
  console.log("\nAll of it:");
  for (const [{ name }, { counts, findings, skipped }] of outcomes) {
    const verdict = skipped ? "skipped" : findings.length === 0 ? "holds" : "FINDINGS";
    console.log(`  ${name.padEnd(14)} ${verdict.padEnd(9)} ${findings.length} findings`);
    for (const [what, count] of Object.entries(counts)) {
      console.log(`    ${what.padEnd(24)} ${count}`);
    }
  }
  return outcomes.some(([, { findings }]) => findings.length > 0) ? 1 : 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(`${(error as Error).message}\n\n${usage}`);
  process.exitCode = 2;
}
