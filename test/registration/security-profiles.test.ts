import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  type ProfileId,
  profileIds,
  securityProfileNamed,
  securityProfileOf,
} from "#src/clients/security-profile.ts";
import type { Tokens, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { expectStatus } from "#test/harness.ts";
import { lodge, lodgeAccess, order } from "#test/journeys/payments.ts";
import { type Bed, openRegistrationBed } from "./bed.ts";
import type { Changes } from "./request-claims.ts";

let bed: Bed;
before(async () => {
  bed = await openRegistrationBed();
});
after(() => bed?.close());

/** The members with which a TPP chooses a profile. */
const choices: Readonly<Record<ProfileId, Changes>> = {
  fapi1: {},
  fapi2: { require_pushed_authorization_requests: true, response_types: ["code"] },
  "fapi2-message-signing": {
    require_pushed_authorization_requests: true,
    require_signed_request_object: true,
    response_types: ["code"],
  },
};

const open = (body: Record<string, unknown>): TppClient => {
  const client = bed.client(body, bed);
  return client;
};

async function register(changes: Changes) {
  const answer = await bed.send({ body: await bed.request(changes) });
  assert.equal(answer.status, 201, answer.text);
  const { body } = answer;
  return { body, client: open(body), url: `${bed.url}/${body.client_id}` };
}

const bearer = async (client: TppClient) => ({
  authorization: `Bearer ${await client.clientToken("accounts")}`,
});

/** Replaces a registration, and returns the client as it is registered now. */
async function change(client: TppClient, changes: Changes): Promise<TppClient> {
  const { clientId } = client.tpp;
  const answer = await bed.send({
    method: "PUT",
    url: `${bed.url}/${clientId}`,
    headers: await bearer(client),
    body: await bed.request({ client_id: clientId, ...changes }),
  });
  assert.equal(answer.status, 200, answer.text);
  return open(answer.body);
}

const allScopes = { scope: "openid accounts payments" };

async function readAccounts(client: TppClient, { refresh_token: token = "" }: Tokens) {
  const { access_token } = await client.refresh(token);
  expectStatus(await client.call({ path: "/v3.1/aisp/accounts", token: access_token }), 200);
}

const approveAccess = async (client: TppClient): Promise<Tokens> =>
  bed.bank.approve(client, {
    scope: "accounts",
    consentId: await lodgeAccess(client),
    customer: "amara",
  });

for (const id of profileIds) {
  const { title, registered } = securityProfileNamed(id);
  test(`S-001, S-002: a TPP registers for each profile, reads its registration, and makes a payment (${title})`, async () => {
    const { body, client, url } = await register({ ...choices[id], ...allScopes });
    assert.equal(securityProfileOf(body).id, id);
    assert.partialDeepStrictEqual(body, { ...registered });
    const shown = await bed.send({ method: "GET", url, headers: await bearer(client) });
    assert.deepEqual(shown.body, body);
    const lodged = await lodge(client);
    const tokens = await bed.bank.approve(client, {
      scope: "payments",
      consentId: lodged.consentId,
      customer: "amara",
      accounts: [(await bed.bank.currentAccounts("amara"))[0]?.accountId ?? ""],
    });
    assert.ok(await order(client, lodged, tokens.access_token));
  });
}

test("S-003: the default of response_types is code for FAPI 2.0, and code id_token for FAPI 1.0 Advanced", async () => {
  for (const id of profileIds) {
    const { body } = await register({ ...choices[id], response_types: undefined });
    assert.deepEqual(body.response_types, id === "fapi1" ? ["code id_token"] : ["code"]);
  }
});

test("S-004: members with the only value that FAPI 2.0 allows are registered and shown", async () => {
  const members = {
    authorization_signed_response_alg: "PS256",
    tls_client_certificate_bound_access_tokens: true,
    dpop_bound_access_tokens: false,
  };
  const { body } = await register({ ...choices["fapi2-message-signing"], ...members });
  assert.partialDeepStrictEqual(body, members);
});

const ordinary: [name: string, changes: Changes][] = [
  ["false for the members that choose a profile", { require_pushed_authorization_requests: false }],
  ["signed request objects without pushed requests", { require_signed_request_object: true }],
  ["unsigned request objects without pushed requests", { require_signed_request_object: false }],
  ["another algorithm of signed responses", { authorization_signed_response_alg: "ES256" }],
  ["tokens bound by DPoP", { dpop_bound_access_tokens: true }],
];
for (const [name, changes] of ordinary) {
  test(`S-050: a registration that does not choose FAPI 2.0 is for FAPI 1.0 Advanced, whatever its other members (${name})`, async () => {
    const { body: plain } = await register({ response_types: ["code", "code id_token"] });
    const { body } = await register({ response_types: ["code", "code id_token"], ...changes });
    const names = (of: object) => Object.keys(of).sort();
    assert.deepEqual(names(body), names(plain));
    assert.equal(securityProfileOf(body).id, "fapi1");
    await approveAccess(open(body));
  });
}

for (const [from, to] of profileIds.flatMap((one) =>
  profileIds.map((other) => [one, other] as const),
)) {
  if (from === to) continue;
  const titles = [from, to].map((id) => securityProfileNamed(id).title).join(" to ");
  test(`S-005: consents, codes and refresh tokens outlive a change of the profile (${titles})`, async () => {
    const { client } = await register({ ...choices[from], ...allScopes });
    const tokens = await approveAccess(client);
    const consentId = await lodgeAccess(client);
    const authorizationUrl = await client.authorizationUrl({ scope: "accounts", consentId });
    const { redirectUrl: waiting } = await bed.bank.decide({
      authorizationUrl,
      customer: "amara",
      decision: "approve",
    });
    const changed = await change(client, { ...choices[to], ...allScopes });
    assert.equal(changed.tpp.profile, to);
    await readAccounts(changed, tokens);
    // the code and its verifier belong to the earlier profile's request
    await readAccounts(changed, await client.exchangeCode(waiting));
    await readAccounts(changed, await approveAccess(changed));
    // the Security Profile allows signed requests and responses; no other request fits two profiles
    const isAllowed = from === "fapi2-message-signing" && to === "fapi2";
    if (isAllowed) await approveAccess(client);
    else await assert.rejects(approveAccess(client));
  });
}
