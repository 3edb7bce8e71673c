import { randomUUID } from "node:crypto";
import type { Config } from "#src/config/config.ts";
import { assert, present } from "#src/lib/assert.ts";
import { type Clock, systemClock } from "#src/lib/clock.ts";
import type { PaymentKind } from "#src/payments/definitions/payment-kind.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import type { SandboxCustomer } from "#src/sandbox/controls/controls.ts";
import type { Answer, Tokens, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { ServerOptions } from "#src/server/open-server.ts";
import type { Scope } from "#src/standard/api-version.ts";
import { ArchivedFiles } from "#src/storage/archived-files.ts";
import type { Database } from "#src/storage/database.ts";
import { openPglite } from "#src/storage/pglite.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { type OpenedBank, openOn } from "#src/testing/opened-bank.ts";
import { keysInTurn } from "#src/testing/template.ts";
import { closeAfterTests, forgetClosed } from "./close-after.ts";
import { freePort } from "./free-port.ts";
import { isOverHttp, reachOverHttp } from "./over-http.ts";
import { onPostgres, startPostgres } from "./postgres.ts";
import { archiveFile, templateName } from "./setup.ts";
import { createResponseCheck } from "./standard/published-responses.ts";

/** A whole bank, open on loopback over a separate seeded database. */
export type TestBank = OpenedBank & {
  /** Returns the current accounts of a customer for which one signature is enough. */
  currentAccounts(login: string): Promise<SandboxCustomer["accounts"]>;
  /** Makes a customer approve a consent, and exchanges the code. */
  approve(client: TppClient, given: Approval): Promise<Tokens>;
};

/** The consent to approve, the customer, and the accounts to choose. */
export type Approval = {
  scope: Scope;
  consentId: string;
  customer: string;
  accounts?: string[];
};

/** The machine's clock, the pace and what else differs, if they are not those of every test. */
export type Ambient = { clock?: Clock } & Pick<
  ServerOptions,
  "generateKey" | "pace" | "reachBank" | "times"
>;

/**
 * Opens a bank with the given settings. By default it has a new database and the published payment
 * kinds, and uses the machine's clock. `close` removes everything that belongs to the bank. If a failing `before` hook prevents
 * the call of `close`, the bank is closed after the tests.
 */
export function openBank(
  overrides: Partial<Config> = {},
  given?: Database,
  kinds: readonly PaymentKind[] = paymentKinds,
  { clock = systemClock, generateKey = sharedKeys(), ...rest }: Ambient = {},
): Promise<TestBank> {
  const ambient = { kinds, clock, generateKey, ...rest };
  const opening = startBank(overrides, given, ambient, () => forgetClosed(opening));
  return closeAfterTests(opening);
}

async function startBank(
  overrides: Partial<Config>,
  given: Database | undefined,
  ambient: Ambient & Pick<ServerOptions, "kinds">,
  onClosed: () => void,
): Promise<TestBank> {
  const settings = {
    PUBLIC_PORT: await freePort(),
    MTLS_PORT: await freePort(),
    ...overrides,
  };
  const opened = await openOn({
    settings,
    ...ambient,
    ...(isOverHttp ? { reachBank: reachOverHttp } : {}),
    database: given ?? (await copySeeded()),
  });
  return {
    ...opened,
    async createTpp(request) {
      const client = await opened.createTpp(request);
      client.onAnswer = holdAgainstPublished;
      return client;
    },
    async currentAccounts(login) {
      const customer = (await opened.customers()).find((one) => one.login === login);
      return present(customer, login).accounts.filter(
        (one) => one.accountSubType === "CurrentAccount" && one.signatoriesRequired === 1,
      );
    },
    async approve(client, { scope, consentId, customer, accounts }) {
      const authorizationUrl = await client.authorizationUrl({ scope, consentId });
      const { redirectUrl } = await opened.decide({
        authorizationUrl,
        customer,
        decision: "approve",
        ...(accounts ? { accounts } : {}),
      });
      return client.exchangeCode(redirectUrl);
    },
    async close() {
      await opened.close();
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
  return openPglite({ files: new ArchivedFiles(archiveFile("seeded")) });
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
export function sharedKeys(): ServerOptions["generateKey"] {
  const file = process.env.ALDGATE_TEST_KEYS;
  return file ? keysInTurn(file) : undefined;
}

/** Fails unless the response has this status. The message shows the response. */
export function expectStatus(answer: Answer, status: number): void {
  assert(
    answer.status === status,
    `the answer is ${status}, not ${answer.status} ${answer.raw.toString().slice(0, 2000)}`,
  );
}
