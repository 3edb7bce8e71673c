// The parameters of a pushed request that is not signed come from a form: none of them, whatever
// its value, makes the bank fail.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { hostileTexts } from "#test/attacks/fuzz/hostile-values.ts";
import { type AuthBed, openAuthBed } from "./auth-bed.ts";
import { authUrl, openPlace, type Place, parametersOf, visit } from "./fapi2-bed.ts";

let bed: AuthBed;
let place: Place;
before(async () => {
  bed = await openAuthBed();
  place = await openPlace(bed, "fapi2");
});
after(() => bed.close());

/** Pushes a request with changed parameters and, if it is accepted, opens it in a browser. */
async function pushAndVisit(changes: Record<string, string>): Promise<void> {
  const form = { ...(await parametersOf(place)), ...changes };
  const wellFormed = Object.entries(form).map(([name, value]) => [name, value.toWellFormed()]);
  const answer = await place.tpp.push(Object.fromEntries(wellFormed));
  const told = `${JSON.stringify(changes)} ${answer.status} ${answer.raw}`;
  assert.ok([201, 400, 401].includes(answer.status), told);
  if (answer.status !== 201) {
    assert.ok((answer.body as { error?: string }).error, told);
    return;
  }
  const { request_uri } = answer.body as { request_uri: string };
  const url = authUrl(place, { client_id: place.tpp.tpp.clientId, request_uri });
  const opened = await visit(place, url);
  assert.ok([303, 400].includes(opened.status), `${told} ${opened.status} ${opened.raw}`);
}

const names = [
  "response_type",
  "response_mode",
  "redirect_uri",
  "scope",
  "state",
  "nonce",
  "code_challenge",
  "code_challenge_method",
  "claims",
  "prompt",
  "max_age",
  "ui_locales",
  "id_token_hint",
  "login_hint",
  "acr_values",
  "display",
  "request",
  "request_uri",
  "registration",
  "resource",
  "authorization_details",
  "dpop_jkt",
  "iss",
  "aud",
  "exp",
  "nbf",
  "__proto__",
  "constructor",
];

for (const name of names) {
  test(`a pushed parameter ${name} with hostile text is accepted or refused, and never fails`, async () => {
    for (const text of hostileTexts) await pushAndVisit({ [name]: text });
  });
}

test("any JSON as pushed claims is accepted or refused, and never fails", async () => {
  const intent = fc.record({
    openbanking_intent_id: fc.oneof(fc.jsonValue(), fc.record({ value: fc.jsonValue() })),
  });
  const claims = fc.oneof(
    fc.jsonValue(),
    fc.record(
      { id_token: fc.oneof(fc.jsonValue(), intent), userinfo: fc.oneof(fc.jsonValue(), intent) },
      { requiredKeys: [] },
    ),
    intent.map((one) => ({ id_token: { ...one, acr: { essential: true, values: 7 } } })),
  );
  await fc.assert(
    fc.asyncProperty(claims, (value) => pushAndVisit({ claims: JSON.stringify(value) })),
    { numRuns: 150 },
  );
});

test("the bank logged no bug for any hostile pushed request", () => {
  assert.deepEqual(
    bed.failures.filter(({ event }) => event === "server_error").map(({ error }) => error.stack),
    [],
  );
});
