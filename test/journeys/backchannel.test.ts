import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import type { Answer, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { consentStatus, readAuthorisations } from "#test/consents/stored-rows.ts";
import { freePort } from "#test/free-port.ts";
import { copySeeded, expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { until } from "#test/until.ts";
import { type Lodged, lodge, lodgeAccess, order, untilStatus } from "./payments.ts";

// A whole bank: a TPP begins approvals without a browser, and the sandbox plays the bank's app.

let bank: TestBank;
let client: TppClient;
before(async () => {
  bank = await openBank();
  client = await bank.createTpp();
});
after(() => bank?.close());

type Approval = { approvalId: string; customer: string; digits: string | null };
type Begun = { auth_req_id: string };

const identify = async (customer: string) => {
  const path = "/approvals/one-time-identifiers";
  const { identifier } = await bank.control<{ identifier: string }>("POST", path, { customer });
  return { login_hint_token: hintToken({ ephemeral_sub: identifier }) };
};

function hintToken(claims: object): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${encode({ alg: "none" })}.${encode(claims)}.`;
}

/** Begins an approval; returns its id. */
async function begin(
  scope: "payments" | "accounts",
  consentId: string,
  claims: Record<string, unknown>,
  tpp = client,
): Promise<string> {
  const answer = await tpp.backchannel({ scope, consentId, claims });
  expectStatus(answer, 200);
  return (answer.body as Begun).auth_req_id;
}

/** The request that waits in the app of a customer. */
async function waiting(customer: string): Promise<Approval> {
  const { approvals } = await bank.control<{ approvals: Approval[] }>("GET", "/approvals");
  return present(
    approvals.find((one) => one.customer === customer),
    `a request for ${customer}`,
  );
}

const decide = async (customer: string, decision: object): Promise<void> => {
  const { approvalId } = await waiting(customer);
  await bank.control("POST", `/approvals/${approvalId}`, decision);
};

const tokenOf = (answer: Answer): string => {
  expectStatus(answer, 200);
  return (answer.body as { access_token: string }).access_token;
};

/** Fetches the token of an approval, submits the order, and waits until it has settled. */
async function settle(lodged: Lodged, id: string): Promise<void> {
  const orderId = await order(client, lodged, tokenOf(await client.poll(id)));
  await untilStatus(client, lodged.kind, orderId, "ACCC");
}

test("a payment is approved in the app, from the account that the customer chooses there, and settles", async () => {
  const lodged = await lodge(client);
  const id = await begin("payments", lodged.consentId, await identify("amara"));
  const { digits } = await waiting("amara");
  assert.equal(digits, null); // no page shows any
  const [account] = await bank.currentAccounts("amara");
  const accountIds = [present(account, "an account").accountId];
  await decide("amara", { decision: "approve", accountIds });
  await settle(lodged, id);
  const [given] = await readAuthorisations(bank.database, lodged.consentId);
  assert.equal(given?.method, "decoupled");
  assert.deepEqual(given?.amr, ["hwk", "fpt", "mfa"]);
});

test("access to accounts is approved in the app, and the accounts are read", async () => {
  const consentId = await lodgeAccess(client);
  const id = await begin("accounts", consentId, await identify("dev"));
  await decide("dev", { decision: "approve" });
  const token = tokenOf(await client.poll(id));
  const answer = await client.call<{ Data: { Account: unknown[] } }>({
    path: "/v3.1/aisp/accounts",
    token,
  });
  expectStatus(answer, 200);
  assert.ok(answer.body.Data.Account.length > 0);
});

test("CB-86: the customer scans the consent's id in the app", async () => {
  const lodged = await lodge(client);
  const id = await begin("payments", lodged.consentId, {});
  const scan = { customer: "amara", consentId: lodged.consentId };
  await bank.control("POST", "/approvals/scans", scan);
  await decide("amara", { decision: "approve" });
  await settle(lodged, id);
});

test("a refusal in the app rejects the consent", async () => {
  const { consentId } = await lodge(client);
  const id = await begin("payments", consentId, await identify("amara"));
  await decide("amara", { decision: "decline" });
  const answer = await client.poll(id);
  assert.equal((answer.body as { error: string }).error, "access_denied");
  assert.equal(await consentStatus(bank.database, consentId), "RJCT");
});

test("a request goes on after a restart, also if its customer has approved just before it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "aldgate-backchannel-"));
  const ports = { PUBLIC_PORT: await freePort(), MTLS_PORT: await freePort() };
  const settings = { ALDGATE_DATA: folder, ...ports };
  const database = await copySeeded();
  const main = bank;
  bank = await openBank(settings, { ...database, close: async () => undefined });
  try {
    const tpp = await bank.createTpp();
    const [one, other] = [await lodge(tpp), await lodge(tpp)];
    const waits = await begin("payments", one.consentId, await identify("amara"), tpp);
    const decided = await begin("payments", other.consentId, await identify("dev"), tpp);
    await decide("dev", { decision: "approve" });
    await bank.close();
    bank = await openBank(settings, database);
    tokenOf(await tpp.poll(decided));
    assert.equal((await tpp.poll(waits)).status, 400);
    await decide("amara", { decision: "approve" });
    tokenOf(await tpp.poll(waits));
    tpp.close();
  } finally {
    await bank.close();
    bank = main;
    rmSync(folder, { recursive: true, force: true });
  }
});

test("CB-49: a TPP on this machine is told of an approval", async () => {
  const received: { request: IncomingMessage; body: string }[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      received.push({ request, body });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = server.address() as { port: number };
    const notificationEndpoint = `http://localhost:${port}/decided`;
    const tpp = await bank.createTpp({ notificationEndpoint });
    const { consentId } = await lodge(tpp);
    const claims = { ...(await identify("amara")), client_notification_token: "a.token" };
    const id = await begin("payments", consentId, claims, tpp);
    await decide("amara", { decision: "approve" });
    await until(
      () => received.length,
      (count) => count > 0,
    );
    const [ping] = received;
    assert.equal(ping?.request.method, "POST");
    assert.equal(ping?.request.headers.authorization, "Bearer a.token");
    assert.deepEqual(JSON.parse(ping?.body ?? ""), { auth_req_id: id });
    tokenOf(await tpp.poll(id));
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});
