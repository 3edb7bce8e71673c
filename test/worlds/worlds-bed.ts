import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Config, loadConfig } from "#src/config/config.ts";
import { assert } from "#src/lib/assert.ts";
import { systemClock } from "#src/lib/clock.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import type { ShownWorld } from "#src/sandbox/controls/world-shapes.ts";
import { seedPersonas } from "#src/sandbox/personas/seed-personas.ts";
import { type Tokens, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { TppCredentials } from "#src/sandbox/test-tpp/tpp-credentials.ts";
import type { Aldgate } from "#src/server/open-server.ts";
import type { Scope } from "#src/standard/api-version.ts";
import { writeArchived } from "#src/storage/archived-files.ts";
import { migrate } from "#src/storage/migrate.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { unlimited } from "#src/testing/opened-bank.ts";
import { openHost } from "#src/worlds/open-host.ts";
import { closeAfterTests, forgetClosed } from "#test/close-after.ts";
import { freePort } from "#test/free-port.ts";
import { copySeeded, sharedKeys } from "#test/harness.ts";
import { onPostgres, startPostgres } from "#test/postgres.ts";
import { archiveFile, templateName } from "#test/setup.ts";

/** A sandbox that opens worlds. */
export type Host = Aldgate & {
  folder: string;
  /** Calls the sandbox's interface, or that of a world. */
  call(method: string, path: string, body?: object, at?: string): Promise<Response>;
  /** Calls it and returns the body of a success. */
  control<T>(method: string, path: string, body?: object, at?: string): Promise<T>;
  /** Opens a world. */
  world(name: string): Promise<ShownWorld>;
};

/** The machine's clock, and the timers of the worlds' regular work. */
type Times = Partial<Pick<Parameters<typeof openHost>[0], "clock" | "timers">>;

/** Opens a sandbox whose worlds are copies of the lane's seeded database. */
export function openWorldsHost(
  overrides: Partial<Config> = {},
  kept?: string,
  times: Times = {},
): Promise<Host> {
  const opening = start(overrides, kept, times, () => forgetClosed(opening));
  return closeAfterTests(opening);
}

async function start(
  overrides: Partial<Config>,
  kept: string | undefined,
  times: Times,
  onClosed: () => void,
): Promise<Host> {
  const folder = kept ?? mkdtempSync(join(tmpdir(), "aldgate-worlds-"));
  const generateKey = sharedKeys();
  const url = await copiedUrl();
  const database = url === null ? await copySeeded() : await openPostgres(url);
  const aldgate = await openHost({
    config: {
      ...loadConfig({}),
      ALDGATE_DATA: folder,
      PUBLIC_PORT: await freePort(),
      MTLS_PORT: await freePort(),
      MANAGEMENT_PORT: 0,
      LOG_LEVEL: "silent",
      ...unlimited,
      ...(url === null ? {} : { DATABASE_URL: url }),
      ...overrides,
    },
    clock: systemClock,
    ...times,
    kinds: paymentKinds,
    ...(generateKey ? { generateKey } : {}),
    onProgress: () => undefined,
    complain: (text) => assert(false, text),
    database,
    async fill({ ALDGATE_DATA: data = "", DATABASE_URL: filled }) {
      if (filled !== undefined) return seedFew(filled);
      writeArchived(archiveFile("seeded"), join(data, "database", "postgres"));
    },
  });
  const call: Host["call"] = (method, path, body, at = aldgate.publicUrl) =>
    fetch(`${at}/sandbox/v1${path}`, {
      method,
      ...(body
        ? { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }
        : {}),
    });
  const control = async <T>(...given: Parameters<Host["call"]>): Promise<T> => {
    const response = await call(...given);
    const answer = await response.json();
    assert(response.ok, `${given[0]} ${given[1]} succeeds, not ${JSON.stringify(answer)}`);
    return answer as T;
  };
  return {
    ...aldgate,
    folder,
    call,
    control,
    world: (name) => control("POST", "/worlds", { name }),
    async close() {
      await aldgate.close();
      if (!kept) rmSync(folder, { recursive: true, force: true });
      onClosed();
    },
  };
}

/** The URL of a copy of the lane's database with the personas; null on the embedded one. */
async function copiedUrl(): Promise<string | null> {
  if (!onPostgres) return null;
  const server = await startPostgres();
  return server.createDatabase(`host_${randomUUID().replaceAll("-", "")}`, templateName);
}

/** Fills a new database with the personas and a few transactions. */
async function seedFew(url: string): Promise<void> {
  const database = await openPostgres(url);
  await migrate(database);
  await seedPersonas(database, { now: systemClock.now(), newest: 50 });
  await database.close();
}

/** The first ready TPP of a world. */
export function tppOf({ operations }: Pick<Host, "operations">, world: ShownWorld): TppClient {
  const [tpp] = world.tpps;
  if (!tpp) throw new Error("a world has a ready TPP");
  return new TppClient({ ...world, operations }, { ...tpp, caPem: world.caPem });
}

/** A TPP that is registered at a world besides the ready ones. */
export async function newTpp(host: Host, world: ShownWorld): Promise<TppClient> {
  const request = { name: "Later TPP", roles: ["AISP"], redirectUris: ["https://tpp.example/cb"] };
  const made = await host.control<TppCredentials>("POST", "/tpps", request, world.publicUrl);
  const { operations } = host;
  const facts = { tokenEndpointAuthMethod: "private_key_jwt", certificateBound: true } as const;
  return new TppClient({ ...world, operations }, { ...request, ...facts, ...made });
}

/** Makes a customer of a world approve a consent, and exchanges the code. */
export async function approveIn(
  host: Host,
  world: ShownWorld,
  client: TppClient,
  scope: Scope,
  consentId: string,
  customer = "amara",
): Promise<Tokens> {
  const authorizationUrl = await client.authorizationUrl({ scope, consentId });
  const request = { authorizationUrl, customer, decision: "approve" };
  const { redirectUrl } = await host.control<{ redirectUrl: string }>(
    "POST",
    "/authorisations",
    request,
    world.publicUrl,
  );
  return client.exchangeCode(redirectUrl);
}
