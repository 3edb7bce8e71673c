import {
  beforeRedesign,
  type ComparedBank,
  concludeRatio,
  namedCommit,
  openBanks,
} from "./lib/against.ts";
import type { BenchBank } from "./lib/bank.ts";
import { readyOrderLoad } from "./lib/order-load.ts";
import type { PreparedOrders, ReadyOrder } from "./lib/prepare-orders.ts";
import { isQuick, median, show } from "./lib/report.ts";
import { inTurns } from "./lib/turns.ts";

// `npm run bench -- orders-against=COMMIT`: signed domestic payment orders, and their settlement, of
// this code and of an earlier commit, in turns on one PostgreSQL server. The rates of one run depend
// on the machine and its hour; what slows both in turns does not change their ratio. In each turn,
// orders arrive while the engine is off, the engine then settles them, and as many orders arrive
// while the engine is on. The commit must be c130671 or later.

const commit = namedCommit();
const rounds = isQuick ? 4 : 30;
const warmUps = isQuick ? 1 : 3;
const orders = isQuick ? 600 : 1000;
const connections = 32;
const aim = commit === beforeRedesign && !isQuick ? "aim: at least 1" : undefined;

/** Per second: orders with the engine off, settled orders, and orders with the engine on. */
type Rates = { off: number; settled: number; on: number };

/** What the commits before VRP return. */
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

async function run({ name, bank }: ComparedBank): Promise<Rates> {
  const [first, second] = [await readyOrders(bank), await readyOrders(bank)];
  const before = await bank.ask<number>({ name: "settled" });
  const off = await first.run();
  const startedAt = performance.now();
  await bank.ask({ name: "drain" });
  const seconds = (performance.now() - startedAt) / 1000;
  const settled = (await bank.ask<number>({ name: "settled" })) - before;
  if (settled !== orders) throw new Error(`${name} settled ${settled} of ${orders} orders`);
  await bank.ask({ name: "engine", on: true });
  const on = await second.run();
  await bank.ask({ name: "engine", on: false });
  await bank.ask({ name: "drain" });
  return { off: off.ordersPerSecond, settled: settled / seconds, on: on.ordersPerSecond };
}

const { earlier, current, close } = await openBanks(commit);
try {
  console.log(`\nOrders of ${commit} and of this code, in turns: ${rounds} rounds of ${orders}`);
  for (let warmUp = 0; warmUp < warmUps; warmUp++) {
    for (const one of [earlier, current]) await run(one);
    console.log(`  warmed up by ${(warmUp + 1) * 2 * orders} orders`);
  }
  const results = await inTurns([earlier, current], rounds, run, { isCold: true });
  const [first = [], second = []] = [...results.values()];
  const of = (rates: readonly Rates[], part: keyof Rates) => rates.map((each) => each[part]);
  for (const [{ name }, rates] of results) {
    const perSecond = (part: keyof Rates) => `${median(of(rates, part)).toFixed(0)}/s`;
    show(
      name,
      `engine off ${perSecond("off")}`,
      `settled ${perSecond("settled")}`,
      `engine on ${perSecond("on")}`,
    );
  }
  const parts = {
    off: "signed orders, engine off",
    on: "signed orders, engine on",
    settled: "settlement",
  } as const;
  for (const [part, what] of Object.entries(parts) as [keyof Rates, string][]) {
    concludeRatio(`${what} / ${commit}`, of(first, part), of(second, part), aim);
  }
} finally {
  await close();
}
