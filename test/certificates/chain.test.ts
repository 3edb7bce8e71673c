import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { buildChain, weakKey } from "#src/certificates/chain.ts";
import { issue } from "./authorities.ts";

const now = Temporal.Now.instant();
const root = await issue("Root", null);
const issuing = await issue("Issuing", root, { isAuthority: true });
const leaf = await issue("Client", issuing);

const namesOf = (built: ReturnType<typeof buildChain>): string[] | string =>
  built.chain?.map(({ subject }) => subject) ?? built.problem ?? "";

test("R-124: the chain of a certificate is built from the configured issuing authorities", () => {
  const anchors = [root.certificate, issuing.certificate];
  const built = buildChain(leaf.certificate, anchors, [], now);
  assert.deepEqual(namesOf(built), ["CN=Client", "CN=Issuing", "CN=Root"]);
});

test("R-124: an intermediate that was sent completes the chain to a configured root", () => {
  const built = buildChain(leaf.certificate, [root.certificate], [issuing.certificate], now);
  assert.deepEqual(namesOf(built), ["CN=Client", "CN=Issuing", "CN=Root"]);
});

test("an issuing authority without its root is a trust anchor", () => {
  const built = buildChain(leaf.certificate, [issuing.certificate], [], now);
  assert.deepEqual(namesOf(built), ["CN=Client", "CN=Issuing"]);
});

test("a chain that ends at an authority that is not an anchor is refused", async () => {
  const foreign = await issue("Root", null);
  const unknown = buildChain(leaf.certificate, [root.certificate], [], now);
  assert.equal(namesOf(unknown), "ISSUER_UNKNOWN");
  const sent = [issuing.certificate, root.certificate];
  const other = buildChain(leaf.certificate, [foreign.certificate], sent, now);
  assert.equal(namesOf(other), "CERT_SIGNATURE_FAILURE");
});

test("a client certificate cannot be an issuer, even if its key has signed a certificate", async () => {
  const child = await issue("Child", leaf);
  const anchors = [root.certificate, issuing.certificate];
  const built = buildChain(child.certificate, anchors, [leaf.certificate], now);
  assert.equal(namesOf(built), "ISSUER_UNKNOWN");
});

test("an anchor with the issuer's name but another key does not verify the certificate", async () => {
  const other = await issue("Issuing", root, { isAuthority: true });
  const built = buildChain(leaf.certificate, [other.certificate], [], now);
  assert.equal(namesOf(built), "CERT_SIGNATURE_FAILURE");
});

for (const [name, at, problem] of [
  ["expired", now.add({ hours: 48 }), "CERT_HAS_EXPIRED"],
  ["not yet valid", now.subtract({ hours: 48 }), "CERT_NOT_YET_VALID"],
] as const) {
  test(`R-094: a certificate that has expired, or is not yet valid, is refused (${name})`, () => {
    const built = buildChain(leaf.certificate, [issuing.certificate], [], at);
    assert.equal(namesOf(built), problem);
  });
}

test("R-094: a certificate with a SHA-1 signature is refused", async () => {
  const weak = await issue("Weak", root, { hash: "SHA-1" });
  assert.equal(
    namesOf(buildChain(weak.certificate, [root.certificate], [], now)),
    "WEAK_OR_UNKNOWN_SIGNATURE_ALGORITHM",
  );
});

test("R-094: an RSA key of 1,024 bits is refused", async () => {
  const { privateKey: privateKeyPem, publicKey: publicKeyPem } = generateKeyPairSync("rsa", {
    modulusLength: 1024,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const weak = await issue("Weak", root, { key: { privateKeyPem, publicKeyPem } });
  assert.equal(weakKey(weak.certificate), "RSA_KEY_UNDER_2048_BITS");
  assert.equal(weakKey(leaf.certificate), null);
});
