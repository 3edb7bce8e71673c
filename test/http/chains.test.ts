import "reflect-metadata";
import assert from "node:assert/strict";
import * as https from "node:https";
import { BlockList } from "node:net";
import { before, test } from "node:test";
import * as x509 from "@peculiar/x509";
import fastify from "fastify";
import { appOptions, openListeners } from "#src/http/connection/listeners.ts";
import { judgedCertificateOf } from "#src/http/connection/peers.ts";
import { type Entity, type Issued, issue } from "#test/certificates/authorities.ts";
import { qcStatements } from "#test/certificates/make-certificate.ts";
import { der, sequence } from "#test/certificates/responses.ts";
import { makeAuthority, type Pair } from "./certificates.ts";

let server: Pair;
let serverRoot: string;
before(async () => {
  const authority = await makeAuthority("Server CA");
  server = await authority.issue("localhost");
  serverRoot = authority.cert;
});

/** The first certificate is the client's; the others are sent with it. `anchors` are trusted. */
type Made = { chain: Entity[]; anchors: Entity[] };
type Row = [name: string, make: () => Promise<Made>, verdict: string];

const authority = (name: string, issuer: Entity | null, given: Issued = {}): Promise<Entity> =>
  issue(name, issuer, { isAuthority: true, ...given });

/** A client below an authority below a root, with these options for each. */
const below =
  (given: { root?: Issued; issuing?: Issued; client?: Issued; anchor?: "root" | "issuing" }) =>
  async (): Promise<Made> => {
    const root = await authority("Root", null, given.root);
    const issuing = await authority("Issuing", root, given.issuing);
    const client = await issue("Client", issuing, given.client);
    const anchor = given.anchor === "issuing" ? issuing : root;
    return { chain: anchor === issuing ? [client] : [client, issuing], anchors: [anchor] };
  };

/** A client below two authorities below a root. */
const deeper =
  (given: { root?: Issued; first?: Issued; second?: Issued; anchor?: "root" | "first" }) =>
  async (): Promise<Made> => {
    const root = await authority("Root", null, given.root);
    const first = await authority("First", root, given.first);
    const second = await authority("Second", first, given.second);
    const client = await issue("Client", second);
    const anchors = given.anchor === "first" ? [first] : [root];
    return { chain: [client, second, first], anchors };
  };

const unknown = (critical: boolean) =>
  new x509.Extension("1.2.3.4.5", critical, Buffer.from("0500", "hex"));
const constraints = (given: { permitted?: Buffer[]; excluded?: Buffer[] }, critical = true) =>
  new x509.Extension(
    "2.5.29.30",
    critical,
    sequence(
      ...(given.permitted ? [der(0xa0, ...given.permitted.map((one) => sequence(one)))] : []),
      ...(given.excluded ? [der(0xa1, ...given.excluded.map((one) => sequence(one)))] : []),
    ),
  );
const text = (tag: number, value: string): Buffer => der(tag, Buffer.from(value));
const [email, dns, uri] = [0x81, 0x82, 0x86].map((tag) => (value: string) => text(tag, value)) as [
  (value: string) => Buffer,
  (value: string) => Buffer,
  (value: string) => Buffer,
];
const address = (...bytes: number[]): Buffer => der(0x87, Buffer.from(bytes));
const directory = (name: string): Buffer =>
  der(0xa4, Buffer.from(new x509.Name(name).toArrayBuffer()));
const named = (name: string): Issued => ({ names: { subject: new x509.Name(name) } });
const withNames = (...names: x509.JsonGeneralNames): Issued => ({
  extensions: [new x509.SubjectAlternativeNameExtension(names)],
});
/** An authority with these constraints, above a client with this name or these names. */
const constrained = (given: Parameters<typeof constraints>[0], client: Issued = {}) =>
  below({ issuing: { extensions: [constraints(given)] }, client });
const usage = (...usages: x509.ExtendedKeyUsageType[]): Issued => ({
  extensions: [new x509.ExtendedKeyUsageExtension(usages)],
});
const { clientAuth, serverAuth } = x509.ExtendedKeyUsage;

const rows: Row[] = [
  ["of two authorities", deeper({}), "accepted"],
  [
    "to an issuing authority that is trusted without its root",
    below({ anchor: "issuing" }),
    "accepted",
  ],
  ["with the path length 0 above the client", below({ issuing: { pathLength: 0 } }), "accepted"],
  [
    "with the path length 0 above an authority",
    deeper({ first: { pathLength: 0 } }),
    "PATH_LENGTH_EXCEEDED",
  ],
  ["with a root of the path length 1", below({ root: { pathLength: 1 } }), "accepted"],
  ["with a root of the path length 0", below({ root: { pathLength: 0 } }), "PATH_LENGTH_EXCEEDED"],
  [
    "with a root of the path length 1 above two",
    deeper({ root: { pathLength: 1 } }),
    "PATH_LENGTH_EXCEEDED",
  ],
  [
    "with a trusted issuing authority of the path length 0",
    deeper({ first: { pathLength: 0 }, anchor: "first" }),
    "PATH_LENGTH_EXCEEDED",
  ],
  [
    "with an unknown critical extension of the client",
    below({ client: { extensions: [unknown(true)] } }),
    "UNHANDLED_CRITICAL_EXTENSION",
  ],
  [
    "with an unknown critical extension of the client of a trusted issuing authority",
    below({ client: { extensions: [unknown(true)] }, anchor: "issuing" }),
    "UNHANDLED_CRITICAL_EXTENSION",
  ],
  [
    "with an unknown critical extension of an authority",
    below({ issuing: { extensions: [unknown(true)] } }),
    "UNHANDLED_CRITICAL_EXTENSION",
  ],
  [
    "with an unknown critical extension of the root",
    below({ root: { extensions: [unknown(true)] } }),
    "UNHANDLED_CRITICAL_EXTENSION",
  ],
  [
    "with an unknown extension of an authority",
    below({ issuing: { extensions: [unknown(false)] } }),
    "accepted",
  ],
  [
    "with critical statements of a qualified certificate",
    below({
      client: {
        extensions: [
          new x509.Extension("1.3.6.1.5.5.7.1.3", true, qcStatements({ use: "web" }).value),
        ],
      },
    }),
    "UNHANDLED_CRITICAL_EXTENSION",
  ],
  ["with an authority for clients", below({ issuing: usage(clientAuth, serverAuth) }), "accepted"],
  ["with an authority for servers only", below({ issuing: usage(serverAuth) }), "INVALID_PURPOSE"],
  ["with a root for servers only", below({ root: usage(serverAuth) }), "INVALID_PURPOSE"],
  [
    "with an authority that has expired",
    below({
      issuing: {
        from: Temporal.Now.instant().subtract({ hours: 9 }),
        to: Temporal.Now.instant().subtract({ hours: 1 }),
      },
    }),
    "CERT_HAS_EXPIRED",
  ],
  [
    "with a client as authority",
    async () => {
      const root = await authority("Root", null);
      const issuing = await issue("Issuing", root);
      return { chain: [await issue("Client", issuing), issuing], anchors: [root] };
    },
    "ISSUER_UNKNOWN",
  ],
  [
    "with a permitted directory name",
    constrained({ permitted: [directory("O=Bank")] }, named("O=bank, CN=Client")),
    "accepted",
  ],
  [
    "with a directory name that is not permitted",
    constrained({ permitted: [directory("O=Bank")] }),
    "PERMITTED_VIOLATION",
  ],
  [
    "with an excluded directory name",
    constrained({ excluded: [directory("O=Bank")] }, named("O=BANK, CN=Client")),
    "EXCLUDED_VIOLATION",
  ],
  [
    "with a directory name that is not excluded",
    constrained({ excluded: [directory("O=Bank")] }, named("O=Banks, CN=Client")),
    "accepted",
  ],
  [
    "with a constraint of the root on an authority",
    below({ root: { extensions: [constraints({ permitted: [directory("CN=Client")] })] } }),
    "PERMITTED_VIOLATION",
  ],
  [
    "with a constraint that is not critical",
    below({ issuing: { extensions: [constraints({ permitted: [directory("O=Bank")] }, false)] } }),
    "PERMITTED_VIOLATION",
  ],
  [
    "with a constraint of a trusted issuing authority",
    below({
      issuing: { extensions: [constraints({ permitted: [directory("O=Bank")] })] },
      anchor: "issuing",
    }),
    "PERMITTED_VIOLATION",
  ],
  [
    "with a constraint for names that the client does not have",
    constrained({ permitted: [dns("bank.example")] }),
    "accepted",
  ],
  [
    "with a permitted host",
    constrained(
      { permitted: [dns("bank.example")] },
      withNames({ type: "dns", value: "api.bank.example" }),
    ),
    "accepted",
  ],
  [
    "with a host that is not permitted",
    constrained(
      { permitted: [dns("bank.example")] },
      withNames({ type: "dns", value: "abank.example" }),
    ),
    "PERMITTED_VIOLATION",
  ],
  [
    "with one host of two that is not permitted",
    constrained(
      { permitted: [dns("bank.example")] },
      withNames({ type: "dns", value: "bank.example" }, { type: "dns", value: "x.example" }),
    ),
    "PERMITTED_VIOLATION",
  ],
  [
    "with an excluded host",
    constrained(
      { excluded: [dns("bank.example")] },
      withNames({ type: "dns", value: "A.BANK.example" }),
    ),
    "EXCLUDED_VIOLATION",
  ],
  [
    "with a CN that is a host that is not permitted",
    constrained({ permitted: [dns("bank.example")] }, named("CN=x.example")),
    "PERMITTED_VIOLATION",
  ],
  [
    "with a CN that is a permitted host",
    constrained({ permitted: [dns("bank.example")] }, named("CN=x.bank.example")),
    "accepted",
  ],
  [
    "with a permitted e-mail address",
    constrained(
      { permitted: [email("bank.example")] },
      withNames({ type: "email", value: "a@bank.example" }),
    ),
    "accepted",
  ],
  [
    "with an e-mail address that is not permitted",
    constrained(
      { permitted: [email("bank.example")] },
      withNames({ type: "email", value: "a@x.bank.example" }),
    ),
    "PERMITTED_VIOLATION",
  ],
  [
    "with an e-mail address below a permitted domain",
    constrained(
      { permitted: [email(".bank.example")] },
      withNames({ type: "email", value: "a@x.bank.example" }),
    ),
    "accepted",
  ],
  [
    "with a permitted URI",
    constrained(
      { permitted: [uri("bank.example")] },
      withNames({ type: "url", value: "https://bank.example:8443/x" }),
    ),
    "accepted",
  ],
  [
    "with a URI that is not permitted",
    constrained(
      { permitted: [uri("bank.example")] },
      withNames({ type: "url", value: "https://x.example/bank.example" }),
    ),
    "PERMITTED_VIOLATION",
  ],
  [
    "with an excluded URI",
    constrained(
      { excluded: [uri(".example")] },
      withNames({ type: "url", value: "https://x.example/" }),
    ),
    "EXCLUDED_VIOLATION",
  ],
  [
    "with a permitted IP address",
    constrained(
      { permitted: [address(10, 0, 0, 0, 255, 0, 0, 0)] },
      withNames({ type: "ip", value: "10.1.2.3" }),
    ),
    "accepted",
  ],
  [
    "with an IP address that is not permitted",
    constrained(
      { permitted: [address(10, 0, 0, 0, 255, 0, 0, 0)] },
      withNames({ type: "ip", value: "11.1.2.3" }),
    ),
    "PERMITTED_VIOLATION",
  ],
  [
    "with a constraint that nobody can evaluate",
    constrained(
      { permitted: [der(0x88, Buffer.of(0x2a, 3))] },
      withNames({ type: "id", value: "1.2.3" }),
    ),
    "UNSUPPORTED_CONSTRAINT_TYPE",
  ],
  [
    "with malformed constraints",
    below({
      issuing: {
        extensions: [new x509.Extension("2.5.29.30", true, Buffer.from("3005a003", "hex"))],
      },
    }),
    "ISSUER_UNKNOWN",
  ],
];

const bytesOf = ({ certificate }: Entity): string => `:${certificate.raw.toString("base64")}:`;

/** Sends a chain over TLS, or as a proxy in its header. Returns the bank's verdict. */
async function judge(way: "connection" | "header", { chain, anchors }: Made): Promise<string> {
  const networks = new BlockList();
  networks.addSubnet(way === "header" ? "127.0.0.0" : "10.0.0.0", 8);
  const app = fastify(appOptions({ logLevel: "silent", bodyLimit: 1000 }));
  app.get("/", async ({ raw }) => {
    const { fault } = judgedCertificateOf(raw);
    return fault ? (fault.facts.problem ?? fault.reason) : "accepted";
  });
  const ca = anchors.map(({ pem }) => pem).join("\n");
  const listeners = await openListeners({
    app,
    host: "127.0.0.1",
    publicPort: 0,
    mtlsPort: 0,
    publicTls: null,
    mtls: { ...server, ca },
    proxies: { networks, header: "client-cert" },
  });
  const [client, ...issuers] = chain as [Entity, ...Entity[]];
  const sent =
    way === "connection"
      ? { key: client.key.privateKeyPem, cert: chain.map(({ pem }) => pem).join("\n") }
      : {
          headers: {
            "client-cert": bytesOf(client),
            "client-cert-chain": issuers.map(bytesOf).join(", "),
          },
        };
  try {
    return await new Promise<string>((resolve, reject) => {
      const url = `https://127.0.0.1:${listeners.mtlsPort}/`;
      https
        .get(url, { ca: serverRoot, agent: false, ...sent }, (response) => {
          let answer = "";
          response.on("data", (chunk) => {
            answer += chunk;
          });
          response.on("end", () => resolve(answer));
        })
        .on("error", reject);
    });
  } finally {
    await listeners.close(0);
  }
}

for (const [name, make, verdict] of rows) {
  test(`R-124: a chain ${name} gets the same verdict over TLS and in a proxy's header`, async () => {
    const made = await make();
    assert.equal(await judge("header", made), verdict);
    const direct = await judge("connection", made);
    assert.equal(direct === "accepted", verdict === "accepted", `${verdict}; over TLS ${direct}`);
  });
}
