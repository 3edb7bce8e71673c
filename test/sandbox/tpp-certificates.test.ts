import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { after, before, test } from "node:test";
import type { TppCertificates } from "#src/sandbox/directory/issued-tpp.ts";
import { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { lodgeAccess } from "#test/journeys/payments.ts";
import { callerOf, expectRefusal } from "./caller.ts";
import { quietPersonas } from "./quiet-personas.ts";

let bank: TestBank;
before(async () => {
  bank = await openBank();
  await quietPersonas(bank.database);
});
after(() => bank?.close());

const accounts = "/v3.1/aisp/accounts";

test("a TPP can continue with a renewed certificate after its first one has expired", async () => {
  const first = await bank.createTpp({ tokenEndpointAuthMethod: "tls_client_auth" });
  const tokens = await bank.approve(first, {
    scope: "accounts",
    consentId: await lodgeAccess(first),
    customer: "amara",
  });
  const path = `/tpps/${first.tpp.clientId}`;
  const today = await bank.control<TppCertificates>("GET", path);
  assert.equal(today.transport.certificatePem, first.tpp.transport.certificatePem);
  await bank.advance("P400D");
  const served = await bank.control<TppCertificates>("GET", path);
  const [old, renewed] = [first.tpp.transport, served.transport].map(
    ({ certificatePem }) => new X509Certificate(certificatePem),
  ) as [X509Certificate, X509Certificate];
  assert.ok(old.validToDate.getTime() < bank.clock.now().epochMilliseconds);
  assert.ok(renewed.validToDate.getTime() > bank.clock.now().epochMilliseconds);
  assert.ok(renewed.publicKey.equals(old.publicKey));
  const { privateKeyPem } = first.tpp.transport;
  const transport = { privateKeyPem, certificatePem: served.transport.certificatePem };
  const client = new TppClient(bank, { ...first.tpp, transport });
  try {
    // An access token is bound to the certificate for which it was issued. A refresh token depends
    // on the client's authentication, so it still works. Source: RFC 8705 sections 3 and 7.1.
    const heldBefore = await first.refresh(tokens.refresh_token ?? "");
    expectStatus(await client.call({ path: accounts, token: heldBefore.access_token }), 401);
    expectStatus(await first.call({ path: accounts, token: heldBefore.access_token }), 200);
    const fresh = await client.refresh(heldBefore.refresh_token ?? "");
    expectStatus(await client.call({ path: accounts, token: fresh.access_token }), 200);
    expectStatus(await first.call({ path: accounts, token: fresh.access_token }), 401);
    assert.ok(await lodgeAccess(client));
  } finally {
    client.close();
  }
});

test("GET /tpps/{clientId} returns no private key, and 404 for an unknown TPP", async () => {
  const { tpp } = await bank.createTpp();
  const call = callerOf(bank);
  const text = await (await call("GET", `/tpps/${tpp.clientId}`)).text();
  assert.ok(!text.includes("PRIVATE"));
  for (const id of ["tpp-nobody", "%27", "x".repeat(200)]) {
    await expectRefusal(await call("GET", `/tpps/${id}`), 404);
  }
});
