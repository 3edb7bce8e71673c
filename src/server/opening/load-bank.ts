import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import Type from "typebox";
import Value from "typebox/value";
import { type AccountFeed, createAccountFeed } from "#src/account-store/account-feed.ts";
import { type GuardedBank, type GuardOptions, guardBank } from "#src/bank/guarded-bank.ts";
import type { Bank, OwnCore } from "#src/bank/port.ts";
import { listCoreFaults } from "#src/bank/port-calls.ts";
import { type Config, ConfigError } from "#src/config/config.ts";
import { present } from "#src/lib/assert.ts";
import type { Clock } from "#src/lib/clock.ts";
import { textOf } from "#src/lib/plain-text.ts";
import { createSandboxBank } from "#src/sandbox/bank/sandbox-bank.ts";
import { createSandboxClock } from "#src/sandbox/time/clock.ts";
import type { Database } from "#src/storage/database.ts";

/** The arguments of `createBank`. Through the feed, the core sends what customers see. */
export type BankContext = { database: Database; clock: Clock; feed: AccountFeed };

const testCustomers = Type.Array(
  Type.Object({
    customerId: Type.String(),
    login: Type.String(),
    password: Type.String(),
    name: Type.String(),
    description: Type.String(),
  }),
);

/** A customer whose credentials are known, so that a sandbox can act for the customer. */
export type TestCustomer = Type.Static<typeof testCustomers>[number];

/** A bank's own core, guarded, with the customers that a sandbox may log in as. */
export type Core = GuardedBank & {
  testCustomers: readonly TestCustomer[];
  /** The code of a challenge to a test customer; null when only the core knows it. */
  testCode(challengeId: string): Promise<string | null>;
};

type Module = {
  createBank?: (context: BankContext) => OwnCore | Promise<OwnCore>;
  testCustomers?: unknown;
  testCode?: (challengeId: string) => Promise<string | null>;
};

/**
 * Loads the bank's own core from the module that BANK_MODULE names, checks that it has every member
 * of the port, and puts it behind its guard. Throws ConfigError.
 */
export async function loadCore(
  config: Config,
  context: Omit<BankContext, "feed">,
  log: GuardOptions["log"],
): Promise<Core> {
  const path = resolve(present(config.BANK_MODULE, "BANK_MODULE"));
  const refuse = (fault: string, cause?: unknown): never => {
    const why = cause === undefined ? "" : `: ${textOf(cause)}`;
    throw new ConfigError([`BANK_MODULE: ${path} ${fault}${why}`]);
  };
  const module: Module = await import(pathToFileURL(path).href).catch((error) =>
    refuse("cannot be loaded", error),
  );
  const { createBank } = module;
  if (typeof createBank !== "function") return refuse("does not export a function createBank");
  const core = await Promise.try(createBank, {
    ...context,
    feed: createAccountFeed(context.database, log),
  }).catch((error) => refuse("failed in createBank", error));
  const faults = listCoreFaults(core);
  if (faults.length > 0) {
    const where = "see the type Bank in src/bank/port.ts";
    return refuse(`returns an incomplete core (${where}): ${faults.join("; ")}`);
  }
  const customers = module.testCustomers ?? [];
  if (!Value.Check(testCustomers, customers)) {
    const members = "customerId, login, password, name, description";
    return refuse(`exports testCustomers that are not objects with the strings ${members}`);
  }
  return {
    ...guardBank(core, guardOptions(config, log)),
    testCustomers: customers,
    testCode: module.testCode ?? (async () => null),
  };
}

const guardOptions = (config: Config, log: GuardOptions["log"]): GuardOptions => ({
  deadlinesMs: {
    identify: config.BANK_IDENTIFY_DEADLINE_MS,
    read: config.BANK_READ_DEADLINE_MS,
    document: config.BANK_READ_DEADLINE_MS,
    quote: config.BANK_QUOTE_DEADLINE_MS,
    execute: config.BANK_EXECUTE_DEADLINE_MS,
    tell: config.BANK_READ_DEADLINE_MS,
  },
  callsAtOnce: config.BANK_CALLS_AT_ONCE,
  failures: config.BANK_BREAKER_FAILURES,
  retryMs: config.BANK_BREAKER_RETRY_MS,
  log,
});

/** A core that a command uses: that of BANK_MODULE, or the sandbox bank. */
type OpenCore = { bank: Bank; clock: Clock; close(): Promise<void> };

/** Opens the core as the server does, for a command that calls it. Throws ConfigError. */
export async function openCore(
  config: Config,
  on: { database: Database; machineClock: Clock },
  log: GuardOptions["log"],
): Promise<OpenCore> {
  const { database, machineClock } = on;
  const isSandbox = config.ALDGATE_PROFILE === "sandbox";
  const clock = isSandbox ? await createSandboxClock(database, machineClock) : machineClock;
  if (config.BANK_MODULE === undefined) {
    return { bank: createSandboxBank({ database, clock }), clock, close: async () => undefined };
  }
  const core = await loadCore(config, { database, clock }, log);
  return { bank: core.bank, clock, close: () => core.close(config.SHUTDOWN_SECONDS * 1000) };
}
