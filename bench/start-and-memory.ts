import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { TppCredentials } from "#src/sandbox/test-tpp/tpp-credentials.ts";
import { listOperations } from "#src/server/routes/list-operations.ts";
import { startPostgres } from "#test/postgres.ts";
import { bankEnvironment, seededFolder } from "./lib/bank.ts";
import { conclude, isQuick, show } from "./lib/report.ts";

// How long `start` takes until the bank is open, the first time and the next, and how much memory
// its process uses, idle and after requests. The bank is started as by `npm start`, with the same
// node options. The bank's own metrics give the memory.

const runner = fileURLToPath(new URL("../scripts/run.mjs", import.meta.url));
const requests = [1000, 4000];
const atOnce = 8;
const idleSeconds = isQuick ? 1 : 5;

type OpenBank = {
  child: ChildProcess;
  publicUrl: string;
  mtlsUrl: string;
  managementUrl: string;
  seconds: number;
};

function start(environment: NodeJS.ProcessEnv): Promise<OpenBank> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [runner, "start"], {
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  let complaint = "";
  child.stderr.on("data", (chunk) => {
    complaint += chunk;
  });
  return new Promise((resolve, reject) => {
    child.on("exit", (code) => reject(new Error(`the bank ended with ${code}: ${complaint}`)));
    child.stdout.on("data", (chunk) => {
      text += chunk;
      const publicUrl = /^ *Home, documentation +(http\S+?)\/?$/m.exec(text)?.[1];
      const mtlsUrl = /^ *APIs for TPPs +(https:\/\/[^/\s]+)/m.exec(text)?.[1];
      const managementUrl = /^ *Management +(http:\/\/[^/\s]+)/m.exec(text)?.[1];
      if (!publicUrl || !mtlsUrl || !managementUrl) return;
      resolve({
        child,
        publicUrl,
        mtlsUrl,
        managementUrl,
        seconds: (performance.now() - startedAt) / 1000,
      });
    });
  });
}

function stop({ child }: OpenBank): Promise<void> {
  return new Promise((resolve) => {
    child.removeAllListeners("exit");
    child.on("exit", () => resolve());
    child.kill("SIGTERM");
  });
}

async function residentMegabytes({ managementUrl }: OpenBank): Promise<number> {
  const text = await (await fetch(`${managementUrl}/metrics`)).text();
  const bytes = /^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1];
  return Number(bytes) / 1_048_576;
}

/** Creates signed payment consents and reads each of them. */
async function makeRequests(bank: OpenBank, folder: string, count: number): Promise<void> {
  const file = join(folder, "keys/tpps/explorer/tpp.json");
  const tpp: TppCredentials = JSON.parse(readFileSync(file, "utf8")); // written by the bank
  const client = new TppClient({ ...bank, operations: listOperations(paymentKinds) }, tpp);
  const token = await client.clientToken("payments");
  const path = "/v4.0/pisp/domestic-payment-consents";
  const body = {
    Data: {
      Initiation: {
        InstructionIdentification: "instruction",
        EndToEndIdentification: "end-to-end",
        InstructedAmount: { Amount: "1.23", Currency: "GBP" },
        CreditorAccount: {
          SchemeName: "UK.OBIE.SortCodeAccountNumber",
          Identification: "20001512345678",
          Name: "The Corner Shop Limited",
        },
      },
    },
    Risk: {},
  };
  let left = count / 2;
  const keepAsking = async (): Promise<void> => {
    while (left-- > 0) {
      const made = await client.call<{ Data: { ConsentId: string } }>({ path, token, body });
      if (made.status !== 201) throw new Error(`a consent was answered ${made.raw}`);
      const read = await client.call({ path: `${path}/${made.body.Data.ConsentId}`, token });
      if (read.status !== 200) throw new Error(`a consent was answered ${read.raw}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, keepAsking));
  client.close();
}

async function measure(name: string, databaseUrl: string | null): Promise<void> {
  // run.ts keeps the seeded folders for the benchmarks that follow
  const kept = seededFolder(databaseUrl === null ? "embedded" : "server");
  const folder = kept ?? mkdtempSync(join(tmpdir(), "aldgate-bench-"));
  mkdirSync(folder, { recursive: true });
  const environment = bankEnvironment(folder, databaseUrl);
  try {
    console.log(`\nStart and memory on ${name}`);
    const first = await start(environment);
    show("first start", `${first.seconds.toFixed(1)} s`);
    await stop(first);
    const bank = await start(environment);
    await sleep(idleSeconds * 1000);
    const idle = await residentMegabytes(bank);
    const aim = "aim: under 300";
    conclude({
      name: `second start, ${name}`,
      value: bank.seconds,
      unit: "s",
      aim: "aim: under 3",
    });
    conclude({ name: `memory idle, ${name}`, value: idle, unit: "MB", aim });
    let made = 0;
    for (const count of requests) {
      await makeRequests(bank, folder, count);
      made += count;
      const value = await residentMegabytes(bank);
      conclude({ name: `memory after ${made} requests, ${name}`, value, unit: "MB", aim });
    }
    await stop(bank);
  } finally {
    if (kept === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

const postgres = await startPostgres({ flushes: true });
try {
  const name = process.env.BENCH_SEEDED_DATABASE ?? `bench_start_${process.pid}`;
  await measure("PostgreSQL", await postgres.createDatabase(name));
} finally {
  await postgres.stop();
}
await measure("PGlite", null);
