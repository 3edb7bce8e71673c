import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TppCertificates } from "#src/sandbox/directory/issued-tpp.ts";
import { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { consentStatus } from "#test/consents/stored-rows.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { lodgeAccess } from "#test/journeys/payments.ts";
import { until } from "#test/until.ts";
import { failureOf } from "./certificates.ts";

const accounts = "/v3.1/aisp/accounts";

let bank: TestBank;
before(async () => {
  bank = await openBank();
});
after(() => bank?.close());

for (const tokenEndpointAuthMethod of ["private_key_jwt", "tls_client_auth"] as const) {
  test(`R-127: a revoked certificate gets 401 on open connections, its tokens are unusable, and its consents continue with the next certificate (${tokenEndpointAuthMethod})`, async () => {
    const tpp = await bank.createTpp({ tokenEndpointAuthMethod });
    const consentId = await lodgeAccess(tpp);
    const tokens = await bank.approve(tpp, { scope: "accounts", consentId, customer: "amara" });
    const read = (client: TppClient, token: string) => client.call({ path: accounts, token });
    expectStatus(await read(tpp, tokens.access_token), 200);

    const path = `/tpps/${tpp.tpp.clientId}/revocations`;
    const renewed = await bank.control<TppCertificates>("POST", path, { use: "transport" });
    const { certificatePem } = renewed.transport;
    assert.notEqual(certificatePem, tpp.tpp.transport.certificatePem);
    await until(
      () => read(tpp, tokens.access_token),
      ({ status }) => status === 401,
    );

    const refused = await read(tpp, tokens.access_token);
    assert.match(String(refused.headers["www-authenticate"]), /has been revoked by its issuer/);
    const refresh = { grant_type: "refresh_token", refresh_token: tokens.refresh_token ?? "" };
    const answer = await tpp.tokenAnswer(refresh);
    assert.equal(answer.status, 401);
    assert.match(failureOf(answer).description, /has been revoked by its issuer/);

    const next = new TppClient(bank, {
      ...tpp.tpp,
      transport: { ...tpp.tpp.transport, certificatePem },
    });
    try {
      const fresh = await next.token(refresh);
      expectStatus(await read(next, fresh.access_token), 200);
    } finally {
      next.close();
    }
    const consent = await consentStatus(bank.database, consentId);
    assert.equal(consent, "AUTH");
  });
}

test("the directory serves its list of revoked certificates and answers OCSP over HTTP", async () => {
  const list = await fetch(`${bank.publicUrl}/directory/authority.crl`);
  assert.equal(list.status, 200);
  assert.equal(list.headers.get("content-type"), "application/pkix-crl");
  const answer = await fetch(`${bank.publicUrl}/directory/ocsp`, {
    method: "POST",
    headers: { "content-type": "application/ocsp-request" },
    body: "not a request",
  });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("content-type"), "application/ocsp-response");
  assert.equal(Buffer.from(await answer.arrayBuffer()).toString("hex"), "30030a0101");
});

test("only a TPP of the sandbox can lose its certificate", async () => {
  const answer = await fetch(`${bank.publicUrl}/sandbox/v1/tpps/nobody/revocations`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ use: "transport" }),
  });
  assert.equal(answer.status, 404);
});
