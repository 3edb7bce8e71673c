import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Config, loadConfig } from "#src/config/config.ts";
import { requireSandboxPackages } from "#src/config/sandbox-packages.ts";
import { seedPersonas } from "#src/sandbox/personas/seed-personas.ts";
import type { OfferedKind } from "#src/server/examples/example.ts";
import { migrate } from "#src/storage/migrate.ts";
import type { Cli } from "./command.ts";
import {
  configuredSandbox,
  type SandboxClient,
  sandboxClient,
  servedSandbox,
} from "./sandbox-client.ts";

type Stage = { sandbox: SandboxClient; close(): Promise<void> };

/** The running bank, or a new one in a folder that is deleted afterwards. */
export async function openStage(cli: Cli, kinds: readonly OfferedKind[]): Promise<Stage> {
  const running = configuredSandbox(cli);
  if (await running.isOpen()) {
    cli.print(`Using the bank at ${running.bank.publicUrl}`);
    return { sandbox: await servedSandbox(cli), close: async () => undefined };
  }
  cli.print("No bank answers. Opening one for the demo (a few seconds) …");
  return openOwnStage(cli, kinds);
}

// Enough to look at; 100,000 transactions would take a minute.
const newestTransactions = 300;

/** A bank in memory, whatever the configuration says, that exists only during the demo. */
async function openOwnStage({ clock }: Cli, kinds: readonly OfferedKind[]): Promise<Stage> {
  const { openServer } = await import("#src/server/open-server.ts");
  requireSandboxPackages();
  const { openPglite } = await import("#src/storage/pglite.ts");
  const folder = mkdtempSync(join(tmpdir(), "aldgate-demo-"));
  const database = await openPglite({});
  await migrate(database);
  await seedPersonas(database, { now: clock.now(), newest: newestTransactions });
  const config: Config = {
    ...loadConfig({}),
    ALDGATE_DATA: folder,
    PUBLIC_PORT: 0,
    MTLS_PORT: 0,
    LOG_LEVEL: "error",
  };
  const aldgate = await openServer({ config, clock, kinds, database, onProgress: () => undefined });
  return {
    sandbox: sandboxClient(aldgate, aldgate.sandbox?.directory.caPem),
    async close() {
      await aldgate.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
