// A program that writes dates in milliseconds is told so, whichever JWT has the date.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Answer, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { type Bed, openRegistrationBed } from "#test/registration/bed.ts";
import { anna, type BackchannelBed, hintToken, openBackchannelBed } from "./backchannel-bed.ts";
import { openPlace, type Place, pushed, refusalOf } from "./fapi2-bed.ts";
import { follow } from "./wrong-request-objects.ts";
import { withAssertion } from "./wrong-requests.ts";

let bed: BackchannelBed;
let tpp: TppClient;
let fapi2: Place;
let registration: Bed;
before(async () => {
  bed = await openBackchannelBed();
  tpp = await bed.createTpp();
  fapi2 = await openPlace(bed, "fapi2-message-signing");
  registration = await openRegistrationBed();
});
after(async () => {
  await bed?.close();
  await registration?.close();
});

type Claims = Record<string, unknown>;

/** Sends a JWT with these claims; returns the description of the refusal. */
type Send = (claims: Claims) => Promise<string | undefined>;

const said = ({ body }: Answer): string | undefined =>
  (body as { error_description?: string }).error_description;

const atAuth: Send = async (overrides) => {
  const consentId = await bed.lodge(tpp, "account-access");
  const url = await tpp.authorizationUrl({ scope: "accounts", consentId, overrides });
  const answer = await follow(tpp, url);
  if (typeof answer !== "string") return said(answer);
  return (
    new URLSearchParams(new URL(answer, bed.publicUrl).hash.slice(1)).get("error_description") ??
    undefined
  );
};

const withoutBrowser: Send = async (changes) => {
  const consentId = await bed.lodge(tpp, "domestic-payment");
  const claims = { ...(await bed.hint(anna)), ...changes };
  return said(await tpp.backchannel({ scope: "payments", consentId, claims }));
};

const register = async (changes: Claims) => {
  const { body } = await registration.send({ body: await registration.request(changes) });
  return String(body.error_description);
};

const rows: [jwt: string, dates: string[], send: Send][] = [
  [
    "a client assertion",
    ["exp", "iat", "nbf"],
    async (claims) => said(await tpp.tokenAnswer(withAssertion(await tpp.assertion(claims)))),
  ],
  ["a Request Object at /auth", ["exp", "iat", "nbf"], atAuth],
  [
    "a pushed Request Object",
    ["exp", "iat", "nbf"],
    async (claims) => (await refusalOf(fapi2, await pushed(fapi2, claims))).error_description,
  ],
  ["a request without a browser", ["exp", "iat", "nbf"], withoutBrowser],
  [
    "a login_hint_token",
    ["exp"],
    (claims) => withoutBrowser({ login_hint_token: hintToken({ sub: anna, ...claims }) }),
  ],
  ["a registration request", ["exp", "iat"], register],
  [
    "a software statement",
    ["iat"],
    async (claims) => register({ software_statement: await registration.statement(claims) }),
  ],
];

for (const [jwt, dates, send] of rows) {
  for (const date of dates) {
    test(`${date} of ${jwt} in milliseconds is refused, and the words say so`, async () => {
      const value = Date.now() + 60_000;
      const words = await send({ [date]: value });
      assert.match(
        words ?? "accepted",
        new RegExp(`\\b${date} (of the [\\w ]+ )?is ${value} \\(milliseconds; send seconds\\)`),
      );
    });
  }
}

test("a Request Object may be issued a few seconds ahead of the bank's time, and not minutes", async () => {
  const now = Math.floor(Date.now() / 1000);
  assert.equal(await atAuth({ iat: now + 10 }), undefined);
  assert.match(
    (await atAuth({ iat: now + 120 })) ?? "accepted",
    /^iat of the Request Object is 20.*Z, which is in the future; the server's time is 20/,
  );
});
