// The journeys of a TPP of each security profile: the same requests to the APIs, and different
// requests to the authorization server.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { decodeJwt } from "jose";
import { type ProfileId, profileIds, securityProfileNamed } from "#src/clients/security-profile.ts";
import { present } from "#src/lib/assert.ts";
import { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import type { Json } from "#test/payments/answer-check.ts";
import { limitsOnAnyDay, vrpConsent, vrpOrder } from "#test/payments/limits/vrp-bed.ts";
import { lodge, lodgeAccess, order, quickPayee, untilStatus } from "./payments.ts";

type Method = "private_key_jwt" | "tls_client_auth";

let bank: TestBank;
let accountId: string;
const clients = new Map<string, TppClient>();
before(async () => {
  bank = await openBank();
  accountId = present((await bank.currentAccounts("amara"))[0], "an account").accountId;
});
after(() => bank?.close());

async function clientOf(profile: ProfileId, method: Method): Promise<TppClient> {
  const key = `${profile} ${method}`;
  const client =
    clients.get(key) ?? (await bank.createTpp({ profile, tokenEndpointAuthMethod: method }));
  clients.set(key, client);
  return client;
}

const amara = () => ({ customer: "amara", accounts: [accountId] });

for (const profile of profileIds) {
  const { title } = securityProfileNamed(profile);
  for (const method of ["private_key_jwt", "tls_client_auth"] as const) {
    test(`a TPP of ${title} with ${method} makes a payment that settles`, async () => {
      const client = await clientOf(profile, method);
      const lodged = await lodge(client);
      const { consentId } = lodged;
      const tokens = await bank.approve(client, { scope: "payments", consentId, ...amara() });
      assert.equal(tokens.refresh_token, undefined);
      assert.equal(decodeJwt(tokens.id_token ?? "").openbanking_intent_id, consentId);
      const orderId = await order(client, lodged, tokens.access_token);
      await untilStatus(client, "domestic-payment", orderId, "ACSC", "ACCC");
    });

    test(`S-033: a TPP of each profile reads an account, also after a refresh (${title}, ${method})`, async () => {
      const client = await clientOf(profile, method);
      const consentId = await lodgeAccess(client);
      const tokens = await bank.approve(client, { scope: "accounts", consentId, ...amara() });
      const refreshToken = tokens.refresh_token ?? "";
      const refreshed = await client.refresh(refreshToken);
      assert.equal(refreshed.refresh_token, refreshToken, "refresh tokens do not rotate");
      for (const token of [tokens.access_token, refreshed.access_token]) {
        const path = `/v3.1/aisp/accounts/${accountId}/balances`;
        expectStatus(await client.call({ path, token }), 200);
      }
    });

    test(`a TPP of ${title} with ${method} makes a recurring payment with a refreshed token`, async () => {
      const client = await clientOf(profile, method);
      const body = vrpConsent(({ Data }) => {
        Data.Initiation = { CreditorAccount: quickPayee };
        Data.ControlParameters.PeriodicLimits = limitsOnAnyDay;
      });
      const stem = "/v4.0/pisp/domestic-vrp";
      const own = await client.clientToken("payments");
      const lodged = await client.call<Json>({ path: `${stem}-consents`, token: own, body });
      expectStatus(lodged, 201);
      const consentId = lodged.body.Data.ConsentId;
      const tokens = await bank.approve(client, { scope: "payments", consentId, ...amara() });
      const refreshed = await client.refresh(tokens.refresh_token ?? "");
      for (const { access_token: token } of [tokens, refreshed]) {
        const paid = await client.call<Json>({
          path: `${stem}s`,
          token,
          body: vrpOrder(consentId, body, "1.00"),
        });
        expectStatus(paid, 201);
      }
    });
  }

  test(`S-032, S-050: the APIs refuse a token without its certificate, in each profile (${title})`, async () => {
    const client = await clientOf(profile, "private_key_jwt");
    const consentId = await lodgeAccess(client);
    const tokens = await bank.approve(client, { scope: "accounts", consentId, ...amara() });
    const { tpp: other } = await bank.createTpp({ profile });
    const { tpp } = client;
    const call = { path: "/v3.1/aisp/accounts", token: tokens.access_token };
    expectStatus(await client.call(call), 200);
    for (const [credentials, address] of [
      [{ ...tpp, transport: other.transport }, bank.mtlsUrl],
      [{ ...tpp, certificateBound: false }, bank.mtlsUrl],
      [{ ...tpp, certificateBound: false }, bank.publicUrl],
    ] as const) {
      const thief = new TppClient(bank, credentials);
      try {
        const path = `${address}/api/open-banking${call.path}`;
        expectStatus(await thief.call({ ...call, path }), 401);
      } finally {
        thief.close();
      }
    }
  });
}
