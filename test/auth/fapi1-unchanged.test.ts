// A client of FAPI 1.0 Advanced sends and gets what it did before the bank served FAPI 2.0.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { readAuthorization } from "#src/sandbox/test-tpp/authorization-flow.ts";
import { type AuthBed, openAuthBed } from "./auth-bed.ts";
import { authUrl, openPlace, type Place, parametersOf, refusalOf, visit } from "./fapi2-bed.ts";

let bed: AuthBed;
let place: Place;
before(async () => {
  bed = await openAuthBed();
  place = await openPlace(bed, "fapi1");
});
after(() => bed.close());

const challenge = { code_challenge: "c".repeat(43), code_challenge_method: "S256" };
const jarm = { response_type: "code", response_mode: "jwt" };

type Ways = "by value" | "pushed";
type Row = [
  name: string,
  way: Ways,
  overrides: Record<string, unknown>,
  outcome: "fragment" | "signed" | "invalid_request",
];

const rows: Row[] = [
  ["code id_token", "by value", {}, "fragment"],
  ["code id_token with PKCE", "by value", challenge, "fragment"],
  ["code id_token with a signed response", "by value", { response_mode: "jwt" }, "signed"],
  ["code with a signed response", "by value", jarm, "signed"],
  ["code without a signed response", "by value", { response_type: "code" }, "invalid_request"],
  ["code id_token without nonce", "by value", { nonce: undefined }, "invalid_request"],
  ["code id_token with PKCE", "pushed", challenge, "fragment"],
  ["code with a signed response and PKCE", "pushed", { ...jarm, ...challenge }, "signed"],
  ["code id_token without PKCE", "pushed", {}, "invalid_request"],
  [
    "code without a signed response",
    "pushed",
    { response_type: "code", ...challenge },
    "invalid_request",
  ],
];
for (const [name, way, overrides, outcome] of rows) {
  const result = outcome === "invalid_request" ? "refused" : "accepted";
  test(`S-050: for FAPI 1.0 Advanced, requests are accepted or refused as before (${name}, ${way}, ${result})`, async () => {
    const parameters = await parametersOf(place, overrides);
    const response_type = String(overrides.response_type ?? "code id_token");
    const back = await answerOf({ ...parameters, response_type }, way);
    if (typeof back !== "string") {
      assert.equal(back.error, outcome, JSON.stringify(back));
      return;
    }
    const { hash, search } = new URL(back);
    assert.equal((hash || search).includes("response="), outcome === "signed", back);
    assert.equal(hash !== "", response_type === "code id_token", back);
    const answer = await readAuthorization(place.tpp, back);
    assert.ok(answer.get("code"), back);
    assert.equal(answer.has("id_token"), response_type === "code id_token");
    assert.equal(answer.get("iss"), bed.publicUrl);
  });
}

/** The URL with which the customer comes back, or the refusal before a page is shown. */
async function answerOf(
  parameters: Record<string, string>,
  way: Ways,
): Promise<string | Record<string, string>> {
  let sent = parameters;
  if (way === "pushed") {
    const { request = "" } = parameters;
    const answer = await place.tpp.push({ request });
    if (answer.status !== 201) return refusalOf(place, answer);
    const { request_uri } = answer.body as { request_uri: string };
    sent = { client_id: place.tpp.tpp.clientId, request_uri };
  }
  const url = authUrl(place, sent);
  const first = await visit(place, url);
  const isShown = String(first.headers.location).includes("/journey/");
  return isShown ? bed.authorise({ authorizationUrl: url }) : refusalOf(place, first);
}
