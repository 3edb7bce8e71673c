// Runs once before the tests of a lane and makes the databases that the test files copy. It
// downloads nothing, and removes everything after the tests.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { present } from "#src/lib/assert.ts";
import { generateRsaKey } from "#src/sandbox/directory/keys.ts";
import { startPostgres, type TestPostgres } from "./postgres.ts";

/** The names of the PostgreSQL databases that tests copy: without rows, and with the personas. */
export const emptyName = "aldgate_empty";
export const templateName = "aldgate_seeded";

/** The archives of embedded databases that tests copy, by the variables that name their files. */
const archiveFiles = {
  bare: "ALDGATE_TEST_BARE",
  empty: "ALDGATE_TEST_EMPTY",
  seeded: "ALDGATE_TEST_DUMP",
} as const;

/** The file of an archived database: without a schema, without rows, or with the personas. */
export const archiveFile = (name: keyof typeof archiveFiles): string =>
  present(process.env[archiveFiles[name]], "the archive");

// An RSA key takes a tenth of a second to make, so keys are shared in turn. With a prime number of
// keys, two TPPs of one test have different keys.
const sharedKeys = 11;

// a separate process, because the embedded database never returns memory
const seeder = fileURLToPath(new URL("./seed-template.ts", import.meta.url));

let postgres: TestPostgres | undefined;
let folder: string | undefined;

/** Called by the test runner before the first test. */
export async function globalSetup(): Promise<void> {
  process.env.ALDGATE_TEST_DATABASE ??= "pglite";
  // a test that runs tests shares what its own run has made
  if (process.env.ALDGATE_TEST_KEYS !== undefined) return;
  folder = mkdtempSync(join(tmpdir(), "aldgate-test-"));
  process.env.ALDGATE_TEST_PORTS = join(folder, "ports");
  mkdirSync(process.env.ALDGATE_TEST_PORTS);
  process.env.ALDGATE_TEST_CACHE = join(folder, "cache");
  process.env.ALDGATE_TEST_KEYS = join(folder, "keys.json");
  const keys = await Promise.all(Array.from({ length: sharedKeys }, generateRsaKey));
  writeFileSync(process.env.ALDGATE_TEST_KEYS, JSON.stringify(keys), { mode: 0o600 });
  if (process.env.ALDGATE_TEST_DATABASE === "postgres") {
    postgres = await startPostgres();
    process.env.TEST_POSTGRES_URL = postgres.url;
  } else {
    for (const [archive, variable] of Object.entries(archiveFiles)) {
      process.env[variable] = join(folder, `${archive}.tar`);
    }
  }
  execFileSync(process.execPath, [seeder], { stdio: ["ignore", "ignore", "inherit"] });
}

/** Called by the test runner after the last test. */
export async function globalTeardown(): Promise<void> {
  await postgres?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
}
