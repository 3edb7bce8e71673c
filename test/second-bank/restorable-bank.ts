import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "#src/config/config.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { freePort } from "#test/free-port.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { startPostgres } from "#test/postgres.ts";
import { templateName } from "#test/setup.ts";
import { corePath } from "./second-bank.ts";

/** A bank on the second bank's core, whose own database can be restored from a backup. */
export type RestorableBank = {
  /** The open bank. A backup and a restore replace it; its addresses stay the same. */
  readonly bank: TestBank;
  /** The URL of its database. */
  readonly url: string;
  /** The settings with which it is open. */
  readonly settings: Partial<Config>;
  /** Closes the bank, copies its database, and opens it again. Returns the backup. */
  backUp(): Promise<string>;
  /** Closes the bank, and opens it again on a copy of the backup. The core stays as it is. */
  restore(backup: string): Promise<void>;
  close(): Promise<void>;
};

const unique = (use: string): string => `${use}_${randomUUID().replaceAll("-", "")}`;

/** Opens the bank on a new database of the lane's PostgreSQL server. */
export async function openRestorable(overrides: Partial<Config> = {}): Promise<RestorableBank> {
  const server = await startPostgres(); // the lane's
  const folder = mkdtempSync(join(tmpdir(), "aldgate-restorable-"));
  const settings: Partial<Config> = {
    BANK_MODULE: corePath,
    // clients and signatures know the bank by its addresses and keys
    ALDGATE_DATA: folder,
    PUBLIC_PORT: await freePort(),
    MTLS_PORT: await freePort(),
    ...overrides,
  };
  let name = unique("live");
  let url = await server.createDatabase(name, templateName);
  const open = async () => openBank(settings, await openPostgres(url));
  let bank = await open();
  return {
    get bank() {
      return bank;
    },
    get url() {
      return url;
    },
    settings,
    async backUp() {
      await bank.close();
      const backup = unique("backup");
      await server.createDatabase(backup, name);
      bank = await open();
      return backup;
    },
    async restore(backup) {
      await bank.close();
      name = unique("restored");
      url = await server.createDatabase(name, backup);
      bank = await open();
    },
    async close() {
      await bank.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
