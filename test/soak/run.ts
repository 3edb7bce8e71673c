// `npm run soak`: the attacks at full size. Each part is a row of parts.ts; `--help` lists them.
import { randomInt } from "node:crypto";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect, parseArgs } from "node:util";
import { History } from "#test/model/history.ts";
import { judgeFile } from "#test/model/judge-file.ts";
import type { Outcome, Part, PartOptions } from "./part.ts";
import { parts } from "./parts.ts";

const usage = `npm run soak -- [parts] [options]

Attacks banks on this machine at full size: minutes for each part. Exits 1 at any finding.

Parts (all of them unless some are named):
${parts.map(({ name, about }) => `  ${name.padEnd(14)} ${about}`).join("\n")}

Options:
  --seed <number>     the same seed makes the same attack; drawn and printed unless given
  --size <share>      share of the full size, such as 0.1; the default is 1
  --judge <file>      attacks nothing, and judges the history of an earlier run again
  --request <number>  fuzz: sends only the request with this number, and shows it with its answer
  --banks <number>    simulate: how many banks, in place of the size
  --begin <time>      simulate: when the time of the banks begins, as a finding names it
  --path <path>       simulate: only the bank of the seed with this path, as a finding names it
  --replay <text>     simulate: only these commands of this bank
  --only <faults>     cluster: strikes only with these faults, such as host,partition
  --help              shows this text`;

type Given = { wanted: Part[]; options: Omit<PartOptions, "history">; judged: string | null };

/** Parses the command line. Returns null if it only asks for help. */
function readOptions(line: string[]): Given | null {
  const { values, positionals } = parseArgs({
    args: line,
    allowPositionals: true,
    options: {
      seed: { type: "string" },
      size: { type: "string" },
      request: { type: "string" },
      only: { type: "string" },
      judge: { type: "string" },
      banks: { type: "string" },
      begin: { type: "string" },
      path: { type: "string" },
      replay: { type: "string" },
      help: { type: "boolean" },
    },
  });
  if (values.help) return null;
  const unknown = positionals.find((name) => !parts.some((part) => part.name === name));
  if (unknown !== undefined) throw new Error(`there is no part "${unknown}"`);
  const size = Number(values.size ?? 1);
  if (!(size > 0 && size <= 1)) throw new Error("--size must be a share above 0, at most 1");
  const seed = values.seed === undefined ? randomInt(1_000_000) : readNumber("seed", values.seed);
  const request = values.request === undefined ? null : readNumber("request", values.request);
  const only = values.only === undefined ? [] : values.only.split(",");
  return {
    wanted: parts.filter(({ name }) => positionals.length === 0 || positionals.includes(name)),
    options: {
      seed,
      size,
      request,
      only,
      banks: values.banks === undefined ? null : readNumber("banks", values.banks),
      begin: values.begin ?? null,
      path: values.path ?? null,
      replay: values.replay ?? null,
      say: () => undefined,
    },
    judged: values.judge ?? null,
  };
}

function readNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} must be a number of at most 9 digits`);
  return Number(text);
}

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
