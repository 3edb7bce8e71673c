import "reflect-metadata";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import * as x509 from "@peculiar/x509";
import { integer } from "#src/certificates/der-writer.ts";
import {
  type CertificateRequest,
  issueCertificate,
  type Name,
} from "#src/sandbox/directory/certificates.ts";
import { generateEcKey, generateRsaKey } from "#src/sandbox/directory/keys.ts";

const [authorityKey, leafKey] = [await generateEcKey(), await generateRsaKey()];
const authorityName: Name = [
  { attribute: "O", value: "Aldgate" },
  { attribute: "CN", value: "A root" },
];
const subject: Name = [
  { attribute: "C", value: "GB" },
  { attribute: "O", value: 'Ünder, "Cut" = 50 + \\ Co' },
  { attribute: "2.5.4.97", value: "PSDGB-FCA-123" },
  { attribute: "CN", value: "a.example" },
];
const from = Temporal.Instant.from("2026-01-02T03:04:05.678Z");
const to = Temporal.Instant.from("2049-12-31T23:59:59Z");
const later = Temporal.Instant.from("2050-01-01T00:00:00Z");
const status = {
  listUrl: "http://authority.example/list.crl",
  responderUrl: "http://authority.example/ocsp",
};
const hosts = ["localhost", "a.example", "127.0.0.1", "::1", "2001:db8::5:0:1"];

const issue = (change: Partial<CertificateRequest>): string =>
  issueCertificate({
    subject,
    subjectKeyPem: leafKey.publicKeyPem,
    issuer: authorityName,
    issuerKeyPem: authorityKey.privateKeyPem,
    from,
    to,
    use: "client",
    status,
    ...change,
  });
const rootPem = issueCertificate({
  subject: authorityName,
  subjectKeyPem: authorityKey.privateKeyPem,
  issuer: authorityName,
  issuerKeyPem: authorityKey.privateKeyPem,
  from,
  to,
  use: "authority",
});
const { KeyUsageFlags: flag, ExtendedKeyUsage: extended } = x509;

/** What the library makes of the same facts. */
async function madeByLibrary(
  use: CertificateRequest["use"],
  change: Partial<CertificateRequest>,
): Promise<x509.Extension[]> {
  const usages = {
    authority: flag.keyCertSign | flag.cRLSign,
    server: flag.digitalSignature | flag.keyEncipherment,
    client: flag.digitalSignature,
    peer: flag.digitalSignature | flag.keyEncipherment,
    signing: flag.digitalSignature | flag.nonRepudiation,
  };
  const purposes = {
    authority: [],
    server: [extended.serverAuth],
    client: [extended.clientAuth],
    peer: [extended.serverAuth, extended.clientAuth],
    signing: [],
  };
  const root = new x509.X509Certificate(rootPem);
  const leaf = new x509.X509Certificate(issue({}));
  return [
    new x509.BasicConstraintsExtension(use === "authority", undefined, true),
    new x509.KeyUsagesExtension(usages[use], true),
    await x509.SubjectKeyIdentifierExtension.create(leaf.publicKey),
    await x509.AuthorityKeyIdentifierExtension.create(root.publicKey),
    ...(purposes[use].length > 0 ? [new x509.ExtendedKeyUsageExtension(purposes[use])] : []),
    new x509.CRLDistributionPointsExtension([status.listUrl]),
    new x509.AuthorityInfoAccessExtension({ ocsp: status.responderUrl }),
    ...(change.hosts
      ? [
          new x509.SubjectAlternativeNameExtension(
            change.hosts.map((value) => ({ type: /^[\d:]/.test(value) ? "ip" : "dns", value })),
          ),
        ]
      : []),
  ];
}

const issued: [use: CertificateRequest["use"], change: Partial<CertificateRequest>][] = [
  ["authority", {}],
  ["server", { hosts }],
  ["client", {}],
  ["client", { to: later }],
  ["peer", { hosts }],
  ["signing", { subjectKeyPem: leafKey.privateKeyPem }],
];

describe("a certificate that the sandbox issues", () => {
  for (const [use, change] of issued) {
    const until = (change.to ?? to).toString();
    test(`for ${use}, until ${until}, is read by another library as it was requested`, async () => {
      const read = new x509.X509Certificate(issue({ use, ...change }));
      assert.deepEqual(JSON.parse(JSON.stringify(read.subjectName.toJSON())), [
        { C: ["GB"] },
        { O: ['Ünder, "Cut" = 50 + \\ Co'] },
        { "2.5.4.97": ["PSDGB-FCA-123"] },
        { CN: ["a.example"] },
      ]);
      assert.equal(read.issuer, "O=Aldgate, CN=A root");
      assert.equal(read.notBefore.toISOString(), "2026-01-02T03:04:05.000Z");
      assert.equal(read.notAfter.toISOString().replace(".000", ""), until);
      assert.ok(
        await read.verify({ publicKey: new x509.X509Certificate(rootPem), signatureOnly: true }),
      );
      const hex = (one: x509.Extension): string => Buffer.from(one.rawData).toString("hex");
      assert.deepEqual(
        Array.from(read.extensions, hex),
        (await madeByLibrary(use, change)).map(hex),
      );
    });
  }

  test("has a serial number of its own, and may be signed with RSA", () => {
    const [one, other] = [issue({}), issue({})].map((pem) => new x509.X509Certificate(pem));
    assert.notEqual(one?.serialNumber, other?.serialNumber);
    const pem = issue({ issuer: subject, issuerKeyPem: leafKey.privateKeyPem });
    assert.equal(new X509Certificate(pem).signatureAlgorithm, "sha256WithRSAEncryption");
  });

  test("has a serial number in the fewest octets, whatever bytes were drawn", () => {
    for (const [drawn, encoded] of [
      ["0001ff", "020201ff"],
      ["000080", "02020080"],
      ["7f00", "02027f00"],
      ["80", "02020080"],
      ["0000", "020100"],
    ] as const) {
      const bytes = integer(Buffer.from(drawn, "hex"));
      assert.equal(bytes.toString("hex"), encoded);
    }
  });

  test("names an IPv4 address in the notation of IPv6", () => {
    const pem = issue({ use: "server", hosts: ["::ffff:1.2.3.4"] });
    const { subjectAltName } = new X509Certificate(pem);
    assert.equal(subjectAltName, "IP Address:0:0:0:0:0:FFFF:102:304");
  });

  test("holds for OpenSSL's strict rules", (t) => {
    if (spawnSync("openssl", ["version"]).status !== 0) return t.skip("openssl is not installed");
    const folder = mkdtempSync(join(tmpdir(), "aldgate-issued-"));
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    try {
      const root = file("root.pem", rootPem);
      const purposes = [
        ["server", "sslserver"],
        ["client", "sslclient"],
        ["signing", "any"],
      ] as const;
      for (const [use, purpose] of purposes) {
        const leaf = file("leaf.pem", issue({ use, ...(use === "server" ? { hosts } : {}) }));
        const words = ["verify", "-x509_strict", "-purpose", purpose, "-CAfile", root, leaf];
        const { stdout, stderr } = spawnSync("openssl", words, { encoding: "utf8" });
        assert.equal(stdout, `${leaf}: OK\n`, stderr);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
