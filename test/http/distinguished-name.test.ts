import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { before, test } from "node:test";
import { isSameName } from "#src/http/signature/distinguished-name.ts";
import { issueCertificate, type Name } from "#src/sandbox/directory/certificates.ts";
import { generateEcKey } from "#src/sandbox/directory/keys.ts";

const subject: Name = [
  { attribute: "C", value: "GB" },
  { attribute: "O", value: "Zoë, Sons + Co" },
  { attribute: "OU", value: "0015800000abcdef" },
  { attribute: "CN", value: "software 1" },
];
let certified: string;
before(async () => {
  const key = (await generateEcKey()).privateKeyPem;
  const now = Temporal.Instant.from("2026-01-01T00:00:00Z");
  const pem = await issueCertificate({
    subject,
    subjectKeyPem: key,
    issuer: subject,
    issuerKeyPem: key,
    from: now,
    to: now.add({ hours: 24 }),
    use: "client",
  });
  certified = new X509Certificate(pem).subject;
});

const hex = (text: string): string => {
  const bytes = Buffer.from(text);
  return `#0c${bytes.length.toString(16).padStart(2, "0")}${bytes.toString("hex")}`;
};

const same: [name: string, dn: string][] = [
  ["in the notation of RFC 4514", "CN=software 1,OU=0015800000abcdef,O=Zoë\\, Sons \\+ Co,C=GB"],
  ["with spaces after commas", "CN=software 1, OU=0015800000abcdef, O=Zoë\\, Sons \\+ Co, C=GB"],
  ["in the reverse order", "C=GB,O=Zoë\\, Sons \\+ Co,OU=0015800000abcdef,CN=software 1"],
  [
    "with its parts in another order",
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
  ["in another letter case", "cn=SOFTWARE 1,ou=0015800000ABCDEF,o=zoë\\, sons \\+ co,c=gb"],
];
for (const [name, dn] of same) {
  test(`field note 7: a subject ${name} equals the registered one`, () => {
    assert.ok(isSameName(certified, dn));
  });
}

const other: [name: string, dn: string][] = [
  ["with another value", "CN=software 2,OU=0015800000abcdef,O=Zoë\\, Sons \\+ Co,C=GB"],
  ["that lacks a part", "CN=software 1,OU=0015800000abcdef,O=Zoë\\, Sons \\+ Co"],
  [
    "with an additional part",
    "L=London,CN=software 1,OU=0015800000abcdef,O=Zoë\\, Sons \\+ Co,C=GB",
  ],
  ["with exchanged values", "CN=0015800000abcdef,OU=software 1,O=Zoë\\, Sons \\+ Co,C=GB"],
  ["with parts joined into one", "CN=software 1+OU=0015800000abcdef,O=Zoë\\, Sons \\+ Co,C=GB"],
  ["with an unknown attribute", "XX=software 1,OU=0015800000abcdef,O=Zoë\\, Sons \\+ Co,C=GB"],
  ["that is empty", ""],
  ["with invalid hexadecimal", "CN=#0c0,OU=0015800000abcdef,O=Zoë\\, Sons \\+ Co,C=GB"],
];
for (const [name, dn] of other) {
  test(`field note 7: a subject ${name} differs from the registered one`, () => {
    assert.ok(!isSameName(certified, dn));
  });
}

test("a line break inside a value does not start a new line", () => {
  assert.ok(!isSameName("CN=software 1\\0AC=GB", "CN=software 1\nC=GB"));
});

test("an escaped backslash does not escape the next character", () => {
  assert.ok(!isSameName("CN=a\\\\41", "CN=aA"));
  assert.ok(isSameName("CN=a\\\\41", "CN=a\\5C41"));
});

test("two names in text form are compared in the same way", () => {
  assert.ok(isSameName("CN=a+OU=b,O=c", "o=C, ou=B + cn=A"));
  assert.ok(!isSameName("CN=a+OU=b,O=c", "CN=a,OU=b+O=c"));
  assert.ok(!isSameName("what", "what"));
});
