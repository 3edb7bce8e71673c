import { startPostgres, type TestPostgres } from "#test/postgres.ts";
import { type BenchBank, openSeededBank } from "./lib/bank.ts";
import { type OrderLoadResult, readyOrderLoad } from "./lib/order-load.ts";
import type { PreparedOrders } from "./lib/prepare-orders.ts";
import { conclude, isQuick, median, show } from "./lib/report.ts";
import { signingRate } from "./lib/signing-rate.ts";

// Signed domestic payment orders, with all checks, storage and signed responses, against the
// machine's rate of signatures when it does nothing else. The two are measured in turns. The load,
// the bank, its engine and PostgreSQL share the cores that the signatures had alone. The aim
// applies with the engine off, because settlement.ts measures the cost of execution. The run with
// the engine on shows how many orders remain when the engine executes them on the same cores.

const ordersEach = { postgres: isQuick ? 600 : 2000, pglite: isQuick ? 150 : 400 };
// enough for the bank's code to be fully compiled
const warmUp = { postgres: isQuick ? 600 : 6000, pglite: isQuick ? 75 : 400 };
const rounds = isQuick ? 2 : 5;
const signingSeconds = isQuick ? 0.5 : 1.5;
const connections = 32;

type Way = { name: string; secure: boolean; engine: boolean };

const ways: readonly Way[] = [
  { name: "plain HTTP", secure: false, engine: true },
  { name: "plain HTTP, engine off", secure: false, engine: false },
  { name: "mutual TLS", secure: true, engine: true },
];

type Round = OrderLoadResult & {
  settled: number;
  /** Signatures per second of the machine before and after. */
  signatures: number;
  /** CPU milliseconds per signature, and of the bank's process per order. */
  signatureCpu: number;
  orderCpu: number;
};

async function runRound(bank: BenchBank, way: Way, orders: number): Promise<Round> {
  const prepared = await bank.ask<PreparedOrders>({
    name: "prepareOrders",
    orders,
    bound: way.secure,
  });
  const port = Number(new URL(way.secure ? bank.mtlsUrl : bank.publicUrl).port);
  const load = await readyOrderLoad({ ...prepared, port, secure: way.secure, connections });
  const before = await signingRate(signingSeconds);
  const settledBefore = await bank.ask<number>({ name: "settled" });
  if (!way.engine) await bank.ask({ name: "engine", on: false });
  const cpuBefore = await bank.ask<number>({ name: "cpuMilliseconds" });
  const result = await load.run();
  const cpu = (await bank.ask<number>({ name: "cpuMilliseconds" })) - cpuBefore;
  const settled = (await bank.ask<number>({ name: "settled" })) - settledBefore;
  const after = await signingRate(signingSeconds);
  await bank.ask({ name: "drain" });
  if (!way.engine) await bank.ask({ name: "engine", on: true });
  return {
    ...result,
    settled,
    signatures: (before.signaturesPerSecond + after.signaturesPerSecond) / 2,
    signatureCpu: (before.cpuMilliseconds + after.cpuMilliseconds) / 2,
    orderCpu: cpu / orders,
  };
}

async function measure(name: string, server: TestPostgres | null): Promise<void> {
  const bank = await openSeededBank("orders", server);
  const orders = server ? ordersEach.postgres : ordersEach.pglite;
  console.log(`\nSigned orders on ${name}: ${rounds} × ${orders}, ${connections} connections`);
  for (const way of server === null && isQuick ? ways.slice(0, 1) : ways) {
    await runRound(bank, way, server ? warmUp.postgres : warmUp.pglite);
    const done: Round[] = [];
    for (let round = 0; round < rounds; round++) done.push(await runRound(bank, way, orders));
    const middle = (pick: (round: Round) => number): number => median(done.map(pick));
    show(
      way.name,
      `${middle(({ ordersPerSecond }) => ordersPerSecond).toFixed(0)} orders/s`,
      `p50 ${middle(({ p50 }) => p50).toFixed(1)} ms`,
      `p99 ${middle(({ p99 }) => p99).toFixed(1)} ms`,
      `settled meanwhile ${((100 * middle(({ settled }) => settled)) / orders).toFixed(0)} %`,
    );
    show(
      "  the machine's PS256 signatures",
      `${middle(({ signatures }) => signatures).toFixed(0)} a second`,
    );
    show(
      "  CPU of the bank's process / of a signature",
      `${middle(({ orderCpu }) => orderCpu).toFixed(2)} ms`,
      `${middle(({ signatureCpu }) => signatureCpu).toFixed(2)} ms`,
    );
    conclude({
      name: `signed order, ${name}, ${way.name} / signing rate`,
      value: middle((round) => round.ordersPerSecond / round.signatures),
      unit: "",
      aim: server && !way.secure && !way.engine ? "aim: at least 0.25" : "no aim",
    });
  }
  const peak = await bank.ask<number>({ name: "peakMegabytes" });
  show("  peak memory of the bank's process", `${peak.toFixed(0)} MB`);
  await bank.close();
}

if (!process.argv.includes("--pglite")) {
  const postgres = await startPostgres({ flushes: true });
  await measure("PostgreSQL", postgres);
  await postgres.stop();
}
if (!process.argv.includes("--postgres")) await measure("PGlite", null);
