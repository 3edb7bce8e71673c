import assert from "node:assert/strict";
import { generateKeyPairSync, randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { setConsent } from "#test/consents/stored-rows.ts";
import { type AuthBed, fragmentOf, openAuthBed } from "./auth-bed.ts";
import { authorised, oauthError, redirectError } from "./oauth.ts";

let bed: AuthBed;
let tpp: TppClient;
before(async () => {
  bed = await openAuthBed();
  tpp = await bed.createTpp();
});
after(() => bed.close());

const now = (): number => Math.floor(Date.now() / 1000);

const requestFaults: [name: string, overrides: Record<string, unknown>][] = [
  ["an audience other than the bank", { aud: "https://elsewhere.example" }],
  ["an expiry in the past", { nbf: now() - 700, exp: now() - 300 }],
  ["more than an hour between nbf and exp", { nbf: now() - 5, exp: now() + 3700 }],
  ["no nbf", { nbf: undefined }],
  ["no exp", { exp: undefined }],
  ["another client_id", { client_id: "someone" }],
];
for (const [name, overrides] of requestFaults) {
  test(`a request object with ${name} is refused`, async () => {
    const consentId = await bed.lodge(tpp, "account-access");
    const url = await tpp.authorizationUrl({ scope: "accounts", consentId, overrides });
    assert.equal((await redirectError(tpp, url)).error, "invalid_request_object");
    assert.equal((await bed.consent(consentId)).status, "AWAU");
  });
}

test("a non-text claim that cannot become text is refused at both endpoints", async () => {
  const consentId = await bed.lodge(tpp, "account-access");
  const overrides = { max_age: { toString: 1 } };
  const url = await tpp.authorizationUrl({ scope: "accounts", consentId, overrides });
  const answer = await tpp.send(url, "GET", undefined, { accept: "application/json" });
  const redirected = String(answer.headers.location);
  assert.ok(answer.status === 400 || answer.status === 303, `${answer.status} ${answer.raw}`);
  assert.match(answer.raw.toString() + redirected, /invalid_request_object/);
  const request = new URL(url).searchParams.get("request") ?? "";
  const form = new URLSearchParams({
    request,
    client_id: tpp.tpp.clientId,
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: await tpp.assertion(),
  });
  const pushed = await tpp.send(`${tpp.base}/request`, "POST", Buffer.from(form.toString()), {
    "content-type": "application/x-www-form-urlencoded",
    accept: "application/json",
  });
  assert.equal(pushed.status, 400, pushed.raw.toString());
  assert.equal(oauthError(pushed), "invalid_request_object");
});

const foreign = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
const forgeries: [name: string, forge: (claims: JWTPayload) => Promise<string> | string][] = [
  ["with alg none", (claims) => new UnsecuredJWT(claims).encode()],
  [
    "with RS256",
    (claims) => new SignJWT(claims).setProtectedHeader({ alg: "RS256" }).sign(foreign),
  ],
  [
    "signed with another key",
    (claims) => new SignJWT(claims).setProtectedHeader({ alg: "PS256" }).sign(foreign),
  ],
];
for (const [name, forge] of forgeries) {
  test(`a request object ${name} is refused`, async () => {
    const consentId = await bed.lodge(tpp, "account-access");
    const url = new URL(await tpp.authorizationUrl({ scope: "accounts", consentId }));
    const [, claims = ""] = (url.searchParams.get("request") ?? "").split(".");
    const forged = await forge(JSON.parse(Buffer.from(claims, "base64url").toString()));
    url.searchParams.set("request", forged);
    assert.equal((await redirectError(tpp, url.href)).error, "invalid_request_object");
  });
}

test("an authorization request without a request object is refused", async () => {
  const consentId = await bed.lodge(tpp, "account-access");
  const url = new URL(await tpp.authorizationUrl({ scope: "accounts", consentId }));
  url.searchParams.delete("request");
  assert.equal((await redirectError(tpp, url.href)).error, "invalid_request");
});

test("an unknown redirect URI gets a page without redirect, or JSON if asked for", async () => {
  const consentId = await bed.lodge(tpp, "account-access");
  for (const redirectUri of ["http://localhost:10/callback", "http://localhost:9/callback/x"]) {
    const url = await tpp.authorizationUrl({ scope: "accounts", consentId, redirectUri });
    const page = await tpp.send(url, "GET", undefined, { accept: "text/html" });
    assert.equal(page.status, 400);
    assert.match(String(page.headers["content-type"]), /^text\/html/);
    assert.match(String(page.headers["content-security-policy"]), /default-src 'none'/);
    assert.match(page.raw.toString(), new RegExp(String(page.headers["x-fapi-interaction-id"])));
    const json = await tpp.send(url, "GET", undefined, { accept: "application/json" });
    assert.equal(oauthError(json), "invalid_redirect_uri");
  }
});

const intentFaults: [title: string, url: () => Promise<string>, error: string][] = [
  [
    "P-107: another client's intent",
    async () => {
      const other = await bed.createTpp();
      const consentId = await bed.lodge(other, "account-access");
      return tpp.authorizationUrl({ scope: "accounts", consentId });
    },
    "invalid_request",
  ],
  [
    "an unknown intent",
    () => tpp.authorizationUrl({ scope: "accounts", consentId: randomUUID() }),
    "invalid_request",
  ],
  [
    "an intent that needs another scope",
    async () => {
      const consentId = await bed.lodge(tpp, "domestic-payment");
      return tpp.authorizationUrl({ scope: "accounts", consentId });
    },
    "invalid_request",
  ],
  [
    "A-110: an expired intent",
    async () => {
      const expiresAt = bed.clock.now().subtract({ seconds: 1 });
      const consentId = await bed.lodge(tpp, "account-access", { expiresAt });
      return tpp.authorizationUrl({ scope: "accounts", consentId });
    },
    "invalid_request",
  ],
  [
    "A-103: a deleted intent",
    async () => {
      const consentId = await bed.lodge(tpp, "account-access");
      await setConsent(bed.database, consentId, { deletedAt: bed.clock.now() });
      return tpp.authorizationUrl({ scope: "accounts", consentId });
    },
    "invalid_request",
  ],
  [
    "no intent",
    async () => {
      const consentId = await bed.lodge(tpp, "account-access");
      const overrides = { claims: undefined };
      return tpp.authorizationUrl({ scope: "accounts", consentId, overrides });
    },
    "invalid_request",
  ],
  [
    "two intents",
    async () => {
      const consentId = await bed.lodge(tpp, "account-access");
      const claims = {
        id_token: { openbanking_intent_id: { value: consentId } },
        userinfo: { openbanking_intent_id: { value: "other" } },
      };
      return tpp.authorizationUrl({ scope: "accounts", consentId, overrides: { claims } });
    },
    "invalid_request",
  ],
  [
    "an essential acr that is not strong authentication",
    async () => {
      const consentId = await bed.lodge(tpp, "account-access");
      const claims = {
        id_token: {
          openbanking_intent_id: { value: consentId },
          acr: { essential: true, value: "urn:openbanking:psd2:ca" },
        },
      };
      return tpp.authorizationUrl({ scope: "accounts", consentId, overrides: { claims } });
    },
    "access_denied",
  ],
];
for (const [title, url, error] of intentFaults) {
  test(`${title} is refused before any screen, with state and issuer`, async () => {
    const answer = await redirectError(tpp, await url());
    assert.equal(answer.error, error, answer.error_description ?? "");
    assert.ok(answer.state);
    assert.equal(answer.iss, bed.publicUrl);
  });
}

test("P-106, A-103: a consent that is already authorised or rejected cannot start a journey", async () => {
  const { url } = await authorised(bed, tpp, "domestic-payment");
  const again = await tpp.send(url, "GET", undefined, { accept: "text/html" });
  assert.equal(fragmentOf(String(again.headers.location)).error, "invalid_request");
  const consentId = await bed.lodge(tpp, "account-access");
  const access = await tpp.authorizationUrl({ scope: "accounts", consentId });
  await bed.authorise({ authorizationUrl: access, decision: "deny" });
  assert.equal((await redirectError(tpp, access)).error, "invalid_request");
});
