import assert from "node:assert/strict";
import { createPrivateKey } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { ConfigError, loadConfig } from "#src/config/config.ts";
import { systemClock } from "#src/lib/clock.ts";
import { type Aldgate, openServer } from "#src/server/open-server.ts";
import { signDigest } from "#src/signing/pss-digest.ts";
import { publicJwkOf } from "#src/signing/public-jwk.ts";
import { sql } from "#src/storage/sql.ts";
import { freePort } from "#test/free-port.ts";
import { makeAuthority, type Pair } from "#test/http/certificates.ts";
import { startPostgres, type TestPostgres } from "#test/postgres.ts";
import {
  ecKey,
  issueSigning,
  makeProductionFolder,
  type ProductionFolder,
  rsaKey,
} from "#test/server/production-folder.ts";
import { runCommand } from "#test/server/run-command.ts";

// The commands of a production bank, and what stops its start.

let postgres: TestPostgres;
let folder: ProductionFolder;
let environment: Record<string, string>;
let service: Remote;

type Remote = { url: string; rootFile: string; client: Pair; close(): void };
type Changes = Record<string, string | undefined>;

const serviceKey = rsaKey();

/** Starts a signing service with TLS, which accepts only the bank's certificate and token. */
async function startSigner(): Promise<Remote> {
  const root = await makeAuthority("Signer root");
  const own = await root.issue("localhost");
  const client = await root.issue("the bank");
  const key = createPrivateKey(serviceKey);
  const tls = { key: own.key, cert: own.cert, ca: root.cert, requestCert: true };
  const server = createServer({ ...tls, rejectUnauthorized: true }, async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    if (request.headers.authorization !== "Bearer secret") response.writeHead(401).end("{}");
    else if (request.url === "/v1/keys/bank") response.end(JSON.stringify(publicJwkOf(key)));
    else {
      const { digest } = JSON.parse(text) as { digest: string };
      const signature = signDigest(key, Buffer.from(digest, "base64url")).toString("base64url");
      response.end(JSON.stringify({ signature }));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://localhost:${port}/v1`,
    rootFile: folder.write("signer-root.pem", root.cert),
    client,
    close: () => server.close(),
  };
}

before(async () => {
  postgres = await startPostgres();
  folder = await makeProductionFolder();
  service = await startSigner();
  const [publicPort, mtlsPort] = await Promise.all([freePort(), freePort()]);
  environment = {
    ...folder.environment,
    DATABASE_URL: await postgres.createDatabase(`keys_${process.pid}`),
    PUBLIC_PORT: String(publicPort),
    MTLS_PORT: String(mtlsPort),
    MANAGEMENT_PORT: "0",
    PUBLIC_URL: `https://localhost:${publicPort}`,
    MTLS_URL: `https://localhost:${mtlsPort}`,
    SIGNING_SERVICE_URL: service.url,
    SIGNING_SERVICE_CA: service.rootFile,
    SIGNING_SERVICE_CERTIFICATE: folder.write("bank-client.pem", service.client.cert),
    SIGNING_SERVICE_CERTIFICATE_KEY: folder.write("bank-client.key.pem", service.client.key),
    SIGNING_SERVICE_TOKEN_FILE: folder.write("signer-token", "secret"),
  };
});
after(async () => {
  service?.close();
  await postgres?.stop();
  folder?.remove();
});

/** The settings with changes. The value undefined removes a setting. */
const changed = (changes: Changes): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ ...environment, ...changes }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    ),
  );

const open = (changes: Changes = {}): Promise<Aldgate> =>
  openServer({
    config: loadConfig(changed(changes)),
    clock: systemClock,
    onProgress: () => undefined,
  });

const keys = (line: string, changes: Changes = {}) =>
  runCommand(`keys ${line}`.trim(), changed(changes));

/** Opens the bank and closes it. Returns the faults that stopped the start. */
async function faultsOf(changes: Changes): Promise<string[]> {
  try {
    await (await open(changes)).close();
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.faults;
  }
}

const withoutKey = { SIGNING_KEY: undefined, SIGNING_CERTIFICATE: undefined };

test("K-006: production does not start without a first key", async () => {
  const [fault = "", ...more] = await faultsOf(withoutKey);
  assert.match(fault, /^SIGNING_KEY: the bank has no signing key/);
  assert.deepEqual(more, []);
});

test("the first start makes SIGNING_KEY the current key, which `keys list` shows with a warning", async () => {
  assert.deepEqual(await faultsOf({}), []);
  const { code, printed } = await keys("list");
  assert.equal(code, 0);
  assert.match(printed, /^[\w-]{43} {2}current {2}\/.*signing\.key\.pem {2}published from .*\n/);
  assert.match(printed, /certificate until 2049-01-01T00:00:00Z/);
  assert.match(printed, /\nWarning: there is no next key/);
});

test("K-002: a key is added with its certificate, is dated to sign a day after its publication, and is retired before then", async () => {
  const key = rsaKey();
  const location = folder.write("next.key.pem", key);
  const issued = await issueSigning(key, folder.caKeyPem);
  const certificate = folder.write("next.pem", `${issued}${folder.caPem}`);
  const added = await keys(`add ${location} --certificate ${certificate}`);
  assert.equal(added.code, 0, added.complained);
  assert.match(added.printed, / {2}standby {2}/);
  assert.doesNotMatch((await keys("list")).printed, /Warning/);
  const again = await keys(`add ${location} --certificate ${certificate}`);
  assert.equal(again.code, 1);
  assert.match(again.complained, /Each key can be added once/);

  const early = await keys("rotate --at 2020-01-01T00:00:00Z");
  assert.equal(early.code, 1);
  assert.match(early.complained, /needs 15 seconds to learn of the change/);
  const dated = await keys("rotate");
  assert.match(dated.printed, / {2}next {2}/);
  const [, from = "", at = ""] =
    /published from (\S+) {2}signs from (\S+)/.exec(dated.printed) ?? [];
  assert.equal(Date.parse(at) - Date.parse(from), 86_400_000);
  const kid = dated.printed.split(" ")[0] ?? "";
  assert.match((await keys(`retire ${kid}`)).printed, / {2}ended {2}/);
  assert.match((await keys("list")).printed, / {2}current {2}.*certificate until/);
});

const refusedKeys: [
  title: string,
  key: () => string,
  certificate: () => string | null,
  says: RegExp,
][] = [
  [
    "of 1024 bits",
    () => rsaKey(1024),
    () => null,
    /RSA key of 1024 bits; it must have at least 2048/,
  ],
  ["that is not RSA", ecKey, () => null, /not an RSA key/],
  [
    "with the certificate of another key",
    () => rsaKey(),
    () => environment.SIGNING_CERTIFICATE ?? "",
    /does not belong to the key/,
  ],
];
for (const [title, key, certificate, says] of refusedKeys) {
  test(`K-006: an unsuitable key is not added (${title})`, async () => {
    const location = folder.write("refused.key.pem", key());
    const file = certificate() ?? environment.SIGNING_CERTIFICATE;
    const { code, complained } = await keys(`add ${location} --certificate ${file}`);
    assert.equal(code, 1);
    assert.match(complained, says);
  });
}

test("K-006: production does not start with a SIGNING_KEY that the bank has never published", async () => {
  const key = rsaKey();
  const certificate = `${await issueSigning(key, folder.caKeyPem)}${folder.caPem}`;
  const [fault = ""] = await faultsOf({
    SIGNING_KEY: folder.write("stranger.key.pem", key),
    SIGNING_CERTIFICATE: folder.write("stranger.pem", certificate),
  });
  assert.match(fault, /^SIGNING_KEY: .*never published.*\.\/aldgate keys add/s);
});

test("after the first start the bank needs no SIGNING_KEY", async () => {
  assert.deepEqual(await faultsOf(withoutKey), []);
});

test("the current key may move, and its missing file stops the start", async () => {
  const text = readFileSync(environment.SIGNING_KEY ?? "", "utf8");
  const moved = folder.write("moved.key.pem", text);
  assert.deepEqual(await faultsOf({ SIGNING_KEY: moved }), []);
  rmSync(moved);
  const [fault = ""] = await faultsOf(withoutKey);
  assert.match(fault, /^SIGNING_KEY: .*moved\.key\.pem/);
  assert.deepEqual(await faultsOf({}), []);
});

test("K-005, K-007: a key of the signing service is added over mutual TLS, and replaces a withdrawn key", async () => {
  const certificate = `${await issueSigning(serviceKey, folder.caKeyPem)}${folder.caPem}`;
  const file = folder.write("service.pem", certificate);
  const added = await keys(`add service:bank --certificate ${file}`);
  assert.equal(added.code, 0, added.complained);
  const kid = added.printed.split(" ")[0] ?? "";
  const current = (await keys("list")).printed
    .split("\n")
    .find((line) => / {2}current {2}/.test(line));
  const old = current?.split(" ")[0] ?? "";
  const bank = await open();
  try {
    const withdrawn = await keys(`withdraw ${old}`);
    assert.match(withdrawn.printed, / {2}withdrawn {2}/, withdrawn.complained);
    await bank.signing.store.refresh();
    const ring = bank.signing.store.ring;
    assert.equal(ring.current().kid, kid);
    assert.equal(ring.find(old), undefined);
    assert.equal((await ring.current().sign(Buffer.from("message"))).length, 256);
  } finally {
    await bank.close();
  }
});

const stops: [title: string, changes: Changes, fault: RegExp][] = [
  [
    "cannot be reached",
    { SIGNING_SERVICE_URL: "https://localhost:1" },
    /^SIGNING_SERVICE_URL: .*ECONNREFUSED/,
  ],
  [
    "does not accept the bank's token",
    { SIGNING_SERVICE_TOKEN_FILE: undefined },
    /^SIGNING_SERVICE_URL: the status is 401/,
  ],
  [
    "has a certificate of an unknown root",
    { SIGNING_SERVICE_CA: undefined },
    /^SIGNING_SERVICE_URL: .*(self-signed|unable to|certificate)/,
  ],
  [
    "is not configured",
    { SIGNING_SERVICE_URL: undefined },
    /^SIGNING_SERVICE_URL: the key bank needs SIGNING_SERVICE_URL/,
  ],
  [
    "has a URL without TLS",
    { SIGNING_SERVICE_URL: "http://signer.bank.example" },
    /^SIGNING_SERVICE_URL: the URL must begin with https/,
  ],
  [
    "has a client certificate without its key",
    { SIGNING_SERVICE_CERTIFICATE_KEY: undefined },
    /^SIGNING_SERVICE_CERTIFICATE_KEY: /,
  ],
  [
    "has a token file that is missing",
    { SIGNING_SERVICE_TOKEN_FILE: "/nowhere" },
    /^SIGNING_SERVICE_TOKEN_FILE: there is no file/,
  ],
];
for (const [title, changes, fault] of stops) {
  test(`K-007: production does not start if the service of the current key is misconfigured (${title})`, async () => {
    const [found = ""] = await faultsOf({ ...withoutKey, ...changes });
    assert.match(found, fault);
  });
}

test("private keys are never in the database", async () => {
  const bank = await open(withoutKey);
  try {
    const rows = await bank.database.query<{ text: string }>(
      sql`select to_json(k)::text as text from signing_key k`,
    );
    assert.ok(rows.length > 2);
    for (const { text } of rows) assert.doesNotMatch(text, /PRIVATE|"d"|"p"|"q"/);
  } finally {
    await bank.close();
  }
});

test("`keys` explains wrong arguments", async () => {
  const wrong: [string, RegExp][] = [
    ["retire", /needs the id of a key/],
    ["explode", /Unknown command "keys explode"/],
    ["rotate --at tomorrow", /--at must be a time with an offset/],
    ["rotate --at 2099-01-01T00:00:00Z --now", /Give --at or --now, not both/],
    ["add", /Name the location/],
    ["add service:bank", /--certificate/],
  ];
  for (const [line, says] of wrong) {
    const { code, complained } = await keys(line);
    assert.equal(code, 2, line);
    assert.match(complained, says);
  }
  for (const id of ["unknown", "-unknown"]) {
    const { code, complained } = await keys(`rotate ${id}`);
    assert.equal(code, 1);
    assert.match(complained, new RegExp(`There is no key ${id}`));
  }
});
