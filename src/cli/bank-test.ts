import { execFile } from "node:child_process";
import { randomInt } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { type BankFile, readBankFile, WrongBankFile } from "#src/connector/kit/bank-file.ts";
import { countResults, htmlOf, junitOf, linesOf, toItem } from "#src/connector/kit/report.ts";
import { type CaseResult, kitGroups, kitIds, NoCore, runKit } from "#src/connector/kit/run-kit.ts";
import { openRequestSigner } from "#src/connector/sign-request.ts";
import { countOf } from "#src/lib/plain-text.ts";
import { deadlinesOf } from "#src/server/opening/open-core-at.ts";
import { serviceUrlMistake } from "#src/signing/remote-connection.ts";
import { type Cli, type Command, UsageError } from "./command.ts";
import { configOf } from "./load-config.ts";
import { readOptions, textOf } from "./options.ts";

const names = kitGroups.map(({ name }) => name);
const count = kitGroups.reduce((sum, { cases }) => sum + cases.length, 0);

/** `./aldgate bank test` */
export const command: Command = {
  name: "bank test",
  summary: "asks a core over HTTP whether it keeps the contract, case by case",
  usage: [
    "  ./aldgate bank test URL [options]",
    "  --bank FILE     says what the core has for tests; default: bank.json",
    "  --only GROUP    runs one group of cases; may be repeated",
    "  --case ID       runs one case, such as K4-12; may be repeated",
    "  --html FILE     writes a report for people",
    "  --junit FILE    writes a report for tools",
    "  --record DIR    writes every request with its answer, a file for each case",
    "  --seed N        repeats what was random in another run",
    "",
    `The groups of the ${countOf(count, "case", "cases")}:`,
    ...kitGroups.map(
      ({ id, name, about, cases }) =>
        `  ${name.padEnd(10)} ${id.padEnd(4)} ${about} (${cases.length})`,
    ),
    "",
    "The settings BANK_CA, BANK_CERTIFICATE, BANK_CERTIFICATE_KEY and BANK_SIGNING_KEY say how the kit",
    "connects, and the deadlines are those of Aldgate. Use test customers: the cases move their money.",
    "Exits with 0 if no case fails, with 1 if one fails, and with 2 if the file or the URL is wrong.",
  ].join("\n"),
  hasItems: true,
  json: {
    "": "one line for each case, {id, title, group, operations, rule, result, notes, failure}; then {passed, failed, notAsked, seed}",
  },
  next: [
    ["openapi bank-v1", "prints the contract"],
    ["start --bank URL", "opens a bank with this core"],
  ],
  async run(cli) {
    const given = readArguments(cli.arguments);
    const results = await runGiven(cli, given);
    const counts = countResults(results.all);
    const { passed, failed, notAsked } = counts;
    const line = `${countOf(passed, "case", "cases")} passed, ${failed} failed, ${notAsked} not asked.`;
    cli.print(line, { ...counts, seed: given.seed });
    const title = { url: given.url, core: results.core, at: cli.clock.now(), seed: given.seed };
    if (given.html !== undefined) write(given.html, htmlOf(title, results.all));
    if (given.junit !== undefined) write(given.junit, junitOf(title, results.all));
    return { lines: [], json: null, exitCode: failed > 0 ? 1 : 0 };
  },
};

type Given = {
  url: string;
  file: BankFile;
  only: readonly string[];
  ids: readonly string[];
  html: string | undefined;
  junit: string | undefined;
  record: string | undefined;
  seed: number;
};

function readArguments(words: string[]): Given {
  const text = { type: "string" } as const;
  const list = { type: "string", multiple: true } as const;
  const { values, rest } = readOptions(words, {
    bank: text,
    only: list,
    case: list,
    html: text,
    junit: text,
    record: text,
    seed: text,
  });
  const [url, ...more] = rest;
  if (url === undefined || more.length > 0) throw new UsageError("Name the URL of the core.");
  const mistake = serviceUrlMistake(url);
  if (mistake !== null) throw new UsageError(`The URL of the core: ${mistake}.`);
  const only = textsOf(values.only);
  const ids = textsOf(values.case);
  const wrong = only.find((name) => !names.includes(name));
  if (wrong !== undefined) throw new UsageError(`There is no group "${wrong}".`, names);
  const unknown = ids.find((id) => !kitIds.has(id));
  if (unknown !== undefined) throw new UsageError(`There is no case "${unknown}".`);
  const seed = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed);
  if (!Number.isInteger(seed) || seed < 0) throw new UsageError("--seed must be a whole number.");
  const path = textOf(values.bank) ?? "bank.json";
  const [html, junit, record] = [values.html, values.junit, values.record].map(textOf);
  return { url, file: readFile(path), only, ids, html, junit, record, seed };
}

const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

function readFile(path: string): BankFile {
  try {
    return readBankFile(path, kitIds);
  } catch (error) {
    if (error instanceof WrongBankFile) throw new UsageError(`${error.message}.`);
    throw error;
  }
}

async function runGiven(cli: Cli, given: Given): Promise<{ all: CaseResult[]; core: string }> {
  const { url, file, only, ids, record, seed } = given;
  const config = configOf(cli.environment);
  const { BANK_SIGNING_KEY: keyPath } = config;
  if (record !== undefined) mkdirSync(record, { recursive: true });
  try {
    return await runKit({
      url,
      rootsFile: config.BANK_CA,
      certificateFile: config.BANK_CERTIFICATE,
      keyFile: config.BANK_CERTIFICATE_KEY,
      sign: keyPath === undefined ? null : await openRequestSigner(keyPath, cli.clock.now),
      file,
      deadlinesMs: deadlinesOf(config),
      isWanted: (one, group) =>
        (only.length === 0 && ids.length === 0) ||
        only.includes(group.name) ||
        ids.includes(one.id),
      run: runCommand,
      seed,
      onResult(result) {
        cli.print(linesOf(result), toItem(result));
        if (record !== undefined) recordIn(record, result);
      },
    });
  } catch (error) {
    if (error instanceof NoCore)
      throw new UsageError(`The core cannot be reached: ${error.message}.`);
    throw error;
  }
}

const execute = promisify(execFile);
const commandMs = 60_000;

async function runCommand([file = "", ...rest]: readonly string[]): Promise<string> {
  const { stdout } = await execute(file, rest, { timeout: commandMs });
  return stdout;
}

const recordIn = (folder: string, { id, exchanges }: CaseResult): void =>
  write(join(folder, `${id}.json`), `${JSON.stringify(exchanges, null, 2)}\n`);

function write(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (error) {
    throw new UsageError(`${path} cannot be written (${(error as { code?: string }).code}).`);
  }
}
