import assert from "node:assert/strict";
import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { request } from "node:https";
import { after, before, test } from "node:test";
import { connect } from "node:tls";
import { rooms } from "#scripts/rooms.ts";
import { ConfigError, loadConfig } from "#src/config/config.ts";
import { present } from "#src/lib/assert.ts";
import { systemClock } from "#src/lib/clock.ts";
import { hashPassword } from "#src/sandbox/bank/password.ts";
import { watchKeys } from "#src/server/keys/watch-keys.ts";
import { type Aldgate, openServer } from "#src/server/open-server.ts";
import { openDatabase } from "#src/server/opening/open-database.ts";
import { migrate } from "#src/storage/migrate.ts";
import { sql } from "#src/storage/sql.ts";
import { addToken, removeTokens } from "#test/auth/stored-rows.ts";
import { startCommand } from "#test/cli/running-bank.ts";
import { addClient } from "#test/clients/add-client.ts";
import { removeClient } from "#test/clients/stored-settings.ts";
import { freePort } from "#test/free-port.ts";
import { startPostgres, type TestPostgres } from "#test/postgres.ts";
import { addCustomers, countCustomers } from "#test/sandbox/stored-customers.ts";
import { addSeed, removeSeed } from "#test/sandbox/stored-marks.ts";
import { assertionForm } from "./assertion-form.ts";
import {
  issueServer,
  issueSigning,
  makeProductionFolder,
  type ProductionFolder,
  rsaKey,
} from "./production-folder.ts";

let postgres: TestPostgres;
let folder: ProductionFolder;
let aldgate: Aldgate;
let tables: { name: string }[];
let environment: Record<string, string>;

const open = (): Promise<Aldgate> =>
  openServer({ config: loadConfig(environment), clock: systemClock, onProgress: () => undefined });

before(async () => {
  postgres = await startPostgres();
  folder = await makeProductionFolder();
  const [publicPort, mtlsPort] = await Promise.all([freePort(), freePort()]);
  environment = {
    ...folder.environment,
    DATABASE_URL: await postgres.createDatabase(`production_${process.pid}`),
    PUBLIC_PORT: String(publicPort),
    MTLS_PORT: String(mtlsPort),
    MANAGEMENT_PORT: "0",
    PUBLIC_URL: `https://localhost:${publicPort}`,
    MTLS_URL: `https://localhost:${mtlsPort}`,
  };
  aldgate = await open();
  tables = await aldgate.database.query<{ name: string }>(sql`
    select table_name as name from information_schema.tables where table_schema = 'public'`);
  // the core of these tests uses the sandbox's ledger
  await migrate(aldgate.database);
});

after(async () => {
  await aldgate?.close();
  await postgres?.stop();
  folder?.remove();
});

type Reply = {
  status: number;
  text: string;
  cookie: string;
  location: string;
  interactionId: string;
};

/** Calls the bank like a browser on the internet, which trusts only the bank's root. */
function call(
  path: string,
  form?: Record<string, string>,
  cookie = "",
  more: Record<string, string> = {},
): Promise<Reply> {
  const body = form && new URLSearchParams(form).toString();
  return new Promise((resolve, reject) => {
    const sent = request(
      new URL(path, aldgate.publicUrl),
      {
        ca: folder.caPem,
        method: body === undefined ? "GET" : "POST",
        agent: false,
        family: 4,
        headers: {
          ...more,
          ...(cookie ? { cookie } : {}),
          ...(body === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" }),
        },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk) => {
          text += chunk;
        });
        response.on("end", () => {
          const cookies = response.headers["set-cookie"] ?? [];
          resolve({
            status: response.statusCode ?? 0,
            text,
            cookie: cookies.map((one) => one.split(";")[0]).join("; "),
            location: response.headers.location ?? "",
            interactionId: String(response.headers["x-fapi-interaction-id"]),
          });
        });
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

const formToken = (page: string): string => /name="csrf" value="([^"]+)"/.exec(page)?.[1] ?? "";

test("a complete production configuration opens the bank on PostgreSQL, over TLS", async () => {
  assert.equal(aldgate.sandbox, null);
  assert.equal(aldgate.database.kind, "postgres");
  assert.equal((await call("/health/ready")).status, 200);
  const discovery = JSON.parse((await call("/.well-known/openid-configuration")).text);
  assert.equal(discovery.issuer, aldgate.publicUrl);
});

test("a new production database has no table of the sandbox", () => {
  assert.ok(tables.some(({ name }) => name === "payment_order"));
  assert.ok(!tables.some(({ name }) => rooms.sandbox?.tables?.includes(name)));
});

test("a production bank uses its own core", async () => {
  assert.equal(await aldgate.bank.loadCustomer("cus_nobody"), null);
});

const sandboxPaths = [
  "/sandbox/v1/customers",
  "/sandbox/v1/clock",
  "/sandbox/v1/tpps",
  "/sandbox/v1/authorisations",
  "/openapi/sandbox-v1.json",
  "/sandbox/v1/explorer",
  "/directory/directory.jwks",
];

test("a production bank does not serve the sandbox's interface", async () => {
  for (const path of sandboxPaths) {
    assert.equal((await call(path)).status, 404, path);
    assert.equal((await call(path, {})).status, 404, `POST ${path}`);
  }
});

test("a production bank has no personas, and no page mentions them", async () => {
  assert.equal(await countCustomers(aldgate.database), 0);
  for (const path of ["/", "/docs", "/bank/login"]) {
    const { status, text } = await call(path);
    assert.equal(status, 200, path);
    assert.doesNotMatch(text, /sandbox|\bpersonas?\b|amara/i, path);
  }
});

test("in production the second-factor page does not show the code", async () => {
  const password = "a customer's own";
  const passwordHash = await hashPassword(password);
  const own = { customerId: "cus_own", login: "own", name: "A Customer", passwordHash };
  await addCustomers(aldgate.database, [{ ...own, totpSecret: "JBSWY3DPEHPK3PXP" }]);
  const first = await call("/bank/login");
  const form = { csrf: formToken(first.text), login: "own", password, decision: "continue" };
  const second = await call("/bank/login", form, first.cookie);
  assert.equal(second.status, 303);
  const factor = await call(second.location, undefined, second.cookie);
  assert.match(factor.text, /name="code"/);
  assert.doesNotMatch(factor.text, /sandbox|\b\d{3} ?\d{3}\b/i);
});

test("production refuses a database that a sandbox has filled", async () => {
  const database = await openDatabase(loadConfig(environment));
  try {
    await addSeed(database, "household");
    await assert.rejects(open(), (error) => {
      assert.ok(error instanceof ConfigError);
      assert.match(error.message, /^DATABASE_URL: a sandbox has filled this database/);
      return true;
    });
  } finally {
    await removeSeed(database, "household");
    await database.close();
  }
});

test("a client with unbound tokens is not served in production, and stops the next start", async () => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const jwks = { keys: [{ ...publicKey.export({ format: "jwk" }), kid: "1", use: "sig" }] };
  const metadata = {
    redirect_uris: ["https://tpp.example/callback"],
    grant_types: ["client_credentials", "authorization_code"],
    response_types: ["code id_token"],
    scope: "openid accounts",
    token_endpoint_auth_method: "private_key_jwt",
  };
  const { database } = aldgate;
  await addClient(database, "loose", {
    name: "Loose Ltd",
    roles: ["AISP"],
    keys: jwks.keys,
    metadata,
    setting: { certificateBound: false },
  });
  try {
    const form = await assertionForm("loose", privateKey, aldgate.publicUrl);
    const asked = await call("/token", form);
    assert.equal(asked.status, 401);
    const answer = JSON.parse(asked.text);
    assert.equal(answer.error, "invalid_client");
    assert.match(String(answer.error_description), /not bound to a certificate.* Only a sandbox/);
    const expiresAt = Temporal.Now.instant().add({ hours: 1 });
    const token = { token: "loose-token", clientId: "loose", scope: "accounts", expiresAt };
    await addToken(database, token);
    const path = "/api/open-banking/v3.1/aisp/account-access-consents/any";
    const refused = await call(path, undefined, "", { authorization: "Bearer loose-token" });
    assert.equal(refused.status, 401);
    await assert.rejects(open(), (error) => {
      assert.ok(error instanceof ConfigError);
      assert.match(error.message, /^DATABASE_URL: the client loose \(Loose Ltd\) .*not bound/);
      return true;
    });
  } finally {
    await removeTokens(database, "loose");
    await removeClient(database, "loose");
  }
});

/** Returns the fingerprint of the certificate that a listener serves. */
function servedAt(url: string): Promise<string> {
  const { hostname: servername, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: "127.0.0.1",
      port: Number(port),
      servername,
      ca: folder.caPem,
    });
    socket.once("error", reject);
    socket.once("secureConnect", () => {
      resolve(socket.getPeerX509Certificate()?.fingerprint256 ?? "");
      socket.destroy();
    });
  });
}

const fingerprintOf = (pem: string): string => new X509Certificate(pem).fingerprint256;

/** Renews the server's key and certificate in place. Returns the certificate. */
async function renewFiles(): Promise<string> {
  const key = rsaKey();
  const certificate = await issueServer(key, folder.caKeyPem);
  folder.write("server.key.pem", key);
  folder.write("server.pem", certificate);
  return certificate;
}

test("changed certificate files are used on both listeners without a restart", async () => {
  const kept = await servedAt(aldgate.publicUrl);
  const certificate = await renewFiles();
  present(aldgate.reloadKeys, "the reload")();
  assert.notEqual(fingerprintOf(certificate), kept);
  for (const url of [aldgate.publicUrl, aldgate.mtlsUrl]) {
    assert.equal(await servedAt(url), fingerprintOf(certificate), url);
  }
  folder.write("server.key.pem", rsaKey());
  assert.throws(present(aldgate.reloadKeys, "the reload"), /not the key of TLS_CERTIFICATE/);
  assert.equal(await servedAt(aldgate.publicUrl), fingerprintOf(certificate));
  await renewFiles();
});

/** Returns the bank's only published key, with its certificates. */
async function publishedKey(): Promise<{ kid: string; x5c: string[] }> {
  const { keys } = JSON.parse((await call("/jwks")).text);
  assert.equal(keys.length, 1);
  return keys[0];
}

const base64Of = (pem: string): string => new X509Certificate(pem).raw.toString("base64");

test("the JWKS has the signing key's certificates, including renewed ones, without a restart", async () => {
  const kept = await publishedKey();
  const root = base64Of(folder.caPem);
  assert.equal(kept.x5c[1], root);
  const files = ["SIGNING_KEY", "SIGNING_CERTIFICATE"].map((name) =>
    readFileSync(environment[name] ?? "", "utf8"),
  );
  const [key = "", certificates = ""] = files;
  const reload = present(aldgate.reloadKeys, "the reload");
  try {
    const renewed = await issueSigning(key, folder.caKeyPem);
    folder.write("signing.pem", `${renewed}${folder.caPem}`);
    reload();
    assert.notEqual(base64Of(renewed), kept.x5c[0]);
    assert.deepEqual(await publishedKey(), { ...kept, x5c: [base64Of(renewed), root] });
    folder.write("signing.pem", await issueSigning(rsaKey(), folder.caKeyPem));
    assert.throws(reload, /the first certificate must be the certificate of SIGNING_KEY/);
    // a new key needs a restart; until then the old key is published with its own certificates
    const next = rsaKey();
    folder.write("signing.key.pem", next);
    folder.write("signing.pem", `${await issueSigning(next, folder.caKeyPem)}${folder.caPem}`);
    reload();
    assert.deepEqual(await publishedKey(), { ...kept, x5c: [base64Of(renewed), root] });
  } finally {
    folder.write("signing.key.pem", key);
    folder.write("signing.pem", certificates);
  }
});

test("certificate files are checked regularly: a half-written renewal is reported, and a complete one is used", async () => {
  const failed = Promise.withResolvers<unknown>();
  const changed = Promise.withResolvers<string>();
  const listener = {
    onFailure: failed.resolve,
    onChanged: ({ server }: { server: { cert: string } }) => changed.resolve(server.cert),
  };
  const watch = watchKeys(loadConfig(environment), listener, 5);
  try {
    folder.write("server.key.pem", rsaKey());
    assert.match(String(await failed.promise), /not the key of TLS_CERTIFICATE/);
    const certificate = await renewFiles();
    assert.equal(await changed.promise, certificate);
  } finally {
    watch.stop();
  }
});

test("the OAuth error page has a reference, with which the log names the error", async () => {
  const [publicPort, mtlsPort] = await Promise.all([freePort(), freePort()]);
  const publicUrl = `https://localhost:${publicPort}`;
  const bank = startCommand(["start"], {
    ...environment,
    LOG_LEVEL: "info",
    PUBLIC_PORT: String(publicPort),
    MTLS_PORT: String(mtlsPort),
    PUBLIC_URL: publicUrl,
    MTLS_URL: `https://localhost:${mtlsPort}`,
  });
  try {
    await bank.untilSaid(/Aldgate is open/);
    const page = await call(`${publicUrl}/auth?client_id=nobody&response_type=code`);
    assert.doesNotMatch(page.text, /invalid_client|client is unknown/);
    const reference = /Reference <code>([^<]+)</.exec(page.text)?.[1] ?? "none";
    assert.equal(page.interactionId, reference);
    await bank.untilSaid(/authorization refused(.|\n)*answered/);
    const lines = bank.said().split("\n");
    const own = lines.filter((line) => line.includes(reference));
    const logged = own.map((line) => JSON.parse(line));
    assert.deepEqual(logged.map(({ msg }) => msg).sort(), ["answered", "authorization refused"]);
    for (const line of logged) assert.equal(line.interactionId, reference);
    const refusal = logged.find(({ msg }) => msg === "authorization refused");
    assert.match(refusal?.description, /^No active client has the client_id nobody\. Send the /);
    bank.child.kill("SIGTERM");
    assert.equal(await bank.ended, 0, bank.said());
  } finally {
    bank.child.kill("SIGKILL");
  }
});

test("SIGHUP reloads the certificate files immediately and closes nothing, and SIGTERM closes the bank", async () => {
  const [publicPort, mtlsPort] = await Promise.all([freePort(), freePort()]);
  const publicUrl = `https://localhost:${publicPort}`;
  const bank = startCommand(["start"], {
    ...environment,
    PUBLIC_PORT: String(publicPort),
    MTLS_PORT: String(mtlsPort),
    MANAGEMENT_PORT: "0",
    PUBLIC_URL: publicUrl,
    MTLS_URL: `https://localhost:${mtlsPort}`,
  });
  try {
    await bank.untilSaid(/Aldgate is open/);
    const certificate = await renewFiles();
    bank.child.kill("SIGHUP");
    await bank.untilSaid(/were read again and are now in use/);
    assert.equal(await servedAt(publicUrl), fingerprintOf(certificate));
    folder.write("server.pem", "nothing");
    bank.child.kill("SIGHUP");
    await bank.untilSaid(
      /old certificate files stay in use, because the new ones cannot be used:\s+TLS_CERTIFICATE/,
    );
    assert.equal(await servedAt(publicUrl), fingerprintOf(certificate));
    bank.child.kill("SIGTERM");
    assert.equal(await bank.ended, 0, bank.said());
  } finally {
    bank.child.kill("SIGKILL");
    await renewFiles();
  }
});
