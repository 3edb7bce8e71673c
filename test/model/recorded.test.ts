import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import { subscribe } from "#test/events/events-bed.ts";
import { areEventsMade } from "#test/events/stored-events.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { type Lodged, lodge, lodgeAccess, readOrder, submit } from "#test/journeys/payments.ts";
import { limit, vrpConsent, vrpOrder } from "#test/payments/limits/vrp-bed.ts";
import { hasDuePayments } from "#test/payments/stored-orders.ts";
import { until } from "#test/until.ts";
import type { Call } from "./calls.ts";
import { History, readHistory } from "./history.ts";
import { describe, judge } from "./judge.ts";
import { readBooks, readKeptEvents } from "./read-books.ts";
import { RecordingTpp } from "./recording-tpp.ts";

// The history of a real bank through HTTP: calls of several kinds at the same time, some of them
// sent twice, each recorded by the client that the lanes use.

const folder = mkdtempSync(join(tmpdir(), "aldgate-recorded-"));
const file = join(folder, "history.jsonl");
const history = new History(file);
let bank: TestBank;
let tpp: RecordingTpp;

before(async () => {
  bank = await openBank();
  const { tpp: issued } = await bank.createTpp();
  tpp = new RecordingTpp(bank, issued, history);
});
after(async () => {
  tpp.close();
  await bank.close();
  history.close();
  rmSync(folder, { recursive: true });
});

/** Lets a customer approve a consent. Returns the token. */
async function approve(scope: "accounts" | "payments", consentId: string): Promise<string> {
  const [account] = await bank.currentAccounts("amara");
  const accounts = [present(account, "an account").accountId];
  const authorizationUrl = await tpp.authorizationUrl({ scope, consentId });
  const { redirectUrl } = await tpp.decide(consentId, true, () =>
    bank.decide({ authorizationUrl, customer: "amara", decision: "approve", accounts }),
  );
  return (await tpp.exchangeCode(redirectUrl)).access_token;
}

const each = <T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));

/** Pays under consents of their own. Each order is sent three times, and once with another key. */
async function payOnce(): Promise<void> {
  const lodged = await each(4, () => lodge(tpp));
  for (const one of lodged) {
    const token = await approve("payments", one.consentId);
    const send = (which: Lodged, key: string) => submit(tpp, which, token, key);
    const { consentId } = one;
    await Promise.all([send(one, consentId), send(one, consentId), send(one, `${consentId}-2`)]);
    await send(one, consentId);
  }
}

/** Pays more than a limit allows, all at once. */
async function payWithinLimits(): Promise<void> {
  const body = vrpConsent(({ Data }) => {
    Data.ControlParameters.PeriodicLimits = [limit("Year", "Consent", "12.00")];
  });
  const path = "/v4.0/pisp/domestic-vrp-consents";
  const token = await tpp.clientToken("payments");
  const answer = await tpp.call<{ Data: { ConsentId: string } }>({ path, token, body });
  const { ConsentId: consentId } = answer.body.Data;
  const granted = await approve("payments", consentId);
  const order = vrpOrder(consentId, body, "3.00");
  const pay = (idempotencyKey: string) =>
    tpp.call({ path: "/v4.0/pisp/domestic-vrps", token: granted, body: order, idempotencyKey });
  await each(8, (index) => pay(`${consentId}-${index}`));
  await tpp.call({ path: `${path}/${consentId}`, method: "DELETE", token });
  await pay(`${consentId}-late`);
}

/** Reads an account while and after the client ends its access. */
async function readAndRevoke(): Promise<void> {
  const consentId = await lodgeAccess(tpp);
  const token = await approve("accounts", consentId);
  const read = () => tpp.call({ path: "/v3.1/aisp/accounts", token });
  await read();
  const path = `/v3.1/aisp/account-access-consents/${consentId}`;
  const own = await tpp.clientToken("accounts");
  await Promise.all([read(), tpp.call({ path, method: "DELETE", token: own }), read(), read()]);
  await each(3, read);
}

/** Polls for events until there are none, and acknowledges them. */
async function receiveAll(): Promise<void> {
  const token = await tpp.clientToken("payments");
  for (let ack: string[] = []; ; ) {
    const body = { returnImmediately: true, ack };
    type Polled = { sets: Record<string, string> };
    const answer = await tpp.call<Polled>({ path: "/v4.0/events", token, body });
    const received = Object.keys(answer.body.sets);
    if (received.length === 0 && ack.length === 0) return;
    ack = received;
  }
}

const countOf = (calls: readonly Call[], operation: string, outcome: string): number =>
  calls.filter((call) => call.operation === operation && call.outcome === outcome).length;

test("the recorded history of a bank that answers several clients at a time breaks no rule", async () => {
  await subscribe(tpp, {}, "payments");
  await Promise.all([payOnce(), payWithinLimits(), readAndRevoke()]);
  await until(
    () => hasDuePayments(bank.database),
    (due) => !due,
  );
  const { clientId } = tpp.tpp;
  const orders = history
    .calls()
    .flatMap((call) => (call.operation === "order" && call.outcome === "ok" ? [call] : []));
  for (const { asked, told } of orders) {
    if (asked.kind === "domestic-payment") await readOrder(tpp, "domestic-payment", told.orderId);
  }
  await until(
    () => areEventsMade(bank.database),
    (made) => made,
  );
  await readBooks(history, bank.database, clientId);
  await receiveAll();
  await readKeptEvents(history, bank.database, clientId);

  const calls = history.calls();
  assert.deepEqual(judge(calls).map(describe), []);
  // it has something of each kind to judge
  assert.equal(new Set(orders.map(({ told }) => told.orderId)).size, 4 + 4);
  assert.ok(countOf(calls, "order", "refused") >= 4 + 4, "orders were refused");
  assert.ok(countOf(calls, "readData", "ok") >= 1, "accounts were read");
  assert.ok(countOf(calls, "readData", "refused") >= 3, "reads were refused");
  assert.ok(countOf(calls, "revoke", "ok") === 2, "consents were ended");
  assert.ok(countOf(calls, "token", "ok") >= 6, "tokens were issued");
  assert.ok(countOf(calls, "account", "ok") >= 1, "an account has its entries");
  const events = calls.flatMap((call) =>
    call.operation === "keptEvents" && call.outcome === "ok" ? call.told.events : [],
  );
  assert.ok(events.length > 8, `${events.length} events`);

  // the file says the same as the memory
  assert.deepEqual(readHistory(readFileSync(file, "utf8").split("\n")), calls);
});
