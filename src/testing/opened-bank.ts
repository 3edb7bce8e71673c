import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Config, loadConfig } from "#src/config/config.ts";
import { present } from "#src/lib/assert.ts";
import { systemClock } from "#src/lib/clock.ts";
import type { SandboxCustomer } from "#src/sandbox/controls/controls.ts";
import type { TppRequest } from "#src/sandbox/directory/create-tpp.ts";
import type { IssuedTpp } from "#src/sandbox/directory/issued-tpp.ts";
import { tppRoles } from "#src/sandbox/directory/roles.ts";
import type { HeadlessAnswer, HeadlessRequest } from "#src/sandbox/test-tpp/headless-customer.ts";
import { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { type Aldgate, openServer, type ServerOptions } from "#src/server/open-server.ts";
import type { Database } from "#src/storage/database.ts";

/** A whole bank on loopback, with what a test does to it. */
export type OpenedBank = Aldgate & {
  /** Throws if the bank has been closed. */
  assertOpen(): void;
  /** Registers a TPP. By default, its tokens are bound to its certificate. */
  createTpp(request?: Partial<TppRequest>): Promise<TppClient<IssuedTpp>>;
  /** Calls the sandbox's own interface. Throws if the call fails. */
  control<T = unknown>(method: string, path: string, body?: object): Promise<T>;
  customers(): Promise<SandboxCustomer[]>;
  /** Makes a customer decide. */
  decide(request: HeadlessRequest): Promise<HeadlessAnswer>;
  /** Sets the clock forward by an ISO 8601 duration and processes what falls due. */
  advance(duration: string): Promise<void>;
};

type Opening = Pick<ServerOptions, "pace" | "times"> & {
  /** A seeded database, which is closed with the bank. */
  database: Database;
  /** Replace the defaults. */
  settings?: Partial<Config>;
  /** The machine's clock. */
  clock?: ServerOptions["clock"];
  kinds?: ServerOptions["kinds"];
  generateKey?: ServerOptions["generateKey"];
  reachBank?: ServerOptions["reachBank"];
};

/** The settings of a bank without the limits that a fast test would meet. */
export const unlimited = {
  RATE_LIMIT_PER_SECOND: 0,
  RATE_LIMIT_PER_CALLER: 0,
  BYTES_PER_SECOND: 0,
  REQUESTS_IN_PROGRESS: 0,
  LATE_AFTER_MILLISECONDS: 0,
};

/** The TPP that a test gets if it asks for nothing else. */
export const usualTpp: TppRequest = {
  name: "Test TPP",
  roles: [...tppRoles],
  redirectUris: ["http://localhost:7878/callback"],
};

const closedText =
  "The bank is closed: bank.close() was called, or the block of its `await using` has ended. Open " +
  "another with openBank().";

/**
 * Opens a bank on free ports over a seeded database. `close` removes everything that belongs to the
 * bank.
 */
export async function openOn({ settings, clock, kinds, ...given }: Opening): Promise<OpenedBank> {
  const folder = mkdtempSync(join(tmpdir(), "aldgate-bank-"));
  const config: Config = {
    ...loadConfig({}),
    ALDGATE_DATA: folder,
    PUBLIC_PORT: 0,
    MTLS_PORT: 0,
    MANAGEMENT_PORT: 0,
    LOG_LEVEL: "silent",
    ...unlimited,
    ...settings,
  };
  const aldgate = await openServer({
    config,
    clock: clock ?? systemClock,
    ...(kinds ? { kinds } : {}),
    ...given,
    onProgress: () => undefined,
  });
  const clients: TppClient[] = [];
  let isOpen = true;
  const assertOpen = (): void => {
    if (!isOpen) throw new Error(closedText);
  };
  return {
    ...aldgate,
    assertOpen,
    ...controlsOf(aldgate, assertOpen),
    async createTpp(request = {}) {
      const { createTpp } = present(aldgate.controls, "the sandbox");
      const issued = await createTpp({ ...usualTpp, ...request });
      const client = new TppClient(aldgate, issued);
      // another bank may have been opened at the same addresses
      client.whyUnanswered = (error) => (isOpen ? error : new Error(closedText, { cause: error }));
      clients.push(client);
      return client;
    },
    async close() {
      isOpen = false;
      for (const client of clients) client.close();
      await aldgate.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function controlsOf(
  { publicUrl }: Aldgate,
  assertOpen: () => void,
): Pick<OpenedBank, "control" | "customers" | "decide" | "advance"> {
  const control = async <T>(method: string, path: string, body?: object): Promise<T> => {
    assertOpen();
    const response = await fetch(`${publicUrl}/sandbox/v1${path}`, {
      method,
      ...(body ? { headers: { "content-type": "application/json" } } : {}),
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const answer = await response.json();
    if (response.ok) return answer as T;
    const { message, faults } = answer as { message: string; faults: string[] };
    throw new Error([`The sandbox refused ${method} ${path}: ${message}`, ...faults].join("\n"));
  };
  return {
    control,
    customers: async () =>
      (await control<{ customers: SandboxCustomer[] }>("GET", "/customers")).customers,
    decide: (request) => control("POST", "/authorisations", request),
    advance: async (duration) => void (await control("PUT", "/clock", { advance: duration })),
  };
}
