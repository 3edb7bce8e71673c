import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { setCertificateSubject } from "#test/clients/stored-settings.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { lodgeAccess } from "#test/journeys/payments.ts";
import { type Forgery, failureOf, forgeTransports, impersonate } from "./certificates.ts";

const methods = ["private_key_jwt", "tls_client_auth"] as const;
const accounts = "/v3.1/aisp/accounts";
const credentials = { grant_type: "client_credentials", scope: "accounts" };

let bank: TestBank;
const victims = new Map<string, { client: TppClient; forgeries: Forgery[] }>();
before(async () => {
  bank = await openBank();
  const { directory } = present(bank.sandbox, "the sandbox");
  for (const tokenEndpointAuthMethod of methods) {
    const client = await bank.createTpp({ tokenEndpointAuthMethod });
    const forgeries = await forgeTransports(directory, client, await bank.createTpp());
    victims.set(tokenEndpointAuthMethod, { client, forgeries });
  }
});
after(() => bank?.close());

for (const method of methods) {
  describe(`a client that authenticates by ${method}`, () => {
    test("R-092: a client cannot get a token with another client's certificate or with one for seals, and the error gives the reason", async () => {
      const { client, forgeries } = present(victims.get(method), method);
      assert.ok(await client.clientToken("accounts"));
      for (const forgery of forgeries) {
        const answer = await impersonate(client, forgery, (thief) =>
          thief.tokenAnswer(credentials),
        );
        const { error, description } = failureOf(answer);
        assert.equal(answer.status, 401, `${forgery.name}: ${answer.raw}`);
        assert.equal(error, "invalid_client", forgery.name);
        assert.match(description, forgery.says, forgery.name);
      }
    });

    test("is protected: a thief cannot use its code, refresh token or access token", async () => {
      const { client, forgeries } = present(victims.get(method), method);
      const tokens = await bank.approve(client, {
        scope: "accounts",
        consentId: await lodgeAccess(client),
        customer: "amara",
      });
      const refresh = {
        grant_type: "refresh_token",
        refresh_token: present(tokens.refresh_token, "a refresh token"),
      };
      const token = tokens.access_token;
      for (const forgery of forgeries) {
        await impersonate(client, forgery, async (thief) => {
          assert.equal(failureOf(await thief.tokenAnswer(refresh)).error, "invalid_client");
          const refused = await thief.call({ path: accounts, token });
          expectStatus(refused, 401);
          assert.equal(refused.body, undefined);
          const challenge = String(refused.headers["www-authenticate"]);
          assert.match(challenge, /^Bearer error="invalid_token", error_description="[^"]{20,}"$/);
          const me = await thief.send(`${bank.mtlsUrl}/me`, "GET", undefined, {
            authorization: `Bearer ${token}`,
          });
          assert.equal(me.status, 401, forgery.name);
        });
      }
      expectStatus(await client.call({ path: accounts, token }), 200);
    });

    test("is protected: a thief cannot push a request or revoke a token in its name", async () => {
      const { client, forgeries } = present(victims.get(method), method);
      for (const forgery of forgeries) {
        for (const path of ["/request", "/token/revocation"]) {
          const answer = await impersonate(client, forgery, async (thief) => {
            const form = new URLSearchParams({ client_id: client.tpp.clientId, token: "any" });
            if (method === "private_key_jwt") {
              form.set("client_assertion", await client.assertion());
              form.set(
                "client_assertion_type",
                "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
              );
            }
            return thief.send(`${bank.mtlsUrl}${path}`, "POST", Buffer.from(form.toString()), {
              "content-type": "application/x-www-form-urlencoded",
            });
          });
          const { error, description } = failureOf(answer);
          assert.equal(error, "invalid_client", `${forgery.name} at ${path}`);
          assert.match(description, forgery.says);
        }
      }
    });
  });
}

test("a client without a registered certificate subject does not get a token", async () => {
  const client = await bank.createTpp();
  await setCertificateSubject(bank.database, client.tpp.clientId, null);
  const { error, description } = failureOf(await client.tokenAnswer(credentials));
  assert.equal(error, "invalid_client");
  assert.match(description, /No certificate subject is registered/);
});

test("a client is recognised by any registered part of its subject, in either notation", async () => {
  const client = await bank.createTpp();
  const { organisationId, softwareId } = client.tpp;
  for (const [subject, isKnown] of [
    [`CN=${softwareId},OU=${organisationId}`, true],
    [`C=GB, 2.5.4.11=${organisationId}`, true],
    [`CN=${softwareId.toUpperCase()}`, false], // ids are case-sensitive
    [`CN=${softwareId},2.5.4.97=PSDGB-FCA-123456`, false],
  ] as const) {
    await setCertificateSubject(bank.database, client.tpp.clientId, subject);
    const answer = await client.tokenAnswer(credentials);
    assert.equal(answer.status, isKnown ? 200 : 401, `${subject}: ${answer.raw}`);
  }
});
