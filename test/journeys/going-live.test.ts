// docs/going-live.md is this test in words: a bank with the production profile, and a TPP that
// comes with nothing but its certificate and its software statement.

import assert from "node:assert/strict";
import { randomUUID, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import type { Name } from "#src/sandbox/directory/certificates.ts";
import { generateRsaKey, signingJwk } from "#src/sandbox/directory/keys.ts";
import { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { listOperations } from "#src/server/routes/list-operations.ts";
import type { Scope } from "#src/standard/api-version.ts";
import { type Running, startCommand } from "#test/cli/running-bank.ts";
import { freePort } from "#test/free-port.ts";
import { expectStatus } from "#test/harness.ts";
import { type Authority, makeAuthority, type Pair } from "#test/http/certificates.ts";
import { startPostgres, type TestPostgres } from "#test/postgres.ts";
import type { KeyPem } from "#test/registration/bed.ts";
import { signAny } from "#test/registration/sign-any.ts";
import {
  corePath,
  debitsOf,
  type SecondBank,
  startSecondBank,
} from "#test/second-bank/second-bank.ts";
import {
  issueSigning,
  makeProductionFolder,
  type ProductionFolder,
  rsaKey,
} from "#test/server/production-folder.ts";
import { until } from "#test/until.ts";
import { type Customers, openCustomers } from "./customer.ts";
import { commandsOfPage, settingsOfPage, writeFiles } from "./going-live-page.ts";
import { lodge, lodgeAccess, order, untilStatus } from "./payments.ts";
import { statementClaims } from "./statement-claims.ts";
import { readAndStop } from "./stop-consent.ts";
import { suspendAndRemove } from "./suspend-tpp.ts";
import { type Framework, openFramework } from "./trust-framework.ts";

const issuerName = "A Trust Framework";
const organisationId = "0015800001LIVE0001";
const softwareId = "7Gh2LqVtWkXyZpRsBnMcDf";
const redirectUri = "https://tpp.example/callback";
const subject: Name = [
  { attribute: "C", value: "GB" },
  { attribute: "O", value: "OpenBanking" },
  { attribute: "OU", value: organisationId },
  { attribute: "CN", value: softwareId },
];

let postgres: TestPostgres;
let folder: ProductionFolder;
let framework: Framework;
let core: SecondBank;
let customers: Customers;
let revoked: Pair;
let bank: Running;
let environment: Record<string, string>;
let enrolled: Software | undefined;
let publicUrl: string;
let mtlsUrl: string;
let managementUrl: string;

const operations = listOperations(paymentKinds);

/**
 * The settings of docs/going-live.md. Only its addresses are replaced, and the networks that the
 * page describes for a directory in a private network are added.
 */
async function settingsOf(databaseRoot: Authority): Promise<Record<string, string>> {
  await writeFiles({ folder, framework, issuerName, databaseRoot: databaseRoot.cert });
  const written = settingsOfPage({
    "/etc/aldgate": folder.path,
    "/opt/our-bank/core.mjs": corePath,
  });
  const database = new URL(await postgres.createDatabase(`going_live_${process.pid}`));
  database.hostname = "localhost";
  database.search = new URL(present(written.DATABASE_URL, "the page's DATABASE_URL")).search;
  const [publicPort, mtlsPort, managementPort] = await Promise.all([
    freePort(),
    freePort(),
    freePort(),
  ]);
  managementUrl = `http://127.0.0.1:${managementPort}`;
  publicUrl = `https://localhost:${publicPort}`;
  mtlsUrl = `https://localhost:${mtlsPort}`;
  return {
    ...written,
    ALDGATE_DATA: folder.path,
    DATABASE_URL: database.href,
    PUBLIC_HOST: "127.0.0.1",
    PUBLIC_PORT: String(publicPort),
    MTLS_PORT: String(mtlsPort),
    MANAGEMENT_PORT: String(managementPort),
    PUBLIC_URL: publicUrl,
    MTLS_URL: mtlsUrl,
    REVOCATION_NETWORKS: "127.0.0.0/8",
    REGISTRATION_NETWORKS: "127.0.0.0/8",
    SECOND_BANK_URL: core.url,
    LOG_LEVEL: "warn",
  };
}

before(async () => {
  const databaseRoot = await makeAuthority("Database root");
  [postgres, folder, framework, core, customers] = await Promise.all([
    startPostgres({ tls: await databaseRoot.issue("localhost") }),
    makeProductionFolder(),
    openFramework(),
    startSecondBank(),
    openCustomers(),
  ]);
  // before the bank reads the list for the first time
  revoked = await framework.issueClient(subject);
  framework.revoke(revoked);
  environment = await settingsOf(databaseRoot);
  await open();
});

async function open(): Promise<void> {
  bank = startCommand(["start"], environment);
  await bank.untilSaid(/Aldgate is open/);
}

after(async () => {
  bank?.child.kill("SIGTERM");
  await bank?.ended;
  await customers?.close();
  await core?.close();
  framework?.close();
  await postgres?.stop();
  folder?.remove();
});

/** A TPP before its registration: a certificate, and a key that the directory publishes. */
type Software = { transport: Pair; signing: { kid: string; privateKeyPem: string } };

async function enrol(): Promise<Software> {
  const { served } = framework;
  const signing = await generateRsaKey();
  const jwk = await signingJwk(signing.publicKeyPem);
  served.set(`/${softwareId}.jwks`, { keys: [jwk] });
  served.set(`/revoked/${softwareId}.jwks`, { keys: [] });
  const transport = await framework.issueClient(subject);
  return { transport, signing: { kid: jwk.kid, privateKeyPem: signing.privateKeyPem } };
}

const seconds = (): number => Math.floor(Date.now() / 1000);

function statement(signer: KeyPem = framework.keys): Promise<string> {
  const { host, kid } = framework;
  const given = { issuerName, host, organisationId, softwareId, redirectUri };
  return signAny(statementClaims(given), { kid }, signer);
}

/** The TPP with its client id; without one, it can only register. */
const clientOf = ({ transport, signing }: Software, clientId = ""): TppClient =>
  new TppClient(
    { publicUrl, mtlsUrl, operations },
    {
      clientId,
      organisationId,
      softwareId,
      redirectUris: [redirectUri],
      tokenEndpointAuthMethod: "private_key_jwt",
      certificateBound: true,
      signing,
      transport: { privateKeyPem: transport.key, certificatePem: transport.cert },
      caPem: folder.caPem,
    },
  );

type Discovery = { issuer: string; registration_endpoint: string };

async function discover(client: TppClient): Promise<Discovery> {
  const url = `${publicUrl}/.well-known/openid-configuration`;
  const answer = await client.send(url, "GET", undefined, {});
  expectStatus(answer, 200);
  return answer.body as Discovery;
}

/** Sends a registration request as the specification describes it. */
async function register(software: Software, softwareStatement?: string) {
  const client = clientOf(software);
  try {
    const { issuer, registration_endpoint: endpoint } = await discover(client);
    const now = seconds();
    const claims = {
      iss: softwareId,
      aud: issuer,
      iat: now,
      exp: now + 600,
      jti: randomUUID(),
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: "private_key_jwt",
      token_endpoint_auth_signing_alg: "PS256",
      grant_types: ["authorization_code", "client_credentials", "refresh_token"],
      response_types: ["code id_token"],
      application_type: "web",
      scope: "openid accounts payments",
      id_token_signed_response_alg: "PS256",
      request_object_signing_alg: "PS256",
      software_statement: softwareStatement ?? (await statement()),
    };
    const { signing } = software;
    const body = await signAny(claims, { kid: signing.kid }, signing);
    const headers = { "content-type": "application/jose", accept: "application/json" };
    return await client.send(endpoint, "POST", Buffer.from(body), headers);
  } finally {
    client.close();
  }
}

/** Registers a TPP. Close it when done. */
async function registered(): Promise<TppClient> {
  // once, because the bank keeps the keys that it has fetched for a while
  enrolled ??= await enrol();
  const answer = await register(enrolled);
  expectStatus(answer, 201);
  return clientOf(enrolled, (answer.body as { client_id: string }).client_id);
}

const operated = new Set<string>();
/** Runs a command of the bank's operators. Returns its output. */
async function operate(...line: string[]): Promise<string> {
  operated.add(line.slice(0, 2).join(" "));
  const command = startCommand(line, environment);
  assert.equal(await command.ended, 0, command.said());
  return command.said();
}

/** Ada approves in a browser, with the code that her bank has sent her. Returns the token. */
async function approve(client: TppClient, scope: Scope, consentId: string): Promise<string> {
  const customer = await customers.arrive({ javaScriptEnabled: false, ignoreHTTPSErrors: true });
  try {
    await customer.open(await client.authorizationUrl({ scope, consentId }));
    await customer.login("ada", "ada's own password");
    assert.doesNotMatch(await customer.text(), /sandbox/i);
    const [code] = await core.codes();
    await customer.goOnToApproval(["second-current"], present(code, "the code of Ada's challenge"));
    assert.match(await customer.text(), /Thrift/);
    // the TPP's host does not exist, so the redirect to it is read from the bank's response
    const sentBack = customer.page.waitForResponse((response) =>
      (response.headers().location ?? "").startsWith(redirectUri),
    );
    await customer.page.click("button[name=decision][value=approve]");
    const location = (await sentBack).headers().location ?? "";
    return (await client.exchangeCode(location)).access_token;
  } finally {
    await customer.leave();
  }
}

test("a new production bank is ready, announces registration and publishes its signature certificate", async () => {
  const ready = await fetch(`${managementUrl}/health/ready`);
  assert.equal(ready.status, 200);
  assert.doesNotMatch(await ready.text(), /"degraded":\[[^\]]/);
  const client = clientOf(await enrol());
  try {
    const { issuer, registration_endpoint: endpoint } = await discover(client);
    assert.deepEqual([issuer, endpoint], [publicUrl, `${mtlsUrl}/register`]);
    const jwks = await client.send(`${publicUrl}/jwks`, "GET", undefined, {});
    const signing = readFileSync(present(environment.SIGNING_CERTIFICATE, "its file"));
    const own = new X509Certificate(signing).raw.toString("base64");
    assert.ok(jwks.raw.toString().includes(JSON.stringify(own)));
    const controls = `${publicUrl}/sandbox/v1/customers`;
    expectStatus(await client.send(controls, "GET", undefined, {}), 404);
  } finally {
    client.close();
  }
  assert.match(await operate("config"), /^ALDGATE_PROFILE=production$/m);
  assert.match(await operate("migrate"), /up to date/);
  const key = folder.write("standby.key.pem", rsaKey());
  const certificate = await issueSigning(readFileSync(key, "utf8"), folder.caKeyPem);
  const chain = folder.write("standby.pem", `${certificate}${folder.caPem}`);
  await operate("keys", "add", key, "--certificate", chain);
});

test("a production bank refuses a statement that the issuer's key did not sign", async () => {
  const stranger = (await generateRsaKey()) as KeyPem;
  const answer = await register(await enrol(), await statement(stranger));
  expectStatus(answer, 400);
  assert.equal((answer.body as { error: string }).error, "invalid_software_statement");
});

test("a production bank refuses a certificate of an unknown authority", async () => {
  const software = await enrol();
  const other = await makeAuthority("Another root");
  const answer = await register({ ...software, transport: await other.issue(subject) });
  expectStatus(answer, 401);
  assert.match(answer.raw.toString(), /ISSUER_UNKNOWN/);
});

test("a production bank refuses a certificate that its authority has revoked", async () => {
  const answer = await register({ ...(await enrol()), transport: revoked });
  expectStatus(answer, 401);
  assert.match(answer.raw.toString(), /has been revoked|is revoked/);
});

test("a TPP registers at a production bank, makes a payment and reads the account", async () => {
  const client = await registered();
  try {
    const lodged = await lodge(client, { amount: "12.34" });
    const token = await approve(client, "payments", lodged.consentId);
    const orderId = await order(client, lodged, token);
    await untilStatus(client, "domestic-payment", orderId, "ACCC");
    const debits = debitsOf(await core.books(), "second-current");
    assert.deepEqual(
      debits.map(({ amountMinor }) => amountMinor),
      [-1234n],
    );
    const consentId = await lodgeAccess(client);
    const access = await approve(client, "accounts", consentId);
    const line = new RegExp(`^${client.tpp.clientId}  active  Thrift  `, "m");
    assert.match(await operate("clients", "list"), line);
    await operate("verify");
    await readAndStop({ client, operate, environment }, { consentId, token: access });
    await suspendAndRemove(client, operate);
  } finally {
    client.close();
  }
});

test("R-030: a payment in progress is made after its TPP has deleted its registration", async () => {
  const client = await registered();
  try {
    const made = debitsOf(await core.books(), "second-current").length;
    const lodged = await lodge(client, { amount: "7.00" });
    const token = await approve(client, "payments", lodged.consentId);
    await core.fail({ call: "execute", how: "fail", outcome: "retry" });
    await order(client, lodged, token);
    const url = `${mtlsUrl}/register/${client.tpp.clientId}`;
    const authorization = `Bearer ${await client.clientToken("payments")}`;
    expectStatus(await client.send(url, "DELETE", undefined, { authorization }), 204);
    expectStatus(await client.send(url, "GET", undefined, { authorization }), 401);
    assert.equal(debitsOf(await core.books(), "second-current").length, made);
    await core.fail();
    const debits = await until(
      async () => debitsOf(await core.books(), "second-current"),
      ({ length }) => length > made,
    );
    assert.equal(debits.at(-1)?.amountMinor, -700n);
  } finally {
    await core.fail();
    client.close();
  }
});

/** Stops the bank and gives it a copy of its database, or of `from`. Returns what was copied. */
async function stopAndCopy(name: string, from?: string): Promise<string> {
  bank.child.kill("SIGTERM");
  await bank.ended;
  const url = new URL(present(environment.DATABASE_URL, "the bank's database"));
  const template = from ?? url.pathname.slice(1);
  await postgres.createDatabase(name, template);
  environment.DATABASE_URL = Object.assign(url, { pathname: `/${name}` }).href;
  return template;
}

test("a production bank that is restored from an older backup pays nothing twice", async () => {
  const client = await registered();
  try {
    const lodged = await lodge(client, { amount: "8.00" });
    const token = await approve(client, "payments", lodged.consentId);
    const since = Temporal.Now.instant().toString();
    const backup = await stopAndCopy(`later_${process.pid}`);
    await open();
    const orderId = await order(client, lodged, token, "the-same-key");
    await untilStatus(client, "domestic-payment", orderId, "ACCC");
    const paid = debitsOf(await core.books(), "second-current");
    await stopAndCopy(`restored_${process.pid}`, backup);
    const compared = startCommand(["reconcile", "--since", since], environment);
    assert.equal(await compared.ended, 1, compared.said());
    assert.match(compared.said(), new RegExp(`DIFFERS .* consent ${lodged.consentId} `));
    await open();
    assert.equal(await order(client, lodged, token, "the-same-key"), orderId);
    await untilStatus(client, "domestic-payment", orderId, "ACCC");
    await operate("verify");
    assert.deepEqual(debitsOf(await core.books(), "second-current"), paid);
    await operate("reconcile", "--since", since);
  } finally {
    client.close();
  }
});

// Each command reads the same settings as the server, whatever form the page gives them.
const otherCommands = ["keys list", "events list", "vrp contracts", "payments stuck", "notices"];

test("every command that the page names has run, and so have the other commands of operators", async () => {
  for (const line of otherCommands) await operate(...line.split(" "));
  // the bank itself was opened by this command
  operated.add("start");
  assert.deepEqual(
    commandsOfPage().filter((command) => !operated.has(command)),
    [],
  );
});
