import assert from "node:assert/strict";
import { createPublicKey } from "node:crypto";
import { after, before, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import { registerTpp } from "#src/sandbox/directory/create-tpp.ts";
import { signingJwk } from "#src/sandbox/directory/keys.ts";
import { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { sql } from "#src/storage/sql.ts";
import { setClientStatus } from "#test/clients/stored-settings.ts";
import { readConsent } from "#test/consents/stored-rows.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { lodge, lodgeAccess, order, submit, untilStatus } from "#test/journeys/payments.ts";
import { countAllOrders } from "#test/payments/stored-orders.ts";

// Two banks in this process, like two brands of one bank or the sandboxes of two teams.
const perSecond = 4;
let one: TestBank;
let other: TestBank;
before(async () => {
  const limits = { RATE_LIMIT_PER_SECOND: perSecond };
  [one, other] = await Promise.all([
    openBank({ BANK_NAME: "First Bank", ORGANISATION_ID: "001580000FIRSTBANK", ...limits }),
    openBank({ BANK_NAME: "Second Bank", ORGANISATION_ID: "00158000SECONDBANK", ...limits }),
  ]);
});
after(async () => {
  await one?.close();
  await other?.close();
});

/** A TPP that calls a bank, whose certificate its own authority has issued. */
function clientOf(bank: TestBank, tpp: TppClient["tpp"]): TppClient {
  const { authority } = present(bank.sandbox, "the sandbox").directory;
  return new TppClient(bank, { ...tpp, caPem: authority.ca.certificatePem });
}

/**
 * Creates a TPP with the same client id, key and software at both banks. Its tokens are unbound.
 */
async function createSharedTpp(): Promise<{ atOne: TppClient; atOther: TppClient }> {
  const directory = present(one.sandbox, "the sandbox").directory;
  const issued = await directory.createTpp({
    name: "Shared TPP",
    roles: ["AISP", "PISP"],
    redirectUris: ["http://localhost:7878/callback"],
    certificateBound: false,
  });
  const publicKey = createPublicKey(issued.signing.privateKeyPem);
  const pem = publicKey.export({ type: "spki", format: "pem" }).toString();
  const { authority } = present(other.sandbox, "the sandbox").directory;
  await registerTpp(authority, issued, await signingJwk(pem));
  return { atOne: clientOf(one, issued), atOther: clientOf(other, issued) };
}

const timeOf = async (bank: TestBank): Promise<Temporal.Instant> =>
  Temporal.Instant.from((await bank.control<{ now: string }>("GET", "/clock")).now);

/** Returns how many requests of an operation the bank has counted, with any status. */
async function countedBy(bank: TestBank, operation: string): Promise<number> {
  const text = await (await fetch(`${bank.managementUrl}/metrics`)).text();
  const lines = text
    .split("\n")
    .filter((line) => line.startsWith("aldgate_request_duration_seconds_count{"))
    .filter((line) => line.includes(`operation="${operation}"`));
  return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}

const ordersOf = (bank: TestBank): Promise<number> => countAllOrders(bank.database, "tpp-");

/** Waits until the rate limits of both banks are fully available again. */
const untilFull = () => new Promise((resolve) => setTimeout(resolve, 1100));

test("each bank has its issuer and its name", async () => {
  const documents = await Promise.all(
    [one, other].map(async ({ publicUrl }) => {
      const answer = await fetch(`${publicUrl}/.well-known/openid-configuration`);
      return (await answer.json()) as { issuer: string };
    }),
  );
  assert.deepEqual(
    documents.map(({ issuer }) => issuer),
    [one.publicUrl, other.publicUrl],
  );
  const pages = await Promise.all(
    [one, other].map(async ({ publicUrl }) => {
      const answer = await fetch(`${publicUrl}/auth?client_id=nobody&response_type=code`);
      return answer.text();
    }),
  );
  assert.match(pages[0] ?? "", /First Bank/);
  assert.doesNotMatch(pages[0] ?? "", /Second Bank/);
  assert.match(pages[1] ?? "", /Second Bank/);
});

test("a client and a token of one bank are unknown to the other", async () => {
  const client = await one.createTpp({ certificateBound: false });
  const token = await client.clientToken("accounts");
  const stranger = clientOf(other, client.tpp);
  try {
    const asked = await stranger.tokenAnswer({
      grant_type: "client_credentials",
      scope: "accounts",
    });
    expectStatus(asked, 401);
    assert.match(asked.raw.toString(), /invalid_client/);
    const path = "/v3.1/aisp/account-access-consents/any";
    expectStatus(await stranger.call({ path, token }), 401);
    assert.notEqual((await client.call({ path, token })).status, 401);
  } finally {
    stranger.close();
  }
});

test("a client of both banks has separate tokens, and a suspension at one does not apply at the other", async () => {
  const { atOne, atOther } = await createSharedTpp();
  try {
    await lodgeAccess(atOne);
    const consent = await lodgeAccess(atOther);
    const [foreign, own] = [
      await atOne.clientToken("accounts"),
      await atOther.clientToken("accounts"),
    ];
    const path = `/v3.1/aisp/account-access-consents/${consent}`;
    expectStatus(await atOther.call({ path, token: own }), 200);
    expectStatus(await atOther.call({ path, token: foreign }), 401);
    await setClientStatus(one.database, atOne.tpp.clientId, "suspended");
    expectStatus(await atOne.call({ path, token: foreign }), 401);
    expectStatus(await atOther.call({ path, token: own }), 200);
  } finally {
    atOne.close();
    atOther.close();
  }
});

test("setting the clock of one bank forward does not change the other's", async () => {
  const before = await timeOf(other);
  await one.advance("P40D");
  const [ahead, still] = [await timeOf(one), await timeOf(other)];
  assert.ok(ahead.since(still).total("days") > 39, `${ahead} and ${still}`);
  assert.ok(still.since(before).total("days") < 1, `${before} and ${still}`);
  const client = await other.createTpp();
  const consent = await lodgeAccess(client);
  const stored = await readConsent(other.database, consent);
  assert.ok(stored.createdAt.since(still).total("days") < 1);
});

test("using up a rate limit at one bank does not affect the other", async () => {
  const { atOne, atOther } = await createSharedTpp();
  try {
    const [token, own] = [
      await atOne.clientToken("accounts"),
      await atOther.clientToken("accounts"),
    ];
    const path = "/v3.1/aisp/account-access-consents/none";
    await untilFull();
    const many = Array.from({ length: perSecond * 10 }, () => atOne.call({ path, token }));
    const statuses = (await Promise.all(many)).map(({ status }) => status);
    assert.ok(statuses.includes(429), statuses.join(" "));
    assert.notEqual((await atOther.call({ path, token: own })).status, 429);
  } finally {
    atOne.close();
    atOther.close();
  }
});

test("the metrics of a bank count only its own requests", async () => {
  const operation = present(
    one.operations.find(({ operationId }) => operationId === "CreateAccountAccessConsents"),
    "an operation of account access",
  );
  const client = await one.createTpp();
  await untilFull();
  const [before, silent] = [
    await countedBy(one, operation.operationId),
    await countedBy(other, operation.operationId),
  ];
  await lodgeAccess(client);
  assert.equal(await countedBy(one, operation.operationId), before + 1);
  assert.equal(await countedBy(other, operation.operationId), silent);
});

test("a payment is executed by its own bank's engine and in its own ledger", async () => {
  const before = await ordersOf(other);
  const client = await one.createTpp();
  const lodged = await lodge(client);
  const { access_token: token } = await one.approve(client, {
    scope: "payments",
    consentId: lodged.consentId,
    customer: "amara",
  });
  await untilFull();
  const id = await order(client, lodged, token);
  await untilStatus(client, lodged.kind, id, "ACSC", "ACCC");
  assert.equal(await ordersOf(other), before);
  const stranger = await other.createTpp();
  const refused = await submit(stranger, lodged, token);
  assert.equal(refused.status, 401);
});

test("closing one bank does not affect the other's login, consent, payment and metrics", async () => {
  await one.close();
  await assert.rejects(fetch(`${one.publicUrl}/.well-known/openid-configuration`));
  await assert.rejects(one.database.query(sql`select 1 as one`));
  const client = await other.createTpp();
  const lodged = await lodge(client);
  const { access_token: token } = await other.approve(client, {
    scope: "payments",
    consentId: lodged.consentId,
    customer: "amara",
  });
  await untilFull();
  const id = await order(client, lodged, token);
  await untilStatus(client, lodged.kind, id, "ACSC", "ACCC");
  const health = await fetch(`${other.managementUrl}/health/ready`);
  assert.equal(health.status, 200);
});
