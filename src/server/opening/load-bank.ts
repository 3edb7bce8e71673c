import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import Value from "typebox/value";
import { type AccountFeed, createAccountFeed } from "#src/account-store/account-feed.ts";
import type { AnswerReader } from "#src/bank/checked-answer.ts";
import { type GuardedBank, type GuardOptions, guardBank } from "#src/bank/guarded-bank.ts";
import type { Bank, OwnCore } from "#src/bank/port.ts";
import { listCoreFaults } from "#src/bank/port-calls.ts";
import { type Config, ConfigError } from "#src/config/config.ts";
import { hasOwnCore } from "#src/config/own-core.ts";
import { present } from "#src/lib/assert.ts";
import type { Clock } from "#src/lib/clock.ts";
import { textOf } from "#src/lib/plain-text.ts";
import { Unavailable } from "#src/lib/unavailable.ts";
import { createSandboxBank } from "#src/sandbox/bank/sandbox-bank.ts";
import { createSandboxClock } from "#src/sandbox/time/clock.ts";
import type { Database } from "#src/storage/database.ts";
import { type BankContext, type TestCustomer, testCustomers } from "./bank-context.ts";
import { type CoreLog, deadlinesOf, openCoreAt } from "./open-core-at.ts";

/** A bank's own core, guarded, with the customers that a sandbox may log in as. */
export type Core = GuardedBank & {
  testCustomers: readonly TestCustomer[];
  /** The code of a challenge to a test customer; null when only the core knows it. */
  testCode(challengeId: string): Promise<string | null>;
  feed: AccountFeed;
  /** Whether Aldgate asks the core for its changes itself. */
  isPulled: boolean;
};

type Module = {
  createBank?: (context: BankContext) => OwnCore | Promise<OwnCore>;
  testCustomers?: unknown;
  testCode?: (challengeId: string) => Promise<string | null>;
};

/** A core before it is guarded, with the setting that names it. */
type LoadedCore = {
  core: OwnCore;
  reader?: AnswerReader;
  testCustomers: unknown;
  testCode?: Core["testCode"] | undefined;
  startFeed?: ((feed: AccountFeed) => { stop(): Promise<void> }) | null;
  where: string;
};

/** How a core is used. `isFed` is false for a command that only calls it. */
type CoreUse = {
  isFed?: boolean;
  /** Whether its facts may be stored now; they always may by default. */
  admits?(): boolean;
  /** The core's time, which in a sandbox is not the bank's. */
  coreNow?(): Temporal.Instant;
};

/**
 * Loads the bank's own core: the module that BANK_MODULE names, or the service at BANK_URL. Checks
 * that it has every member of the port, and puts it behind its guard. Throws ConfigError.
 */
export async function loadCore(
  config: Config,
  { isFed = true, admits, coreNow, ...context }: Omit<BankContext, "feed"> & CoreUse,
  log: CoreLog,
): Promise<Core> {
  const feed = createAccountFeed(context.database, log, {
    now: () => context.clock.now(),
    ...(admits ? { admits } : {}),
    ...(coreNow ? { coreNow } : {}),
  });
  const loaded: LoadedCore = await (config.BANK_URL === undefined
    ? loadModule(config, { ...context, feed })
    : openCoreAt(config, { ...context, log }));
  const { core, reader, where, startFeed, ...tests } = loaded;
  const faults = listCoreFaults(core);
  if (faults.length > 0) {
    const port = "see the type Bank in src/bank/port.ts";
    const text = `returns an incomplete core (${port}): ${faults.join("; ")}`;
    throw new ConfigError([`${where} ${text}`]);
  }
  const customers = tests.testCustomers ?? [];
  if (!Value.Check(testCustomers, customers)) {
    const members = "customerId, login, password, name, description";
    const text = `exports testCustomers that are not objects with the strings ${members}`;
    throw new ConfigError([`${where} ${text}`]);
  }
  const feeding = (isFed && startFeed?.(feed)) || null;
  return {
    ...guardBank(feeding ? closedWith(core, feeding) : core, {
      ...guardOptions(config, log),
      ...(reader ? { reader } : {}),
    }),
    testCustomers: customers,
    testCode: codeOrOutage(tests.testCode),
    feed,
    isPulled: feeding !== null,
  };
}

/** Without an answer from the core, the code is not unknown: the core is out of service. */
const codeOrOutage =
  (testCode: LoadedCore["testCode"]): Core["testCode"] =>
  async (challengeId) => {
    try {
      return (await testCode?.(challengeId)) ?? null;
    } catch (cause) {
      throw new Unavailable("core", "the bank's core did not return a test code", { cause });
    }
  };

/** The core, which ends the work on its feed when it closes: its requests first. */
const closedWith = (core: OwnCore, feeding: { stop(): Promise<void> }): OwnCore => ({
  ...core,
  async close() {
    const stopped = feeding.stop();
    await core.close?.();
    await stopped;
  },
});

async function loadModule(config: Config, context: BankContext): Promise<LoadedCore> {
  const path = resolve(present(config.BANK_MODULE, "BANK_MODULE"));
  const where = `BANK_MODULE: ${path}`;
  const refuse = (fault: string, cause?: unknown): never => {
    const why = cause === undefined ? "" : `: ${textOf(cause)}`;
    throw new ConfigError([`${where} ${fault}${why}`]);
  };
  const module: Module = await import(pathToFileURL(path).href).catch((error) =>
    refuse("cannot be loaded", error),
  );
  const { createBank, testCode } = module;
  if (typeof createBank !== "function") return refuse("does not export a function createBank");
  const core = await Promise.try(createBank, context).catch((error) =>
    refuse("failed in createBank", error),
  );
  return { core, testCustomers: module.testCustomers, testCode, where };
}

const guardOptions = (config: Config, log: GuardOptions["log"]): GuardOptions => ({
  deadlinesMs: deadlinesOf(config),
  callsAtOnce: config.BANK_CALLS_AT_ONCE,
  failures: config.BANK_BREAKER_FAILURES,
  retryMs: config.BANK_BREAKER_RETRY_MS,
  log,
});

/** A core that a command uses: the bank's own, or the sandbox bank. */
type OpenCore = { bank: Bank; clock: Clock; close(): Promise<void> };

/** Opens the core as the server does, for a command that calls it. Throws ConfigError. */
export async function openCore(
  config: Config,
  on: { database: Database; machineClock: Clock },
  log: CoreLog,
): Promise<OpenCore> {
  const { database, machineClock } = on;
  const isSandbox = config.ALDGATE_PROFILE === "sandbox";
  const clock = isSandbox ? await createSandboxClock(database, machineClock) : machineClock;
  if (!hasOwnCore(config)) {
    return { bank: createSandboxBank({ database, clock }), clock, close: async () => undefined };
  }
  const core = await loadCore(config, { database, clock, isFed: false }, log);
  return { bank: core.bank, clock, close: () => core.close(config.SHUTDOWN_SECONDS * 1000) };
}
