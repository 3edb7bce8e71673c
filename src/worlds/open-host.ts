import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { hasOwnCore } from "#src/config/own-core.ts";
import type { Timers } from "#src/lib/clock.ts";
import { textOf } from "#src/lib/plain-text.ts";
import type { KeyPem } from "#src/sandbox/directory/certificates.ts";
import { generateRsaKey } from "#src/sandbox/directory/keys.ts";
import { type Aldgate, openServer, type ServerOptions } from "#src/server/open-server.ts";
import type { Database } from "#src/storage/database.ts";
import { FolderInUse } from "#src/storage/folder-lock.ts";
import { openRegistry, type Registry } from "./registry.ts";
import { createTemplates, type Fill } from "./templates.ts";
import { folderDatabases, serverDatabases } from "./world-databases.ts";
import { readRecords } from "./world-record.ts";

// A world is what `openServer` returns: a bank with a database, clock, issuer, keys and customers
// of its own. This file opens the sandbox that worlds are opened beside, which is a bank too.
// registry.ts knows the worlds and opens and closes them. doors.ts has their listening sockets.
// world-databases.ts copies their databases, and templates.ts makes those to copy from.

/** The options of `openHost`. */
type HostOptions = ServerOptions & {
  database: Database;
  /** Fills the databases that worlds are copied from. */
  fill: Fill;
  /** The timers of the worlds' regular work; the machine's by default. */
  timers?: Timers;
  /** Reports that a world could not be opened, or that this process cannot have worlds. */
  complain(text: string): void;
};

/** Opens a sandbox with its worlds. */
export async function openHost(options: HostOptions): Promise<Aldgate> {
  // a core of the bank's own has the customers
  const worlds = hasOwnCore(options.config) ? null : await openWorlds(options);
  if (!worlds) return openServer(options);
  try {
    const aldgate = await openServer({ ...options, worlds });
    let closing: Promise<void> | undefined;
    const close = async (): Promise<void> => {
      await worlds.close();
      await aldgate.close();
    };
    return {
      ...aldgate,
      close() {
        closing ??= close();
        return closing;
      },
    };
  } catch (error) {
    await worlds.close();
    throw error;
  }
}

/** Opens the worlds of the data folder; null if another process has them. */
async function openWorlds(options: HostOptions): Promise<Registry | null> {
  const { config, database, fill, complain } = options;
  const { generateKey = generateRsaKey } = options;
  const root = join(config.ALDGATE_DATA, "worlds");
  mkdirSync(root, { recursive: true, mode: 0o700 });
  const databases =
    config.DATABASE_URL === undefined
      ? folderDatabases(config, root)
      : serverDatabases(config, database, config.DATABASE_URL);
  const stock = createKeyStock(generateKey);
  try {
    return await openRegistry({
      ...options,
      root,
      databases,
      templates: createTemplates(databases, {
        fill,
        listNamed: () => readRecords(root).map(({ template }) => template),
      }),
      generateKey: stock,
      onFailure: (error, name) =>
        complain(`The world ${name} could not be opened: ${textOf(error)}`),
    });
  } catch (error) {
    if (!(error instanceof FolderInUse)) throw error;
    complain(`This process has no worlds: ${error.message}.`);
    return null;
  }
}

// the keys of two worlds
const size = 14;
const pauseMs = 1000;

/**
 * RSA keys that are made before they are needed, because one takes a tenth of a second. Returns the
 * function that takes a key. After a pause, the stock is filled up, so a process that opens no
 * world makes no keys.
 */
function createKeyStock(make: () => Promise<KeyPem>): () => Promise<KeyPem> {
  const kept: Promise<KeyPem>[] = [];
  let timer: NodeJS.Timeout | undefined;
  const fill = (): void => {
    while (kept.length < size) {
      const key = make();
      key.catch(() => undefined); // awaited by the one who takes it
      kept.push(key);
    }
  };
  return () => {
    clearTimeout(timer);
    timer = setTimeout(fill, pauseMs);
    timer.unref();
    return kept.shift() ?? make();
  };
}
