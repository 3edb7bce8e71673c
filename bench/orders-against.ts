import { setTimeout as sleep } from "node:timers/promises";
import {
  beforeRedesign,
  type ComparedBank,
  concludeRatio,
  cpuOf,
  namedCommit,
  openBanks,
} from "./lib/against.ts";
import type { BenchBank } from "./lib/bank.ts";
import { readyOrderLoad } from "./lib/order-load.ts";
import type { PreparedOrders, ReadyOrder } from "./lib/prepare-orders.ts";
import { isQuick, median, show } from "./lib/report.ts";
import { inTurns } from "./lib/turns.ts";

// `npm run bench -- orders-against=COMMIT` compares how this code and an earlier commit create and
// settle signed domestic payment orders. The two take turns on one PostgreSQL server. Times depend
// on the machine and its load, which affects both, so their ratio stays comparable. In each turn,
// the bank receives orders with the engine on, then the same number with the engine off. The engine
// then settles the second set. CPU times are read from /proc, so this needs Linux. The commit must
// be c130671 or later.

const commit = namedCommit();
const rounds = isQuick ? 4 : 24;
const warmUps = isQuick ? 1 : 3;
const orders = isQuick ? 600 : 1000;
const connections = 32;
// the sandbox's scheme accepts a payment to another bank after 2 s
const schemeMilliseconds = 2200;
const aim = commit === beforeRedesign && !isQuick ? "aim: at most 1" : undefined;

type Part = "off" | "on" | "settled";

/** Elapsed seconds per order, and CPU milliseconds per order of the bank and the database. */
type Cost = { seconds: number; cpu: number };

const parts: Record<Part, string> = {
  off: "signed order, engine off",
  on: "signed order, engine on",
  settled: "settled order",
};

/** The result of `prepareOrders` in commits before variable recurring payments (VRP). */
type EarlierOrders = Pick<PreparedOrders, "tpp"> & {
  consents: (Pick<ReadyOrder, "consentId" | "token"> & Record<"initiation" | "risk", object>)[];
};

const adapted = ({ tpp, consents }: EarlierOrders): PreparedOrders => ({
  tpp,
  path: "/domestic-payments",
  orders: consents.map(({ consentId, token, initiation, risk }) => ({
    consentId,
    token,
    body: { Data: { ConsentId: consentId, Initiation: initiation }, Risk: risk },
  })),
});

async function readyOrders(bank: BenchBank) {
  const prepared = await bank.ask<PreparedOrders | EarlierOrders>({
    name: "prepareOrders",
    orders,
    bound: false,
  });
  return readyOrderLoad({
    ...("orders" in prepared ? prepared : adapted(prepared)),
    port: Number(new URL(bank.publicUrl).port),
    secure: false,
    connections,
  });
}

async function costOf(one: ComparedBank, work: () => Promise<unknown>): Promise<Cost> {
  const startedAt = performance.now();
  const { bank, database } = await cpuOf(one, work);
  const seconds = (performance.now() - startedAt) / 1000;
  return { seconds: seconds / orders, cpu: (bank + database) / orders };
}

/**
 * Returns the cost of settling the orders. The engine runs all that is due before and after the
 * scheme accepts; the wait between is not measured.
 */
async function settle(one: ComparedBank): Promise<Cost> {
  const drain = () => costOf(one, () => one.bank.ask({ name: "drain" }));
  const first = await drain();
  await sleep(schemeMilliseconds);
  const second = await drain();
  return { seconds: first.seconds + second.seconds, cpu: first.cpu + second.cpu };
}

async function run(one: ComparedBank): Promise<Record<Part, Cost>> {
  const { name, bank } = one;
  const [first, second] = [await readyOrders(bank), await readyOrders(bank)];
  await bank.ask({ name: "engine", on: true });
  const on = await costOf(one, first.run);
  await bank.ask({ name: "engine", on: false });
  await settle(one);
  const before = await bank.ask<number>({ name: "settled" });
  const off = await costOf(one, second.run);
  const settled = await settle(one);
  const count = (await bank.ask<number>({ name: "settled" })) - before;
  if (count !== orders) throw new Error(`${name} settled ${count} of ${orders} orders`);
  return { off, on, settled };
}

const { earlier, current, close } = await openBanks(commit);
try {
  console.log(`\nOrders of ${commit} and of this code, in turns: ${rounds} rounds`);
  for (let warmUp = 0; warmUp < warmUps; warmUp++) {
    for (const one of [earlier, current]) await run(one);
    console.log(`  warmed up with ${(warmUp + 1) * 2 * orders} orders`);
  }
  const results = await inTurns([earlier, current], rounds, run, { isCold: true });
  const [first = [], second = []] = [...results.values()];
  for (const [part, what] of Object.entries(parts) as [Part, string][]) {
    for (const [{ name }, costs] of results) {
      const of = (value: (cost: Cost) => number) => median(costs.map((cost) => value(cost[part])));
      const rate = of(({ seconds }) => 1 / seconds).toFixed(0);
      show(`${what}, ${name}`, `${rate}/s`, `CPU ${of(({ cpu }) => cpu).toFixed(2)} ms`);
    }
  }
  for (const [part, what] of Object.entries(parts) as [Part, string][]) {
    for (const value of ["seconds", "cpu"] as const) {
      const of = (cost: Record<Part, Cost>) => cost[part][value];
      const name = `${value === "cpu" ? "CPU time" : "time"} per ${what} / that of ${commit}`;
      concludeRatio(name, first.map(of), second.map(of), aim);
    }
  }
} finally {
  await close();
}
