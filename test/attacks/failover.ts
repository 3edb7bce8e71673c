import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { openPostgres } from "#src/storage/postgres.ts";
import { History } from "#test/model/history.ts";
import { type BankProcess, quickTakeover, startBank } from "./bank-process.ts";
import { createDraw, type Draw } from "./fuzz/draw.ts";
import {
  fillDatabase,
  judgeOrders,
  type KillOptions,
  type KillReport,
  lookAfter,
} from "./kills.ts";
import { startOrders } from "./order-stream.ts";
import { type PostgresServer, promote, startServer, waitForStandby } from "./postgres-server.ts";
import { openProxy, type TcpProxy } from "./tcp-proxy.ts";

const name = "bank";
// More orders than there is time for, so that the load lasts longer than the losses.
const load = { ordersPerRound: 1000, lanes: 4, pauseMs: 100 };

/** What a round loses, in turn. */
const losses = ["silent primary", "bank", "primary"] as const;

/**
 * Runs two banks on a primary and its synchronous standby under a load of signed orders. In turn,
 * the primary's host falls silent, a bank is killed, and the primary is killed. When the primary is
 * lost, the standby is promoted and a new standby is added. After each loss both banks must be
 * alive and must serve again. At the end, the model judges what the TPP was told and what the
 * database has.
 */
export async function failOver(options: KillOptions): Promise<KillReport> {
  const { rounds, seed, history = new History(), onProgress = () => undefined } = options;
  const folder = mkdtempSync(join(tmpdir(), "aldgate-failover-"));
  const banks: BankProcess[] = [];
  const findings: string[] = [];
  const kills: Record<string, number> = {};
  const pair = await openPair();
  try {
    await fillDatabase(pair.primaryUrl());
    const settings = {
      DATABASE_URL: pair.url,
      DATABASE_CONNECT_SECONDS: "3",
      ...quickTakeover,
    };
    // one after the other, because the first makes the keys
    for (const _ of [1, 2]) banks.push(await startBank(folder, settings));
    const database = await openPostgres(pair.primaryUrl(), 2);
    const { ordersPerRound, ...pace } = load;
    const orders = ordersPerRound * rounds;
    const stream = await startOrders(banks, database, { orders, ...pace, history });
    await database.close();
    const draw = createDraw(seed);
    for (let round = 0; round < rounds; round += 1) {
      const loss = losses[round % losses.length] ?? "bank";
      kills[loss] = (kills[loss] ?? 0) + 1;
      await delay(300 + draw.below(1000));
      const startedAt = performance.now();
      await lose(loss, { pair, banks, draw });
      const when = `loss ${round} (${loss})`;
      findings.push(...(await lookAfter(when, pair.primaryUrl(), banks, stream)));
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      onProgress(`${when}: served after ${seconds} s, ${stream.acknowledged()} orders`);
      // a new standby under load, because the next loss of a primary would otherwise be permanent
      await pair.addStandby();
    }
    await stream.finish();
    findings.push(...stream.faults, ...(await judgeOrders(pair.primaryUrl(), stream)));
    return { kills, acknowledged: stream.acknowledged(), answers: stream.answers, findings };
  } finally {
    for (const bank of banks) if (bank.isAlive()) await bank.kill();
    await pair.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Scene = { pair: Pair; banks: BankProcess[]; draw: Draw };

async function lose(loss: (typeof losses)[number], { pair, banks, draw }: Scene): Promise<void> {
  if (loss === "bank") {
    const bank = draw.pick(banks);
    await bank.kill();
    await bank.reopen();
    return;
  }
  if (loss === "primary") await pair.killPrimary();
  else pair.silencePrimary();
  // a supervisor needs a while to notice
  await delay(draw.below(1500));
  await pair.promote();
}

/** Two PostgreSQL servers, each behind a proxy whose address the bank has. */
type Pair = {
  /** The bank's database URL, with both addresses. */
  url: string;
  /** The URL of the primary without its proxy. */
  primaryUrl(): string;
  silencePrimary(): void;
  killPrimary(): Promise<void>;
  /** Promotes the standby to primary, and kills the old primary if it still runs. */
  promote(): Promise<void>;
  /** Adds a synchronous standby if there is none. */
  addStandby(): Promise<void>;
  close(): Promise<void>;
};

type Place = { proxy: TcpProxy; server: PostgresServer | null };

// The standby writes a transaction to disk before the primary confirms its commit.
const replicating = { wal_keep_size: "1GB", synchronous_commit: "on" };

async function openPair(): Promise<Pair> {
  const openPlace = async (): Promise<Place> => {
    const place: Place = {
      server: null,
      proxy: await openProxy(() => place.server?.host ?? ""),
    };
    return place;
  };
  let [active, passive] = [await openPlace(), await openPlace()];
  active.server = await startServer({ settings: replicating });
  await active.server.createDatabase(name);
  const primary = (): PostgresServer => active.server as PostgresServer;

  async function addStandby(): Promise<void> {
    if (passive.server) return;
    passive.server = await startServer({ settings: replicating, standbyOf: primary() });
    passive.proxy.resume();
    await waitForStandby(primary());
  }

  await addStandby();
  return {
    url:
      `postgres://aldgate@${active.proxy.host},${passive.proxy.host}/${name}` +
      "?target_session_attrs=read-write",
    primaryUrl: () => primary().urlOf(name),
    silencePrimary: () => active.proxy.silence(),
    killPrimary: () => primary().kill(),
    async promote() {
      const [lost, next] = [active, passive];
      const promoted = next.server as PostgresServer;
      await promote(promoted);
      await lost.server?.kill();
      await lost.server?.stop();
      lost.server = null;
      [active, passive] = [next, lost];
    },
    addStandby,
    async close() {
      for (const { server, proxy } of [passive, active]) {
        await server?.stop();
        await proxy.close();
      }
    },
  };
}
