import assert from "node:assert/strict";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createLocalJWKSet, jwtVerify } from "jose";
import { parseCertificates } from "#src/http/connection/certificate-chain.ts";
import { present } from "#src/lib/assert.ts";
import { type Clock, systemClock } from "#src/lib/clock.ts";
import { ensureDirectory } from "#src/sandbox/directory/directory.ts";
import { TppRefused } from "#src/sandbox/directory/issued-tpp.ts";
import { generateRsaKey } from "#src/sandbox/directory/keys.ts";
import type { Database } from "#src/storage/database.ts";
import { openEmpty } from "#test/sandbox/bank/empty-bank.ts";

const folder = mkdtempSync(join(tmpdir(), "aldgate-directory-"));
let database: Database;
let shared: Awaited<ReturnType<typeof generateRsaKey>>;
before(async () => {
  database = await openEmpty();
  shared = await generateRsaKey();
});
after(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

const options = (clock: Clock, hosts: string[], bankClock = clock) => ({
  folder,
  database,
  clock,
  bankClock,
  publicUrl: "http://localhost:8080",
  hosts,
  generateKey: async () => shared,
});
const open = (
  clock: Clock = systemClock,
  hosts = ["localhost", "127.0.0.1", "::1"],
  bankClock = clock,
) => ensureDirectory(options(clock, hosts, bankClock));
const request = {
  name: "Ready TPP",
  roles: ["AISP" as const],
  redirectUris: ["https://tpp.example/callback"],
};

test("generated keys and secrets are kept in files that only their owner can read", async () => {
  const first = await open();
  const ready = await first.ensureReadyTpp("ready", request);
  const second = await open();
  assert.equal(second.caPem, first.caPem);
  assert.deepEqual(second.server, first.server);
  assert.equal(second.cookieSecret, first.cookieSecret);
  assert.equal(second.signing.kid, first.signing.kid);
  assert.deepEqual(await second.ensureReadyTpp("ready", request), ready);
  for (const file of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const mode = statSync(join(file.parentPath, file.name)).mode & 0o777;
    assert.equal(mode, file.isDirectory() ? 0o700 : 0o600, file.name);
  }
  const pem = readFileSync(join(folder, "tpps/ready/transport.pem"), "utf8");
  assert.equal(pem, ready.transport.certificatePem);
});

test("certificates chain to the directory's root, and the server's names its hosts", async () => {
  const directory = await open();
  const tpp = await directory.createTpp(request);
  const root = new X509Certificate(directory.caPem);
  assert.ok(root.ca && root.verify(root.publicKey));
  const server = new X509Certificate(directory.server.cert);
  for (const pem of [
    directory.server.cert,
    tpp.transport.certificatePem,
    tpp.signing.certificatePem,
  ]) {
    const certificate = new X509Certificate(pem);
    assert.ok(certificate.checkIssued(root) && certificate.verify(root.publicKey));
    assert.ok(!certificate.ca);
  }
  assert.ok(server.checkHost("localhost"));
  assert.ok(server.checkIP("127.0.0.1") && server.checkIP("::1"));
  const subject = new X509Certificate(tpp.transport.certificatePem).subject;
  assert.equal(subject, `C=GB\nO=OpenBanking\nOU=${tpp.organisationId}\nCN=${tpp.softwareId}`);
  assert.match(tpp.softwareId, /^[0-9a-zA-Z]{1,22}$/);
  assert.match(tpp.organisationId, /^[0-9a-zA-Z]{18}$/);
});

test("certificates are renewed before they expire, and keys and registration stay the same", async () => {
  const before = await open();
  const ready = await before.ensureReadyTpp("ready", request);
  const later: Clock = { now: () => systemClock.now().add({ hours: 24 * 380 }) };
  const after = await open(later);
  assert.notEqual(after.server.cert, before.server.cert);
  assert.equal(after.server.key, before.server.key);
  const renewed = await after.ensureReadyTpp("ready", request);
  assert.equal(renewed.clientId, ready.clientId);
  assert.equal(renewed.transport.privateKeyPem, ready.transport.privateKeyPem);
  assert.notEqual(renewed.transport.certificatePem, ready.transport.certificatePem);
  const end = new X509Certificate(renewed.transport.certificatePem).validToDate.getTime();
  assert.ok(end > later.now().epochMilliseconds);
});

test("a running directory renews certificates in time and reports the server's new certificate", async () => {
  const end = new X509Certificate((await open()).server.cert).validToDate.getTime();
  let now = Temporal.Instant.fromEpochMilliseconds(end).subtract({ hours: 24 * 31 });
  const directory = await open({ now: () => now });
  const ready = await directory.ensureReadyTpp("ready", request);
  const { server } = directory;
  const signed = directory.signing.certificatesPem;
  const { certificatePem } = ready.transport;
  const told: object[] = [];
  directory.onServerRenewed((pair) => told.push(pair));
  await directory.renew();
  assert.equal(directory.server.cert, server.cert);
  assert.equal(ready.transport.certificatePem, certificatePem);
  now = now.add({ hours: 48 });
  await directory.renew();
  assert.equal(directory.server.key, server.key);
  assert.notEqual(directory.signing.certificatesPem, signed);
  const [renewed] = parseCertificates(directory.signing.certificatesPem);
  assert.ok(renewed?.checkPrivateKey(createPrivateKey(directory.signing.privateKeyPem)));
  assert.ok((renewed?.validToDate.getTime() ?? 0) > end);
  assert.ok(new X509Certificate(directory.server.cert).validToDate.getTime() > end);
  assert.deepEqual(told, [directory.server]);
  assert.notEqual(ready.transport.certificatePem, certificatePem);
  const held = readFileSync(join(folder, "tpps/ready/transport.pem"), "utf8");
  assert.equal(held, ready.transport.certificatePem);
  await directory.renew();
  assert.equal(told.length, 1);
});

test("each renewal of a TPP's certificates uses the same keys and is stored", async () => {
  let now = systemClock.now();
  const bankClock: Clock = { now: () => now };
  const directory = await open(systemClock, ["localhost"], bankClock);
  const made = await directory.createTpp(request);
  const known = await directory.loadTpp(made.clientId);
  assert.deepEqual(known, {
    ...made,
    signing: { kid: made.signing.kid, certificatePem: made.signing.certificatePem },
    transport: { certificatePem: made.transport.certificatePem },
  });
  let last = made.transport.certificatePem;
  for (let year = 0; year < 3; year += 1) {
    now = now.add({ hours: 24 * 380 });
    await directory.renew();
    const reopened = await open(systemClock, ["localhost"], bankClock);
    const { transport, signing } = present(await reopened.loadTpp(made.clientId), "the TPP");
    assert.notEqual(transport.certificatePem, last);
    last = transport.certificatePem;
    for (const [renewed, old] of [
      [transport.certificatePem, made.transport.certificatePem],
      [signing.certificatePem, made.signing.certificatePem],
    ] as const) {
      const certificate = new X509Certificate(renewed);
      assert.ok(certificate.publicKey.equals(new X509Certificate(old).publicKey));
      assert.ok(certificate.verify(new X509Certificate(directory.caPem).publicKey));
      assert.equal(certificate.subject, new X509Certificate(old).subject);
      assert.ok(certificate.validFromDate.getTime() < Date.now(), "valid by the machine's clock");
      assert.ok(
        certificate.validToDate.getTime() > now.epochMilliseconds,
        "valid by the bank's clock",
      );
    }
  }
});

test("a TPP with certificates of another root gets new ones when they are requested", async () => {
  const elsewhere = mkdtempSync(join(tmpdir(), "aldgate-directory-"));
  const other = await ensureDirectory({ ...options(systemClock, []), folder: elsewhere });
  const made = await other.createTpp(request);
  const directory = await open();
  await directory.renew();
  const kept = present(await directory.loadTpp(made.clientId), "the TPP");
  const root = new X509Certificate(directory.caPem);
  assert.equal(kept.caPem, directory.caPem);
  assert.ok(new X509Certificate(kept.transport.certificatePem).verify(root.publicKey));
  rmSync(elsewhere, { recursive: true });
  assert.equal(await directory.loadTpp("tpp-nobody"), null);
});

test("the server certificate is replaced when the hosts change", async () => {
  const directory = await open(systemClock, ["bank.example"]);
  assert.ok(new X509Certificate(directory.server.cert).checkHost("bank.example"));
});

test("a ready TPP is registered again in a new database", async () => {
  const fresh = await openEmpty();
  const directory = await ensureDirectory({
    folder,
    database: fresh,
    clock: systemClock,
    publicUrl: "http://localhost:8080",
    hosts: ["localhost"],
    generateKey: async () => shared,
  });
  const tpp = await directory.ensureReadyTpp("ready", request);
  const rows = await fresh.query<{ client_id: string }>({
    text: "select client_id from client",
    values: [],
  });
  assert.deepEqual(rows, [{ client_id: tpp.clientId }]);
  await fresh.close();
});

test("a software statement is signed and names software, roles and keys", async () => {
  const directory = await open();
  const tpp = await directory.createTpp(request);
  const { payload } = await jwtVerify(tpp.softwareStatement, createLocalJWKSet(directory.jwks), {
    algorithms: ["PS256"],
  });
  assert.equal(payload.software_id, tpp.softwareId);
  assert.equal(payload.org_id, tpp.organisationId);
  assert.deepEqual(payload.software_roles, ["AISP"]);
  assert.equal(
    payload.software_jwks_endpoint,
    `http://localhost:8080/directory/${tpp.organisationId}/${tpp.softwareId}.jwks`,
  );
});

const refused: [name: string, change: object][] = [
  ["without a name", { name: " " }],
  ["without roles", { roles: [] }],
  ["with an unknown role", { roles: ["ASPSP"] }],
  ["without redirect URIs", { redirectUris: [] }],
  ["with http on another host than loopback", { redirectUris: ["http://tpp.example/callback"] }],
  ["with a fragment", { redirectUris: ["https://tpp.example/callback#x"] }],
  ["with a custom URI scheme", { redirectUris: ["app://callback"] }],
  [
    "with a redirect URI that is too long",
    { redirectUris: [`https://a.example/${"x".repeat(256)}`] },
  ],
  [
    "unbound with tls_client_auth",
    { certificateBound: false, tokenEndpointAuthMethod: "tls_client_auth" },
  ],
];
for (const [name, change] of refused) {
  test(`a TPP ${name} is refused`, async () => {
    const directory = await open();
    await assert.rejects(directory.createTpp({ ...request, ...change }), TppRefused);
  });
}
