import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { seedPersonas } from "#src/sandbox/personas/seed-personas.ts";
import { openDatabase } from "#src/server/open-database.ts";
import { migrate } from "#src/storage/migrate.ts";
import { type Command, UsageError } from "./command.ts";
import { configOf } from "./load-config.ts";
import { createProgress } from "./progress.ts";

/** The file that says that the embedded database holds the personas. */
export const seededMarker = (dataFolder: string): string => join(dataFolder, "seeded");

/** `./aldgate seed` */
export const command: Command = {
  name: "seed",
  summary: "fills a sandbox with its personas, accounts and 18 months of transactions",
  usage: "Does what is missing and nothing twice. Starting does it too.",
  async run(cli) {
    const config = configOf(cli.environment);
    if (config.ALDGATE_PROFILE !== "sandbox") {
      throw new UsageError("Personas are for the sandbox profile alone.");
    }
    const database = await openDatabase(config);
    const progress = createProgress(cli);
    try {
      progress.show("Preparing the database");
      await migrate(database);
      await seedPersonas(database, { now: cli.clock.now(), onProgress: progress.show });
      if (!config.DATABASE_URL) writeFileSync(seededMarker(config.ALDGATE_DATA), "");
    } finally {
      progress.end();
      await database.close();
    }
    cli.print("The sandbox bank has its customers.");
    return 0;
  },
};
