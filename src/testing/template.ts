import { readFileSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { present } from "#src/lib/assert.ts";
import type { KeyPem } from "#src/sandbox/directory/certificates.ts";
import { generateRsaKey } from "#src/sandbox/directory/keys.ts";
import { cacheFolder, keptFile, removeUnused, versionFolder } from "./cache.ts";

/** What a bank for tests is copied from: a file with its database, and one with RSA keys. */
type Template = { archive: string; keys: string };

/** The work of the thread that fills a database. */
export type TemplateWork = { file: string; day: string };

// a key takes up to a tenth of a second; with a prime number of keys, TPPs of one test differ
const keyCount = 37;

/** Returns the template of banks whose history ends on that day. The first call makes it. */
export async function findTemplate(
  day: Temporal.PlainDate,
  cache = cacheFolder(),
): Promise<Template> {
  const folder = versionFolder(cache);
  const [archive, keys] = await Promise.all([
    keptFile(join(folder, `${day}.tar.zst`), async (draft) => {
      removeUnused(cache);
      await fill({ file: draft, day: day.toString() });
    }),
    keptFile(join(folder, "keys.json"), makeKeys),
  ]);
  return { archive, keys };
}

// a thread, because the embedded database never returns the memory that this takes
function fill(work: TemplateWork): Promise<void> {
  const module = new URL(`./make-template${extname(import.meta.url)}`, import.meta.url);
  const thread = new Worker(module, { workerData: work });
  return new Promise((resolve, reject) => {
    thread.on("error", reject);
    thread.on("exit", (code) =>
      code === 0 ? resolve() : reject(new Error(`the database was not filled (${code})`)),
    );
  });
}

async function makeKeys(file: string): Promise<void> {
  const keys = await Promise.all(Array.from({ length: keyCount }, generateRsaKey));
  writeFileSync(file, JSON.stringify(keys), { mode: 0o600 });
}

/** Returns the function that hands out the keys of a file in turn, from that one on. */
export function keysInTurn(file: string, from = 0): () => Promise<KeyPem> {
  const keys: KeyPem[] = JSON.parse(readFileSync(file, "utf8")); // written by makeKeys
  let turn = from;
  return async () => present(keys[turn++ % keys.length], "a key");
}
