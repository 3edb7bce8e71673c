import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import type { PostReply } from "#src/http/outgoing/guarded-request.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { sql } from "#src/storage/sql.ts";
import { stopPings } from "#test/clients/stored-settings.ts";
import {
  anna,
  type BackchannelBed,
  begin,
  expectError,
  openBackchannelBed,
  replyOf,
  tokensOf,
} from "./backchannel-bed.ts";

// How a TPP is told that its customer has decided.

const endpoint = "https://tpp.example/decided";
const token = "8d67dc78.7faa-4d41";

let bed: BackchannelBed;
let tpp: TppClient;
before(async () => {
  bed = await openBackchannelBed();
  tpp = await bed.createTpp({ notificationEndpoint: endpoint });
});
after(() => bed?.close());
beforeEach(() => {
  bed.advance({ hours: 1 });
  bed.pings.length = 0;
  bed.answerPings(replyOf(204));
});

/** Begins the request of a payment of a client. */
async function pay(client = tpp, claims: Record<string, unknown> = {}) {
  const consentId = await bed.lodge(client, "domestic-payment", {
    data: { debtor: "20201012345101" },
  });
  const given = { client_notification_token: token, ...(await bed.hint(anna)), ...claims };
  const { auth_req_id } = await begin(client, { scope: "payments", consentId, claims: given });
  return { consentId, id: auth_req_id };
}

/** Runs the bank's work until the pings in progress have ended. */
async function run(): Promise<void> {
  await bed.backchannel.run();
  await new Promise((resolve) => setImmediate(resolve));
  await bed.backchannel.run();
}

test("CB-49: after an approval, the TPP is told once, with its own token, and fetches the tokens", async () => {
  const { id } = await pay();
  await run();
  assert.equal(bed.pings.length, 0);
  await bed.answer("approved");
  await run();
  await run();
  const [ping] = bed.pings;
  assert.equal(bed.pings.length, 1);
  assert.equal(ping?.url, endpoint);
  assert.equal(ping?.headers.authorization, `Bearer ${token}`);
  assert.equal(ping?.headers["content-type"], "application/json");
  assert.deepEqual(JSON.parse(ping?.body ?? ""), { auth_req_id: id });
  await tokensOf(tpp, id);
});

test("CB-49: after a refusal, the TPP is told too, and gets access_denied", async () => {
  const { id } = await pay();
  await bed.answer("declined");
  await run();
  assert.equal(bed.pings.length, 1);
  expectError(await tpp.poll(id), 400, "access_denied");
});

test("CB-49: the end of the time is not told, because the TPP knows it", async () => {
  const { id } = await pay();
  bed.advance({ seconds: 301 });
  await run();
  assert.equal(bed.pings.length, 0);
  expectError(await tpp.poll(id), 400, "expired_token");
});

test("CB-49: a TPP with a notification endpoint may poll as well", async () => {
  const { id } = await pay();
  expectError(await tpp.poll(id), 400, "authorization_pending");
  await bed.answer("approved");
  await tokensOf(tpp, id);
});

const faulty: [title: string, value: unknown][] = [
  ["none", undefined],
  ["a character that no bearer token has", "a token"],
  ["1025 characters", "x".repeat(1025)],
];
for (const [title, value] of faulty) {
  test(`CB-40: a notification token with ${title} is invalid_request`, async () => {
    const consentId = await bed.lodge(tpp, "domestic-payment");
    const claims = { ...(await bed.hint(anna)), client_notification_token: value };
    const answer = await tpp.backchannel({ scope: "payments", consentId, claims });
    expectError(answer, 400, "invalid_request");
  });
}

test("CB-61: a client that is registered for polls is not told", async () => {
  const polling = await bed.createTpp();
  const { id } = await pay(polling);
  await bed.answer("approved");
  await run();
  assert.equal(bed.pings.length, 0);
  await tokensOf(polling, id);
});

const tries: [title: string, reply: PostReply, tries: number][] = [
  ["CB-49: a response with 200 ends the pings", replyOf(200), 1],
  ["CB-49: a redirect is not followed, and ends the pings", replyOf(302), 1],
  ["CB-49: a response with 401 ends the pings", replyOf(401), 1],
  ["CB-49: a response with 403 ends the pings", replyOf(403), 1],
  ["a response with 503 is followed by five more tries", replyOf(503), 6],
  ["an endpoint without a connection gets five more tries", { status: null, reason: "reset" }, 6],
];
for (const [title, reply, expected] of tries) {
  test(`${title}, and the tokens can be fetched`, async () => {
    bed.answerPings(reply);
    const { id } = await pay();
    await bed.answer("approved");
    for (let turn = 0; turn < 8; turn += 1) {
      await run();
      bed.advance({ seconds: turn < 5 ? 30 : 120 });
    }
    assert.equal(bed.pings.length, expected);
    const left = await bed.database.query(
      sql`select uid from backchannel_request where ping is not null`,
    );
    assert.deepEqual(left, []);
    await tokensOf(tpp, id);
  });
}

test("the log names the endpoint without its query, which may be secret, and why it was not told", async () => {
  bed.warnings.length = 0;
  const client = await bed.createTpp({ notificationEndpoint: `${endpoint}?secret=s3cret` });
  bed.answerPings(replyOf(403));
  await pay(client);
  await bed.answer("approved");
  await run();
  assert.equal(bed.pings.at(-1)?.url, `${endpoint}?secret=s3cret`);
  const { clientId } = client.tpp;
  const logged = { clientId, endpoint, reason: "the status is 403", pings: 1 };
  assert.deepEqual(bed.warnings, [logged]);
});

test("a client that has no notification endpoint any more is not called, and the log says so", async () => {
  bed.warnings.length = 0;
  const client = await bed.createTpp({ notificationEndpoint: endpoint });
  const { id } = await pay(client);
  const { clientId } = client.tpp;
  await stopPings(bed.database, clientId);
  await bed.answer("approved");
  await run();
  await run();
  assert.deepEqual(bed.pings, []);
  const reason = "the client has no notification endpoint any more";
  assert.deepEqual(bed.warnings, [{ clientId, endpoint: null, reason, pings: 1 }]);
  await tokensOf(client, id);
});

test("an endpoint that never answers has two pings at most, and delays no other TPP", async () => {
  const { promise, resolve: release } = Promise.withResolvers<PostReply>();
  bed.answerPings(promise);
  for (let turn = 0; turn < 3; turn += 1) {
    await pay();
    await bed.answer("approved");
  }
  await run();
  assert.equal(bed.pings.length, 2);
  const other = await bed.createTpp({ notificationEndpoint: "https://other.example/decided" });
  bed.answerPings(replyOf(204));
  const { id } = await pay(other);
  await bed.answer("approved");
  await run();
  assert.equal(bed.pings.at(-1)?.url, "https://other.example/decided");
  await tokensOf(other, id);
  release(replyOf(204));
  await run();
  await run();
  assert.equal(bed.pings.length, 4);
});

test("the database holds neither the auth_req_id nor the TPP's token in clear", async () => {
  const { id } = await pay();
  const rows = await bed.database.query<{ text: string }>(sql`
    select row_to_json(r)::text as text from backchannel_request r
    union all select row_to_json(j)::text from journey j
    union all select row_to_json(a)::text from oidc_artifact a`);
  const all = rows.map(({ text }) => text).join("\n");
  assert.ok(all.includes("openbanking-intent-id"));
  for (const secret of [id, token]) assert.ok(!all.includes(secret), secret);
  await bed.answer("approved");
});
