import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Config } from "#src/config/config.ts";
import { assert } from "#src/lib/assert.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { type Lodged, lodge } from "#test/journeys/payments.ts";
import type { Fault } from "./faults.ts";
import type { Entry } from "./ledger.ts";
import { decode, encode } from "./wire.ts";

/** The module that BANK_MODULE names. */
export const corePath = fileURLToPath(new URL("core.ts", import.meta.url));

/** What the second bank's books say. */
export type Books = {
  entries: Entry[];
  accounts: { accountId: string; bookedMinor: bigint; heldMinor: bigint }[];
};

/** A call of the port that reached the second bank, with the ids of its payments. */
export type Call = { call: string; items: string[] };

/** A bank's core in a process of its own. */
export type SecondBank = {
  url: string;
  /** Replaces what is wrong with it; nothing is when called without. */
  fail(...faults: Fault[]): Promise<void>;
  books(): Promise<Books>;
  /** The calls since it was last asked. */
  calls(): Promise<Call[]>;
  close(): Promise<void>;
};

/** Starts the process; every fault by share is drawn with that seed. */
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
    calls: async () => (await control("calls")) as Call[],
    async close() {
      const ended = once(child, "close");
      child.stdin.end();
      await ended;
    },
  };
}

/** Opens a bank whose core is the second bank: own TPPs, own clock, customers of the core. */
export const openOver = (_second: SecondBank, overrides: Partial<Config> = {}): Promise<TestBank> =>
  openBank({ BANK_MODULE: corePath, ...overrides });

/** The entries of payments out of an account; fails if one was debited twice. */
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

/** Lodges a payment of that amount and lets Ada approve it. */
export const approved = async (
  bank: TestBank,
  client: TppClient,
  amount: string,
  from?: string,
): Promise<Ready> => readyToPay(bank, client, await lodge(client, { amount }), from);
