import { existsSync } from "node:fs";
import { join } from "node:path";
import { hasOwnCore } from "#src/config/own-core.ts";
import { verifyInvariants } from "#src/server/health/verify-invariants.ts";
import { openMadeDatabase, unhurried } from "#src/server/opening/open-database.ts";
import { FolderInUse } from "#src/storage/folder-lock.ts";
import { describeBreach } from "#src/storage/invariants.ts";
import { type Cli, type Command, UsageError } from "./command.ts";
import { configOf } from "./load-config.ts";
import { readNothing } from "./options.ts";
import { createProgress } from "./progress.ts";
import { configuredSandbox } from "./sandbox-client.ts";

/** `./aldgate verify` */
export const command: Command = {
  name: "verify",
  summary: "checks the invariants of the ledger, orders and consents on a live database",
  usage: "Exits with 0 if all invariants hold, otherwise with 1. The bank may be running.",
  json: { "": ["holds", "breaches"] },
  next: [
    ["reconcile", "compares the payments with the core's"],
    ["payments stuck", "lists the payments on which the core fails"],
  ],
  async run(cli) {
    readNothing(cli.arguments);
    const breaches = await findBreaches(cli);
    const holds = breaches.length === 0;
    return {
      lines: holds ? (hasOwnCore(configOf(cli.environment)) ? heldByCore : heldBySandbox) : [],
      json: { holds, breaches },
      complaints: breaches.map((breach) => `BREACH  ${breach}`),
      exitCode: holds ? 0 : 1,
    };
  },
};

const heldByCore = [
  "Every invariant holds. Each order has its payments; each has either consumed its own consent or",
  "stayed within the limits of its consent. Each funds check was covered by a consent. The ledger is",
  "in the bank's own core: check it there.",
];

const heldBySandbox = [
  "Every invariant holds. Each posting balances, and each balance is the sum of its postings. Each",
  "hold belongs to a live order. Each order has either consumed its own consent or stayed within the",
  "limits of its consent. Each funds check was covered by a consent.",
];

async function findBreaches(cli: Cli): Promise<string[]> {
  const config = configOf(cli.environment);
  if (!config.DATABASE_URL && !existsSync(join(config.ALDGATE_DATA, "database"))) {
    throw new UsageError(`${config.ALDGATE_DATA} contains no database. npm start creates one.`);
  }
  const database = await openMadeDatabase(config, unhurried).catch((error) => {
    // the embedded database serves one process, so a running bank verifies it itself
    if (error instanceof FolderInUse) return null;
    throw error;
  });
  if (database === null) return configuredSandbox(cli).verify();
  const progress = createProgress(cli);
  try {
    const kinds = await cli.kinds();
    const options = { onProgress: progress.show, hasOwnCore: hasOwnCore(config), kinds };
    return (await verifyInvariants(database, options)).map(describeBreach);
  } finally {
    progress.end();
    await database.close();
  }
}
