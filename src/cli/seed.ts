import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { clockBeginning } from "#src/config/clock-beginning.ts";
import type { Config } from "#src/config/config.ts";
import { hasOwnCore } from "#src/config/own-core.ts";
import type { Clock } from "#src/lib/clock.ts";
import { seedPersonas } from "#src/sandbox/personas/seed-personas.ts";
import { sandboxTime } from "#src/sandbox/time/clock.ts";
import { openDatabase } from "#src/server/opening/open-database.ts";
import { migrate } from "#src/storage/migrate.ts";
import { type Cli, type Command, UsageError } from "./command.ts";
import { configOf } from "./load-config.ts";
import { optionsOnly, readOptions, textOf } from "./options.ts";
import { createProgress, type Progress } from "./progress.ts";

/** The file whose existence means that the embedded database contains the personas. */
export const seededMarker = (dataFolder: string): string => join(dataFolder, "seeded");

/** `./aldgate seed` */
export const command: Command = {
  name: "seed",
  summary: "fills a sandbox with its personas, accounts and 18 months of transactions",
  usage: [
    "Creates only what is missing. `./aldgate start` does this too.",
    "  --newest N   loads each household's latest N transactions and leaves out older ones. Default:",
    "               10,000 for the coffee shop, which has 100,000, and everything for the others.",
  ].join("\n"),
  json: { "": ["data"] },
  next: [
    ["start", "opens the bank"],
    ["customers list", "lists the customers, once the bank is open"],
  ],
  async run(cli) {
    const config = configOf(cli.environment);
    if (config.ALDGATE_PROFILE !== "sandbox") {
      throw new UsageError("Personas can be created only in the sandbox profile.");
    }
    if (hasOwnCore(config)) {
      throw new UsageError("The bank's own core has its own customers.");
    }
    const newest = newestOf(cli);
    const progress = createProgress(cli);
    try {
      progress.show("Preparing the database");
      await fill(config, cli.clock, progress, newest);
    } finally {
      progress.end();
    }
    const data = config.DATABASE_URL ? "PostgreSQL" : resolve(config.ALDGATE_DATA);
    return { lines: ["The sandbox bank has its customers."], json: { data } };
  },
};

function newestOf(cli: Cli): number | undefined {
  const { values, rest } = readOptions(cli.arguments, { newest: { type: "string" } });
  if (rest.length > 0) throw new UsageError(optionsOnly);
  const text = textOf(values.newest);
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError("--newest must be a number, from 1.");
  return Number(text);
}

async function fill(
  config: Config,
  clock: Clock,
  progress: Progress,
  newest: number | undefined,
): Promise<void> {
  const database = await openDatabase(config);
  try {
    await migrate(database);
    const now = await sandboxTime(database, clock, clockBeginning(config));
    const onProgress = progress.show;
    await seedPersonas(database, { now, onProgress, ...(newest === undefined ? {} : { newest }) });
    if (!config.DATABASE_URL) writeFileSync(seededMarker(config.ALDGATE_DATA), "");
  } finally {
    await database.close();
  }
}
