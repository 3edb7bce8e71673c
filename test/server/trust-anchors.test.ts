import assert from "node:assert/strict";
import { mkdirSync, rmSync } from "node:fs";
import * as https from "node:https";
import { join } from "node:path";
import { after, before, test } from "node:test";
import fastify from "fastify";
import { loadConfig } from "#src/config/config.ts";
import { appOptions, type Listeners, openListeners } from "#src/http/connection/listeners.ts";
import { judgedCertificateOf } from "#src/http/connection/peers.ts";
import { loadKeys } from "#src/server/keys/keys.ts";
import { logAnchors } from "#src/server/keys/open-trust.ts";
import { checkProduction } from "#src/server/keys/production-checks.ts";
import { type KeyWatch, watchKeys } from "#src/server/keys/watch-keys.ts";
import { type Entity, issue } from "#test/certificates/authorities.ts";
import { until } from "#test/until.ts";
import { makeProductionFolder, type ProductionFolder } from "./production-folder.ts";

let folder: ProductionFolder;
let listeners: Listeners;
let watch: KeyWatch;
let first: Entity;
let second: Entity;
let clients: Map<Entity, Entity>;
let environment: Record<string, string>;
before(async () => {
  folder = await makeProductionFolder();
  mkdirSync(join(folder.path, "anchors"));
  first = await issue("First authority", null);
  second = await issue("Second authority", null);
  clients = new Map([
    [first, await issue("Client", first)],
    [second, await issue("Client", second)],
  ]);
  folder.write("anchors/first.pem", first.pem);
  folder.write("anchors/read-me.txt", "not a certificate");
  const anchors = `${join(folder.path, "anchors")},${join(folder.path, "roots.pem")}`;
  environment = { ...folder.environment, CLIENT_CA: anchors };
  const config = loadConfig(environment);
  const keys = loadKeys(config);
  const app = fastify(appOptions({ logLevel: "silent", bodyLimit: 1000 }));
  app.get("/", async ({ raw }) => ({ fault: judgedCertificateOf(raw).fault?.reason ?? null }));
  listeners = await openListeners({
    app,
    host: "127.0.0.1",
    publicPort: 0,
    mtlsPort: 0,
    publicTls: null,
    mtls: { ...keys.server, ca: keys.clientCa },
  });
  const listener = {
    onChanged: ({ server, clientCa }: ReturnType<typeof loadKeys>) =>
      listeners.renew(server, clientCa),
    onFailure: () => undefined,
  };
  watch = watchKeys(config, listener as Parameters<typeof watchKeys>[1], 20);
});
after(async () => {
  watch?.stop();
  await listeners?.close(0);
  folder?.remove();
});

const connect = (authority: Entity): https.Agent => {
  const client = clients.get(authority);
  const own = { key: client?.key.privateKeyPem ?? "", cert: client?.pem ?? "" };
  return new https.Agent({ keepAlive: true, maxSockets: 1, ca: folder.caPem, ...own });
};

const faultOver = (agent: https.Agent): Promise<string | null> =>
  new Promise((resolve, reject) => {
    const url = `https://localhost:${listeners.mtlsPort}/`;
    https
      .get(url, { agent, family: 4 }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => resolve(JSON.parse(Buffer.concat(chunks).toString()).fault));
      })
      .on("error", reject);
  });

const untilFault = (fault: string | null, agent: () => https.Agent): Promise<unknown> =>
  until(
    () => faultOver(agent()),
    (seen) => seen === fault,
  );

test("R-123: adding or removing authorities in a folder takes effect without a restart", async () => {
  const open = connect(first);
  assert.equal(await faultOver(open), null);
  assert.equal(await faultOver(connect(second)), "certificateUntrusted");
  folder.write("anchors/second.crt", second.pem);
  await untilFault(null, () => connect(second));
  assert.equal(await faultOver(open), null);
  rmSync(join(folder.path, "anchors", "first.pem"));
  await untilFault("certificateUntrusted", () => open);
  assert.equal(await faultOver(connect(second)), null);
});

test("R-123: each authority is logged with its subject, thumbprint and expiry", () => {
  const lines: object[] = [];
  logAnchors(
    { info: (facts: object) => void lines.push(facts) } as never,
    `${first.pem}\n${second.pem}`,
  );
  assert.deepEqual(
    lines,
    [first, second].map(({ certificate }) => ({
      subject: certificate.subject,
      thumbprint: certificate.fingerprint256,
      expires: certificate.validToDate.toISOString(),
    })),
  );
});

test("production refuses a missing or unreadable file of authorities, and an empty folder", () => {
  mkdirSync(join(folder.path, "empty"));
  const faultOf = (value: string): string => {
    try {
      checkProduction(loadConfig({ ...environment, CLIENT_CA: value }));
      return "none";
    } catch (error) {
      return (error as Error).message;
    }
  };
  const path = (name: string): string => join(folder.path, name);
  assert.match(faultOf(path("nowhere.pem")), /CLIENT_CA: there is no file .*nowhere\.pem/);
  assert.match(faultOf(path("anchors/read-me.txt")), /does not contain a readable PEM/);
  assert.match(faultOf(path("empty")), /CLIENT_CA: .*empty has no \.pem, \.crt or \.cer file/);
  assert.equal(faultOf(`${path("roots.pem")}, ${path("anchors")}`), "none");
});
