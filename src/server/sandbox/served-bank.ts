import { readChangedFacts } from "#src/account-store/changed-facts.ts";
import { clockBeginning } from "#src/config/clock-beginning.ts";
import type { Config } from "#src/config/config.ts";
import type { ServedCore } from "#src/connector/serve-core.ts";
import type { Clock } from "#src/lib/clock.ts";
import { purgeSandboxChallenges } from "#src/sandbox/bank/challenges.ts";
import { createSandboxBank } from "#src/sandbox/bank/sandbox-bank.ts";
import { makeDueStatements } from "#src/sandbox/bank/statements.ts";
import { sandboxTariff } from "#src/sandbox/bank/tariff.ts";
import { listOwnCustomers } from "#src/sandbox/own-data/import-customer.ts";
import { listPersonas } from "#src/sandbox/personas/list-personas.ts";
import { newestInCopies, seedPersonas } from "#src/sandbox/personas/seed-personas.ts";
import { beginSandboxClock } from "#src/sandbox/time/clock.ts";
import { createSurroundings } from "#src/sandbox/time/surroundings.ts";
import type { Database } from "#src/storage/database.ts";
import { migrate } from "#src/storage/migrate.ts";
import { scenarioBank } from "./open-sandbox.ts";

/** The sandbox bank without Aldgate around it. */
type ServedBank = {
  core: ServedCore;
  /** Ends its regular work. */
  stop(): Promise<void>;
};

type ServedBankOptions = {
  config: Config;
  database: Database;
  /** The machine's clock. */
  clock: Clock;
  onProgress(text: string, done?: number, total?: number): void;
};

const sweepMs = 15_000;

/** Opens the sandbox bank as a core for another Aldgate: its ledger, customers and account data. */
export async function openServedBank({
  config,
  database,
  clock: machineClock,
  onProgress,
}: ServedBankOptions): Promise<ServedBank> {
  await migrate(database);
  const clock = await beginSandboxClock(database, machineClock, clockBeginning(config));
  await seedPersonas(database, { now: clock.now(), onProgress, newest: newestInCopies });
  const bank = createSandboxBank({
    database,
    clock,
    bankName: config.BANK_NAME,
    ...scenarioBank,
  });
  const surroundings = createSurroundings(database, clock.now);
  const sweep = async (): Promise<void> => {
    await surroundings.drain();
    await makeDueStatements(database, clock.now());
    await purgeSandboxChallenges(database, clock.now());
  };
  await sweep();
  let sweeping: Promise<void> | null = null;
  const timer = setInterval(() => {
    sweeping ??= sweep()
      .catch((error) => onProgress(`The regular work failed: ${(error as Error).message}`))
      .finally(() => {
        sweeping = null;
      });
  }, sweepMs);
  return {
    core: {
      bank,
      name: `${config.BANK_NAME}, a sandbox bank`,
      tariff: sandboxTariff,
      readChanges: (after, limit) => readChangedFacts(database, after, limit),
      readTestCode: bank.codeOf,
      async listTestCustomers() {
        const all = [...listPersonas(), ...(await listOwnCustomers(database))];
        return all.map(({ customerId, login, password, name, description }) => ({
          customerId,
          login,
          password,
          name,
          description,
        }));
      },
    },
    async stop() {
      clearInterval(timer);
      await sweeping;
      clock.stop();
      await bank.close?.();
    },
  };
}
