import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import * as http from "node:http";
import * as https from "node:https";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import * as tls from "node:tls";
import fastify from "fastify";
import { isRegisteredName } from "#src/certificates/distinguished-name.ts";
import { appOptions, type Listeners, openListeners } from "#src/http/connection/listeners.ts";
import { certificateSubjectOf, judgedCertificateOf } from "#src/http/connection/peers.ts";
import { sha256 } from "#src/lib/hash.ts";
import { type Authority, makeAuthority, type Pair } from "./certificates.ts";
import { addConsent, type FakeBank, openFakeBank } from "./fake-bank.ts";

const viewsPath = "/api/open-banking/v3.1/view/views";

let bank: FakeBank;
let ca: Authority;
let server: Pair;
let client: Pair;
let otherClient: Pair;
let foreign: Pair;
let listeners: Listeners;

before(async () => {
  ca = await makeAuthority("Test CA");
  server = await ca.issue("localhost");
  client = await ca.issue([
    { attribute: "C", value: "GB" },
    { attribute: "O", value: "A Company, Ltd" },
    { attribute: "OU", value: "org" },
    { attribute: "CN", value: "soft" },
  ]);
  otherClient = await ca.issue("other");
  foreign = await (await makeAuthority("Test CA")).issue("foreign");
  bank = await openFakeBank();
  listeners = await openListeners({
    app: bank.app,
    host: "127.0.0.1",
    publicPort: 0,
    mtlsPort: 0,
    publicTls: null,
    mtls: { ...server, ca: ca.cert },
    headerLimitBytes: 4096,
  });
});
after(async () => {
  await listeners.close(0);
  await bank.close();
});

type Answer = { status: number; headers: http.IncomingHttpHeaders; body: string; resumed: boolean };

function get(
  url: string,
  options: https.RequestOptions & { token?: string } = {},
): Promise<Answer> {
  const send = url.startsWith("https:") ? https.request : http.request;
  const { token, ...rest } = options;
  return new Promise((resolve, reject) => {
    const headers = { ...(token ? { authorization: `Bearer ${token}` } : {}), ...rest.headers };
    const request = send(url, { agent: false, ca: ca.cert, ...rest, headers }, (response) => {
      const { socket, statusCode: status = 0, headers: received } = response;
      const resumed = socket instanceof tls.TLSSocket && socket.isSessionReused();
      let body = "";
      response.on("data", (chunk) => {
        body += chunk;
      });
      response.on("end", () => resolve({ status, headers: received, body, resumed }));
    });
    request.on("error", reject);
    request.end();
  });
}

const overMtls = (options: Parameters<typeof get>[1]): Promise<Answer> =>
  get(`https://127.0.0.1:${listeners.mtlsPort}${viewsPath}`, options);
const inTheOpen = (options: Parameters<typeof get>[1]): Promise<Answer> =>
  get(`http://127.0.0.1:${listeners.publicPort}${viewsPath}`, options);

const thumbprintOf = (pair: Pair): string => sha256(new X509Certificate(pair.cert).raw);

async function tokenFor(thumbprint: string | null): Promise<string> {
  const { grantId } = await addConsent(bank);
  const kind = "authorization_code";
  return bank.addToken({ kind, scope: "accounts", grantId, thumbprint });
}

describe("certificates of the listeners", () => {
  test("P-004, A-048: a bound token works only with its certificate", async () => {
    const token = await tokenFor(thumbprintOf(client));
    assert.equal((await overMtls({ token, ...client })).status, 200);
    assert.equal((await overMtls({ token, ...otherClient })).status, 401);
    assert.equal((await overMtls({ token })).status, 401);
    assert.equal((await inTheOpen({ token })).status, 401);
  });

  test("a certificate of another authority is ignored, even with the right name", async () => {
    const token = await tokenFor(thumbprintOf(foreign));
    const answer = await overMtls({ token, ...foreign });
    assert.equal(answer.status, 401);
    assert.ok(answer.headers["x-fapi-interaction-id"]);
  });

  test("an unbound token of the sandbox works from loopback on both listeners", async () => {
    const token = await tokenFor(null);
    assert.equal((await inTheOpen({ token })).status, 200);
    assert.equal(bank.journal.baseUrls.at(-1), "http://bank.test/api/open-banking/v3.1/view");
    assert.equal((await overMtls({ token })).status, 200);
    assert.equal(bank.journal.baseUrls.at(-1), "https://mtls.bank.test/api/open-banking/v3.1/view");
  });

  test("a resumed TLS session still has its certificate", async () => {
    const token = await tokenFor(thumbprintOf(client));
    for (const maxVersion of ["TLSv1.2", "TLSv1.3"] as const) {
      const agent = new https.Agent({ maxCachedSessions: 5, maxVersion, ca: ca.cert, ...client });
      const resumed: boolean[] = [];
      for (let count = 0; count < 3; count++) {
        const answer = await overMtls({ token, agent });
        assert.equal(answer.status, 200, maxVersion);
        resumed.push(answer.resumed);
      }
      assert.equal(resumed.at(-1), true, maxVersion);
      agent.destroy();
    }
  });

  test("the application sees the certificate and its subject", async () => {
    const app = fastify(appOptions({ logLevel: "silent", bodyLimit: 1000 }));
    app.get("/", async ({ raw }) => ({
      serial: judgedCertificateOf(raw).certificate?.serialNumber ?? null,
      subject: certificateSubjectOf(raw),
    }));
    const own = await openListeners({
      app,
      host: "127.0.0.1",
      publicPort: 0,
      mtlsPort: 0,
      publicTls: server,
      mtls: { ...server, ca: ca.cert },
    });
    try {
      const answer = await get(`https://127.0.0.1:${own.mtlsPort}/`, client);
      const { serial, subject } = JSON.parse(answer.body);
      assert.equal(serial, new X509Certificate(client.cert).serialNumber);
      assert.ok(
        isRegisteredName(subject, "CN=soft,OU=org,O=A Company\\, Ltd,C=GB"),
        JSON.stringify(subject),
      );
      const open = await get(`https://127.0.0.1:${own.publicPort}/`, client);
      assert.deepEqual(JSON.parse(open.body), { serial: null, subject: null });
    } finally {
      await own.close(0);
    }
  });

  test("certificates are renewed while the bank is open, on both listeners", async () => {
    const app = fastify(appOptions({ logLevel: "silent", bodyLimit: 1000 }));
    app.get("/", async ({ raw }) => certificateSubjectOf(raw));
    const own = await openListeners({
      app,
      host: "127.0.0.1",
      publicPort: 0,
      mtlsPort: 0,
      publicTls: server,
      mtls: { ...server, ca: ca.cert },
    });
    const ports = [own.publicPort, own.mtlsPort];
    const served = (port: number): Promise<string> =>
      new Promise((resolve, reject) => {
        const socket = tls.connect({ host: "127.0.0.1", port, ca: ca.cert, ...client });
        socket.on("error", reject);
        socket.on("secureConnect", () => {
          resolve(socket.getPeerX509Certificate()?.serialNumber ?? "");
          socket.destroy();
        });
      });
    const renewed = await ca.issue("localhost");
    try {
      const { serialNumber: before } = new X509Certificate(server.cert);
      for (const port of ports) assert.equal(await served(port), before);
      own.renew(renewed);
      const { serialNumber: after } = new X509Certificate(renewed.cert);
      for (const port of ports) assert.equal(await served(port), after);
      const url = `https://127.0.0.1:${own.mtlsPort}/`;
      const answer = await get(url, { ...client, maxVersion: "TLSv1.2" });
      assert.match(
        answer.body,
        /"2.5.4.3","value":"soft"/,
        "clients are known by their certificates as before",
      );
    } finally {
      await own.close(0);
    }
  });

  test("TLS below 1.2 and suites that FAPI forbids are refused", async () => {
    const shake = (options: tls.ConnectionOptions): Promise<string> =>
      new Promise((resolve, reject) => {
        const socket = tls.connect({
          host: "127.0.0.1",
          port: listeners.mtlsPort,
          ca: ca.cert,
          ...options,
        });
        socket.on("error", reject);
        socket.on("secureConnect", () => {
          resolve(`${socket.getProtocol()} ${socket.getCipher().name}`);
          socket.destroy();
        });
      });
    const old = { minVersion: "TLSv1", maxVersion: "TLSv1.1" } as const;
    await assert.rejects(shake({ ...old, ciphers: "DEFAULT@SECLEVEL=0" }));
    const weak = "ECDHE-RSA-AES256-SHA:AES128-GCM-SHA256:ECDHE-RSA-CHACHA20-POLY1305";
    await assert.rejects(shake({ maxVersion: "TLSv1.2", ciphers: weak }));
    const strong = await shake({ maxVersion: "TLSv1.2" });
    assert.match(strong, /^TLSv1\.2 ECDHE-RSA-AES(128|256)-GCM/);
    assert.match(await shake({}), /^TLSv1\.3/);
  });
});

describe("input that Node cannot parse", () => {
  const sendRaw = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(listeners.publicPort, "127.0.0.1", () => socket.write(text));
      let answer = "";
      socket.on("data", (chunk) => {
        answer += chunk;
      });
      socket.on("close", () => resolve(answer));
      socket.on("error", reject);
    });

  test("a request head that is too large is 431 with an interaction id and no body", async () => {
    const answer = await sendRaw(
      `GET ${viewsPath} HTTP/1.1\r\nhost: a\r\nx-long: ${"x".repeat(5000)}\r\n\r\n`,
    );
    assert.match(answer, /^HTTP\/1\.1 431 /);
    assert.match(answer, /x-fapi-interaction-id: [0-9a-f-]{36}\r\n/);
    assert.ok(answer.endsWith("\r\n\r\n"));
  });

  test("bytes that are not HTTP are 400 with an interaction id and no body", async () => {
    const answer = await sendRaw("rubbish\r\n\r\n");
    assert.match(answer, /^HTTP\/1\.1 400 .*x-fapi-interaction-id: .*\r\n\r\n$/s);
  });

  test("a body that breaks off affects no other request", async () => {
    const token = await bank.addToken({ scope: "accounts" });
    await new Promise<void>((resolve) => {
      const socket = connect(listeners.publicPort, "127.0.0.1", () => {
        socket.write(
          "POST /api/open-banking/v3.1/view/view-consents HTTP/1.1\r\nhost: a\r\n" +
            `authorization: Bearer ${token}\r\ncontent-type: application/json\r\n` +
            'content-length: 100\r\n\r\n{"a":',
        );
        setImmediate(() => socket.destroy());
      });
      socket.on("close", () => resolve());
    });
    assert.equal((await inTheOpen({ token: await tokenFor(null) })).status, 200);
  });
});

describe("closing the listeners", () => {
  const open = (app: ReturnType<typeof fastify>): Promise<Listeners> =>
    openListeners({
      app,
      host: "127.0.0.1",
      publicPort: 0,
      mtlsPort: 0,
      publicTls: null,
      mtls: { ...server, ca: ca.cert },
    });

  test("closing finishes requests in flight, ends idle connections and refuses new ones", async () => {
    const app = fastify({ logger: false });
    const entered = Promise.withResolvers<void>();
    const leave = Promise.withResolvers<void>();
    app.get("/slow", async () => {
      entered.resolve();
      await leave.promise;
      return "done";
    });
    app.get("/", async () => "");
    const own = await open(app);
    const agent = new http.Agent({ keepAlive: true });
    const base = `http://127.0.0.1:${own.publicPort}`;
    await get(`${base}/`, { agent });
    const slow = get(`${base}/slow`, { agent });
    await entered.promise;
    const closed = own.close(30);
    await assert.rejects(get(`${base}/`));
    leave.resolve();
    assert.equal((await slow).body, "done");
    await closed;
    agent.destroy();
  });

  test("requests that outlast the grace period are cut", async () => {
    const app = fastify({ logger: false });
    const entered = Promise.withResolvers<void>();
    app.get("/never", () => {
      entered.resolve();
      return new Promise(() => undefined);
    });
    const own = await open(app);
    const cut = assert.rejects(get(`http://127.0.0.1:${own.publicPort}/never`));
    await entered.promise;
    await own.close(0);
    await cut;
  });

  test("opening on a port in use fails, and frees the other port", async () => {
    const app = fastify({ logger: false });
    await assert.rejects(
      openListeners({
        app,
        host: "127.0.0.1",
        publicPort: 0,
        mtlsPort: listeners.mtlsPort,
        publicTls: null,
        mtls: { ...server, ca: ca.cert },
      }),
      { code: "EADDRINUSE" },
    );
  });
});
