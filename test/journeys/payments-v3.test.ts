import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import type { PaymentKind } from "#src/payments/definitions/payment-kind.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { openSet, poll, type SetClaims, subscribe } from "#test/events/events-bed.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { kindSample } from "./kind-sample.ts";
import { nextMonday } from "./next-monday.ts";
import type { Resource } from "./payments.ts";

// The examples of the API reference in v3.1, from the consent to the report, through the bank's
// sockets. Every response is checked against the published file.

let bank: TestBank;
let client: TppClient;
let account: string;
before(async () => {
  bank = await openBank();
  client = await bank.createTpp();
  await bank.control("PUT", "/clock", { now: nextMonday(bank.clock.now()).toString() });
  account = present((await bank.currentAccounts("amara"))[0], "an account").accountId;
});
after(() => bank?.close());

const base = "/v3.1/pisp";
const hasFunds = ["domestic-payment", "international-payment"];

async function get<Body = Resource>(path: string, token?: string): Promise<Body> {
  const own = token ?? (await client.clientToken("payments"));
  const answer = await client.call<Body>({ path, token: own });
  expectStatus(answer, 200);
  return answer.body;
}

/** Pays with the reference's example of a kind. Returns the order's id. */
async function pay(kind: PaymentKind) {
  const { consent, order, file } = kindSample(bank, kind, "pisp-v3.1");
  const consents = `${base}/${kind.id}-consents`;
  const token = await client.clientToken("payments");
  const lodged = await client.call<Resource>({ path: consents, token, body: consent });
  expectStatus(lodged, 201);
  const consentId = String(lodged.body.Data.ConsentId);
  const path = `${consents}/${consentId}`;
  if (file) expectStatus(await client.call({ path: `${path}/file`, token, body: file }), 200);
  const granted = await bank.approve(client, {
    scope: "payments",
    consentId,
    customer: "amara",
    accounts: [account],
  });
  const theirs = granted.access_token;
  assert.equal((await get(path)).Data.Status, "Authorised");
  if (hasFunds.includes(kind.id)) await get(`${path}/funds-confirmation`, theirs);
  const made = await client.call<Resource>({
    path: `${base}/${kind.id}s`,
    token: theirs,
    body: { ...order, Data: { ...order.Data, ConsentId: consentId } },
  });
  expectStatus(made, 201);
  return { id: String(made.body.Data[kind.orderIdField]), status: made.body.Data.Status };
}

for (const kind of paymentKinds.filter(({ id }) => id !== "domestic-vrp")) {
  test(`F-001, F-002: the reference's example is paid on v3.1 (${kind.id})`, async () => {
    const { id, status } = await pay(kind);
    assert.match(String(status), /^(Initiation)?Pending$/);
    const path = `${base}/${kind.id}s/${id}`;
    await get(path);
    await get(`${path}/payment-details`);
    if (kind.id === "file-payment") await get(`${path}/report-file`);
    await get(`/v4.0/pisp/${kind.id}s/${id}`);
  });
}

/** Polls until there is an event of an order. Orders of earlier tests may have events, too. */
async function eventOf(orderId: string): Promise<SetClaims> {
  for (;;) {
    const { sets } = await poll(client);
    assert.notDeepEqual(sets, {}, `no event of ${orderId}`);
    const read = await Promise.all(Object.values(sets).map((set) => openSet(client, set)));
    const found = read.find(({ sub }) => sub?.endsWith(orderId));
    if (found) return found;
    await poll(client, { ack: Object.keys(sets), maxEvents: 0, returnImmediately: true });
  }
}

test("F-066: an event for a v3.1 order links to both versions", async () => {
  await subscribe(client);
  const [kind] = paymentKinds;
  const { id } = await pay(present(kind, "a kind"));
  const { events, sub } = await eventOf(id);
  const linkOn = (version: string) =>
    `${bank.mtlsUrl}/api/open-banking/${version}/pisp/domestic-payments/${id}`;
  assert.equal(sub, linkOn("v4.0"));
  const [{ subject } = { subject: undefined }] = Object.values(events);
  assert.deepEqual(
    subject?.["http://openbanking.org.uk/rlk"],
    ["v3.1", "v4.0"].map((version) => ({ version, link: linkOn(version) })),
  );
});
