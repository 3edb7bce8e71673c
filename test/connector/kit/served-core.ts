// The sandbox's bank as a core over HTTP, with the two customers of a bank.json.
import assert from "node:assert/strict";
import type { FastifyInstance } from "fastify";
import { loadConfig } from "#src/config/config.ts";
import type { BankFile } from "#src/connector/kit/bank-file.ts";
import { type ServedCore, serveCore } from "#src/connector/serve-core.ts";
import { systemClock } from "#src/lib/clock.ts";
import type { SandboxBank } from "#src/sandbox/bank/sandbox-bank.ts";
import { setAccountState } from "#src/sandbox/controls/account-states.ts";
import { importCustomer } from "#src/sandbox/own-data/import-customer.ts";
import { openServedBank } from "#src/server/sandbox/served-bank.ts";
import type { Database } from "#src/storage/database.ts";
import { copySeeded } from "#test/harness.ts";

/** The bank.json of these customers. */
export const bankFile: BankFile = {
  customers: [
    { login: "kitone", password: "kitone-sandbox" },
    { login: "kittwo", password: "kittwo-sandbox" },
  ],
  accounts: {
    own: "acc-kitone-own",
    other: "acc-kittwo-other",
    joint: "acc-kittwo-joint",
    blocked: "acc-kitone-blocked",
    closed: "acc-kitone-closed",
    empty: "acc-kitone-empty",
    foreign: "acc-kitone-euros",
  },
  mayBeSpent: "5.00",
  restart: ["restart"],
  app: ["app"],
  factsWithinSeconds: 5,
};

const account = (key: string, balance: string, more: object = {}) => ({
  key,
  type: "CurrentAccount" as const,
  balance,
  ...more,
});

const joint = [
  { login: "kittwo", role: "joint" as const },
  { login: "kitone", role: "joint" as const },
];

/** Creates the customers of the bank.json in a database of the sandbox's bank. */
export async function createKitCustomers(database: Database): Promise<void> {
  const on = { database, clock: systemClock };
  const own = [
    account("own", "1000.00"),
    account("blocked", "10.00"),
    account("closed", "0.00"),
    account("empty", "0.00"),
    account("euros", "50.00", { currency: "EUR" }),
  ];
  await importCustomer(on, { login: "kitone", name: "Kit One", accounts: own });
  const others = [account("other", "100.00"), account("joint", "20.00", { holders: joint })];
  await importCustomer(on, { login: "kittwo", name: "Kit Two", accounts: others });
  await setAccountState(on, "acc-kitone-blocked", "blocked");
  await setAccountState(on, "acc-kitone-closed", "closed");
}

/** The sandbox's bank, with its app. */
export type OpenedCore = {
  core: ServedCore;
  /** Runs the command `app` of the bank.json. */
  app(answer: string, challengeId: string): Promise<void>;
  close(): Promise<void>;
};

/** Opens the sandbox's bank. */
export async function openCore(): Promise<OpenedCore> {
  const database = await copySeeded();
  await createKitCustomers(database);
  const config = loadConfig({});
  const served = await openServedBank({
    config,
    database,
    clock: systemClock,
    onProgress: () => undefined,
  });
  return {
    core: served.core,
    async app(answer, challengeId) {
      const bank = served.core.bank as SandboxBank; // it is
      const decision = answer === "approve" ? answer : "decline";
      assert.equal(await bank.answerInApp(challengeId, decision, undefined), "done");
    },
    async close() {
      await served.stop();
      await database.close();
    },
  };
}

/** A served core that can be restarted at its address. */
export type Served = { url: string; restart(): Promise<void>; close(): Promise<void> };

/** Serves a core; `make` is called again after each restart. */
export async function serve(make: () => FastifyInstance): Promise<Served> {
  let app = make();
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  const stop = async (): Promise<void> => {
    app.server.closeAllConnections();
    await app.close();
  };
  return {
    url,
    async restart() {
      await stop();
      app = make();
      await app.listen({ port: Number(new URL(url).port), host: "127.0.0.1" });
    },
    close: stop,
  };
}

/** Serves a core as it is. */
export const serveAsIs = (core: ServedCore): Promise<Served> => serve(() => serveCore(core));

const wholeFeeds = new WeakMap<ServedCore, Promise<object>>();

/**
 * The core with the facts of the two customers and all products only, as if only they had shared
 * their accounts. The first page has all of them, so that many runs need not read the personas.
 */
export function withKitFacts(core: ServedCore): ServedCore {
  const { readChanges: read } = core;
  if (!read) return core;
  const readFrom = async (after: string | null): Promise<object> => {
    const found: Record<string, unknown[]> = {};
    for (let cursor = after; ; ) {
      const { position, ...facts } = (await read(cursor, 1000)) as Page;
      for (const [kind, list] of Object.entries(facts)) {
        if (!Array.isArray(list)) continue;
        // an account is refused without its product
        const kept = kind === "products" ? list : list.filter(isOfKit);
        if (kept.length > 0) found[kind] = [...(found[kind] ?? []), ...kept];
      }
      if (Object.keys(facts).length === 0) return { ...found, position };
      cursor = position.cursor;
    }
  };
  return {
    ...core,
    async readChanges(after, limit) {
      if (after !== null) return read(after, limit);
      const whole = wholeFeeds.get(core) ?? readFrom(null);
      wholeFeeds.set(core, whole);
      return whole;
    },
  };
}

type Page = Record<string, unknown> & { position: { cursor: string } };

const isOfKit = (fact: Record<string, unknown>): boolean =>
  Object.values(fact).some((value) => /^(acc|cus)-.*kit|kit(one|two)/.test(String(value)));
