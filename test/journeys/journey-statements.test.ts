import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import { authoriseHeadless } from "#src/sandbox/test-tpp/headless-customer.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { copySeeded, expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { limitsOnAnyDay, vrpConsent, vrpOrder } from "#test/payments/limits/vrp-bed.ts";
import {
  describeStatement,
  type RanStatement,
  recordStatements,
  type StatementRecord,
  tally,
} from "#test/statements.ts";
import { lodge, order, type Resource } from "./payments.ts";

// The most statements of a whole payment journey: client token, consent, authorization with login,
// choice of account and second factor, code exchange, order. `begin` and `commit` count too.
const most = 25;
const customer = "amara";
let bank: TestBank;
let record: StatementRecord;
let client: TppClient;
before(async () => {
  const database = await copySeeded();
  record = recordStatements(database);
  // so that only the journey's statements are counted
  bank = await openBank({ REQUEST_LOG_ENTRIES: 0 }, database);
  await bank.engine.stop();
  client = await bank.createTpp({ certificateBound: false });
});
after(() => bank?.close());

const headless = (authorizationUrl: string, password: string) =>
  authoriseHeadless(
    { authorizationUrl, customer, decision: "approve" },
    {
      publicUrl: bank.publicUrl,
      passwordOf: () => password,
      expireJourney: async () => undefined,
    },
  );

const findCustomer = async () =>
  present(
    (await bank.customers()).find(({ login }) => login === customer),
    customer,
  );

async function runJourney(password: string): Promise<RanStatement[]> {
  record.start();
  const lodged = await lodge(client, { amount: "1.23" });
  const authorizationUrl = await client.authorizationUrl({
    scope: "payments",
    consentId: lodged.consentId,
  });
  const { redirectUrl } = await headless(authorizationUrl, password);
  const { access_token: token } = await client.exchangeCode(redirectUrl);
  await order(client, lodged, token);
  // the bank looks at the schema once a second, whatever it is asked
  return record.stop().filter(({ text }) => !/\bfrom migration\b/.test(text));
}

/** Lists statements by request and by kind. */
const listed = (ran: readonly RanStatement[]): string =>
  ["by request:", tally(ran.map(({ request }) => request))]
    .concat("by kind:", tally(ran.map(({ text }) => describeStatement(text))))
    .join("\n");

/** Whether a statement writes, and whether the server answers before the write is on disk. */
function writeOf({ text }: RanStatement): "flushed" | "unflushed" | null {
  if (text === "commit") return "flushed";
  if (!/\b(insert into|update(?! of)|delete from) [a-z_]+/.test(text)) return null;
  return text.includes("'synchronous_commit', 'off'") ? "unflushed" : "flushed";
}

/** The last writes of requests, by request. */
function lastWrites(ran: readonly RanStatement[]): Map<string, string> {
  const last = new Map<string, string>();
  for (const statement of ran) {
    const write = writeOf(statement);
    if (write) last.set(statement.request, write);
  }
  return last;
}

test("every request of a journey flushes its last write, even with a wrong password", async () => {
  const { password } = await findCustomer();
  const ran = await runJourney(password);
  assert.ok(ran.some((statement) => writeOf(statement) === "unflushed"));
  record.start();
  const lodged = await lodge(client, { amount: "1.23" });
  const consentId = lodged.consentId;
  const authorizationUrl = await client.authorizationUrl({ scope: "payments", consentId });
  await assert.rejects(headless(authorizationUrl, `not ${password}`));
  const refused = record.stop();
  assert.ok(refused.some(({ text }) => text.includes("update login_attempt")));
  for (const [request, write] of [...lastWrites(ran), ...lastWrites(refused)]) {
    assert.equal(write, "flushed", request);
  }
});

test(`a whole payment journey needs at most ${most} statements`, async (t) => {
  const { password } = await findCustomer();
  const journeys: RanStatement[][] = [];
  // the first journey fills caches that each process fills only once
  for (let n = 0; n < 3; n++) journeys.push(await runJourney(password));
  const last = present(journeys.at(-1), "a journey");
  const kinds = last.map(({ text }) => describeStatement(text));
  assert.ok(
    kinds.includes("update journey"),
    `the record has the journey's steps\n${listed(last)}`,
  );
  t.diagnostic(`${last.length} statements`);
  assert.ok(
    last.length <= most,
    `${last.length} statements, not at most ${most}:\n${listed(last)}`,
  );
});

test("a payment within limits runs as many statements as a domestic payment", async () => {
  const accounts = (await bank.currentAccounts(customer)).map(({ accountId }) => accountId);
  const approve = async (consentId: string) =>
    (await bank.approve(client, { scope: "payments", consentId, customer, accounts })).access_token;
  const path = "/v4.0/pisp/domestic-vrp";
  const body = vrpConsent(({ Data }) => {
    Data.ControlParameters.PeriodicLimits = limitsOnAnyDay;
  });
  const token = await client.clientToken("payments");
  const consented = await client.call<Resource>({ path: `${path}-consents`, token, body });
  expectStatus(consented, 201);
  const consentId = String(consented.body.Data.ConsentId);
  const access = await approve(consentId);
  const pay = async () => {
    const paid = vrpOrder(consentId, body, "1.00");
    expectStatus(await client.call({ path: `${path}s`, token: access, body: paid }), 201);
  };
  const single = async () => {
    const lodged = await lodge(client, { amount: "1.00" });
    const own = await approve(lodged.consentId);
    return () => order(client, lodged, own);
  };
  const counted = async (send: () => Promise<unknown>): Promise<RanStatement[]> => {
    record.start();
    await send();
    return record.stop();
  };
  // the first payments fill caches that each process fills only once
  await (await single())();
  await pay();
  const [domestic, limited] = [await counted(await single()), await counted(pay)];
  assert.ok(domestic.length > 0);
  assert.equal(limited.length, domestic.length, listed(limited));
});
