import { openDatabase } from "#src/server/opening/open-database.ts";
import { migrate } from "#src/storage/migrate.ts";
import type { Command } from "./command.ts";
import { configOf } from "./load-config.ts";
import { readNothing } from "./options.ts";

/** `./aldgate migrate` */
export const command: Command = {
  name: "migrate",
  summary: "updates the database to the latest schema",
  usage:
    "Uses DATABASE_URL, or the embedded database in ALDGATE_DATA. `./aldgate start` does this too.",
  json: { "": ["applied"] },
  next: [
    ["start", "opens the bank"],
    ["seed", "fills a sandbox with its customers"],
  ],
  async run(cli) {
    readNothing(cli.arguments);
    const config = configOf(cli.environment);
    const database = await openDatabase(config);
    try {
      const applied = await migrate(database, {
        withSandbox: config.ALDGATE_PROFILE === "sandbox",
        onWaiting: (holder) => cli.complain(`Waiting for ${holder}, which is changing the schema.`),
      });
      const done = applied.map((name) => `applied ${name}`);
      const lines = done.length === 0 ? ["The schema is up to date."] : done;
      return { lines, json: { applied } };
    } finally {
      await database.close();
    }
  },
};
