import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { listOperations } from "#src/server/routes/list-operations.ts";
import { writeArchived } from "#src/storage/archived-files.ts";
import { freePort } from "#test/free-port.ts";
import { archiveFile } from "#test/setup.ts";
import { shiftedClock } from "#test/shifted-clock.ts";

/** Why the tests of the command line cannot run in this lane; false if they can. */
export const skipReason: string | false =
  process.env.ALDGATE_TEST_DUMP === undefined ? "they need the embedded database's lane" : false;

/** A seeded data folder and free ports. Remove the folder when done. */
export type Place = {
  folder: string;
  environment: Record<string, string>;
  publicUrl: string;
  remove(): void;
};

/** Creates a data folder from the lane's seeded database. */
export async function makePlace(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), "aldgate-cli-"));
  writeArchived(archiveFile("seeded"), join(folder, "database", "postgres"));
  writeFileSync(join(folder, "seeded"), "");
  const publicPort = await freePort();
  const mtlsPort = await freePort();
  return {
    folder,
    publicUrl: `http://localhost:${publicPort}`,
    environment: {
      ALDGATE_DATA: folder,
      PUBLIC_PORT: String(publicPort),
      MTLS_PORT: String(mtlsPort),
      MANAGEMENT_PORT: "0",
      LOG_LEVEL: "error",
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A command that runs in a separate process. */
export type Running = {
  child: ChildProcess;
  /** Returns its output so far, of both streams. */
  said(): string;
  /** Waits until the output matches. Fails if the process ends before. */
  untilSaid(pattern: RegExp): Promise<void>;
  /** Resolves with the exit code when the process ends. */
  ended: Promise<number | null>;
};

const { NODE_COMPILE_CACHE: cache } = process.env;

/** Names the cache of compiled code that `npm test` and `npm start` share, if there is one. */
export const compileCache: Record<string, string> =
  cache === undefined ? {} : { NODE_COMPILE_CACHE: cache };

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

/** Starts `node src/main.ts …` with only this environment, and the cache of compiled code. */
export const startCommand = (line: string[], environment: Record<string, string>): Running =>
  startProgram(process.execPath, [main, ...line], {
    env: { PATH: process.env.PATH ?? "", ...shiftedClock, ...compileCache, ...environment },
  });

/** Starts a program and collects its output. */
export function startProgram(
  program: string,
  line: string[],
  options: { cwd?: string; env: NodeJS.ProcessEnv },
): Running {
  const child = spawn(program, line, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      text += chunk;
    });
  }
  const ended = once(child, "close").then(([code]) => code as number | null);
  return {
    child,
    ended,
    said: () => text,
    async untilSaid(pattern) {
      let over = false;
      void ended.then(() => {
        over = true;
      });
      while (!pattern.test(text)) {
        if (over) throw new Error(`it ended without saying ${pattern}: ${text}`);
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
    },
  };
}

/** A bank that `start` runs on a place, with its ready TPP. */
export type BankWithTpp = {
  place: Place;
  bank: Running;
  /** The folder of the ready TPP. */
  folder: string;
  client: TppClient;
  close(): Promise<void>;
};

/** Starts a bank on a new place. Close it when done. */
export async function startBankWithTpp(): Promise<BankWithTpp> {
  const place = await makePlace();
  const bank = startCommand(["start"], place.environment);
  await bank.untilSaid(/Ctrl-C closes the bank/);
  const folder = join(place.folder, "keys", "tpps", "ready");
  const { MTLS_PORT } = place.environment;
  const addresses = { publicUrl: place.publicUrl, mtlsUrl: `https://localhost:${MTLS_PORT}` };
  const operations = listOperations(paymentKinds);
  const client = new TppClient(
    { ...addresses, operations },
    JSON.parse(readFileSync(join(folder, "tpp.json"), "utf8")),
  );
  return {
    place,
    bank,
    folder,
    client,
    async close() {
      client.close();
      bank.child.kill("SIGKILL");
      await bank.ended;
      place.remove();
    },
  };
}
