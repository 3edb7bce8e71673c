import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import type { ApprovalRequest } from "#src/auth/provider/backchannel.ts";
import type { Bank } from "#src/bank/port.ts";
import { newId } from "#src/lib/ids.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { sql } from "#src/storage/sql.ts";
import { addCopies } from "#test/consents/add-consents.ts";
import {
  anna,
  type BackchannelBed,
  begin,
  expectError,
  openBackchannelBed,
  tokensOf,
} from "./backchannel-bed.ts";

// Who may join a request, how many requests there may be, and what becomes of those that nobody
// can approve.

const ben = "cust-ben";

// the core answers to a challenge only after this
let held: Promise<void> = Promise.resolve();
let asked = 0;

/** Keeps the core from making challenges until `release` is called. */
function hold(): { release: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  held = promise;
  return { release: resolve };
}

/** Waits until the core was asked for this many challenges. */
async function untilAsked(count: number): Promise<void> {
  while (asked < count) await new Promise((resolve) => setImmediate(resolve));
}

let bed: BackchannelBed;
let tpp: TppClient;
before(async () => {
  const challenge: Bank["challenge"] = async (...given) => {
    asked += 1;
    await held;
    return bed.inApp.calls.challenge(...given);
  };
  bed = await openBackchannelBed({ bank: { challenge } });
});
after(() => bed?.close());
// so that no test reaches the limit of another
beforeEach(async () => {
  bed.advance({ hours: 1 });
  tpp = await bed.createTpp();
});

const payment = (client = tpp) =>
  bed.lodge(client, "domestic-payment", { data: { debtor: "20201012345101" } });

test("CB-86: a request with a hint cannot be scanned, even before its customer was asked", async () => {
  const consentId = await payment();
  const claims = await bed.hint(anna);
  const before = asked;
  const { release } = hold();
  const answer = tpp.backchannel({ scope: "payments", consentId, claims });
  try {
    await untilAsked(before + 1);
    await assert.rejects(bed.app.scan({ consentId, customerId: ben }), /No TPP waits/);
    await assert.rejects(bed.app.scan({ consentId, customerId: anna }), /No TPP waits/);
  } finally {
    release();
  }
  assert.equal((await answer).status, 200);
  assert.equal(bed.challenges.at(-1)?.customerId, anna);
});

test("CB-86: of two customers who scan at once, one gets the journey, and the other is refused", async () => {
  const consentId = await payment();
  const { auth_req_id } = await begin(tpp, { scope: "payments", consentId });
  const before = asked;
  const { release } = hold();
  const first = bed.app.scan({ consentId, customerId: anna });
  await untilAsked(before + 1);
  const second = bed.app.scan({ consentId, customerId: ben });
  release();
  const refused = assert.rejects(second, /No TPP waits/);
  assert.equal((await first).journey?.consentId, consentId);
  await refused;
  await bed.answer("approved");
  const { id_token = "" } = await tokensOf(tpp, auth_req_id);
  assert.equal((await tpp.verifyToken(id_token)).sub, anna);
});

test("CB-82, CB-86: a customer cannot scan the consent of another, who still can", async () => {
  const expiresAt = bed.clock.now().add({ hours: 2000 });
  const consentId = await bed.lodge(tpp, "account-access", { expiresAt });
  await begin(tpp, { scope: "accounts", consentId });
  const { journey } = await bed.app.scan({ consentId, customerId: anna });
  await bed.answer("approved");
  const journeyId = journey?.journeyId ?? "";
  const { shownHash } = await bed.app.show(journeyId);
  const decision = { decision: "approve", customerId: anna, shownHash } as const;
  await bed.app.decide(journeyId, { ...decision, accountIds: ["101"] });
  const { auth_req_id } = await begin(tpp, { scope: "accounts", consentId });
  const before = asked;
  await assert.rejects(bed.app.scan({ consentId, customerId: ben }), /No TPP waits/);
  assert.equal(asked, before);
  await bed.app.scan({ consentId, customerId: anna });
  await bed.answer("approved");
  await tokensOf(tpp, auth_req_id);
});

test("CB-09, CB-86: a scan is refused after five requests without an approval, and can be done later", async () => {
  for (let turn = 0; turn < 5; turn += 1) {
    const claims = await bed.hint(anna);
    await begin(tpp, { scope: "payments", consentId: await payment(), claims });
  }
  const consentId = await payment();
  const claims = { requested_expiry: 600 };
  const { auth_req_id } = await begin(tpp, { scope: "payments", consentId, claims });
  const before = asked;
  await assert.rejects(bed.app.scan({ consentId, customerId: anna }), /too many requests/);
  assert.equal(asked, before);
  expectError(await tpp.poll(auth_req_id), 400, "authorization_pending");
  await bed.app.scan({ consentId, customerId: ben });
  assert.equal(bed.challenges.at(-1)?.customerId, ben);
  await bed.answer("approved"); // so that he has no request without an approval
});

/** A request that has passed the checks of the endpoint. */
async function checked(client: TppClient, customerId: string | null): Promise<ApprovalRequest> {
  const { clientId } = client.tpp;
  const consentId = await payment(client);
  const interaction = { params: { scope: "openid payments" }, returnTo: "" };
  const expiresAt = bed.clock.now().add({ seconds: 300 });
  const hashes = { idHash: newId("id"), requestHash: newId("request") };
  const given = { ...hashes, clientId, consentId, customerId, interaction, expiresAt };
  return { ...given, payload: {}, ping: null, identifierHash: null };
}

/**
 * Begins a request of a new consent per client, all at once; returns the number of accepted ones.
 * The endpoint is left out, because its work on one request would delay the next one.
 */
async function beginAtOnce(clients: readonly TppClient[], customerId: string): Promise<number> {
  const requests: ApprovalRequest[] = [];
  for (const client of clients) requests.push(await checked(client, customerId));
  const results = await Promise.allSettled(requests.map(bed.backchannel.begin));
  const refused = results.filter((result) => result.status === "rejected");
  for (const { reason } of refused) assert.equal(reason.error, "access_denied", String(reason));
  return results.length - refused.length;
}

test("CB-09: of many requests of a client at once, no more than five reach the customer", async () => {
  const before = bed.challenges.length;
  assert.equal(await beginAtOnce(Array(20).fill(tpp), anna), 5);
  assert.equal(bed.challenges.length, before + 5);
});

test("CB-09: of many requests of several clients at once, no more than ten reach the customer", async () => {
  const others = [await bed.createTpp(), await bed.createTpp()];
  const before = bed.challenges.length;
  const clients = [tpp, ...others].flatMap((client) => Array(5).fill(client) as TppClient[]);
  assert.equal(await beginAtOnce(clients, ben), 10);
  assert.equal(bed.challenges.length, before + 10);
});

test("CB-86: a client has up to 1,000 open requests without a hint, which delay no other request", async () => {
  const first = await payment();
  await begin(tpp, { scope: "payments", consentId: first });
  const copies = async (count: number) => {
    await addCopies(bed.database, first, count);
    await bed.database.query(sql`
      insert into journey
      select c.* from journey j, generate_series(1, ${count}::integer) n,
        jsonb_populate_record(j, jsonb_build_object(
          'uid', j.uid || n, 'consent_id', j.consent_id || n)) c
      where j.consent_id = ${first}`);
  };
  await copies(998);
  await begin(tpp, { scope: "payments", consentId: await payment() });
  const refused = await tpp.backchannel({ scope: "payments", consentId: await payment() });
  expectError(refused, 400, "invalid_request");
  assert.match(refused.raw.toString(), /1000 open requests without a hint/);
  const other = await bed.createTpp();
  await begin(other, { scope: "payments", consentId: await payment(other) });
  // a request with a hint is younger than all of them, and its answer is taken at once
  const claims = await bed.hint(anna);
  const named = await begin(tpp, { scope: "payments", consentId: await payment(), claims });
  await bed.answer("approved");
  await tokensOf(tpp, named.auth_req_id);
  bed.advance({ seconds: 301 });
  await begin(tpp, { scope: "payments", consentId: await payment() });
});

test("a request whose customer was not asked within a minute is discarded, and can be sent again", async () => {
  const consentId = await payment();
  const scanned = await payment();
  const { auth_req_id } = await begin(tpp, { scope: "payments", consentId: scanned });
  const claims = await bed.hint(anna);
  const before = asked;
  const { release } = hold();
  const answer = tpp.backchannel({ scope: "payments", consentId, claims });
  try {
    await untilAsked(before + 1);
    bed.advance({ seconds: 50 });
    await bed.backchannel.run();
    assert.ok(await bed.journeyOf(consentId));
    bed.advance({ seconds: 11 });
    await bed.backchannel.run();
    await assert.rejects(bed.journeyOf(consentId));
  } finally {
    release();
  }
  expectError(await answer, 403, "access_denied");
  assert.equal((await bed.consent(consentId)).status, "AWAU");
  const again = { scope: "payments", consentId, claims: await bed.hint(anna) } as const;
  const second = await begin(tpp, again);
  await bed.answer("approved");
  await tokensOf(tpp, second.auth_req_id);
  // a request that waits for a scan goes on waiting
  expectError(await tpp.poll(auth_req_id), 400, "authorization_pending");
});

test("CB-41, CB-85: a request whose process has died uses up no identifier", async () => {
  const claims = await bed.hint(anna);
  const send = (consentId: string) => tpp.backchannel({ scope: "payments", consentId, claims });
  const before = asked;
  const { release } = hold();
  // nothing goes on in a process that has died: this one waits for the core until the end
  const dead = send(await payment());
  try {
    await untilAsked(before + 1);
    held = Promise.resolve();
    bed.advance({ seconds: 61 });
    await bed.backchannel.run();
    assert.equal((await send(await payment())).status, 200);
  } finally {
    release();
  }
  // a process that was only slow does not give back what another request has used up
  expectError(await dead, 403, "access_denied");
  expectError(await send(await payment()), 400, "expired_login_hint_token");
});
