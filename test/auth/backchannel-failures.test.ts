import assert from "node:assert/strict";
import { after, before, beforeEach, mock, test } from "node:test";
import { NotCalled } from "#src/bank/circuit.ts";
import type { Bank } from "#src/bank/port.ts";
import { Unavailable } from "#src/lib/unavailable.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { Sql } from "#src/storage/sql.ts";
import {
  anna,
  type BackchannelBed,
  begin,
  expectError,
  openBackchannelBed,
  tokensOf,
} from "./backchannel-bed.ts";
import { paperBank } from "./paper-bank.ts";
import { Visitor } from "./visitor.ts";

// What becomes of a request without a browser if a call fails or takes long, or if the TPP and the
// customer act at the same moment.

const joint = "cust-joint";

// the core's answers; `sent` counts the requests that have reached a phone
const core = {
  challenge: "made" as "made" | "made, but the answer is lost" | "not called",
  sent: 0,
  accounts: Promise.resolve(),
  accountsAsked: 0,
};

let bed: BackchannelBed;
let tpp: TppClient;
before(async () => {
  const challenge: Bank["challenge"] = async (...given) => {
    if (core.challenge === "not called") {
      throw new Unavailable("core", "calls are paused", { cause: new NotCalled("paused") });
    }
    core.sent += 1;
    const made = await bed.inApp.calls.challenge(...given);
    if (core.challenge === "made") return made;
    throw new Unavailable("core", "the core did not answer in time", {});
  };
  const listAccounts: Bank["listAccounts"] = async (...given) => {
    core.accountsAsked += 1;
    await core.accounts;
    return paperBank.listAccounts(...given);
  };
  bed = await openBackchannelBed({ bank: { challenge, listAccounts } });
});
after(() => bed?.close());
// so that no test reaches the limit of another
beforeEach(async () => {
  bed.advance({ hours: 25 });
  await bed.auth.sweep();
  core.challenge = "made";
  tpp = await bed.createTpp();
});

const named = { debtor: "20201012345101" };

const payment = (client = tpp, data: Record<string, unknown> = named) =>
  bed.lodge(client, "domestic-payment", { data });

const isListed = async (count: number): Promise<void> => {
  while (core.accountsAsked < count) await new Promise((resolve) => setImmediate(resolve));
};

test("CB-08, CB-90: once the TPP was told that the time is over, a slow approval authorises nothing", async () => {
  const consentId = await payment();
  const claims = await bed.hint(anna);
  const { auth_req_id } = await begin(tpp, { scope: "payments", consentId, claims });
  const { promise, resolve: release } = Promise.withResolvers<void>();
  core.accounts = promise;
  const before = core.accountsAsked;
  const taken = bed.answer("approved");
  try {
    await isListed(before + 1);
    bed.advance({ seconds: 300 });
    expectError(await tpp.poll(auth_req_id), 400, "expired_token");
  } finally {
    release();
    core.accounts = Promise.resolve();
  }
  await taken;
  expectError(await tpp.poll(auth_req_id), 400, "expired_token");
  const { status, reasons } = await bed.consent(consentId);
  assert.deepEqual([status, reasons[0]?.code], ["RJCT", "U036"]);
});

test("CB-90: an approval that was first is the answer to a poll after the end", async () => {
  const consentId = await payment();
  const claims = await bed.hint(anna);
  const { auth_req_id } = await begin(tpp, { scope: "payments", consentId, claims });
  await bed.answer("approved");
  bed.advance({ seconds: 301 });
  await tokensOf(tpp, auth_req_id);
  assert.equal((await bed.consent(consentId)).status, "AUTH");
});

/** Does something once, before a journey is read again that has just been moved to the app. */
function onceAsked(work: () => Promise<void>): { restore(): void } {
  const { database } = bed;
  const query = database.query.bind(database) as (statement: Sql) => Promise<unknown[]>;
  let state: "asking" | "asked" | "done" = "asking";
  const mocked = mock.method(database, "query", async (statement: Sql) => {
    if (state === "asked" && statement.text.includes('as "begunAt"')) {
      state = "done";
      await work();
    }
    const rows = await query(statement);
    if (state === "asking" && statement.text.includes("update journey set step = ")) {
      state = "asked";
    }
    return rows;
  });
  return { restore: () => mocked.mock.restore() };
}

test("a customer who answers at once does not lose the request", async () => {
  const consentId = await payment(tpp, {});
  const claims = await bed.hint(anna);
  const hook = onceAsked(() => bed.answer("approved"));
  const { auth_req_id } = await begin(tpp, { scope: "payments", consentId, claims }).finally(
    hook.restore,
  );
  const journeyId = await bed.journeyOf(consentId);
  const { shownHash } = await bed.app.show(journeyId);
  const decision = { decision: "approve", customerId: anna, shownHash } as const;
  await bed.app.decide(journeyId, { ...decision, accountIds: ["101"] });
  await tokensOf(tpp, auth_req_id);
});

test("an error after the customer has approved does not discard the approval", async () => {
  const consentId = await payment();
  const claims = await bed.hint(anna);
  const hook = onceAsked(async () => {
    await bed.answer("approved");
    throw new Unavailable("database", "the connection was lost", {});
  });
  const { auth_req_id } = await begin(tpp, { scope: "payments", consentId, claims }).finally(
    hook.restore,
  );
  await tokensOf(tpp, auth_req_id);
  assert.equal((await bed.consent(consentId)).status, "AUTH");
});

test("CB-09: requests whose answer from the core is lost count, for their client and for all", async () => {
  core.challenge = "made, but the answer is lost";
  const before = core.sent;
  const ask = async (client: TppClient) => {
    const consentId = await payment(client);
    const claims = await bed.hint(joint);
    const answer = await client.backchannel({ scope: "payments", consentId, claims });
    assert.equal((await bed.consent(consentId)).status, "AWAU");
    return answer;
  };
  const refused = async (client: TppClient) => expectError(await ask(client), 403, "access_denied");
  for (let turn = 0; turn < 5; turn += 1) {
    expectError(await ask(tpp), 503, "temporarily_unavailable");
  }
  await refused(tpp);
  assert.equal(core.sent, before + 5);
  const other = await bed.createTpp();
  for (let turn = 0; turn < 5; turn += 1) {
    expectError(await ask(other), 503, "temporarily_unavailable");
  }
  await refused(await bed.createTpp());
  assert.equal(core.sent, before + 10);
  // a customer whom a page calls to the app is left alone, too
  core.challenge = "made";
  await assert.rejects(
    bed.app.scan({ consentId: await scannable(), customerId: joint }),
    /too many requests/,
  );
  bed.advance({ minutes: 16 });
  assert.equal((await ask(tpp)).status, 200);
});

test("CB-09: an approval forgets the requests of its TPP whose answer from the core was lost", async () => {
  const ask = async () => {
    const consentId = await payment();
    const claims = await bed.hint(joint);
    return tpp.backchannel({ scope: "payments", consentId, claims });
  };
  const lose = async (count: number) => {
    core.challenge = "made, but the answer is lost";
    for (let turn = 0; turn < count; turn += 1) {
      expectError(await ask(), 503, "temporarily_unavailable");
    }
    core.challenge = "made";
  };
  await lose(4);
  assert.equal((await ask()).status, 200);
  await bed.answer("approved");
  await lose(4);
  assert.equal((await ask()).status, 200);
});

test("calls of the core that fail at the bank's own login do not lock the customer out", async () => {
  const logIn = async () => {
    const visitor = new Visitor(bed);
    await visitor.open(`${bed.publicUrl}/bank/login`);
    await visitor.login("joint");
    return visitor;
  };
  assert.ok((await logIn()).isInApp);
  core.challenge = "made, but the answer is lost";
  for (let turn = 0; turn < 10; turn += 1) assert.equal((await logIn()).shown.status, 503);
  core.challenge = "made";
  const visitor = await logIn();
  assert.ok(visitor.isInApp, visitor.shown.body);
});

/** A consent for which a TPP waits without a hint. */
async function scannable(): Promise<string> {
  const consentId = await payment();
  await begin(tpp, { scope: "payments", consentId });
  return consentId;
}

test("CB-09: a request for which the core was not called does not count", async () => {
  core.challenge = "not called";
  for (let turn = 0; turn < 6; turn += 1) {
    const consentId = await payment();
    const claims = await bed.hint(joint);
    const answer = await tpp.backchannel({ scope: "payments", consentId, claims });
    expectError(answer, 503, "temporarily_unavailable");
  }
  core.challenge = "made";
  const claims = await bed.hint(joint);
  await begin(tpp, { scope: "payments", consentId: await payment(), claims });
});

test("CB-41, CB-85: a request that is refused, or gets 503, uses up no identifier and no jti", async () => {
  const claims = { ...(await bed.hint(anna)), jti: "a-jti-of-a-request-that-was-refused" };
  const send = (consentId: string, more: Record<string, unknown> = {}) =>
    tpp.backchannel({ scope: "payments", consentId, claims: { ...claims, ...more } });
  const busy = await scannable();
  expectError(await send(busy), 400, "invalid_request");
  const consentId = await payment();
  const message = { binding_message: "<b>1234</b>" };
  expectError(await send(consentId, message), 400, "invalid_binding_message");
  core.challenge = "made, but the answer is lost";
  expectError(await send(consentId), 503, "temporarily_unavailable");
  core.challenge = "made";
  assert.equal((await send(consentId)).status, 200);
  const again = await send(await payment(), { jti: "another" });
  expectError(again, 400, "expired_login_hint_token");
});

test("CB-85: of two requests at once with one identifier, one reaches its customer", async () => {
  const claims = await bed.hint(anna);
  const before = core.sent;
  const consents = [await payment(), await payment(), await payment()];
  const answers = await Promise.all(
    consents.map((consentId) => tpp.backchannel({ scope: "payments", consentId, claims })),
  );
  const refused = answers.filter(({ status }) => status !== 200);
  assert.equal(refused.length, 2);
  for (const answer of refused) expectError(answer, 400, "expired_login_hint_token");
  assert.equal(core.sent, before + 1);
});
