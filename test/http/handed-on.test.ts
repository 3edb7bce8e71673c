import "reflect-metadata";
import assert from "node:assert/strict";
import * as https from "node:https";
import { BlockList } from "node:net";
import { after, before, describe, test } from "node:test";
import * as x509 from "@peculiar/x509";
import fastify from "fastify";
import {
  appOptions,
  credentialsOf,
  type Listeners,
  openListeners,
} from "#src/http/connection/listeners.ts";
import { judgedCertificateOf } from "#src/http/connection/peers.ts";
import { type Entity, issue } from "#test/certificates/authorities.ts";
import { makeAuthority, type Pair } from "./certificates.ts";

type Seen = {
  serial: string | null;
  fault: string | null;
  thumbprint: string | null;
  loopback: boolean;
};

const headers = ["client-cert", "x-forwarded-client-cert", "x-ssl-client-cert"] as const;
type Header = (typeof headers)[number];

let root: Entity;
let issuing: Entity;
let client: Entity;
let foreign: Entity;
let expired: Entity;
let noUse: Entity;
let critical: Entity;
let server: Pair;
let serverRoot: string;
/** A listener for each header, whose proxies are on this machine, and one without proxies here. */
const listeners = new Map<Header | "elsewhere", Listeners>();

before(async () => {
  const authority = await makeAuthority("Server CA");
  server = await authority.issue("localhost");
  serverRoot = authority.cert;
  root = await issue("Root", null);
  issuing = await issue("Issuing", root, { isAuthority: true });
  client = await issue("Client", issuing);
  foreign = await issue("Client", await issue("Root", null));
  const past = Temporal.Now.instant().subtract({ hours: 48 });
  expired = await issue("Expired", root, { from: past, to: past.add({ hours: 24 }) });
  noUse = await issue("Authority", root, { isAuthority: true });
  const unknown = new x509.Extension("1.2.3.4.5", true, Buffer.from("0500", "hex"));
  critical = await issue("Critical", root, { extensions: [unknown] });
  for (const name of [...headers, "elsewhere"] as const) {
    const networks = new BlockList();
    networks.addSubnet(name === "elsewhere" ? "10.0.0.0" : "127.0.0.0", 8);
    const app = fastify(appOptions({ logLevel: "silent", bodyLimit: 1000 }));
    app.get("/", async ({ raw }): Promise<Seen> => {
      const { certificate, fault } = judgedCertificateOf(raw);
      const { certificateThumbprint: thumbprint, loopback } = credentialsOf(raw);
      const problem = fault?.facts.problem ?? "";
      return {
        serial: certificate?.serialNumber ?? null,
        fault: fault && `${fault.reason} ${problem}`.trim(),
        thumbprint,
        loopback,
      };
    });
    listeners.set(
      name,
      await openListeners({
        app,
        host: "127.0.0.1",
        publicPort: 0,
        mtlsPort: 0,
        publicTls: null,
        mtls: { ...server, ca: root.pem },
        proxies: { networks, header: name === "elsewhere" ? "client-cert" : name },
      }),
    );
  }
});
after(async () => {
  for (const one of listeners.values()) await one.close(0);
});

function see(
  over: Header | "elsewhere" | Listeners,
  sent: Record<string, string>,
  own: { key?: string; cert?: string } = {},
): Promise<Seen> {
  const port = (typeof over === "string" ? listeners.get(over) : over)?.mtlsPort;
  return new Promise((resolve, reject) => {
    const url = `https://127.0.0.1:${port}/`;
    const options = { agent: false, ca: serverRoot, headers: sent, ...own };
    https
      .get(url, options, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => resolve(JSON.parse(Buffer.concat(chunks).toString())));
      })
      .on("error", reject);
  });
}

const bytesOf = ({ certificate }: Entity): string => `:${certificate.raw.toString("base64")}:`;
const pemOf = (...entities: Entity[]): string =>
  encodeURIComponent(entities.map(({ pem }) => `${pem}\n`).join(""));

/** The headers in which a proxy forwards a certificate and its issuer. */
const handOn: Record<Header, (one: Entity, ...chain: Entity[]) => Record<string, string>> = {
  "client-cert": (one, ...chain) => ({
    "client-cert": bytesOf(one),
    ...(chain.length > 0 ? { "client-cert-chain": chain.map(bytesOf).join(", ") } : {}),
  }),
  "x-forwarded-client-cert": (one, ...chain) => ({
    "x-forwarded-client-cert": `Hash=${"a".repeat(64)};Cert="${pemOf(one)}";Subject="CN=a,O=b;c";Chain="${pemOf(one, ...chain)}"`,
  }),
  "x-ssl-client-cert": (one, ...chain) => ({ "x-ssl-client-cert": pemOf(one, ...chain) }),
};

for (const header of headers) {
  describe(`a certificate in the header ${header}`, () => {
    test("R-095: a certificate in the header, with its issuers, is accepted as the client's if a listed proxy sends it", async () => {
      const seen = await see(header, handOn[header](client, issuing));
      assert.equal(seen.serial, client.certificate.serialNumber);
      assert.ok(seen.thumbprint);
      assert.equal(seen.loopback, false, "the client is not on this machine");
    });

    test("the bank verifies the chain, the dates and the use of the certificate in the header", async () => {
      const wrong: [Entity[], string][] = [
        [[foreign], "certificateUntrusted CERT_SIGNATURE_FAILURE"],
        [[client], "certificateUntrusted ISSUER_UNKNOWN"],
        [[expired], "certificateUntrusted CERT_HAS_EXPIRED"],
        [[noUse], "certificateUsage"],
        [[critical], "certificateUntrusted UNHANDLED_CRITICAL_EXTENSION"],
      ];
      for (const [[one, ...chain], fault] of wrong) {
        const seen = await see(header, handOn[header](one as Entity, ...chain));
        assert.deepEqual([seen.serial, seen.fault], [null, fault]);
      }
    });

    test("a malformed header is refused", async () => {
      for (const value of ["x", "::", ":!!:", ":AAAA:", "%", "%2", 'Cert="%"', "null", ", ,"]) {
        const seen = await see(header, { [header]: value });
        assert.deepEqual(
          [seen.serial, seen.fault],
          [null, "certificateUntrusted MALFORMED"],
          value,
        );
      }
    });

    test("a header that is sent twice is refused", async () => {
      const [own, others] = [client, foreign].map((one) => handOn[header](one)[header]);
      for (const twice of [`${own}, ${others}`, `${own},${own}`, `X=",${own}`]) {
        const seen = await see(header, { ...handOn[header](client, issuing), [header]: twice });
        assert.deepEqual([seen.serial, seen.fault], [null, "certificateUntrusted MALFORMED"]);
      }
    });

    test("no other header is used", async () => {
      for (const other of headers) {
        if (other === header) continue;
        const seen = await see(header, handOn[other](client, issuing));
        assert.deepEqual([seen.serial, seen.fault], [null, "certificateMissing"]);
      }
    });
  });
}

test("R-095: a certificate in a header is ignored if the sender is not a listed proxy", async () => {
  const seen = await see("elsewhere", handOn["client-cert"](client, issuing));
  assert.deepEqual([seen.serial, seen.fault], [null, "certificateMissing"]);
  const own = { key: client.key.privateKeyPem, cert: `${client.pem}\n${issuing.pem}` };
  const direct = await see("elsewhere", handOn["client-cert"](foreign), own);
  assert.equal(direct.serial, client.certificate.serialNumber, "its own certificate counts");
  assert.equal(direct.loopback, true);
});

test("the proxy's own certificate is never used as its client's", async () => {
  const own = { key: client.key.privateKeyPem, cert: `${client.pem}\n${issuing.pem}` };
  const seen = await see("client-cert", {}, own);
  assert.deepEqual([seen.serial, seen.fault], [null, "certificateMissing"]);
});

test("R-124: a client that omits its issuing authority is accepted if the bank has configured it", async () => {
  const app = fastify(appOptions({ logLevel: "silent", bodyLimit: 1000 }));
  app.get("/", async ({ raw }) => ({ serial: judgedCertificateOf(raw).certificate?.serialNumber }));
  for (const anchors of [`${root.pem}\n${issuing.pem}`, issuing.pem]) {
    const own = await openListeners({
      app,
      host: "127.0.0.1",
      publicPort: 0,
      mtlsPort: 0,
      publicTls: null,
      mtls: { ...server, ca: anchors },
    });
    try {
      const transport = { key: client.key.privateKeyPem, cert: client.pem };
      const seen = await see(own, {}, transport);
      assert.equal(seen.serial, client.certificate.serialNumber);
    } finally {
      await own.close(0);
    }
  }
});
