import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { before, test } from "node:test";
import { subjectMatches } from "#src/auth/subject-dn.ts";
import { issueCertificate, type Name } from "#src/sandbox/directory/certificates.ts";
import { generateEcKey } from "#src/sandbox/directory/keys.ts";

const subject: Name = [
  { attribute: "C", value: "GB" },
  { attribute: "O", value: "Zoë, Sons + Co" },
  { attribute: "OU", value: "0015800000abcdef" },
  { attribute: "CN", value: "software 1" },
];
let der: Buffer;
before(async () => {
  const key = (await generateEcKey()).privateKeyPem;
  const now = Temporal.Instant.from("2026-01-01T00:00:00Z");
  const pem = issueCertificate({
    subject,
    subjectKeyPem: key,
    issuer: subject,
    issuerKeyPem: key,
    from: now,
    to: now.add({ hours: 24 }),
    use: "client",
  });
  der = new X509Certificate(pem).raw;
});

const hex = (text: string): string => {
  const bytes = Buffer.from(text);
  return `#0c${bytes.length.toString(16).padStart(2, "0")}${bytes.toString("hex")}`;
};

const same: [name: string, dn: string][] = [
  ["as RFC 4514 writes it", "CN=software 1,OU=0015800000abcdef,O=Zoë\\, Sons \\+ Co,C=GB"],
  ["with spaces after commas", "CN=software 1, OU=0015800000abcdef, O=Zoë\\, Sons \\+ Co, C=GB"],
  ["the other way round", "C=GB,O=Zoë\\, Sons \\+ Co,OU=0015800000abcdef,CN=software 1"],
  [
    "with another order of the parts",
    "OU=0015800000abcdef,CN=software 1,C=GB,O=Zoë\\2C Sons \\+ Co",
  ],
  ["with quotes", 'CN=software 1,OU=0015800000abcdef,O="Zoë, Sons + Co",C=GB'],
  ["with escaped bytes", "CN=software 1,OU=0015800000abcdef,O=Zo\\C3\\AB\\, Sons \\2B Co,C=GB"],
  ["with OIDs", "2.5.4.3=software 1,OID.2.5.4.11=0015800000abcdef,O=Zoë\\, Sons \\+ Co,2.5.4.6=GB"],
  [
    "with hexadecimal values",
    `2.5.4.3=${hex("software 1")},OU=${hex("0015800000abcdef")},` +
      `O=${hex("Zoë, Sons + Co")},C=#13024742`,
  ],
  ["with other letter case", "cn=SOFTWARE 1,ou=0015800000ABCDEF,o=zoë\\, sons \\+ co,c=gb"],
];
for (const [name, dn] of same) {
  test(`field note 7: a subject ${name} is the same`, () => {
    assert.ok(subjectMatches(der, dn));
  });
}

const other: [name: string, dn: string][] = [
  ["with another value", "CN=software 2,OU=0015800000abcdef,O=Zoë\\, Sons \\+ Co,C=GB"],
  ["that lacks a part", "CN=software 1,OU=0015800000abcdef,O=Zoë\\, Sons \\+ Co"],
  ["with one part more", "L=London,CN=software 1,OU=0015800000abcdef,O=Zoë\\, Sons \\+ Co,C=GB"],
  ["with values exchanged", "CN=0015800000abcdef,OU=software 1,O=Zoë\\, Sons \\+ Co,C=GB"],
  ["with parts joined to one", "CN=software 1+OU=0015800000abcdef,O=Zoë\\, Sons \\+ Co,C=GB"],
  ["with an unknown attribute", "XX=software 1,OU=0015800000abcdef,O=Zoë\\, Sons \\+ Co,C=GB"],
  ["that is empty", ""],
  ["with broken hexadecimal", "CN=#0c0,OU=0015800000abcdef,O=Zoë\\, Sons \\+ Co,C=GB"],
];
for (const [name, dn] of other) {
  test(`a subject ${name} is another`, () => {
    assert.ok(!subjectMatches(der, dn));
  });
}

test("a certificate that is cut short matches nothing", () => {
  assert.ok(!subjectMatches(der.subarray(0, 40), "CN=software 1"));
});
