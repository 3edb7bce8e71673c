import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Unavailable } from "#src/lib/unavailable.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { sql } from "#src/storage/sql.ts";
import { makeAuthority } from "#test/http/certificates.ts";
import { startPostgres, type TestPostgres } from "#test/postgres.ts";

const folder = mkdtempSync(join(tmpdir(), "aldgate-database-tls-"));
const root = join(folder, "root.pem");
const otherRoot = join(folder, "other.pem");
const warnings: Error[] = [];
const listen = (warning: Error): void => void warnings.push(warning);
let server: TestPostgres;
let plain: TestPostgres;

before(async () => {
  const [authority, other] = await Promise.all([makeAuthority("Root"), makeAuthority("Root")]);
  writeFileSync(root, authority.cert);
  writeFileSync(otherRoot, other.cert);
  process.on("warning", listen);
  // the server is also at 127.0.0.1, which its certificate does not name
  server = await startPostgres({ tls: await authority.issue("localhost", ["localhost"]) });
  plain = await startPostgres();
});

after(async () => {
  process.off("warning", listen);
  await Promise.all([server?.stop(), plain?.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

/** Returns a verified URL of the server under these host names. */
function urlOf({ url }: TestPostgres, names: string[], rootFile = root): string {
  const { port, username, pathname } = new URL(url);
  const hosts = names.map((name) => `${name}:${port}`);
  const query = `sslmode=verify-full&sslrootcert=${rootFile}`;
  return `postgres://${username}@${hosts}${pathname}?${query}`;
}

/** Returns for each connection of the bank to that server whether it is encrypted. */
async function encryptions(url: string): Promise<boolean[]> {
  const database = await openPostgres(url, 2);
  try {
    const count = sql`select 1 as one`;
    await database.transaction((line) => line.query(count));
    const rows = await database.query<{ ssl: boolean }>(
      sql`select ssl from pg_stat_ssl join pg_stat_activity using (pid)
        where application_name = 'aldgate'`,
    );
    return rows.map(({ ssl }) => ssl);
  } finally {
    await database.close();
  }
}

test("every connection to a server that TLS verifies is encrypted, without a warning", async () => {
  const found = await encryptions(urlOf(server, ["localhost"]));
  assert.ok(found.length >= 3, `${found.length} connections`);
  assert.ok(found.every(Boolean));
  assert.deepEqual(warnings, []);
});

test("a server with a certificate of another root is refused", async () => {
  await assert.rejects(encryptions(urlOf(server, ["localhost"], otherRoot)), (error: Error) => {
    assert.ok(error instanceof Unavailable);
    assert.match(error.message, /cannot be reached: localhost:\d+: .*(certificate|signature)/);
    return true;
  });
});

test("each of several servers is verified by its own name", async () => {
  await assert.rejects(encryptions(urlOf(server, ["127.0.0.1", "127.0.0.1"])), (error: Error) => {
    assert.ok(error instanceof Unavailable);
    const refusal = /127\.0\.0\.1:\d+: Hostname\/IP does not match certificate's altnames: IP/g;
    assert.equal(error.message.match(refusal)?.length, 2, error.message);
    return true;
  });
  assert.ok((await encryptions(urlOf(server, ["127.0.0.1", "localhost"]))).every(Boolean));
});

test("a server without TLS is refused", async () => {
  const refusal = /127\.0\.0\.1:\d+: The server does not support SSL connections/;
  await assert.rejects(encryptions(urlOf(plain, ["127.0.0.1"])), refusal);
});
