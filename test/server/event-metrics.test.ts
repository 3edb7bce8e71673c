import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { approvedAccess, poll, pollNow, revoke, subscribe } from "#test/events/events-bed.ts";
import { openReceiver } from "#test/events/receiver.ts";
import { openBank, type TestBank } from "#test/harness.ts";

let bank: TestBank;
before(async () => {
  bank = await openBank();
});
after(() => bank?.close());

/** Returns the value of a metric, given its name with its labels; 0 if it is missing. */
async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${bank.managementUrl}/metrics`)).text();
  const line = text.split("\n").find((each) => each.startsWith(`${name} `));
  return Number(line?.slice(name.length) ?? 0);
}

test("EV-23: the metrics show waiting events with their age, attempts by outcome, and unresponsive endpoints", async () => {
  const polling = await bank.createTpp();
  await subscribe(polling);
  await revoke(bank, await approvedAccess(bank, polling));
  const { sets } = await poll(polling);
  await bank.advance("PT1H");
  assert.equal(await metric('aldgate_events_waiting{way="polling"}'), 1);
  assert.ok((await metric('aldgate_events_oldest_waiting_seconds{way="polling"}')) >= 3600);
  await pollNow(polling, { ack: Object.keys(sets) });
  assert.equal(await metric('aldgate_events_waiting{way="polling"}'), 0);
  assert.equal(await metric('aldgate_events_oldest_waiting_seconds{way="polling"}'), 0);

  const receiver = await openReceiver(() => ({ status: 410 }));
  const gone = await bank.createTpp();
  await subscribe(gone, { CallbackUrl: receiver.url });
  assert.equal(await metric('aldgate_event_endpoints_unresponsive{way="callback"}'), 0);
  await revoke(bank, await approvedAccess(bank, gone));
  await poll(gone); // it can be polled once the endpoint is unresponsive
  assert.equal(await metric('aldgate_event_tries_total{outcome="gone"}'), 1);
  assert.equal(await metric('aldgate_events_waiting{way="callback"}'), 1);
  assert.equal(await metric('aldgate_event_endpoints_unresponsive{way="callback"}'), 1);
  await receiver.close();
});
