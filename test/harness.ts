import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Config, loadConfig } from "#src/config/config.ts";
import { assert, present } from "#src/lib/assert.ts";
import { type Clock, systemClock } from "#src/lib/clock.ts";
import type { PaymentKind } from "#src/payments/definitions/payment-kind.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import type { SandboxCustomer } from "#src/sandbox/controls/controls.ts";
import type { TppRequest } from "#src/sandbox/directory/create-tpp.ts";
import { tppRoles } from "#src/sandbox/directory/roles.ts";
import type { HeadlessRequest } from "#src/sandbox/test-tpp/headless-customer.ts";
import { type Answer, type Tokens, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { type Aldgate, openServer, type ServerOptions } from "#src/server/open-server.ts";
import type { Scope } from "#src/standard/api-version.ts";
import type { Database } from "#src/storage/database.ts";
import { openPglite } from "#src/storage/pglite.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { ArchivedFiles } from "./archived-files.ts";
import { closeAfterTests, forgetClosed } from "./close-after.ts";
import { freePort } from "./free-port.ts";
import { onPostgres, startPostgres } from "./postgres.ts";
import { templateName } from "./setup.ts";
import { createResponseCheck } from "./standard/published-responses.ts";

/** A whole bank, open on loopback over a separate seeded database. */
export type TestBank = Aldgate & {
  /** Registers a TPP. By default, its tokens are bound to its certificate. */
  createTpp(request?: Partial<TppRequest>): Promise<TppClient>;
  /** Calls the sandbox's own interface. Throws if the call fails. */
  control<T = unknown>(method: string, path: string, body?: object): Promise<T>;
  customers(): Promise<SandboxCustomer[]>;
  /** Returns the current accounts of a customer for which one signature is enough. */
  currentAccounts(login: string): Promise<SandboxCustomer["accounts"]>;
  /** Makes a customer decide. Returns the URL to which the customer is sent back. */
  decide(request: HeadlessRequest): Promise<string>;
  /** Makes a customer approve a consent, and exchanges the code. */
  approve(client: TppClient, given: Approval): Promise<Tokens>;
  /** Sets the clock forward by an ISO 8601 duration and processes what falls due. */
  advance(duration: string): Promise<void>;
};

/** The consent to approve, the customer, and the accounts to choose. */
export type Approval = {
  scope: Scope;
  consentId: string;
  customer: string;
  accounts?: string[];
};

/** A bank without the limits that a fast test would meet. */
export const unlimited = {
  RATE_LIMIT_PER_SECOND: 0,
  RATE_LIMIT_PER_CALLER: 0,
  BYTES_PER_SECOND: 0,
  REQUESTS_IN_PROGRESS: 0,
  LATE_AFTER_MILLISECONDS: 0,
};

/** The machine's clock and the maker of keys, if they are not those of every test. */
export type Ambient = { clock?: Clock; generateKey?: ServerOptions["generateKey"] };

type KeyPem = { privateKeyPem: string; publicKeyPem: string };

/**
 * Opens a bank with the given settings. By default it has a new database and the published payment
 * kinds, and uses the machine's clock. `close` removes everything that belongs to the bank. If a failing `before` hook prevents
 * the call of `close`, the bank is closed after the tests.
 */
export function openBank(
  overrides: Partial<Config> = {},
  given?: Database,
  kinds: readonly PaymentKind[] = paymentKinds,
  { clock = systemClock, generateKey = sharedKeys() }: Ambient = {},
): Promise<TestBank> {
  const ambient = { kinds, clock, generateKey };
  const opening = startBank(overrides, given, ambient, () => forgetClosed(opening));
  return closeAfterTests(opening);
}

async function startBank(
  overrides: Partial<Config>,
  given: Database | undefined,
  ambient: Pick<ServerOptions, "kinds" | "clock" | "generateKey">,
  onClosed: () => void,
): Promise<TestBank> {
  const folder = mkdtempSync(join(tmpdir(), "aldgate-bank-"));
  const config: Config = {
    ...loadConfig({}),
    ALDGATE_DATA: folder,
    PUBLIC_PORT: await freePort(),
    MTLS_PORT: await freePort(),
    MANAGEMENT_PORT: 0,
    LOG_LEVEL: "silent",
    ...unlimited,
    ...overrides,
  };
  const database = given ?? (await copySeeded());
  const aldgate = await openServer({
    config,
    ...ambient,
    onProgress: () => undefined,
    database,
  });
  const clients: TppClient[] = [];
  const control = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const response = await fetch(`${aldgate.publicUrl}/sandbox/v1${path}`, {
      method,
      ...(body ? { headers: { "content-type": "application/json" } } : {}),
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const answer = await response.json();
    assert(response.ok, `${method} ${path} succeeds, not ${JSON.stringify(answer)}`);
    return answer as T;
  };
  const customers = async (): Promise<SandboxCustomer[]> =>
    (await control<{ customers: SandboxCustomer[] }>("GET", "/customers")).customers;
  const decide = async (request: HeadlessRequest): Promise<string> =>
    (await control<{ redirectUrl: string }>("POST", "/authorisations", request)).redirectUrl;
  return {
    ...aldgate,
    control,
    customers,
    decide,
    async createTpp(request = {}) {
      const issued = await present(aldgate.sandbox, "the sandbox").directory.createTpp({
        name: "Test TPP",
        roles: [...tppRoles],
        redirectUris: ["http://localhost:7878/callback"],
        ...request,
      });
      const client = new TppClient(aldgate, issued);
      client.onAnswer = holdAgainstPublished;
      clients.push(client);
      return client;
    },
    async currentAccounts(login) {
      const customer = (await customers()).find((one) => one.login === login);
      return present(customer, login).accounts.filter(
        (one) => one.accountSubType === "CurrentAccount" && one.signatoriesRequired === 1,
      );
    },
    async approve(client, { scope, consentId, customer, accounts }) {
      const authorizationUrl = await client.authorizationUrl({ scope, consentId });
      const redirectUrl = await decide({
        authorizationUrl,
        customer,
        decision: "approve",
        ...(accounts ? { accounts } : {}),
      });
      return client.exchangeCode(redirectUrl);
    },
    advance: async (duration) => void (await control("PUT", "/clock", { advance: duration })),
    async close() {
      for (const client of clients) client.close();
      await aldgate.close();
      rmSync(folder, { recursive: true, force: true });
      onClosed();
    },
  };
}

/** Copies the lane's database with the personas. Close the copy when done. */
export async function copySeeded(): Promise<Database> {
  if (onPostgres) {
    const server = await startPostgres();
    const name = `test_${randomUUID().replaceAll("-", "")}`;
    return openPostgres(await server.createDatabase(name, templateName));
  }
  return openPglite({ files: new ArchivedFiles("seeded") });
}

// Every response to a test is checked against the published schemas.
const check = createResponseCheck();

function holdAgainstPublished(method: string, url: string, { status, headers, raw }: Answer): void {
  const body = raw.toString();
  const flat = new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  const faults = check({ method, url, status, headers: flat, body });
  assert(faults.length === 0, `the answer is as published: ${faults.join("; ")}\n${body}`);
}

/** Returns a maker of keys that shares the keys of the run; undefined outside a run. */
export function sharedKeys(): (() => Promise<KeyPem>) | undefined {
  const file = process.env.ALDGATE_TEST_KEYS;
  if (!file) return undefined;
  const keys: KeyPem[] = JSON.parse(readFileSync(file, "utf8"));
  let turn = 0;
  return async () => present(keys[turn++ % keys.length], "a key");
}

/** Fails unless the response has this status. The message shows the response. */
export function expectStatus(answer: Answer, status: number): void {
  assert(
    answer.status === status,
    `the answer is ${status}, not ${answer.status} ${answer.raw.toString().slice(0, 2000)}`,
  );
}
