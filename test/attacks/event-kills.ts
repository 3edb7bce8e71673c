import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { orderSubjects } from "#src/payments/order/payment-order.ts";
import type { Database } from "#src/storage/database.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { subscribe } from "#test/events/events-bed.ts";
import { allDelivered } from "#test/events/stored-events.ts";
import { bankOrderChanges } from "#test/history/stored-changes.ts";
import { Calls } from "#test/model/calls.ts";
import { History } from "#test/model/history.ts";
import { judgeClient } from "#test/model/judge-client.ts";
import { patienceMs } from "#test/until.ts";
import { type BankProcess, quickTakeover, startBank } from "./bank-process.ts";
import { type EventTpp, eventTpps } from "./event-tpps.ts";
import { createDraw } from "./fuzz/draw.ts";
import { callControl } from "./fuzz/world.ts";
import { fillDatabase } from "./kills.ts";
import { type OrderStream, startOrders, untilSettled } from "./order-stream.ts";
import { startServer } from "./postgres-server.ts";

/** A way in which a TPP receives events. */
export type EventWay = keyof typeof eventTpps;

/** The result of the attack: the number of kills, and the delivery of events to each TPP. */
export type EventKillReport = {
  kills: number;
  findings: string[];
  ways: Record<EventWay, Delivery>;
};

/** The events of one TPP. */
export type Delivery = {
  /** Events that the bank has stored, and how often one arrived at the TPP. */
  events: number;
  received: number;
  /** The largest number of events of one order. */
  mostOfOneOrder: number;
  findings: string[];
};

const victims = ["bank", "postgres", "bank", "both"] as const;

/** A TPP that sends orders and receives their events. */
type Subscriber = { way: EventWay; tpp: EventTpp; stream: OrderStream };

/**
 * Kills two bank processes and their PostgreSQL server while the orders of several TPPs cause
 * events. Each TPP receives its events in a different way, and sometimes fails. At the end, the
 * model judges what arrived: every change to an order, in the sequence of its changes.
 */
export async function killUnderEvents(given: {
  rounds: number;
  seed: number;
  history?: History;
}): Promise<EventKillReport> {
  const { history = new History() } = given;
  const folder = mkdtempSync(join(tmpdir(), "aldgate-event-kills-"));
  const draw = createDraw(given.seed);
  const server = await startServer();
  const banks: BankProcess[] = [];
  const subscribers: Subscriber[] = [];
  let kills = 0;
  try {
    const url = await server.createDatabase("bank");
    await fillDatabase(url);
    // the banks start one after the other, because the first creates the keys
    const settings = { DATABASE_URL: url, EVENT_LONG_POLL_SECONDS: "2", ...quickTakeover };
    for (const _ of [1, 2]) banks.push(await startBank(folder, settings));
    const database = await openPostgres(url, 2);
    for (const way of Object.keys(eventTpps) as EventWay[]) {
      const orders = 200 * given.rounds;
      const stream = await startOrders(banks, database, { orders, lanes: 3, history });
      const tpp = await eventTpps[way](stream.client, draw);
      subscribers.push({ way, tpp, stream });
      await subscribe(stream.client, tpp.registration, "payments");
      tpp.start(banks);
    }
    await database.close();
    for (let round = 0; round < given.rounds; round++) {
      await delay(300 + draw.below(1500));
      const victim = victims[round % victims.length];
      const bank = draw.pick(banks);
      if (victim !== "postgres") await bank.kill();
      if (victim !== "bank") {
        await server.kill();
        await server.start();
      }
      if (victim !== "postgres") await bank.reopen();
      kills++;
    }
    await Promise.all(subscribers.map(({ stream }) => stream.finish()));
    for (const { tpp } of subscribers) tpp.recover();
    const last = await openPostgres(url, 1);
    try {
      const findings = await untilDelivered(last, banks, history);
      await closeAll(subscribers);
      const audits = subscribers.map(async (one) => [one.way, await judgeOne(last, one)] as const);
      // safe: there is a subscriber for each way
      const ways = Object.fromEntries(await Promise.all(audits)) as EventKillReport["ways"];
      return { kills, findings, ways };
    } finally {
      await last.close();
    }
  } finally {
    for (const bank of banks) if (bank.isAlive()) await bank.kill();
    await closeAll(subscribers);
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function closeAll(subscribers: readonly Subscriber[]): Promise<void> {
  for (const { tpp, stream } of subscribers) {
    await tpp.close();
    stream.client.close();
  }
}

/** Waits until every change has an event and the TPPs have settled every event. */
async function untilDelivered(
  database: Database,
  banks: readonly BankProcess[],
  history: History,
): Promise<string[]> {
  if (!(await untilSettled(database, patienceMs))) return ["the engines are not done"];
  const deadline = performance.now() + patienceMs;
  const [bank] = banks;
  while (performance.now() < deadline) {
    // after two hours, waits and the leases of killed processes are over
    history.note("bank", "moveClock", {}, {});
    if (bank) await callControl(bank, "PUT", "/clock", { advance: "PT2H" }).catch(() => null);
    for (let tries = 0; tries < 10; tries++) {
      await delay(150);
      if (await allDelivered(database, bankOrderChanges, orderSubjects)) return [];
    }
  }
  return ["some events were not delivered"];
}

/** Judges what a TPP was told about its orders, by responses and by events. */
async function judgeOne(database: Database, { tpp, stream }: Subscriber): Promise<Delivery> {
  const { history } = stream.client;
  const { clientId } = stream.client.tpp;
  const judged = await judgeClient(history, database, clientId);
  const its = new Calls(history.calls().filter(({ client }) => client === clientId));
  const events = its.done("keptEvents").flatMap(({ told }) => told.events);
  const polled = its.done("poll").flatMap(({ told }) => told.events);
  const ofOrders = Map.groupBy(events, ({ subject }) => subject);
  return {
    events: events.length,
    received: polled.length + its.of("arrive").length,
    mostOfOneOrder: Math.max(0, ...[...ofOrders.values()].map(({ length }) => length)),
    findings: [...stream.faults, ...tpp.findings, ...judged],
  };
}
