import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import * as https from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { ConfigError } from "#src/config/config.ts";
import { systemClock } from "#src/lib/clock.ts";
import type { IssuedTpp } from "#src/sandbox/directory/issued-tpp.ts";
import { generateEcKey } from "#src/sandbox/directory/keys.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { readSchemeStatus } from "#test/clients/stored-settings.ts";
import { type Bed, openRegistrationBed } from "./bed.ts";
import { openOtherProcess } from "./other-process.ts";
import { signAny } from "./sign-any.ts";

// The bank reads the commercial scheme's list as a client of a directory, which is that of another
// sandbox: it gets a token with private_key_jwt over mutual TLS.

let home: Bed;
let away: Bed;
let client: TppClient;
let awayClientId: string;
let identity: IssuedTpp;
let stranger: IssuedTpp;
let folder: string;
let listUrl: string;
let now = systemClock.now().round("second");
const warnings: { reason?: string }[] = [];

async function register(bed: Bed): Promise<TppClient> {
  const answer = await bed.send({ body: await bed.request({ scope: "openid payments" }) });
  assert.equal(answer.status, 201, answer.text);
  return bed.client(answer.body, bed);
}

before(async () => {
  [home, away] = await Promise.all([openRegistrationBed(), openRegistrationBed()]);
  client = await register(home);
  awayClientId = (await register(away)).tpp.clientId;
  identity = (await away.bank.createTpp()).tpp as IssuedTpp;
  stranger = (await away.bank.createTpp()).tpp as IssuedTpp;
  folder = mkdtempSync(join(tmpdir(), "aldgate-scheme-client-"));
  listUrl = `${away.bank.mtlsUrl}/directory/v2.1/organisation/mlastatus`;
});
after(async () => {
  await home?.close();
  await away?.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => void warnings.splice(0));

const path = (name: string): string => join(folder, name);

/** Writes the client file and its files. Returns its path. */
function writeClient(changes: object = {}, tpp = identity): string {
  writeFileSync(path("transport.pem"), tpp.transport.certificatePem);
  writeFileSync(path("transport.key.pem"), tpp.transport.privateKeyPem);
  writeFileSync(path("signing.key.pem"), tpp.signing.privateKeyPem);
  const content = {
    tokenUrl: `${away.bank.mtlsUrl}/directory/token`,
    clientId: tpp.softwareId,
    certificateFile: path("transport.pem"),
    certificateKeyFile: path("transport.key.pem"),
    signingKeyFile: "signing.key.pem", // beside the file
    signingKeyId: tpp.signing.kid,
    ...changes,
  };
  writeFileSync(path("client.json"), JSON.stringify(content));
  return path("client.json");
}

const openProcess = (file: string | null = writeClient()) =>
  openOtherProcess(home.bank, {
    config: {
      VRP_SCHEME_LIST_URL: listUrl,
      ...(file === null ? {} : { VRP_SCHEME_CLIENT: file }),
    },
    roots: away.caPem,
    machineClock: { now: () => now },
    onWarning: (details) => warnings.push(details),
  });

const setStatus = (status: string | null) =>
  away.bank.control("PUT", `/tpps/${awayClientId}/scheme-status`, { status });

/** Has a process read the list when it is due; returns the status that is stored then. */
async function readLater(process: ReturnType<typeof openProcess>): Promise<string | null> {
  now = now.add({ hours: 2 });
  await process.sweep();
  return readSchemeStatus(home.bank.database, client.tpp.clientId);
}

test("CV-10: the bank gets a token with private_key_jwt over mutual TLS, and reads the scheme's list with it", async () => {
  const process = openProcess();
  for (const status of ["Active", "Suspended", "Active"]) {
    await setStatus(status);
    assert.equal(await readLater(process), status);
  }
  assert.deepEqual(warnings, []);
});

test("CV-10: renewed keys and certificates are used at the next reading", async () => {
  const process = openProcess();
  await setStatus("Active");
  assert.equal(await readLater(process), "Active");
  writeClient({}, stranger);
  await setStatus("Suspended");
  assert.equal(await readLater(process), "Suspended");
  assert.deepEqual(warnings, []);
});

const refused: Record<string, [() => object, RegExp]> = {
  "a key that the directory does not know": [
    () => ({ signingKeyId: "unknown" }),
    /\/directory\/token: the status is 400, not 200/,
  ],
  "the key of another client": [
    () => {
      writeFileSync(path("other.key.pem"), stranger.signing.privateKeyPem);
      return { signingKeyFile: "other.key.pem" };
    },
    /\/directory\/token: the status is 400, not 200/,
  ],
  "the certificate of another client": [
    () => {
      writeFileSync(path("other.pem"), stranger.transport.certificatePem);
      writeFileSync(path("other.key.pem"), stranger.transport.privateKeyPem);
      return { certificateFile: "other.pem", certificateKeyFile: "other.key.pem" };
    },
    /\/directory\/token: the status is 400, not 200/,
  ],
  "another client id": [
    () => ({ clientId: stranger.softwareId }),
    /\/directory\/token: the status is 400, not 200/,
  ],
  "a token endpoint that has no token": [
    () => {
      away.served.set("/token", { body: { token_type: "Bearer" } });
      return { tokenUrl: `https://${away.host}/token` };
    },
    /\/token: the answer has no access_token/,
  ],
  "a token endpoint that sends a text": [
    () => {
      away.served.set("/token", { body: "token" });
      return { tokenUrl: `https://${away.host}/token` };
    },
    /\/token: the answer must be JSON/,
  ],
  "a token that the list does not take": [
    () => {
      away.served.set("/token", { body: { access_token: "a.b.c" } });
      return { tokenUrl: `https://${away.host}/token` };
    },
    /^the status is 401, not 200/,
  ],
};

for (const [name, [change, reason]] of Object.entries(refused)) {
  test(`CV-10, CV-16: with ${name}, nothing is read, every TPP keeps its status, and the log says why`, async () => {
    await setStatus("Active");
    assert.equal(await readLater(openProcess()), "Active");
    await setStatus("Revoked");
    writeClient();
    assert.equal(await readLater(openProcess(writeClient(change()))), "Active");
    assert.equal(warnings.length, 1);
    assert.match(String(warnings[0]?.reason), reason);
    const said = JSON.stringify(warnings);
    for (const secret of ["PRIVATE KEY", "eyJ", "a.b.c"]) assert.ok(!said.includes(secret), said);
  });
}

test("CV-10: without VRP_SCHEME_CLIENT the bank sends no certificate and no token, as for a gateway", async () => {
  await setStatus("Suspended");
  const process = openProcess(null);
  await readLater(process);
  assert.match(String(warnings[0]?.reason), /the status is 401, not 200/);
});

const unusable: Record<string, [() => string, RegExp]> = {
  "does not exist": [() => path("none.json"), /none\.json cannot be read/],
  "is not JSON": [
    () => {
      writeFileSync(path("text.json"), "client");
      return path("text.json");
    },
    /text\.json cannot be read: /,
  ],
  "has another member": [() => writeClient({ secret: "s" }), /does not have the form in docs\//],
  "has a token URL without TLS": [
    () => writeClient({ tokenUrl: "http://localhost/token" }),
    /does not have the form in docs\/commercial-vrp\.md: \/tokenUrl/,
  ],
  "names a file that does not exist": [
    () => writeClient({ signingKeyFile: "none.pem" }),
    /none\.pem \(signingKeyFile\) cannot be used: ENOENT/,
  ],
  "names a signing key that cannot sign with PS256": [
    () => {
      writeFileSync(path("ec.pem"), ecKey);
      return writeClient({ signingKeyFile: "ec.pem" });
    },
    /ec\.pem \(signingKeyFile\) cannot be used: PS256 needs an RSA key/,
  ],
  "names a key as certificate": [
    () => writeClient({ certificateFile: "signing.key.pem" }),
    /signing\.key\.pem \(certificateFile\) cannot be used/,
  ],
  "names the key of another certificate": [
    () => writeClient({ certificateKeyFile: "signing.key.pem" }),
    /the certificate and its key cannot be used/,
  ],
};

let ecKey: string;
before(async () => {
  ecKey = (await generateEcKey()).privateKeyPem;
});

for (const [name, [write, message]] of Object.entries(unusable)) {
  test(`a bank whose VRP_SCHEME_CLIENT ${name} does not start, and says why`, () => {
    const file = write();
    assert.throws(
      () => openProcess(file),
      (error) => {
        assert.ok(error instanceof ConfigError);
        assert.match(error.message, /^VRP_SCHEME_CLIENT: /);
        assert.match(error.message, message);
        return true;
      },
    );
  });
}

test("VRP_SCHEME_CLIENT without VRP_SCHEME_LIST_URL is refused", () => {
  const config = { VRP_SCHEME_CLIENT: writeClient() };
  assert.throws(
    () => openOtherProcess(home.bank, { config }),
    /VRP_SCHEME_CLIENT: set VRP_SCHEME_LIST_URL too/,
  );
});

type Answer = { status: number; body: Record<string, unknown> };

/** Sends a request to the directory with the certificate of a client, or without one. */
function ask(
  url: string,
  given: { tpp?: IssuedTpp | null; form?: Record<string, string>; token?: string } = {},
): Promise<Answer> {
  const { tpp = identity, form, token } = given;
  const pair = tpp ? { cert: tpp.transport.certificatePem, key: tpp.transport.privateKeyPem } : {};
  const headers = {
    ...(form ? { "content-type": "application/x-www-form-urlencoded" } : {}),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const method = form ? "POST" : "GET";
  const options = { method, headers, ca: away.caPem, agent: false, ...pair } as const;
  return new Promise((resolve, reject) => {
    const request = https.request(url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) });
      });
    });
    request.on("error", reject);
    request.end(form ? new URLSearchParams(form).toString() : undefined);
  });
}

const tokenUrl = (): string => `${away.bank.mtlsUrl}/directory/token`;

async function formOf(changes: Record<string, string> = {}, claims: object = {}) {
  const seconds = Math.floor(Date.now() / 1000);
  const { softwareId, signing } = identity;
  return {
    grant_type: "client_credentials",
    scope: "MLAReadAccess",
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: await signAny(
      {
        iss: softwareId,
        sub: softwareId,
        aud: tokenUrl(),
        jti: `${Math.random()}`,
        iat: seconds,
        exp: seconds + 60,
        ...claims,
      },
      { kid: signing.kid },
      signing,
    ),
    ...changes,
  };
}

test("CV-10, CV-14: over mutual TLS the sandbox's directory refuses the list without a token of the same certificate", async () => {
  const form = await formOf();
  const issued = await ask(tokenUrl(), { form });
  assert.equal(issued.status, 200, JSON.stringify(issued.body));
  assert.equal(issued.body.scope, "MLAReadAccess");
  const token = String(issued.body.access_token);
  assert.equal((await ask(listUrl, { token })).status, 200);
  const wrong = [{}, { token: "none" }, { token, tpp: stranger }, { token, tpp: null }];
  for (const given of wrong) {
    const { status, body } = await ask(listUrl, given);
    assert.equal(status, 401);
    assert.deepEqual(Object.keys(body), ["code", "message"]);
  }
});

test("CV-10: the token endpoint of the sandbox's directory names what is wrong", async () => {
  const seconds = Math.floor(Date.now() / 1000);
  const rows: [string, Promise<Record<string, string>>, IssuedTpp | null, RegExp][] = [
    ["invalid_client", formOf(), null, /Send a client certificate/],
    ["invalid_client", formOf(), stranger, /the certificate is of other software/],
    ["unsupported_grant_type", formOf({ grant_type: "password" }), identity, /client_credentials/],
    ["invalid_scope", formOf({ scope: "ASPSPReadAccess" }), identity, /MLAReadAccess/],
    ["invalid_client", formOf({ client_assertion: "" }), identity, /refused/],
    ["invalid_client", formOf({}, { aud: "https://other.example" }), identity, /"aud"/],
    ["invalid_client", formOf({}, { exp: seconds - 60 }), identity, /"exp"/],
    ["invalid_client", formOf({}, { sub: "other" }), identity, /"sub"/],
    ["invalid_client", formOf({}, { iss: "other" }), identity, /not software of this directory/],
  ];
  for (const [error, form, tpp, description] of rows) {
    const { status, body } = await ask(tokenUrl(), { form: await form, tpp });
    assert.equal(status, 400);
    assert.equal(body.error, error, JSON.stringify(body));
    assert.match(String(body.error_description), description);
  }
});
