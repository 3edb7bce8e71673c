import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Part, type PartOptions, sized } from "./part.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The times at which the tests run, and what is special about each. */
const moments: readonly [at: string, what: string][] = [
  ["2026-12-31T23:46:00Z", "the last minutes of a year"],
  ["2027-06-30T22:46:00Z", "the last minutes of a month in London, but not in UTC"],
  ["2028-02-29T12:00:00Z", "29 February"],
  ["2030-06-15T12:00:00Z", "a Saturday, years later"],
  ["2027-03-28T00:52:00Z", "a Sunday, on which the clocks go forward"],
  ["2027-10-31T00:52:00Z", "a Sunday, on which the clocks go back"],
  ["2036-12-26T12:00:00Z", "a holiday after the last one that the bank knows"],
];

// these kill processes under load, or test files and not the bank
const leftOut = ["attacks", "outages", "containers", "tidy"];

/** The part that runs the tests at other times, with libfaketime in every process. */
export const datesPart: Part = {
  name: "dates",
  about: `the tests of the embedded database at ${moments.length} other times`,
  async run(options) {
    const library = findLibrary();
    if (library === null) return skip("libfaketime is absent (Debian: apt install libfaketime)");
    const files = findTests(options.only);
    if (files.length === 0)
      return skip(`no test file has ${options.only.join(" or ")} in its name`);
    const folder = mkdtempSync(join(tmpdir(), "aldgate-dates-"));
    const findings: string[] = [];
    const wanted = wantedMoments(options);
    for (const [at, what] of wanted) {
      const log = join(folder, `${at.replaceAll(":", "")}.log`);
      const failed = await runAt(at, files, { library, log });
      findings.push(...failed.map((test) => `${at}, ${what}: ${test}`));
      options.say(`${at}, ${what}: ${failed.length} tests failed; the output is in ${log}`);
    }
    return { counts: { times: wanted.length, "test files": files.length }, findings };
  },
};

const skip = (skipped: string) => ({ counts: {}, findings: [], skipped });

function wantedMoments(options: PartOptions): readonly [at: string, what: string][] {
  const { begin } = options;
  if (begin === null) return moments.slice(0, sized(moments.length, options));
  return [[Temporal.Instant.from(begin).toString(), "the given time"]];
}

function findLibrary(): string | null {
  if (process.platform !== "linux") return null;
  const places = ["/usr/lib", ...readdirSync("/usr/lib").map((name) => `/usr/lib/${name}`)];
  const files = places.map((place) => `${place}/faketime/libfaketimeMT.so.1`);
  return files.find((file) => existsSync(file)) ?? null;
}

function findTests(only: readonly string[]): string[] {
  const found = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" });
  return found
    .filter(
      (file) => file.endsWith(".test.ts") && !leftOut.some((one) => file.startsWith(`${one}/`)),
    )
    .map((file) => `test/${file}`)
    .filter((file) => only.length === 0 || only.some((part) => file.includes(part)));
}

/** Runs the files at a time, with the output in a log. Returns the tests that failed. */
async function runAt(
  at: string,
  files: string[],
  { library, log }: { library: string; log: string },
): Promise<string[]> {
  const ahead = Temporal.Now.instant().until(at, { largestUnit: "seconds" }).seconds;
  const output = openSync(log, "w");
  const runner = spawn(process.execPath, ["scripts/run.mjs", "test", ...files], {
    cwd: root,
    stdio: ["ignore", output, output],
    env: {
      ...process.env,
      LD_PRELOAD: library,
      FAKETIME: `${ahead < 0 ? "" : "+"}${ahead}s`,
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
    },
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    runner.on("error", reject);
    runner.on("exit", resolve);
  });
  closeSync(output);
  const failed = failedTests(readFileSync(log, "utf8").split("\n"));
  return code === 0 || failed.length > 0 ? failed : [`the tests ended with ${code}: ${log}`];
}

/** The failed tests at the end of the runner's output, each a line with its place and its title. */
const failedTests = (lines: readonly string[]): string[] =>
  lines.flatMap((line, index) =>
    line.startsWith("test at ") ? [`${line.slice("test at ".length)} ${lines[index + 1]}`] : [],
  );
