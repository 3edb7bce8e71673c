import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { test } from "node:test";
import { readTppCertificate, type TppCertificate } from "#src/certificates/tpp-certificate.ts";
import { sha256 } from "#src/lib/hash.ts";
import { forClients, type Made, makeCertificate, qcStatements } from "./make-certificate.ts";

const modern: Made["subject"] = [
  ["C", "GB"],
  ["O", "Firm, Inc (A)"],
  ["2.5.4.97", "PSDGB-FCA-123456"],
  ["CN", "0015800001HQQrZAAX"],
];
const older: Made["subject"] = [
  ["C", "GB"],
  ["O", "OpenBanking"],
  ["OU", "0015800001HQQrZAAX"],
  ["CN", "4wvXVXzMbHbcRSmkDx1SzZ"],
];
const fca = { authorityName: "Financial Conduct Authority", authorityId: "GB-FCA" };
const psd2 = { ...fca, roles: ["PSP_PI", "PSP_AI"] } as const;

const organisation = {
  organizationIdentifier: "PSDGB-FCA-123456",
  registration: { country: "GB", authority: "FCA", id: "123456" },
  organisationId: "0015800001HQQrZAAX",
  softwareId: null,
};
const statement = { ...fca, roles: ["PSP_PI", "PSP_AI"] as const };

type Facts = Partial<TppCertificate>;
const kinds: [name: string, made: Made, facts: Facts][] = [
  [
    "an OBWAC",
    {
      subject: modern,
      extensions: [
        forClients(),
        qcStatements({ use: "web", psd2: { ...psd2, roles: [...psd2.roles] } }),
      ],
    },
    { ...organisation, type: "OBWAC", psd2: statement },
  ],
  [
    "a QWAC",
    {
      subject: modern,
      extensions: [
        forClients(),
        qcStatements({ use: "web", qualified: true, psd2: { ...psd2, roles: [...psd2.roles] } }),
      ],
    },
    { ...organisation, type: "QWAC", psd2: statement },
  ],
  [
    "an OBSeal",
    { subject: modern, extensions: [qcStatements({ use: "seal" })] },
    { ...organisation, type: "OBSeal", psd2: null },
  ],
  [
    "a QSealC",
    {
      subject: modern,
      extensions: [
        qcStatements({ use: "seal", qualified: true, psd2: { ...fca, roles: ["PSP_IC"] } }),
      ],
    },
    { ...organisation, type: "QSealC", psd2: { ...fca, roles: ["PSP_IC"] } },
  ],
  [
    "a transport certificate of the older form",
    { subject: older, extensions: [forClients()] },
    {
      type: "OBTransport",
      organizationIdentifier: null,
      registration: null,
      organisationId: "0015800001HQQrZAAX",
      softwareId: "4wvXVXzMbHbcRSmkDx1SzZ",
      psd2: null,
    },
  ],
  [
    "a signing certificate of the older form",
    { subject: older },
    { type: "OBSigning", softwareId: "4wvXVXzMbHbcRSmkDx1SzZ" },
  ],
  [
    "a certificate of the directory's test organisations",
    {
      subject: [
        ["C", "GB"],
        ["2.5.4.97", "PSDGB-OB-Unknown0015800001041RHAAY"],
        ["CN", "0015800001041RHAAY"],
      ],
      extensions: [
        forClients(),
        qcStatements({
          use: "web",
          psd2: {
            roles: ["PSP_AS", "PSP_PI", "PSP_AI", "PSP_IC"],
            authorityName: "Open Banking",
            authorityId: "GB-OB",
          },
        }),
      ],
    },
    {
      type: "OBWAC",
      registration: { country: "GB", authority: "OB", id: "Unknown0015800001041RHAAY" },
      organisationId: "0015800001041RHAAY",
      psd2: {
        roles: ["PSP_AS", "PSP_PI", "PSP_AI", "PSP_IC"],
        authorityName: "Open Banking",
        authorityId: "GB-OB",
      },
    },
  ],
  [
    "a certificate whose identifier is a legal entity's",
    {
      subject: [
        ["2.5.4.97", "LEIXG-529900T8BM49AURSDO55"],
        ["CN", "firm.example"],
      ],
    },
    { organizationIdentifier: "LEIXG-529900T8BM49AURSDO55", registration: null },
  ],
];
for (const [name, made, facts] of kinds) {
  test(`the facts of ${name} are read from its DER`, async () => {
    const found = readTppCertificate(await makeCertificate(made));
    for (const [member, value] of Object.entries(facts)) {
      assert.deepEqual(found[member as keyof TppCertificate], value, member);
    }
  });
}

test("serial, thumbprint, dates, usages and issuer are those of the certificate", async () => {
  const certificate = await makeCertificate({
    subject: older,
    extensions: [forClients()],
    from: "2026-02-03T04:05:06Z",
    to: "2027-02-03T04:05:06Z",
  });
  const facts = readTppCertificate(new X509Certificate(certificate.raw));
  assert.equal(facts.serial, certificate.serialNumber);
  assert.equal(facts.thumbprint, sha256(certificate.raw));
  assert.equal(facts.notBefore.toString(), "2026-02-03T04:05:06Z");
  assert.equal(facts.notAfter.toString(), "2027-02-03T04:05:06Z");
  assert.deepEqual(facts.usages, ["1.3.6.1.5.5.7.3.2"]);
  assert.deepEqual(facts.issuer, facts.subject);
});
