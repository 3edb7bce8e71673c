import { fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startPostgres } from "#test/postgres.ts";
import { readArguments, seeding, usage } from "./lib/arguments.ts";
import { isQuick, type Verdict, verdictLine } from "./lib/report.ts";

// `npm run bench`, or `npm run bench -- --quick` for a quick look of about two minutes. Each
// benchmark is a separate process; all use one PostgreSQL server. `-- --help` lists them.

function run(wanted: string, environment: NodeJS.ProcessEnv): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  const [name = "", ...values] = wanted.split("=");
  const file = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
  const child = fork(file, [...values, ...(isQuick ? ["--quick"] : [])], { env: environment });
  child.on("message", (verdict) => verdicts.push(verdict as Verdict)); // sent by `conclude`
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code) => {
      if (code === 0) resolve(verdicts);
      else reject(new Error(`${name} ended with ${code}`));
    });
  });
}

const wanted = readArguments(process.argv.slice(2));
if (wanted.does === "help") {
  console.log(usage);
  process.exit(0);
}
if (wanted.does === "refuse") {
  console.error(wanted.message);
  process.exit(2);
}
const memory = `${(totalmem() / 2 ** 30).toFixed(0)} GB`;
const model = cpus()[0]?.model ?? "unknown processor";
console.log(`${availableParallelism()} cores (${model}), ${memory}, Node ${process.version}`);
const startedAt = performance.now();
const postgres = await startPostgres({ flushes: true });
const folder = mkdtempSync(join(tmpdir(), "aldgate-bench-"));
const verdicts: Verdict[] = [];
const failed: string[] = [];
try {
  const environment = {
    ...process.env,
    TEST_POSTGRES_URL: postgres.url,
    ...(wanted.names[0] === seeding && {
      BENCH_SEEDED_DATABASE: `bench_seeded_${process.pid}`,
      BENCH_SEEDED_FOLDER: folder,
    }),
  };
  for (const name of wanted.names) {
    await run(name, environment).then(
      (some) => verdicts.push(...some),
      (error: Error) => failed.push(error.message),
    );
  }
} finally {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
console.log(`\nAll of it, in ${((performance.now() - startedAt) / 1000).toFixed(0)} s:`);
for (const verdict of verdicts) console.log(verdictLine(verdict));
for (const message of failed) console.error(message);
if (failed.length > 0) process.exitCode = 1;
