import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { lodge, order } from "#test/journeys/payments.ts";
import { openSet, poll, pollNow, type SetClaims, subscribe, urnOf } from "./events-bed.ts";

let bank: TestBank;
before(async () => {
  bank = await openBank();
});
after(() => bank?.close());

/** Acknowledges events as they arrive, until `isDone`. Returns the claims of all of them. */
async function follow(client: TppClient, isDone: () => Promise<boolean>): Promise<SetClaims[]> {
  const seen: SetClaims[] = [];
  for (let ack: string[] = []; ; ) {
    const { sets } = await poll(client, { ack });
    for (const set of Object.values(sets)) seen.push(await openSet(client, set));
    if (await isDone()) return seen;
    ack = Object.keys(sets);
  }
}

async function pay(client: TppClient, login: string, accountId: string): Promise<string> {
  const lodged = await lodge(client);
  const { consentId } = lodged;
  const accounts = [accountId];
  const granted = await bank.approve(client, {
    scope: "payments",
    consentId,
    customer: login,
    accounts,
  });
  return order(client, lodged, granted.access_token);
}

async function statusOf(client: TppClient, orderId: string): Promise<string> {
  const token = await client.clientToken("payments");
  const path = `/v4.0/pisp/domestic-payments/${orderId}`;
  const { body } = await client.call<{ Data: { Status: string } }>({ path, token });
  return body.Data.Status;
}

test("EV-33, EV-29: each change that the bank makes to an order is an event, in sequence", async () => {
  const client = await bank.createTpp();
  await subscribe(client);
  const [account] = await bank.currentAccounts("amara");
  const orderId = await pay(client, "amara", present(account, "an account").accountId);
  const seen = await follow(client, async () => (await statusOf(client, orderId)) === "ACCC");
  const link = `${bank.mtlsUrl}/api/open-banking/v4.0/pisp/domestic-payments/${orderId}`;
  assert.ok(seen.length > 0);
  for (const { events, sub, toe } of seen) {
    assert.equal(sub, link);
    assert.equal(typeof toe, "number");
    assert.deepEqual(Object.keys(events), [urnOf("resource-update")]);
    const subject = events[urnOf("resource-update")]?.subject;
    assert.equal(subject?.["http://openbanking.org.uk/rty"], "domestic-payments");
    assert.equal(subject?.["http://openbanking.org.uk/rid"], orderId);
  }
});

test("EV-18: the last signatory's decision is an event", async () => {
  const client = await bank.createTpp();
  const dev = (await bank.customers()).find(({ accounts }) =>
    accounts.some(({ signatoriesRequired }) => signatoriesRequired === 2),
  );
  const account = dev?.accounts.find(({ signatoriesRequired }) => signatoriesRequired === 2);
  await subscribe(client);
  const { login } = present(dev, "a customer with a joint account");
  const orderId = await pay(client, login, present(account, "the account").accountId);
  assert.deepEqual((await pollNow(client)).sets, {});
  await bank.control("POST", `/multi-authorisations/${orderId}`, { decision: "reject" });
  const { sets } = await poll(client);
  const [set] = Object.values(sets);
  const { sub } = await openSet(client, present(set, "the event"));
  assert.ok(sub?.endsWith(`/domestic-payments/${orderId}`));
  assert.equal(await statusOf(client, orderId), "RJCT");
});
