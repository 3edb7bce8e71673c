import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { quotable, refusals, type Texts, describe as word } from "#src/http/refusal/refusals.ts";
import type { Answer } from "#src/sandbox/test-tpp/tpp-client.ts";
import { fragmentOf, openAuthBed } from "./auth-bed.ts";
import { authorised } from "./oauth.ts";
import { assertions } from "./wrong-assertions.ts";
import { grants } from "./wrong-grants.ts";
import { follow, requests } from "./wrong-request-objects.ts";
import { type Place, type Profile, profiles } from "./wrong-requests.ts";

const places = {} as Record<Profile, Place>;
before(async () => {
  for (const profile of profiles) {
    const bed = await openAuthBed({ profile });
    const [tpp, other] = [await bed.createTpp(), await bed.createTpp()];
    places[profile] = { bed, tpp, other, profile };
  }
});
after(async () => {
  for (const { bed } of Object.values(places)) await bed.close();
});

const failureOf = (answer: Answer | string): { error?: string; error_description?: string } =>
  typeof answer === "string" ? fragmentOf(answer) : (answer.body as object);

for (const [title, rows] of [
  ["a client assertion", assertions],
  ["a grant", grants],
  ["a Request Object", requests],
] as const) {
  for (const profile of profiles) {
    describe(`${profile}: the refusal of ${title} with`, () => {
      for (const { name, send, error, says } of rows) {
        test(`${name} names the check, the expected value and the value found`, async () => {
          const answer = await send(places[profile]);
          const { error: found, error_description: description = "" } = failureOf(answer);
          assert.equal(found, error, description);
          assert.match(description, says instanceof RegExp ? says : says[profile]);
          assert.match(description, /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
        });
      }
    });
  }
}

test("a redirect in a signed response mode carries the description", async () => {
  const { bed, tpp } = places.production;
  const consentId = await bed.lodge(tpp, "account-access");
  const overrides = { aud: "https://elsewhere.example", response_mode: "fragment.jwt" };
  const url = await tpp.authorizationUrl({ scope: "accounts", consentId, overrides });
  const [, claims = ""] = (fragmentOf(String(await follow(tpp, url))).response ?? "").split(".");
  const { error, error_description } = JSON.parse(Buffer.from(claims, "base64url").toString());
  assert.equal(error, "invalid_request_object");
  assert.match(error_description, /^aud of the Request Object is https:\/\/elsewhere/);
});

test("userinfo names the reason in the body and in WWW-Authenticate", async () => {
  const { bed, tpp } = places.sandbox;
  const { redirectUrl } = await authorised(bed, tpp, "account-access");
  const { access_token: token } = await tpp.exchangeCode(redirectUrl);
  for (const [value, base, says] of [
    ["unknown", bed.mtlsUrl, /access token is unknown: it was never issued/],
    [
      token,
      bed.publicUrl,
      /bound to the client certificate .* connection's certificate is: absent/,
    ],
  ] as const) {
    const answer = await tpp.send(`${base}/me`, "GET", undefined, {
      authorization: `Bearer ${value}`,
    });
    assert.equal(answer.status, 401);
    assert.match(String((answer.body as { error_description: string }).error_description), says);
    assert.match(String(answer.headers["www-authenticate"]), says);
    assert.ok(!answer.raw.toString().includes(token));
  }
});

describe("the table of refusals", () => {
  const known: readonly string[] = [...quotable.public, ...quotable.sandbox];
  const open: readonly string[] = quotable.public;
  const quotedBy = (text: string): string[] =>
    [...text.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);

  for (const [reason, texts] of Object.entries<Texts>(refusals)) {
    test(`${reason} quotes in production only what the caller sent or what is public`, () => {
      const both = typeof texts === "string" ? { sandbox: texts, production: texts } : texts;
      for (const text of Object.values(both)) {
        assert.match(text, /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
        assert.deepEqual(
          quotedBy(text).filter((name) => !known.includes(name)),
          [],
        );
      }
      assert.deepEqual(
        quotedBy(both.production).filter((name) => !open.includes(name)),
        [],
      );
    });
  }

  test("a quoted value is shortened, and cannot break a header or a quoted string", () => {
    const aud = `"\\\r\nset-cookie: a=b\u0000é${"x".repeat(1000)}`;
    const text = word("jwtAudience", "production", { jwt: "JWT", aud, audiences: "here" });
    assert.match(text, /^[\x20-\x21\x23-\x5b\x5d-\x7e]{100,400}$/);
  });
});
