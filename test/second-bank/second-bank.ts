import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Config } from "#src/config/config.ts";
import { assert } from "#src/lib/assert.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { Database } from "#src/storage/database.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { type Lodged, lodge } from "#test/journeys/payments.ts";
import type { Fault } from "./faults.ts";
import type { Entry } from "./ledger.ts";
import type { Told } from "./told-notices.ts";
import { decode, encode } from "./wire.ts";

/** The path of the module for BANK_MODULE. */
export const corePath = fileURLToPath(new URL("core.ts", import.meta.url));

/** The path of the module whose core is told about consents and orders. */
export const tellingPath = fileURLToPath(new URL("telling-core.ts", import.meta.url));

/** The books of the second bank. */
export type Books = {
  entries: Entry[];
  accounts: { accountId: string; bookedMinor: bigint; heldMinor: bigint }[];
};

/** A call of the port that reached the second bank, with the ids of its payments. */
export type Call = { call: string; items: string[] };

/** A bank's core in a separate process. */
export type SecondBank = {
  url: string;
  /** Replaces the faults. Without arguments, there are none. */
  fail(...faults: Fault[]): Promise<void>;
  books(): Promise<Books>;
  /** Returns the codes that customers have received and not yet entered. */
  codes(): Promise<string[]>;
  /** Returns the calls since the last question. */
  calls(): Promise<Call[]>;
  /** Returns what it was told about consents and orders. */
  told(): Promise<Told>;
  close(): Promise<void>;
};

/** Starts the process. The seed decides which calls a share affects. */
export async function startSecondBank(seed = 1): Promise<SecondBank> {
  const path = fileURLToPath(new URL("process.ts", import.meta.url));
  const child = spawn(process.execPath, [path, String(seed)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [url] = (await once(createInterface(child.stdout), "line")) as [string];
  process.env.SECOND_BANK_URL = url;
  const control = async (name: string, body: unknown = null): Promise<unknown> => {
    const response = await fetch(`${url}/control/${name}`, { method: "POST", body: encode(body) });
    return decode(await response.text());
  };
  return {
    url,
    fail: async (...faults) => void (await control("faults", faults)),
    books: async () => (await control("books")) as Books,
    codes: async () => (await control("codes")) as string[],
    calls: async () => (await control("calls")) as Call[],
    told: async () => (await control("told")) as Told,
    async close() {
      const ended = once(child, "close");
      child.stdin.end();
      await ended;
    },
  };
}

/** Opens a bank on the second bank's core, with its own TPPs and clock and the core's customers. */
export const openOver = (
  _second: SecondBank,
  overrides: Partial<Config> = {},
  database?: Database,
): Promise<TestBank> => openBank({ BANK_MODULE: corePath, ...overrides }, database);

/** Returns the debits of payments from an account. Fails if a payment was debited twice. */
export function debitsOf({ entries }: Books, accountId: string): Entry[] {
  const debits = entries.filter((one) => one.accountId === accountId && one.amountMinor < 0n);
  const ids = new Set(debits.map(({ paymentId }) => paymentId));
  assert(ids.size === debits.length, "no payment is debited twice");
  return debits;
}

/** A consent that Ada has approved, with the token for its order. */
export type Ready = { lodged: Lodged; token: string };

/** Lets Ada approve a payment from an account. */
export async function readyToPay(
  bank: TestBank,
  client: TppClient,
  lodged: Lodged,
  from = "second-current",
): Promise<Ready> {
  const tokens = await bank.approve(client, {
    scope: "payments",
    consentId: lodged.consentId,
    customer: "ada",
    accounts: [from],
  });
  return { lodged, token: tokens.access_token };
}

/** Creates a payment consent with this amount and lets Ada approve it. */
export const approved = async (
  bank: TestBank,
  client: TppClient,
  amount: string,
  from?: string,
): Promise<Ready> => readyToPay(bank, client, await lodge(client, { amount }), from);
