import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeJwt } from "jose";
import { createPace, systemClock } from "#src/lib/clock.ts";
import type { Database, Queryable } from "#src/storage/database.ts";
import { approvedAccess, poll, revoke, subscribe } from "#test/events/events-bed.ts";
import { openReceiver, type Received } from "#test/events/receiver.ts";
import { HandTimers } from "#test/hand-timers.ts";
import { copySeeded, openBank } from "#test/harness.ts";
import { lodge, order } from "#test/journeys/payments.ts";
import { until } from "#test/until.ts";
import { approveIn, openWorldsHost, tppOf } from "./worlds-bed.ts";

const minute = 60_000;

/** A bank that may idle, with its timers and the number of its statements so far. */
async function openIdling() {
  const timers = new HandTimers();
  let count = 0;
  const counting = ({ query }: Queryable): Queryable["query"] => {
    return (statement) => {
      count += 1;
      return query(statement);
    };
  };
  const database = await copySeeded();
  const { read, transaction } = database;
  const counted: Database = {
    ...database,
    query: counting(database),
    read: counting({ query: read }),
    transaction: (work) =>
      transaction((on) => work({ query: counting({ query: on.query.bind(on) }) })),
  };
  const bank = await openBank({}, counted, undefined, { pace: createPace(true, timers) });
  const statementsIn = async (milliseconds: number): Promise<number> => {
    const before = count;
    await timers.pass(milliseconds);
    return count - before;
  };
  return { bank, timers, statementsIn };
}

test("a bank that idles runs less than one statement in three seconds, and the next request stirs it", async () => {
  const { bank, statementsIn } = await openIdling();
  try {
    const inUse = await statementsIn(5000);
    assert.ok(inUse > 20, `${inUse} statements in 5 s of use`);
    await statementsIn(minute);
    const idle = await statementsIn(10 * minute);
    assert.ok(idle < 200, `${idle} statements in 600 s`);
    assert.equal(await statementsIn(0), 0);
    assert.equal((await fetch(`${bank.publicUrl}/health/live`)).status, 200);
    assert.ok((await statementsIn(0)) > 0);
    assert.ok((await statementsIn(5000)) > 20);
  } finally {
    await bank.close();
  }
});

test("a bank does not idle while its clock runs faster, or while a TPP waits for events", async () => {
  const { bank, statementsIn } = await openIdling();
  try {
    await bank.control("PUT", "/clock", { rate: 60 });
    await statementsIn(minute);
    assert.ok((await statementsIn(minute)) > 240);
    await bank.control("PUT", "/clock", { rate: 1 });
    await statementsIn(minute);
    assert.ok((await statementsIn(minute)) < 60);
    const client = await bank.createTpp();
    await subscribe(client);
    const consentId = await approvedAccess(bank, client);
    const polled = poll(client);
    // the request has arrived if the bank does not idle any more
    await until(
      () => statementsIn(minute),
      (count) => count > 240,
    );
    await revoke(bank, consentId);
    await statementsIn(5000);
    assert.equal(Object.keys((await polled).sets).length, 1);
  } finally {
    await bank.close();
  }
});

test("an idle world executes a payment that falls due, sends its event, and shows a moved clock", async () => {
  const timers = new HandTimers();
  let later = Temporal.Duration.from({ hours: 0 });
  const clock = { now: () => systemClock.now().add(later) };
  const host = await openWorldsHost({}, undefined, { clock, timers });
  const receiver = await openReceiver();
  const world = await host.world("sleeper");
  const client = tppOf(host, world);
  try {
    await subscribe(client, { CallbackUrl: receiver.url }, "payments");
    const date = systemClock.now().add({ hours: 30 }).toString().slice(0, 10);
    const lodged = await lodge(client, {
      kind: "domestic-scheduled-payment",
      initiation: { RequestedExecutionDateTime: `${date}T00:00:00+00:00` },
    });
    const { access_token: token } = await approveIn(
      host,
      world,
      client,
      "payments",
      lodged.consentId,
    );
    const orderId = await order(client, lodged, token);
    const isAboutIt = ({ body }: Received): boolean =>
      String(decodeJwt(body).sub).endsWith(`/${orderId}`);
    const events = (): number => receiver.received.filter(isAboutIt).length;
    const passUntil = (isSo: () => boolean): Promise<void> => until(() => timers.pass(1000), isSo);
    // the payment waits for its date
    await passUntil(() => events() > 0);
    await timers.pass(10 * minute);
    const waiting = events();
    await timers.pass(10 * minute);
    assert.equal(events(), waiting);
    later = Temporal.Duration.from({ hours: 72 });
    await passUntil(() => events() > waiting);
    await timers.pass(10 * minute);
    const at = world.publicUrl;
    const shown = (): Promise<{ now: string }> => host.control("GET", "/clock", undefined, at);
    const { now } = await shown();
    await host.control("PUT", "/clock", { advance: "P1D" }, at);
    assert.ok((await shown()).now >= Temporal.Instant.from(now).add({ hours: 24 }).toString());
  } finally {
    client.close();
    await host.close();
    await receiver.close();
  }
});
