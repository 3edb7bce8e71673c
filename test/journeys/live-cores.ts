// The two ways in which docs/going-live.md connects a core, and how its customers log in.
import { createPublicKey } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { present } from "#src/lib/assert.ts";
import { openBankProvider } from "#test/auth/bank-provider.ts";
import { startProgram } from "#test/cli/running-bank.ts";
import { openCoreGateway } from "#test/connector/core-gateway.ts";
import { makeAuthority } from "#test/http/certificates.ts";
import { corePath, debitsOf, startSecondBank } from "#test/second-bank/second-bank.ts";
import { type ProductionFolder, rsaKey } from "#test/server/production-folder.ts";
import type { Customer } from "./customer.ts";

/** A core of a live bank, and the customer who pays from an account there. */
export type LiveCore = {
  /** The settings of the page that it needs besides those of every bank. */
  settings: string[];
  /** What stands in the place of the page's addresses and files. */
  places: Record<string, string>;
  /** Settings that are no part of the page. */
  environment: Record<string, string>;
  customerId: string;
  accountId: string;
  /** How the customer confirms, as the evidence names it. */
  method: "code" | "redirect";
  /** The customer logs in and confirms what is shown, up to the page with the accounts. */
  confirm(customer: Customer): Promise<void>;
  /** The debits of the account in pence, by payment. Fails if a payment was debited twice. */
  debits(): Promise<bigint[]>;
  /** The balance that a TPP should read now, such as `12.30`. */
  balance(): Promise<string>;
  /** Lets `execute` fail until it is called with false. */
  fail(isFailing: boolean): Promise<void>;
  /** Lists calls that should not have been made. */
  faults(): string[];
  close(): Promise<void>;
};

/** Opens a core for a bank at this address, whose files are in the folder. */
export type OpenCore = (publicUrl: string, folder: ProductionFolder) => Promise<LiveCore>;

/** A module in Aldgate's process, and password and code on Aldgate's pages. */
const openInProcess: OpenCore = async () => {
  const core = await startSecondBank();
  const accountId = "second-current";
  return {
    settings: ["BANK_MODULE"],
    places: { "/opt/our-bank/core.mjs": corePath },
    environment: { SECOND_BANK_URL: core.url },
    customerId: "second-ada",
    accountId,
    method: "code",
    async confirm(customer) {
      await customer.login("ada", "ada's own password");
      const [code] = await core.codes();
      await customer.factor(present(code, "the code of Ada's challenge"));
    },
    debits: async () =>
      debitsOf(await core.books(), accountId).map(({ amountMinor }) => amountMinor),
    balance: async () => "10000.00", // this core sends its balance once
    fail: (isFailing) =>
      isFailing ? core.fail({ call: "execute", how: "fail", outcome: "retry" }) : core.fail(),
    faults: () => [],
    close: core.close,
  };
};

const sample = fileURLToPath(new URL("../../examples/banks/bank.ts", import.meta.url));

/** A service behind a gateway with mutual TLS, and the bank's own OpenID provider. */
const openOverHttp: OpenCore = async (publicUrl, folder) => {
  const books = mkdtempSync(join(tmpdir(), "aldgate-live-core-"));
  const line = [sample, "0", join(books, "bank.db")];
  const service = startProgram(process.execPath, line, { env: process.env });
  await service.untilSaid(/Open at http/);
  const [core = ""] = /http:\S+/.exec(service.said()) ?? [];
  const [authority, provider] = [
    await makeAuthority("A bank's own authority"),
    await openBankProvider(),
  ];
  await provider.serve(publicUrl);
  provider.mood.sub = "cus-nia";
  const [client, signingKey] = [await authority.issue("Aldgate"), rsaKey()];
  folder.write("core-root.pem", authority.cert);
  folder.write("core-client.pem", client.cert);
  folder.write("core-client.key.pem", client.key);
  folder.write("core-signing.key.pem", signingKey);
  folder.write("login.key.pem", provider.clientKeyPem);
  const gateway = await openCoreGateway({
    core,
    server: await authority.issue("localhost"),
    clientRoots: authority.cert,
    signedBy: createPublicKey(signingKey),
  });
  const accountId = "acc-nia";
  return {
    settings: ["BANK_URL", "BANK_LOGIN_ISSUER"],
    places: {
      "https://core.bank.example": gateway.url,
      "https://login.bank.example": provider.issuer,
    },
    environment: {},
    customerId: "cus-nia",
    accountId,
    method: "redirect",
    async confirm({ page }) {
      await page.getByRole("button", { name: "Confirm" }).click();
      await page.waitForURL(`${publicUrl}/**`);
    },
    debits: async () => debitsBy(await readEntries(core), accountId),
    async balance() {
      const entries = (await readEntries(core)).filter((one) => one.accountId === accountId);
      const pence = entries.reduce((sum, one) => sum + signed(one), 0n);
      return `${pence / 100n}.${String(pence % 100n).padStart(2, "0")}`;
    },
    fail: async (isFailing) => gateway.close503(...(isFailing ? ["/payments/execute"] : [])),
    faults: () => gateway.refused,
    async close() {
      gateway.close();
      provider.close();
      service.child.kill("SIGKILL");
      await service.ended;
      rmSync(books, { recursive: true, force: true });
    },
  };
};

type Entry = {
  accountId: string;
  indicator: "Credit" | "Debit";
  amount: { amountMinor: number };
  bookingId: string | null;
};

const signed = ({ indicator, amount }: Entry): bigint =>
  BigInt(amount.amountMinor) * (indicator === "Debit" ? -1n : 1n);

/** Reads all entries of the core past the gateway, as its own staff would. */
async function readEntries(core: string): Promise<Entry[]> {
  const headers = { "aldgate-contract": "1" };
  const answer = await fetch(`${core}/changes?limit=1000`, { headers });
  return ((await answer.json()) as { transactions: Entry[] }).transactions;
}

function debitsBy(entries: Entry[], accountId: string): bigint[] {
  const debits = entries.filter((one) => one.accountId === accountId && one.indicator === "Debit");
  const ids = new Set(debits.map(({ bookingId }) => bookingId));
  if (ids.size !== debits.length) throw new Error("a payment is debited twice");
  return debits.map(signed);
}

/** The rows of the test: every bank goes live in the same way. */
export const liveCores: readonly { name: string; open: OpenCore }[] = [
  { name: "with a module as its core", open: openInProcess },
  { name: "with a core over HTTP and its own OpenID provider", open: openOverHttp },
];
