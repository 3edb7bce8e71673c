import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { listChanges } from "#src/history/change.ts";
import { systemClock } from "#src/lib/clock.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { OpenRegistration } from "#src/server/opening/registration.ts";
import { sql } from "#src/storage/sql.ts";
import { expectStatus } from "#test/harness.ts";
import { type Bed, openRegistrationBed, type Served } from "./bed.ts";
import { openOtherProcess } from "./other-process.ts";

let bed: Bed;
let now = systemClock.now();
let process: OpenRegistration;
const warnings: string[] = [];
before(async () => {
  bed = await openRegistrationBed();
  process = openProcess();
});
after(() => bed?.close());

// a process whose machine's clock the test moves
const openProcess = (): OpenRegistration =>
  openOtherProcess(bed.bank, {
    config: { REGISTRATION_ISSUERS: bed.issuersFile },
    machineClock: { now: () => now },
    onWarning: (_details, text) => warnings.push(text),
  });

/** Sets what the directory says, and returns the client's details after the daily check. */
async function dayWith(status: object, client: TppClient) {
  publish({ body: status });
  now = now.add({ hours: 25 });
  await process.sweep();
  const details = await process.operator.show(client.tpp.clientId);
  return {
    status: details?.status,
    by: details?.suspendedBy,
    because: details?.suspendedBecause,
    withheld: details?.withheldScopes,
  };
}

const publish = (document: Served): void => void bed.served.set(bed.paths.status, document);
const active = { org_status: "Active" };
const serving = { status: "active", by: null, because: null, withheld: [] };

async function register(scope = "openid accounts payments"): Promise<TppClient> {
  publish({ body: active });
  const answer = await bed.send({ body: await bed.request({ scope }) });
  assert.equal(answer.status, 201, answer.text);
  const client = bed.client(answer.body, bed);
  return client;
}

const lodge = (client: TppClient, token: string) =>
  client.call({
    path: "/v3.1/aisp/account-access-consents",
    token,
    body: { Data: { Permissions: ["ReadAccountsBasic"] }, Risk: {} },
  });
const requestToken = (client: TppClient, scope: string) =>
  client.tokenAnswer({ grant_type: "client_credentials", scope });

test("R-112, R-155: the daily check suspends the clients of an organisation that the directory has withdrawn, and restores them when it is active again", async () => {
  const client = await register();
  const token = await client.clientToken("accounts");
  publish({ body: { org_status: "Withdrawn" } });
  await process.operator.check(client.tpp.clientId);
  await process.operator.setStatus(client.tpp.clientId, "active");
  // checked less than a day ago
  await process.sweep();
  expectStatus(await lodge(client, token), 201);
  const suspended = await dayWith({ org_status: "Withdrawn" }, client);
  assert.match(suspended.because ?? "", /^org_status is Withdrawn; it must be Active\./);
  assert.partialDeepStrictEqual(suspended, { status: "suspended", by: "directory" });
  expectStatus(await lodge(client, token), 401);
  expectStatus(await requestToken(client, "accounts"), 401);
  const last = (await listChanges(bed.bank.database, client.tpp.clientId)).at(-1);
  assert.partialDeepStrictEqual(last, {
    cause: "bank",
    before: { status: "active", suspendedBy: null },
    after: {
      status: "suspended",
      suspendedBy: "directory",
      suspendedBecause: suspended.because,
    },
  });
  const records = await bed.bank.database.query(sql`
    select method, status, rule, description from registration_attempt
    where interaction_id = ${last?.interactionId ?? ""}`);
  assert.deepEqual(records, [
    { method: "status", status: 403, rule: "R-105", description: suspended.because },
  ]);
  assert.deepEqual(await dayWith(active, client), serving);
  expectStatus(await lodge(client, token), 201);
});

test("R-112: software that is not active in the directory is suspended when an operator asks for a check", async () => {
  const client = await register();
  const { clientId } = client.tpp;
  publish({ body: { ...active, software_status: "Revoked" } });
  assert.equal(await process.operator.check(clientId), null);
  const shown = await process.operator.show(clientId);
  assert.match(shown?.suspendedBecause ?? "", /^software_status is Revoked; it must be Active\./);
  assert.deepEqual(shown?.changes[0]?.changed.status, ["active", "suspended"]);
  expectStatus(await requestToken(client, "accounts"), 401);
  assert.deepEqual(await dayWith({ ...active, software_status: "active" }, client), serving);
});

test("R-093, R-112: if the TPP loses a role, tokens with its scope and requests for it are refused, and other scopes are served", async () => {
  const client = await register();
  const [accounts, payments] = [
    await client.clientToken("accounts"),
    await client.clientToken("payments"),
  ];
  const narrowed = await dayWith({ ...active, software_roles: ["AISP", "CBPII"] }, client);
  assert.deepEqual(narrowed, { ...serving, withheld: ["payments"] });
  expectStatus(await lodge(client, accounts), 201);
  expectStatus(await requestToken(client, "accounts"), 200);
  expectStatus(await requestToken(client, "payments"), 400);
  const order = { path: "/v4.0/pisp/domestic-payment-consents/unknown", token: payments };
  expectStatus(await client.call(order), 401);
  const unauthorised = {
    ...active,
    organisation_competent_authority_claims: {
      status: "Active",
      authorisations: [{ member_state: "GB", roles: ["CBPII"] }],
    },
  };
  const useless = await dayWith(unauthorised, client);
  assert.partialDeepStrictEqual(useless, { status: "suspended", by: "directory" });
  assert.match(useless.because ?? "", /no longer gives .* accounts, payments\.$/);
  assert.deepEqual(await dayWith(active, client), serving);
  expectStatus(await requestToken(client, "payments"), 200);
});

test("R-112: a client that the bank suspended stays suspended, whatever the directory says", async () => {
  const client = await register();
  const { clientId } = client.tpp;
  const byBank = { ...serving, status: "suspended", by: "bank" };
  assert.ok(await process.operator.setStatus(clientId, "suspended"));
  assert.deepEqual(await dayWith({ org_status: "Revoked" }, client), byBank);
  assert.deepEqual(await dayWith(active, client), byBank);
  assert.ok(await process.operator.setStatus(clientId, "active"));
  // the bank suspends a client that the directory has suspended
  assert.equal((await dayWith({ org_status: "Revoked" }, client)).by, "directory");
  assert.ok(await process.operator.setStatus(clientId, "suspended"));
  assert.deepEqual(await dayWith(active, client), byBank);
});

const noStatus: [string, Served][] = [
  ["is missing", { status: 404, body: "" }],
  ["is an error", { status: 500, body: { org_status: "Revoked" } }],
  ["is a redirect", { status: 302, headers: { location: "/moved" }, body: "" }],
  ["is not JSON", { body: "Revoked" }],
  ["has no org_status", { body: { software_status: "Revoked" } }],
  ["is about other software", { body: { org_status: "Revoked", software_id: "other" } }],
];

for (const [name, document] of noStatus) {
  test(`R-112: a client is served as before if the directory does not give a usable status (${name})`, async () => {
    const client = await register();
    publish(document);
    warnings.length = 0;
    assert.match((await process.operator.check(client.tpp.clientId)) ?? "", /cannot be read/);
    assert.deepEqual(warnings, ["the status of software cannot be read"]);
    expectStatus(await requestToken(client, "accounts"), 200);
  });
}

test("R-112: a registration with an old statement is suspended at the next check if the organisation is withdrawn", async () => {
  const client = await register();
  publish({ body: { org_status: "Withdrawn" } });
  await process.sweep();
  expectStatus(await requestToken(client, "accounts"), 401);
});

test("R-112: when the status of software is due to be read, only one of several processes reads it", async () => {
  await register();
  now = now.add({ hours: 25 });
  const count = (): number => bed.asked.filter((url) => url === bed.paths.status).length;
  const before = count();
  await Promise.all([process.sweep(), openProcess().sweep()]);
  assert.equal(count(), before + 1);
});

test("R-112, R-163, R-165: the sandbox's directory serves the status of software, and an operator's check applies it", async () => {
  const client = await bed.bank.createTpp();
  const { clientId, softwareId, organisationId } = client.tpp;
  const check = () => bed.bank.control("POST", `/clients/${clientId}/status-checks`, {});
  const at = `/directory/software/${softwareId}`;
  const url = `${bed.bank.publicUrl}/directory/status/${organisationId}/${softwareId}`;
  await bed.bank.control("PUT", at, { softwareStatus: "Revoked" });
  assert.partialDeepStrictEqual(await (await fetch(url)).json(), {
    org_id: organisationId,
    software_id: softwareId,
    org_status: "Active",
    software_status: "Revoked",
  });
  assert.equal((await fetch(`${url}x`)).status, 404);
  await assert.rejects(bed.bank.control("POST", `${at}/statements`, {}), /is Revoked/);
  assert.deepEqual(await check(), { failure: null });
  expectStatus(await requestToken(client, "accounts"), 401);
  await bed.bank.control("PUT", at, { softwareStatus: "Active" });
  assert.deepEqual(await check(), { failure: null });
  expectStatus(await requestToken(client, "accounts"), 200);
});
