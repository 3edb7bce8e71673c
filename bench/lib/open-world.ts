import { scryptSync } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { present } from "#src/lib/assert.ts";
import type { Database } from "#src/storage/database.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { sql } from "#src/storage/sql.ts";
import { type PostgresServer, startServer } from "#test/attacks/postgres-server.ts";
import { openReceiver, type Receiver } from "#test/events/receiver.ts";
import { type BenchBank, openBenchBank } from "./bank.ts";
import type { CpuTime } from "./cpu-time.ts";
import { accountIdAt, addEverybodysHistory } from "./history.ts";
import { type OpenLoad, type OpenLoadProcess, startOpenLoad } from "./open-load.ts";
import { prepareJourneys } from "./prepare-journeys.ts";
import type { PreparedOrders } from "./prepare-orders.ts";
import { copyReadable, divideReaders, tokenOf } from "./readable-accounts.ts";
import { authoriseReader } from "./readable-page.ts";
import { cpuOf } from "./server-processes.ts";

// A bank under a load that arrives at a fixed rate: its PostgreSQL servers, its processes, its TPPs
// and customers, and the TPP's endpoint that receives events.

/** How large a bank is, and how TPPs call it. */
export type WorldSize = { accounts: number; entries: number; connections: number };

export type OpenWorld = {
  /** Starts so many processes, and a load on them. Ends those that were started before. */
  start(processes: number, settings?: Record<string, string>): Promise<void>;
  banks(): readonly BenchBank[];
  load(): OpenLoadProcess;
  /** Adds a standby that every commit waits for. */
  addStandby(): Promise<void>;
  primary(): PostgresServer;
  standby(): PostgresServer;
  database(): Promise<Database>;
  receiver: Receiver;
  cpu(): Promise<Cpu>;
  close(): Promise<void>;
};

/** CPU seconds so far, of all processes of the bank and of PostgreSQL. */
export type Cpu = { bank: number; database: number };

const name = "open_loop";
const password = "a password of a benchmark";
/** The customers of `prepareOrders`, who have money. One makes one payment at a time. */
const payers = Array.from({ length: 200 }, (_, n) => ({ login: `bench-${n}`, password }));
const readers = 50;
const settings = { shared_buffers: "256MB", max_connections: "200", wal_keep_size: "1GB" };

export async function openWorld(size: WorldSize): Promise<OpenWorld> {
  const folder = mkdtempSync(join(tmpdir(), "aldgate-bench-"));
  const primary = await startServer({ settings });
  const receiver = await openReceiver();
  let standby: PostgresServer | null = null;
  await primary.createDatabase(name);
  let prepared: Omit<OpenLoad, "processes"> | null = null;
  let banks: BenchBank[] = [];
  let load: OpenLoadProcess | null = null;

  async function end(): Promise<void> {
    load?.close();
    load = null;
    // a bank that has met a fault has logged it, so it is not closed, which would complain
    for (const bank of banks) await bank.kill();
    banks = [];
  }

  return {
    async start(processes, given = {}) {
      await end();
      const hosts = [primary, ...(standby ? [standby] : [])].map(({ host }) => host).join();
      const url = `postgres://aldgate@${hosts}/${name}?target_session_attrs=read-write`;
      // the first makes the keys, so the others start after it
      for (let number = 0; number < processes; number += 1) {
        banks.push(await openBenchBank(url, { kept: folder, settings: given }));
      }
      const bank = present(banks[0], "a bank");
      prepared ??= await prepareLoad(bank, primary.urlOf(name), size);
      const { clientId } = prepared.payer.tpp;
      await bank.ask({ name: "subscribe", clientId, callbackUrl: receiver.url });
      const addresses = banks.map(({ publicUrl, mtlsUrl }) => ({ publicUrl, mtlsUrl }));
      load = startOpenLoad({ ...prepared, processes: addresses });
    },
    banks: () => banks,
    load: () => present(load, "a load"),
    async addStandby() {
      standby = await startServer({ settings, standbyOf: primary });
    },
    primary: () => primary,
    standby: () => present(standby, "a standby"),
    database: () => openPostgres((standby && !primary.isAlive() ? standby : primary).urlOf(name)),
    receiver,
    async cpu() {
      const times = await Promise.all(banks.map((bank) => bank.ask<CpuTime>({ name: "cpuTime" })));
      const own = times.reduce((sum, time) => sum + time.process, 0);
      return { bank: own / 1000, database: cpuOf(primary) / 1000 };
    },
    async close() {
      await end();
      await standby?.stop();
      await primary.stop();
      await receiver.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Registers the TPPs, and stores accounts to read, customers who pay and consents that last. */
async function prepareLoad(
  bank: BenchBank,
  url: string,
  { accounts, entries, connections }: WorldSize,
): Promise<Omit<OpenLoad, "processes">> {
  const reader = await authoriseReader(bank);
  const { consentId, tokens } = reader;
  const refreshToken = present(tokens.refresh_token, "a refresh token");
  const collector = await bank.ask<PreparedOrders>({
    name: "prepareOrders",
    orders: 2000,
    bound: false,
    vrpConsents: payers.length,
  });
  const database = await openPostgres(url);
  await copyReadable(database, { consentId, accounts, now: Temporal.Now.instant() });
  await divideReaders(database, { consentId, tpps: readers });
  await addEverybodysHistory(database, accounts, entries);
  await lightenPasswords(database);
  await database.close();
  const base = "/api/open-banking/v4.0/aisp/accounts";
  const targets = Array.from({ length: accounts }, (_, index) => {
    const account = 1 + ((index * 6133) % accounts);
    const path = `${base}/${accountIdAt(account)}${index % 4 === 3 ? "" : "/transactions"}`;
    return { path, token: tokenOf(account) };
  });
  const { tpp } = await prepareJourneys(bank);
  return {
    targets,
    reader: { tpp: reader.tpp, refreshTokens: [refreshToken] },
    payer: { tpp, customers: payers },
    collector,
    connections,
    addresses: process.platform === "linux" ? readers : 1,
  };
}

/**
 * Gives the customers a password whose check costs almost nothing. The check of the sandbox is slow
 * on purpose; a bank has a login of its own, and its cost is not Aldgate's.
 */
async function lightenPasswords(database: Database): Promise<void> {
  const salt = Buffer.alloc(16);
  const key = scryptSync(password, salt, 32, { N: 2, r: 8, p: 1 });
  const hash = ["scrypt", 2, 8, 1, salt.toString("base64url"), key.toString("base64url")].join("$");
  await database.query(sql`
    update customer set password_hash = ${hash},
      totp_secret = (select totp_secret from customer where login = 'amara')
    where login like 'bench-%'`);
}
