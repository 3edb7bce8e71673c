import "reflect-metadata";
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { before, test } from "node:test";
import * as x509 from "@peculiar/x509";
import { buildChain } from "#src/certificates/chain.ts";
import { readCrl } from "#src/certificates/crl.ts";
import { parseDer } from "#src/certificates/der.ts";
import { ocspRequest, readOcspResponse } from "#src/certificates/ocsp.ts";
import { nameBytesOf } from "#src/certificates/tpp-certificate.ts";
import { createCertificateStatus } from "#src/sandbox/directory/certificate-status.ts";
import type { Database } from "#src/storage/database.ts";
import { type Entity, issue, listOf } from "./authorities.ts";

type Text = "utf8String" | "printableString" | "bmpString";

/** A name with a country, an organisation and a CN, whose strings have one type. */
const nameOf = (as: Text, commonName: string, organisation = "Trust Services"): x509.Name =>
  new x509.Name([
    { C: [{ printableString: "GB" }] },
    { O: [{ [as]: organisation }] },
    { CN: [{ [as]: commonName }] },
  ]);

const reversed = new x509.Name([
  { CN: [{ printableString: "Issuing CA" }] },
  { O: [{ printableString: "Trust Services" }] },
  { C: [{ printableString: "GB" }] },
]);

let authority: Entity;
let client: Entity;
before(async () => {
  const subject = nameOf("printableString", "Issuing CA");
  authority = await issue("", null, { names: { subject, issuer: subject } });
  client = await issue("Client", authority, {
    names: { issuer: nameOf("utf8String", "Issuing CA") },
  });
});

const same: [string, x509.Name][] = [
  ["in UTF-8", nameOf("utf8String", "Issuing CA")],
  ["in UTF-16", nameOf("bmpString", "Issuing CA")],
  ["in another letter case", nameOf("utf8String", "ISSUING ca", "trust services")],
  ["with repeated spaces", nameOf("utf8String", " Issuing   CA ", "Trust  Services")],
];

for (const [name, issuer] of same) {
  test(`R-125: a list of revoked certificates may have its issuer's name in another notation (${name})`, async () => {
    const list = await listOf(authority, [client.certificate], { name: issuer });
    assert.ok(!list.includes(nameBytesOf(authority.certificate).subject));
    const { revoked } = await readCrl(list, authority.certificate);
    assert.equal(revoked.size, 1);
    assert.ok(revoked.has(client.certificate.serialNumber));
  });
}

const others: [string, x509.Name][] = [
  ["another CN", nameOf("printableString", "Issuing CA 2")],
  ["another organisation", nameOf("utf8String", "Issuing CA", "Trust-Services")],
  ["the attributes in another order", reversed],
];

for (const [name, issuer] of others) {
  test(`R-125: a list of revoked certificates with another issuer's name is refused, even if the issuer signed it (${name})`, async () => {
    const list = await listOf(authority, [], { name: issuer });
    await assert.rejects(readCrl(list, authority.certificate), /belongs to another issuer/);
  });
}

test("R-124: a certificate that encodes its issuer's name in another way chains to the issuer", () => {
  const { certificate } = authority;
  const built = buildChain(client.certificate, [certificate], [], Temporal.Now.instant());
  assert.deepEqual(built, { chain: [client.certificate, certificate], problem: null });
});

test("R-125: an OCSP request identifies the issuer by its name as the certificate encodes it", async () => {
  const { issuer } = nameBytesOf(client.certificate);
  assert.notDeepEqual(issuer, nameBytesOf(authority.certificate).subject);
  const request = ocspRequest(client.certificate, authority.certificate);
  const id = parseDer(request).at(0).at(0).at(0).at(0);
  assert.deepEqual(id.at(1).content, createHash("sha1").update(issuer).digest());
  const responder = createCertificateStatus({
    ca: { privateKeyPem: authority.key.privateKeyPem, certificatePem: authority.pem, name: [] },
    clock: { now: () => Temporal.Now.instant() },
    database: { query: async () => [] } as unknown as Database,
  });
  const response = await responder.respond(request);
  const now = Temporal.Now.instant();
  const { status } = readOcspResponse(response, client.certificate, authority.certificate, now);
  assert.equal(status, "good");
});
