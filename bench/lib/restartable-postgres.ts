import { spawn } from "node:child_process";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts } from "#src/server/listeners/free-ports.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { locateBinaries, runAsServer, serverUser } from "#test/postgres.ts";

/** A PostgreSQL server with a gigabyte of shared buffers that can be restarted. */
export type RestartablePostgres = {
  url: string;
  /** Restarts the server on the same data, with empty buffers. */
  restart(): Promise<void>;
  /** Stops the server and removes its data. */
  stop(): Promise<void>;
};

/** Starts the server in a temporary folder, on a free loopback port. */
export async function startRestartable(): Promise<RestartablePostgres> {
  const folder = mkdtempSync(join(tmpdir(), "aldgate-random-pages-"));
  if (serverUser) chownSync(folder, serverUser.uid, serverUser.gid);
  const { initdb, postgres } = await locateBinaries(folder);
  const data = join(folder, "data");
  const locale = ["--encoding=UTF8", "--locale=C", "--username=aldgate", "--auth=trust"];
  await runAsServer(initdb, ["--pgdata", data, "--no-sync", "--no-instructions", ...locale]);
  const [port = 0] = await freePorts("127.0.0.1", 1);
  const url = `postgres://aldgate@127.0.0.1:${port}/postgres`;
  const settings = {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    shared_buffers: "1GB",
    max_wal_size: "8GB",
    max_connections: "100",
  };
  const flags = Object.entries(settings).flatMap(([key, value]) => ["-c", `${key}=${value}`]);
  const start = async () => {
    const child = spawn(postgres, ["-D", data, "-p", `${port}`, ...flags], {
      ...serverUser,
      cwd: folder,
      env: { PATH: process.env.PATH ?? "", TZ: "UTC" },
      stdio: "ignore",
    });
    const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
    await untilReady(url);
    return { child, ended };
  };
  let server = await start();
  // SIGINT is a fast shutdown: it closes connections and writes the data
  const end = async () => {
    server.child.kill("SIGINT");
    await server.ended;
  };
  process.on("exit", () => server.child.kill("SIGQUIT"));
  return {
    url,
    async restart() {
      await end();
      server = await start();
    },
    async stop() {
      await end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function untilReady(url: string): Promise<void> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    try {
      const database = await openPostgres(url);
      await database.close();
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
