import "reflect-metadata";
import assert from "node:assert/strict";
import * as https from "node:https";
import { BlockList } from "node:net";
import { after, before, test } from "node:test";
import fastify from "fastify";
import { createClientTrust } from "#src/certificates/client-trust.ts";
import { appOptions, type Listeners, openListeners } from "#src/http/connection/listeners.ts";
import { judgedCertificateOf } from "#src/http/connection/peers.ts";
import { type Entity, issue } from "#test/certificates/authorities.ts";
import { makeAuthority } from "./certificates.ts";

const begin = Temporal.Now.instant();
const inHours = (hours: number): Temporal.Instant => begin.add({ hours });
let time = begin;

let root: Entity;
let issuing: Entity;
let serverRoot: string;
/** The first accepts a certificate in a header, the second only that of the connection. */
let listeners: Record<"header" | "connection", Listeners>;

before(async () => {
  const authority = await makeAuthority("Server CA");
  const server = await authority.issue("localhost");
  serverRoot = authority.cert;
  root = await issue("Root", null, { to: inHours(100) });
  issuing = await issue("Issuing", root, { isAuthority: true, to: inHours(5) });
  const open = (network: string): Promise<Listeners> => {
    const networks = new BlockList();
    networks.addSubnet(network, 8);
    const app = fastify(appOptions({ logLevel: "silent", bodyLimit: 1000 }));
    app.get("/", async ({ raw }) => {
      const { fault } = judgedCertificateOf(raw);
      return fault ? (fault.facts.problem ?? fault.reason) : "accepted";
    });
    return openListeners({
      app,
      host: "127.0.0.1",
      publicPort: 0,
      mtlsPort: 0,
      publicTls: null,
      mtls: { ...server, ca: root.pem },
      trust: createClientTrust(root.pem, { now: () => time }),
      proxies: { networks, header: "client-cert" },
    });
  };
  listeners = { header: await open("127.0.0.0"), connection: await open("10.0.0.0") };
});
after(async () => {
  for (const one of Object.values(listeners ?? {})) await one.close(0);
});

const bytesOf = ({ certificate }: Entity): string => `:${certificate.raw.toString("base64")}:`;

/** Opens a client, which sends its certificate in a header or keeps one connection. */
function open(way: "header" | "connection", client: Entity) {
  const own = { key: client.key.privateKeyPem, cert: `${client.pem}\n${issuing.pem}` };
  const agent = new https.Agent({ keepAlive: true, maxSockets: 1, ca: serverRoot });
  const port = listeners[way].mtlsPort;
  const headers =
    way === "header"
      ? { "client-cert": bytesOf(client), "client-cert-chain": bytesOf(issuing) }
      : {};
  const connections = new Set<unknown>();
  const call = () =>
    new Promise<string>((resolve, reject) => {
      const options = { agent, headers, ...(way === "connection" ? own : {}) };
      const request = https.get(`https://127.0.0.1:${port}/`, options, (response) => {
        connections.add(response.socket);
        let text = "";
        response.on("data", (chunk) => {
          text += chunk;
        });
        response.on("end", () => resolve(text));
      });
      request.on("error", reject);
    });
  return { call, connections, close: () => agent.destroy() };
}

for (const way of ["header", "connection"] as const) {
  for (const [whose, hours] of [
    ["a client certificate that", 2],
    ["a client certificate whose issuing authority", 5],
  ] as const) {
    test(`R-094: ${whose} has expired is refused at the next request, with the certificate in the ${way}`, async () => {
      time = begin;
      const client = await issue("Client", issuing, { to: inHours(hours === 2 ? 2 : 50) });
      const { call, connections, close } = open(way, client);
      try {
        assert.equal(await call(), "accepted");
        time = inHours(hours).subtract({ minutes: 1 });
        assert.equal(await call(), "accepted");
        time = inHours(hours).add({ minutes: 1 });
        assert.equal(await call(), "CERT_HAS_EXPIRED");
        assert.equal(await call(), "CERT_HAS_EXPIRED");
        assert.equal(connections.size, 1, "one connection is kept");
      } finally {
        close();
      }
    });
  }
}

test("a certificate that expires does not end the others", async () => {
  time = begin;
  const short = open("connection", await issue("Short", issuing, { to: inHours(2) }));
  const long = open("connection", await issue("Long", issuing, { to: inHours(50) }));
  try {
    assert.deepEqual([await short.call(), await long.call()], ["accepted", "accepted"]);
    time = inHours(3);
    assert.deepEqual([await short.call(), await long.call()], ["CERT_HAS_EXPIRED", "accepted"]);
    time = inHours(6);
    assert.equal(await long.call(), "CERT_HAS_EXPIRED", "its issuing authority has expired");
  } finally {
    short.close();
    long.close();
  }
});
