import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { LightMyRequestResponse } from "fastify";
import { setClientStatus } from "#test/clients/stored-settings.ts";
import { type Caller, openCaller, things, views } from "./caller.ts";
import { addConsent } from "./fake-bank.ts";

let caller: Caller;
before(async () => {
  caller = await openCaller();
});
after(() => caller.bank.close());

const thing = `${things}/things/1`;
const view = `${views}/views`;

type Refusal = {
  name: string;
  send(): Promise<LightMyRequestResponse>;
  sandbox: RegExp;
  production: RegExp;
};

const get = (url: string, authorization: string) => caller.call("GET", url, { authorization });
const withToken = async (url: string, token: Parameters<Caller["bank"]["addToken"]>[0]) =>
  get(url, `Bearer ${await caller.bank.addToken(token)}`);
const ofConsent = async (consent: Parameters<typeof addConsent>[1]) => {
  const { grantId } = await addConsent(caller.bank, consent);
  return { kind: "authorization_code", scope: "accounts", grantId };
};
const unknown =
  /^Bearer error="invalid_token", error_description="The access token is unknown or rev/;

const refusals: Refusal[] = [
  {
    name: "a header of another scheme",
    send: () => get(view, "Basic abc"),
    sandbox: /error="invalid_token", error_description="The Authorization header must be: Bearer/,
    production: /error="invalid_token", error_description="The Authorization header must be: Bea/,
  },
  {
    name: "an unknown token",
    send: () => get(view, "Bearer nothing"),
    sandbox: /error="invalid_token", error_description="The access token is unknown: it was never/,
    production: unknown,
  },
  {
    name: "a token that is bound to a certificate",
    send: () => withToken(thing, { thumbprint: "x".repeat(43) }),
    sandbox: /bound to the client certificate that .* The connection's certificate is: absent\."$/,
    production: unknown,
  },
  {
    name: "an unbound token from another machine",
    send: async () => {
      const token = await caller.bank.addToken({});
      return caller.bank.app.inject({
        url: thing,
        headers: { authorization: `Bearer ${token}` },
        remoteAddress: "192.0.2.1",
      });
    },
    sandbox: /The access token is not bound/,
    production: unknown,
  },
  {
    name: "a token of a suspended client",
    send: async () => {
      const { clientId } = caller.bank.otherTpp;
      await setClientStatus(caller.bank.database, clientId, "suspended");
      return withToken(thing, { clientId });
    },
    sandbox: /The client of the access token is suspended/,
    production: unknown,
  },
  {
    name: "an expired token",
    send: () => withToken(thing, { expiresAt: caller.bank.clock.now().subtract({ seconds: 1 }) }),
    sandbox: /error_description="The access token expired at 20\d\d-.*Z; the bank's time is 20/,
    production: /error_description="The access token expired at 20\d\d-.*Z; the bank's time is 20/,
  },
  {
    name: "the token of a revoked consent",
    send: async () => withToken(view, await ofConsent({ status: "CANC" })),
    sandbox: /The consent of the access token is no longer in use: CANC/,
    production: /The consent of the access token is no longer in use\."$/,
  },
  {
    name: "the token of a deleted consent",
    send: () => withToken(view, { kind: "authorization_code", scope: "accounts", grantId: "none" }),
    sandbox: /no longer in use: deleted, revoked or replaced/,
    production: /The consent of the access token is no longer in use\."$/,
  },
  {
    name: "a token of the other grant",
    send: () => withToken(view, { scope: "accounts" }),
    sandbox: /was issued by the grant client_credentials; this operation needs authorization_code/,
    production:
      /was issued by the grant client_credentials; this operation needs authorization_code/,
  },
];

for (const profile of ["sandbox", "production"] as const) {
  for (const { name, send, ...says } of refusals) {
    test(`${profile}: the 401 for ${name} names the reason in WWW-Authenticate`, async () => {
      caller.bank.kit.profile = profile;
      const answer = await send();
      assert.equal(answer.statusCode, 401, answer.body);
      const challenge = String(answer.headers["www-authenticate"]);
      assert.match(challenge, /^Bearer error="invalid_token", error_description="[^"\\]{20,}"$/);
      assert.match(challenge, says[profile]);
      // v3.1 forbids a body; v4.0 requires one if the token has expired
      if (!answer.body.includes("TKXP")) assert.equal(answer.body, "");
    });
  }
}

test("a 403 for the scope names the required scope and the token's scope", async () => {
  const answer = await withToken(thing, { scope: "accounts" });
  assert.equal(answer.statusCode, 403);
  assert.equal(
    answer.headers["www-authenticate"],
    'Bearer error="insufficient_scope", error_description="The access token has the scope ' +
      `accounts; this API needs payments.", scope="payments"`,
  );
});

test("a request without Authorization is challenged without an error, with the scope", async () => {
  const answer = await caller.call("GET", view);
  assert.equal(answer.statusCode, 401);
  assert.equal(answer.headers["www-authenticate"], 'Bearer scope="accounts"');
});
