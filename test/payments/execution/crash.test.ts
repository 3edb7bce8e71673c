import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { systemClock } from "#src/lib/clock.ts";
import { createEngine } from "#src/payments/execution/engine.ts";
import { createSandboxBank } from "#src/sandbox/bank/sandbox-bank.ts";
import { verifyInvariants } from "#src/server/health/verify-invariants.ts";
import type { Database } from "#src/storage/database.ts";
import { migrate } from "#src/storage/migrate.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { sql } from "#src/storage/sql.ts";
import { skipTwin, startPostgres, type TestPostgres } from "#test/postgres.ts";
import { countHolds, postingsOf } from "#test/sandbox/stored-ledger.ts";
import { drawKills, live, seeded } from "./lives.ts";
import { elsewhere, insertAccounts, insertOrders, numberOf, type TestOrder } from "./orders.ts";
import { endOf, schemeByName } from "./outside.ts";

const accounts = 20;
let server: TestPostgres;

before(async () => {
  if (skipTwin) return;
  server = await startPostgres();
  const database = await openPostgres(await server.createDatabase("template_bank"), 1);
  await migrate(database);
  await insertAccounts(database, { accounts, balanceMinor: 100_000_000n });
  await database.close();
});
after(() => server?.stop());

/** Makes the nth order: between accounts of the bank, or to another bank with any outcome. */
function orderOf(n: number, random: () => number): TestOrder {
  const names = Object.keys(endOf);
  const debtor = 1 + Math.floor(random() * accounts);
  const inside = random() < 0.3;
  const other = 1 + ((debtor + Math.floor(random() * (accounts - 1))) % accounts);
  return {
    orderId: `order-${n}`,
    debtor: `account-${debtor}`,
    amountMinor: random() < 0.03 ? 10_000_000_000n : BigInt(1 + Math.floor(random() * 500)),
    creditor: inside ? numberOf(other) : elsewhere,
    creditorName: inside ? "Accept" : (names[n % names.length] ?? "Accept"),
  };
}

type Ending = {
  orderId: string;
  status: string;
  paymentId: string;
  paymentStatus: string;
  amountMinor: bigint;
  name: string;
  out: number;
  back: number;
  attempt: number;
};

async function readEndings(database: Database): Promise<Ending[]> {
  const ended = await database.query<Omit<Ending, "out" | "back">>(sql`
    select o.order_id as "orderId", o.status, p.payment_id as "paymentId",
      p.status as "paymentStatus", p.attempt, p.amount_minor as "amountMinor",
      p.creditor->>'name' as name
    from payment_order o join payment p using (order_id)`);
  const all = await postingsOf(
    database,
    ended.map(({ paymentId }) => paymentId),
  );
  const postings = Map.groupBy(all, ({ paymentId }) => paymentId);
  return ended.map((end) => {
    const made = postings.get(end.paymentId) ?? [];
    const out = made.filter(({ purpose }) => purpose === "payment").length;
    return { ...end, out, back: made.length - out };
  });
}

test("killing workers at 56 random points under load loses and doubles no payment", {
  skip: skipTwin,
}, async () => {
  const url = await server.createDatabase("crash", "template_bank");
  const database = await openPostgres(url, 2);
  const random = seeded(20260302);
  const kills = drawKills(56, random);
  let inserted = 0;
  let next = 0;
  const insert = async (count: number): Promise<void> => {
    const orders = Array.from({ length: count }, () => orderOf(++inserted, random));
    await insertOrders(database, orders, systemClock.now());
  };
  await insert(200);

  async function relive(): Promise<void> {
    for (let life = next++; life < kills.length; life = next++) {
      await live(url, `worker-${life}`, kills[life] ?? "");
      assert.deepEqual(await verifyInvariants(database), [], `after kill ${life}, ${kills[life]}`);
    }
  }
  async function load(): Promise<void> {
    while (next < kills.length + 3) {
      // more orders follow only as fast as the workers process them, so a slow machine has no
      // longer queue
      const waiting = await database.query(sql`select 1 from payment where due_at is not null`);
      if (waiting.length < 200) await insert(12);
      await delay(20);
    }
  }
  await Promise.all([load(), relive(), relive(), relive()]);

  const scheme = schemeByName(Temporal.Duration.from({ milliseconds: 200 }));
  const last = createEngine({
    database,
    bank: createSandboxBank({ database, clock: systemClock, scheme }),
    clock: systemClock,
    owner: "last",
    batchSize: 64,
    log: { error: (details, text) => assert.fail(`${text}: ${JSON.stringify(details)}`) },
  });
  while ((await last.nextDueAt()) !== null) {
    if ((await last.tick()) === 0) await delay(20);
  }

  assert.deepEqual(await verifyInvariants(database), []);
  const ended = await readEndings(database);
  assert.equal(ended.length, inserted);
  assert.ok(ended.filter(({ attempt }) => attempt > 1).length > kills.length / 2);
  for (const end of ended) {
    const uncovered = end.amountMinor > 1_000_000_000n;
    const expected = uncovered ? "RJCT" : endOf[end.name];
    assert.equal(end.paymentStatus, expected, end.orderId);
    assert.equal(end.status, expected, end.orderId);
    const left = expected !== "RJCT" || (end.name === "Return" && !uncovered);
    assert.equal(end.out, left ? 1 : 0, end.orderId);
    assert.equal(end.back, left && expected === "RJCT" ? 1 : 0, end.orderId);
  }
  assert.equal(await countHolds(database), 0);
  await database.close();
});

/** Starts a process with two engines. `work` starts them and returns what they have executed. */
async function openWorker(url: string, owner: string): Promise<{ work(): Promise<string[]> }> {
  const file = fileURLToPath(new URL("sharing-worker.ts", import.meta.url));
  const child = spawn(process.execPath, [file, url, owner], { stdio: ["pipe", "pipe", "pipe"] });
  let printed = "";
  let complaint = "";
  child.stderr.on("data", (chunk) => {
    complaint += chunk;
  });
  const closed = once(child, "close");
  await new Promise<void>((resolve, reject) => {
    child.stdout.on("data", (chunk) => {
      printed += chunk;
      if (printed.includes("\n")) resolve();
    });
    void closed.then(() => reject(new Error(`${owner} ended early: ${complaint}`)));
  });
  return {
    async work() {
      child.stdin.write("work\n");
      const [code] = await closed;
      assert.deepEqual([code, complaint], [0, ""], `${owner} complained`);
      return JSON.parse(printed.slice(printed.indexOf("\n"))); // the worker prints a list of ids
    },
  };
}

test("two processes with two engines each share 1,000 due orders and execute each once", {
  skip: skipTwin,
}, async () => {
  const url = await server.createDatabase("shared", "template_bank");
  const database = await openPostgres(url, 1);
  const random = seeded(4);
  const orders = Array.from({ length: 1000 }, (_, n) => ({
    ...orderOf(n, random),
    creditorName: "Accept",
    amountMinor: 10n,
  }));
  await insertOrders(database, orders, systemClock.now());
  const workers = await Promise.all(["one", "other"].map((owner) => openWorker(url, owner)));
  const shares = await Promise.all(workers.map((worker) => worker.work()));
  for (const share of shares) assert.ok(share.length > 0, "both processes have executed payments");
  const executed = shares.flat();
  assert.equal(executed.length, 1000);
  assert.equal(new Set(executed).size, 1000);
  const ended = await readEndings(database);
  assert.ok(
    ended.every(({ status, out, attempt }) => status === "ACCC" && out === 1 && attempt === 1),
  );
  assert.deepEqual(await verifyInvariants(database), []);
  await database.close();
});
