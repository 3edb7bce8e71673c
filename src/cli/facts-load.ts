import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { createAccountFeed } from "#src/account-store/account-feed.ts";
import { CursorMoved } from "#src/account-store/keep-place.ts";
import { type Loaded, WrongLine } from "#src/account-store/load-changes.ts";
import type { Config } from "#src/config/config.ts";
import { hasOwnCore } from "#src/config/own-core.ts";
import { countOf } from "#src/lib/plain-text.ts";
import { createSandboxClock } from "#src/sandbox/time/clock.ts";
import { openMadeDatabase, unhurried } from "#src/server/opening/open-database.ts";
import { type Cli, type Command, UsageError } from "./command.ts";
import { configOf } from "./load-config.ts";
import { readOptions, textOf } from "./options.ts";
import { createProgress } from "./progress.ts";

/** `./aldgate facts load` */
export const command: Command = {
  name: "facts load",
  summary: "loads the core's account data from lines of JSON",
  usage: [
    "  ./aldgate facts load FILE [--source NAME]    FILE: lines of JSON; - for standard input",
    "",
    "Stores the changes of a feed, one JSON object in each line (docs/own-core.md). A fact that",
    "breaks a rule is listed and does not stop the others. The bank may be running on PostgreSQL.",
    "To continue or to repeat, run the command again: facts that are already stored do not",
    "change.",
    "NAME is the source of the facts (default: core).",
    "Exits with 0 if every fact is stored, otherwise with 1.",
  ].join("\n"),
  json: { "": ["lines", "stored", "refused", "cursor"] },
  next: [
    ["facts refused", "lists the facts that broke a rule"],
    ["verify", "checks that the books and the facts agree"],
  ],
  async run(cli) {
    const { values, rest } = readOptions(cli.arguments, { source: { type: "string" } });
    const [file, ...more] = rest;
    if (file === undefined || more.length > 0) {
      throw new UsageError("Give one file of changes, or - for standard input.");
    }
    const config = configOf(cli.environment);
    if (config.ALDGATE_PROFILE === "sandbox" && !hasOwnCore(config)) {
      throw new UsageError(
        "The sandbox bank makes its own account data. Add customers with `./aldgate customers " +
          "create`, or name your own core in BANK_MODULE or BANK_URL.",
      );
    }
    const loaded = await load(cli, config, file, textOf(values.source));
    const { lines, stored, refused, cursor } = loaded;
    const place = cursor === null ? "" : ` The cursor is now ${cursor}.`;
    return {
      lines: [
        `${countOf(lines, "line", "lines")}: ${countOf(stored, "change", "changes")} stored, ` +
          `${refused} refused.${place}`,
      ],
      json: { lines, stored, refused, cursor },
      exitCode: refused === 0 ? 0 : 1,
    };
  },
};

async function load(cli: Cli, config: Config, file: string, source?: string): Promise<Loaded> {
  const database = await openMadeDatabase(config, unhurried);
  const progress = createProgress(cli);
  const started = performance.now();
  let last: Loaded | null = null;
  let shownAt = 0;
  try {
    const input = file === "-" ? process.stdin : createReadStream(file);
    const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
    // facts are as old as the bank's clock says, which in a sandbox may not be the machine's
    const isSandbox = config.ALDGATE_PROFILE === "sandbox";
    const clock = isSandbox ? await createSandboxClock(database, cli.clock) : cli.clock;
    const times = { now: clock.now, coreNow: cli.clock.now };
    return await createAccountFeed(database, undefined, times).load(lines, {
      ...(source === undefined ? {} : { source }),
      onProgress(loaded, refused) {
        last = loaded;
        const seconds = (performance.now() - started) / 1000;
        if (seconds > shownAt + (cli.isTerminal ? 1 : 10)) {
          const rate = Math.round(loaded.stored / seconds);
          progress.show(`Changes stored: ${thousands(loaded.stored)}, ${thousands(rate)} a second`);
          shownAt = seconds;
        }
        for (const { kind, key, path, rule } of refused.slice(0, 5)) {
          cli.complain(`  refused: ${kind} ${key}: ${path || "the fact"} ${rule}`);
        }
      },
    });
  } catch (error) {
    if (error instanceof WrongLine) throw new UsageError(`${error.message}. ${storedSoFar(last)}`);
    if (error instanceof CursorMoved) throw new UsageError(`${error.message}.`);
    const { code } = error as { code?: string };
    if (code === "ENOENT" || code === "EISDIR" || code === "EACCES") {
      throw new UsageError(`${file} cannot be read (${code}).`);
    }
    throw error;
  } finally {
    progress.end();
    await database.close();
  }
}

const storedSoFar = (loaded: Loaded | null): string =>
  loaded === null
    ? "Nothing is stored yet."
    : `${countOf(loaded.stored, "change before it is", "changes before it are")} stored; correct ` +
      "the line and load the file again.";

const thousands = (count: number): string => count.toLocaleString("en-GB");
