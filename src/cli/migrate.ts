import { openDatabase } from "#src/server/opening/open-database.ts";
import { migrate } from "#src/storage/migrate.ts";
import type { Command } from "./command.ts";
import { configOf } from "./load-config.ts";

/** `./aldgate migrate` */
export const command: Command = {
  name: "migrate",
  summary: "brings the database to the newest schema",
  usage:
    "Uses DATABASE_URL, or the embedded database in ALDGATE_DATA. `./aldgate start` does this too.",
  async run(cli) {
    const config = configOf(cli.environment);
    const database = await openDatabase(config);
    try {
      const applied = await migrate(database, {
        withSandbox: config.ALDGATE_PROFILE === "sandbox",
        onWaiting: (holder) => cli.complain(`Waiting for ${holder}, which is changing the schema.`),
      });
      for (const name of applied) cli.print(`applied ${name}`);
      if (applied.length === 0) cli.print("The schema is up to date.");
      return 0;
    } finally {
      await database.close();
    }
  },
};
