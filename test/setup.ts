// Runs once before the tests of a lane and seeds the database that every test file copies. It
// downloads nothing, and removes everything after the tests.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { generateRsaKey } from "#src/sandbox/directory/keys.ts";
import { startPostgres, type TestPostgres } from "./postgres.ts";

/** The name of the seeded database that tests copy. */
export const templateName = "aldgate_seeded";

// An RSA key takes a tenth of a second to make, so keys are shared in turn. With a prime number of
// keys, two TPPs of one test have different keys.
const sharedKeys = 11;

const seeder = fileURLToPath(new URL("./seed-template.ts", import.meta.url));

let postgres: TestPostgres | undefined;
let folder: string | undefined;

/** Called by the test runner before the first test. */
export async function globalSetup(): Promise<void> {
  process.env.ALDGATE_TEST_DATABASE ??= "pglite";
  folder = mkdtempSync(join(tmpdir(), "aldgate-test-"));
  process.env.ALDGATE_TEST_KEYS = join(folder, "keys.json");
  const keys = await Promise.all(Array.from({ length: sharedKeys }, generateRsaKey));
  writeFileSync(process.env.ALDGATE_TEST_KEYS, JSON.stringify(keys), { mode: 0o600 });
  if (process.env.ALDGATE_TEST_DATABASE === "postgres") {
    postgres = await startPostgres();
    process.env.TEST_POSTGRES_URL = postgres.url;
    seed(await postgres.createDatabase(templateName));
    return;
  }
  process.env.ALDGATE_TEST_DUMP = join(folder, "seeded.tar");
  seed(process.env.ALDGATE_TEST_DUMP);
}

/** Called by the test runner after the last test. */
export async function globalTeardown(): Promise<void> {
  await postgres?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
}

/** Seeds in a separate process, because the embedded database never returns memory. */
function seed(target: string): void {
  execFileSync(process.execPath, [seeder, target], { stdio: ["ignore", "ignore", "inherit"] });
}
