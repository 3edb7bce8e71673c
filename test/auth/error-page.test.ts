import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { interactionHeader } from "#src/http/headers/request-headers.ts";
import { openAuthBed } from "./auth-bed.ts";
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

const elsewhere = "https://elsewhere.example/callback";

/** Addresses of the authorization server with which a customer cannot be sent back. */
const untrusted: Record<string, (place: Place) => Promise<string> | string> = {
  "a redirect URI that is not registered": async ({ bed, tpp }) => {
    const consentId = await bed.lodge(tpp, "account-access");
    return tpp.authorizationUrl({ scope: "accounts", consentId, redirectUri: elsewhere });
  },
  "an unknown client": ({ bed }) => `${bed.publicUrl}/auth?client_id=nobody&request=x`,
  "no client": ({ bed }) => `${bed.publicUrl}/auth`,
  "a Request Object that cannot be read": ({ bed, tpp }) =>
    `${bed.publicUrl}/auth?client_id=${tpp.tpp.clientId}&request=x`,
  "a journey of another browser": ({ bed }) => `${bed.publicUrl}/auth/unknown-journey`,
};

const open = (url: string, accept: string) =>
  fetch(url, { headers: { accept }, redirect: "manual" });

const textOf = (markup: string): string =>
  (/<main[\s\S]*<\/main>/.exec(markup)?.[0] ?? "").replace(/<[^>]*>/g, " ");

for (const [name, address] of Object.entries(untrusted)) {
  describe(`${name}:`, () => {
    test("in production, the page has plain words and a reference, and nothing technical", async () => {
      const response = await open(await address(places.production), "text/html");
      const text = textOf(await response.text());
      assert.equal(response.status, 400);
      assert.ok(text.includes(response.headers.get(interactionHeader) ?? "none"), text);
      assert.match(text, /Go back to the app or website you came from/);
      // a member of the protocol, an address, or a client
      assert.doesNotMatch(text, /_|:\/\/|client|redirect|token|JWT|null|undefined/i);
      assert.ok(!text.includes(places.production.tpp.tpp.clientId));
    });

    test("in a sandbox, a folded panel has the error for developers", async () => {
      const markup = await (await open(await address(places.sandbox), "text/html")).text();
      const [panel = ""] = /<details>[\s\S]*<\/details>/.exec(markup) ?? [];
      assert.match(panel, /<code>invalid_\w+<\/code><\/p>\s*<p>\S/);
      assert.doesNotMatch(textOf(markup.replace(panel, "")), /_|:\/\//);
    });

    test("the JSON, for a caller that asks for it, has the error in both profiles", async () => {
      for (const profile of profiles) {
        const response = await open(await address(places[profile]), "application/json");
        const { error, error_description } = (await response.json()) as Record<string, string>;
        assert.match(error ?? "", /^invalid_/);
        assert.ok(error_description, "a description");
        if (profile === "production") {
          assert.doesNotMatch(error_description, /tpp\.example/);
        }
      }
    });
  });
}

test("the log names the registered redirect URIs, with the reference of the page", async () => {
  const { bed } = places.production;
  const address = await untrusted["a redirect URI that is not registered"]?.(places.production);
  const response = await open(String(address), "text/html");
  const reference = response.headers.get(interactionHeader);
  const failure = bed.failures.find((each) => each.reference === reference);
  assert.match(failure?.description ?? "", /elsewhere.*Registered: https:\/\/tpp\.example/);
});
