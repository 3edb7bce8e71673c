import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { HeadlessRefused } from "#src/sandbox/test-tpp/headless-customer.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { type AuthBed, fragmentOf, openAuthBed } from "./auth-bed.ts";

let bed: AuthBed;
let tpp: TppClient;
before(async () => {
  bed = await openAuthBed({ publicTls: true });
  tpp = await bed.createTpp();
});
after(() => bed.close());

async function lodge() {
  const consentId = await bed.lodge(tpp, "account-access");
  return {
    consentId,
    authorizationUrl: await tpp.authorizationUrl({ scope: "accounts", consentId }),
  };
}

test("the headless customer can approve over TLS for chosen accounts", async () => {
  const { consentId, authorizationUrl } = await lodge();
  const redirectUrl = await bed.authorise({ authorizationUrl, accounts: ["102"] });
  assert.ok(fragmentOf(redirectUrl).code);
  assert.deepEqual((await bed.consent(consentId)).accounts, ["102"]);
  assert.ok((await tpp.exchangeCode(redirectUrl)).access_token);
});

for (const decision of ["deny", "abandon"] as const) {
  test(`the decision ${decision} returns access_denied and rejects the consent`, async () => {
    const { consentId, authorizationUrl } = await lodge();
    const redirectUrl = await bed.authorise({ authorizationUrl, decision });
    assert.equal(fragmentOf(redirectUrl).error, "access_denied");
    assert.equal((await bed.consent(consentId)).status, "RJCT");
  });
}

test("a customer without accounts can refuse or leave, and an approval is refused with a reason", async () => {
  for (const decision of ["deny", "abandon"] as const) {
    const { consentId, authorizationUrl } = await lodge();
    await bed.authorise({ authorizationUrl, customer: "poor", decision });
    assert.equal((await bed.consent(consentId)).status, "RJCT");
  }
  const { authorizationUrl } = await lodge();
  await assert.rejects(
    bed.authorise({ authorizationUrl, customer: "poor" }),
    /customer: no account of this customer can be used/,
  );
});

test("an error by redirect is returned like any other response", async () => {
  const authorizationUrl = await tpp.authorizationUrl({ scope: "accounts", consentId: "none" });
  const redirectUrl = await bed.authorise({ authorizationUrl });
  assert.equal(fragmentOf(redirectUrl).error, "invalid_request");
});

const refusals: [name: string, change: object, message: RegExp][] = [
  [
    "a URL of another host",
    { authorizationUrl: "https://elsewhere.example/auth" },
    /authorizationUrl/,
  ],
  ["text that is not a URL", { authorizationUrl: "x" }, /authorizationUrl/],
  ["an unknown customer", { customer: "nobody" }, /nobody/],
  ["another customer's account", { accounts: ["201"] }, /201/],
];
for (const [name, change, message] of refusals) {
  test(`${name} is refused with a reason`, async () => {
    const { authorizationUrl } = await lodge();
    await assert.rejects(bed.authorise({ authorizationUrl, ...change }), (error: Error) => {
      assert.ok(error instanceof HeadlessRefused);
      assert.match(error.message, message);
      return true;
    });
  });
}

test("a request that cannot be redirected is refused with the fault", async () => {
  const consentId = await bed.lodge(tpp, "account-access");
  const redirectUri = "https://elsewhere.example/";
  const authorizationUrl = await tpp.authorizationUrl({
    scope: "accounts",
    consentId,
    redirectUri,
  });
  await assert.rejects(bed.authorise({ authorizationUrl }), /invalid_redirect_uri/);
});

test("with TLS the cookies are marked Secure, and their names start with __Secure-", async () => {
  const { authorizationUrl } = await lodge();
  const answer = await tpp.send(authorizationUrl, "GET", undefined, { accept: "text/html" });
  const cookies = answer.headers["set-cookie"] ?? [];
  assert.ok(cookies.length > 0);
  for (const cookie of cookies) assert.match(cookie, /^__Secure-_\w+(\.sig)?=.*;\s*secure/i);
});
