import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type DistinguishedName,
  firstDifference,
  isRegisteredName,
  parseName,
} from "#src/certificates/distinguished-name.ts";
import { readTppCertificate } from "#src/certificates/tpp-certificate.ts";
import { makeCertificate, type Part } from "./make-certificate.ts";

const subjectOf = async (...subject: (Part | Part[])[]): Promise<DistinguishedName> =>
  readTppCertificate(await makeCertificate({ subject })).subject;

const older = await subjectOf(
  ["C", "GB", "printableString"],
  ["O", "Zoë, Sons + Co"],
  ["OU", "0015800000abcdef"],
  ["CN", "software 1"],
);
const identifier = "2.5.4.97";
const modern = await subjectOf(
  ["C", "GB", "printableString"],
  ["O", "Firm, Inc (A)"],
  [identifier, "PSDGB-FCA-123456"],
  ["CN", "0015800001HQQrZAAX"],
);

const hex = (text: string): string => {
  const bytes = Buffer.from(text);
  return `#0c${bytes.length.toString(16).padStart(2, "0")}${bytes.toString("hex")}`;
};

const same: [name: string, dn: string][] = [
  [
    "a registered subject in the notation of RFC 4514",
    "CN=software 1,OU=0015800000abcdef,O=Zoë\\, Sons \\+ Co,C=GB",
  ],
  [
    "R-082: a registered subject with spaces after commas",
    "CN=software 1, OU=0015800000abcdef, O=Zoë\\, Sons \\+ Co, C=GB",
  ],
  [
    "R-081: a registered subject in the order of the certificate",
    "C=GB,O=Zoë\\, Sons \\+ Co,OU=0015800000abcdef,CN=software 1",
  ],
  [
    "a registered subject in another order",
    "OU=0015800000abcdef,CN=software 1,C=GB,O=Zoë\\2C Sons \\+ Co",
  ],
  [
    "R-082: a registered subject with quotes",
    'CN=software 1,OU=0015800000abcdef,O="Zoë, Sons + Co",C=GB',
  ],
  [
    "R-082: a registered subject with escaped bytes",
    "CN=software 1,OU=0015800000abcdef,O=Zo\\C3\\AB\\, Sons \\2B Co,C=GB",
  ],
  [
    "R-082: a registered subject with escaped white space",
    "CN=software\\ 1,OU=0015800000abcdef,O=Zoë\\, Sons \\+ Co\\ ,C=GB",
  ],
  [
    "R-082: a registered subject with folded white space",
    "CN=software   1,OU=0015800000abcdef,O=Zoë\\,  Sons \\+ Co,C=GB",
  ],
  [
    "a registered subject with OIDs",
    "2.5.4.3=software 1,OID.2.5.4.11=0015800000abcdef,O=Zoë\\, Sons \\+ Co,2.5.4.6=GB",
  ],
  [
    "a registered subject with hexadecimal values",
    `2.5.4.3=${hex("software 1")},OU=${hex("0015800000abcdef")},` +
      `O=${hex("Zoë, Sons + Co")},C=#13024742`,
  ],
  [
    "R-082: a registered subject in another letter case",
    "cn=SOFTWARE 1,ou=0015800000ABCDEF,o=zoë\\, sons \\+ co,c=gb",
  ],
];
for (const [name, dn] of same) {
  test(`${name} equals the subject of the certificate`, () => {
    assert.ok(isRegisteredName(older, dn));
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
  ["with incomplete hexadecimal", "CN=#0c0,OU=0015800000abcdef,O=Zoë\\, Sons \\+ Co,C=GB"],
  ["whose hexadecimal is not a string", "CN=#020101,OU=0015800000abcdef,O=Zoë\\, Sons \\+ Co,C=GB"],
  [
    "whose hexadecimal has a wrong length",
    "CN=#0c05616263,OU=0015800000abcdef,O=Zoë\\, Sons \\+ Co,C=GB",
  ],
];
for (const [name, dn] of other) {
  test(`a registered subject ${name} differs from the certificate's`, () => {
    assert.ok(!isRegisteredName(older, dn));
  });
}

const spellings: [name: string, text: string][] = [
  ["organizationIdentifier", "organizationIdentifier=PSDGB-FCA-123456"],
  ["the OID", "2.5.4.97=PSDGB-FCA-123456"],
  ["the OID with its value in hexadecimal", `2.5.4.97=${hex("PSDGB-FCA-123456")}`],
  ["the OID with the prefix OID.", "OID.2.5.4.97=PSDGB-FCA-123456"],
];
for (const [name, text] of spellings) {
  for (const [order, reverse] of [
    ["forwards", false],
    ["backwards", true],
  ] as const) {
    test(`R-080, R-081, R-084: every notation of organizationIdentifier, in either order, matches a certificate with a comma in its legal name (${name}, ${order})`, () => {
      const rdns = ["CN=0015800001HQQrZAAX", text, "O=Firm\\, Inc (A)", "C=GB"];
      const dn = (reverse ? rdns.toReversed() : rdns).join(",");
      assert.ok(isRegisteredName(modern, dn), dn);
    });
  }
}

test("R-080: a long value in hexadecimal matches", async () => {
  const name = "x".repeat(200);
  const subject = await subjectOf(["CN", name]);
  const value = Buffer.from(name).toString("hex");
  assert.ok(isRegisteredName(subject, `CN=#0c81c8${value}`));
});

for (const type of ["utf8String", "printableString", "bmpString"] as const) {
  test(`R-082: a value of type ${type} in the certificate equals the registered text`, async () => {
    const subject = await subjectOf(["CN", "Firm 1", type]);
    assert.ok(isRegisteredName(subject, "CN=firm 1"));
  });
}

const partial: [title: string, dn: string, matches: boolean][] = [
  [
    "R-085: a different O in an eIDAS-type certificate does not matter",
    "CN=0015800001HQQrZAAX,organizationIdentifier=PSDGB-FCA-123456,O=Firm Limited,C=GB",
    true,
  ],
  [
    "R-085: a missing O in an eIDAS-type certificate does not matter",
    "CN=0015800001HQQrZAAX,organizationIdentifier=PSDGB-FCA-123456,C=GB",
    true,
  ],
  [
    "R-085: another organizationIdentifier is refused",
    "CN=0015800001HQQrZAAX,organizationIdentifier=PSDGB-FCA-123457,C=GB",
    false,
  ],
  [
    "R-085: another CN of an eIDAS-type certificate is refused",
    "CN=0015800001HQQrZAAY,organizationIdentifier=PSDGB-FCA-123456,C=GB",
    false,
  ],
  [
    "R-085: another country of an eIDAS-type certificate is refused",
    "CN=0015800001HQQrZAAX,organizationIdentifier=PSDGB-FCA-123456,C=IE",
    false,
  ],
  [
    "R-085: a missing CN of an eIDAS-type certificate is refused",
    "organizationIdentifier=PSDGB-FCA-123456,C=GB",
    false,
  ],
  [
    "R-085: a name without the identifier is compared as a whole",
    "CN=0015800001HQQrZAAX,C=GB",
    false,
  ],
];
for (const [title, dn, matches] of partial) {
  test(title, () => {
    assert.equal(isRegisteredName(modern, dn), matches);
  });
}

test("R-083: a registered name with a multi-valued RDN is refused, even if the certificate has one", async () => {
  const subject = await subjectOf([
    ["CN", "a"],
    ["OU", "b"],
  ]);
  assert.equal(parseName("CN=a+OU=b"), null);
  assert.ok(!isRegisteredName(subject, "CN=a+OU=b"));
  assert.ok(!isRegisteredName(subject, "CN=a + OU=b"));
  assert.ok(parseName("CN=a\\+b") && parseName('CN="a+b"'));
});

test("a line break inside a value does not start a new attribute", async () => {
  const subject = await subjectOf(["CN", "software 1\nC=GB"]);
  assert.ok(!isRegisteredName(subject, "CN=software 1,C=GB"));
  assert.ok(isRegisteredName(subject, "CN=software 1\\0AC=GB"));
});

test("an escaped backslash does not escape the next character", async () => {
  const subject = await subjectOf(["CN", "a\\41"]);
  assert.ok(!isRegisteredName(await subjectOf(["CN", "aA"]), "CN=a\\\\41"));
  assert.ok(isRegisteredName(subject, "CN=a\\\\41"));
  assert.ok(isRegisteredName(subject, "CN=a\\5C41"));
});

test("a name that cannot be read matches nothing", async () => {
  assert.ok(!isRegisteredName(await subjectOf(["CN", "what"]), "what"));
  assert.ok(!isRegisteredName([], "what"));
});

test("firstDifference names the first missing or different attribute, with regard to case", () => {
  const wanted = "CN=0015800001HQQrZAAX,2.5.4.97=PSDGB-FCA-123456,C=GB";
  assert.equal(firstDifference(modern, wanted), null);
  assert.deepEqual(firstDifference(modern, "CN=0015800001hqqrzaax"), {
    attribute: "CN",
    expected: "0015800001hqqrzaax",
    found: "0015800001HQQrZAAX",
  });
  assert.deepEqual(firstDifference(older, "organizationIdentifier=PSDGB-FCA-1"), {
    attribute: "organizationIdentifier",
    expected: "PSDGB-FCA-1",
    found: null,
  });
});
