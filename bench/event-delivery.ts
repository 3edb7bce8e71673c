import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { startPostgres } from "#test/postgres.ts";
import { type BenchBank, openSeededBank } from "./lib/bank.ts";
import type { CpuTime } from "./lib/cpu-time.ts";
import { readyOrderLoad } from "./lib/order-load.ts";
import type { PreparedOrders } from "./lib/prepare-orders.ts";
import { conclude, isQuick, median, show } from "./lib/report.ts";
import { signingRate } from "./lib/signing-rate.ts";

// What an event costs from the change to the stored acceptance of the TPP's endpoint, in CPU of the
// bank and of the database. Each event is signed with RSA, so the yardstick is one signature.

const orders = isQuick ? 600 : 2000;
const rounds = isQuick ? 2 : 4;
const connections = 32;
const path = "/open-banking/v4.0/event-notifications";

type Cost = { process: number; database: number; perSecond: number };

/** Submits and executes orders while no events are made. Then makes and sends their events. */
async function deliver(bank: BenchBank, callbackUrl: string): Promise<Cost> {
  const prepared = await bank.ask<PreparedOrders>({ name: "prepareOrders", orders, bound: false });
  await bank.ask({ name: "tickEvents" });
  await bank.ask({ name: "subscribe", clientId: prepared.tpp.clientId, callbackUrl });
  await bank.ask({ name: "events", on: false });
  const port = Number(new URL(bank.publicUrl).port);
  const load = await readyOrderLoad({ ...prepared, port, secure: false, connections });
  await load.run();
  await bank.ask({ name: "drain" });
  const accepted = (): Promise<number> => bank.ask<number>({ name: "acceptedEvents" });
  const first = await accepted();
  const before = await bank.ask<CpuTime>({ name: "cpuTime" });
  const startedAt = performance.now();
  await bank.ask({ name: "events", on: true });
  // every order has at least one event
  let stored = 0;
  for (let last = -1; stored < orders || stored !== last; ) {
    last = stored;
    await new Promise((resolve) => setTimeout(resolve, 250));
    stored = (await accepted()) - first;
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const after = await bank.ask<CpuTime>({ name: "cpuTime" });
  return {
    process: (after.process - before.process) / stored,
    database: ((after.database ?? 0) - (before.database ?? 0)) / stored,
    perSecond: stored / seconds,
  };
}

let sockets = 0;
const endpoint = createServer((request, response) => {
  request.resume().on("end", () => response.writeHead(202).end());
});
endpoint.on("connection", () => {
  sockets++;
});
await new Promise<void>((resolve) => endpoint.listen(0, "127.0.0.1", resolve));
const { port } = endpoint.address() as AddressInfo; // it listens on a port
const postgres = await startPostgres({ flushes: true });
const bank = await openSeededBank("sent", postgres);
await bank.ask({ name: "engine", on: false });
const callbackUrl = `http://localhost:${port}${path}`;
await deliver(bank, callbackUrl); // until the code is compiled
sockets = 0;
const costs: Cost[] = [];
for (let round = 0; round < rounds; round++) costs.push(await deliver(bank, callbackUrl));
const middle = (part: keyof Cost): number => median(costs.map((cost) => cost[part]));
const { cpuMilliseconds: signature } = await signingRate(2);
show("CPU of an event, the bank", `${middle("process").toFixed(3)} ms`);
show("CPU of an event, the database", `${middle("database").toFixed(3)} ms`);
show("CPU of a signature", `${signature.toFixed(3)} ms`);
show("connections to the endpoint", `${sockets}`);
conclude({
  name: "CPU of an event / CPU of a signature",
  value: (middle("process") + middle("database")) / signature,
  unit: "",
  aim: "no aim",
});
conclude({
  name: "events sent to one callback URL",
  value: middle("perSecond"),
  unit: "/s",
  aim: "no aim",
});
await bank.close();
endpoint.close();
endpoint.closeAllConnections();
await postgres.stop();
