import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type Answer, type Tokens, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { lodgeAccess } from "#test/journeys/payments.ts";
import { oauthError } from "./oauth.ts";

const folder = mkdtempSync(join(tmpdir(), "aldgate-revocation-"));
const accounts = "/v3.1/aisp/accounts";

let bank: TestBank;
let other: TestBank;
let tpp: TppClient;
let atOther: TppClient;
before(async () => {
  bank = await openBank({ ALDGATE_DATA: folder });
  // a second process of the bank: the same database and the same keys
  const shared = { ...bank.database, close: async () => undefined };
  other = await openBank({ ALDGATE_DATA: folder }, shared);
  tpp = await bank.createTpp();
  atOther = new TppClient(other, tpp.tpp);
});
after(async () => {
  atOther?.close();
  await other?.close();
  await bank?.close();
  rmSync(folder, { recursive: true, force: true });
});

const approve = async (): Promise<Tokens> =>
  bank.approve(tpp, { scope: "accounts", consentId: await lodgeAccess(tpp), customer: "amara" });

async function revoke(
  client: TppClient,
  token: string,
  more: Record<string, string> = {},
  host = client.bank.mtlsUrl,
): Promise<Answer> {
  const form = new URLSearchParams({
    token,
    client_assertion: await client.assertion(),
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    ...more,
  });
  return client.send(`${host}/token/revocation`, "POST", Buffer.from(form.toString()), {
    "content-type": "application/x-www-form-urlencoded",
  });
}

const read = (client: TppClient, token: string) => client.call({ path: accounts, token });

test("a revoked access token is refused by every process at its next request", async () => {
  const { access_token: token } = await approve();
  expectStatus(await read(tpp, token), 200);
  expectStatus(await read(atOther, token), 200);
  expectStatus(await revoke(tpp, token), 200);
  expectStatus(await read(atOther, token), 401);
  expectStatus(await read(tpp, token), 401);
});

test("revoking an access token does not revoke the refresh token or other access tokens", async () => {
  const tokens = await approve();
  const { access_token: second } = await tpp.refresh(tokens.refresh_token ?? "");
  expectStatus(await revoke(tpp, tokens.access_token, { token_type_hint: "access_token" }), 200);
  expectStatus(await read(tpp, tokens.access_token), 401);
  expectStatus(await read(tpp, second), 200);
  assert.ok((await tpp.refresh(tokens.refresh_token ?? "")).access_token);
});

test("revoking a refresh token ends its access tokens in every process", async () => {
  const tokens = await approve();
  expectStatus(await read(atOther, tokens.access_token), 200);
  expectStatus(await revoke(tpp, tokens.refresh_token ?? ""), 200);
  expectStatus(await read(atOther, tokens.access_token), 401);
  const refused = await atOther.tokenAnswer({
    grant_type: "refresh_token",
    refresh_token: tokens.refresh_token ?? "",
  });
  assert.equal(refused.status, 400);
  assert.equal(oauthError(refused), "invalid_grant");
});

test("a revoked client credentials token is refused by every process", async () => {
  const token = await tpp.clientToken("accounts");
  const path = "/v3.1/aisp/account-access-consents/any";
  assert.notEqual((await atOther.call({ path, token })).status, 401);
  expectStatus(await revoke(tpp, token), 200);
  expectStatus(await atOther.call({ path, token }), 401);
});

test("revoking an unknown token is 200, and another client's token stays valid", async () => {
  const { access_token: token } = await approve();
  const stranger = await bank.createTpp();
  expectStatus(await revoke(stranger, "unknown"), 200);
  expectStatus(await revoke(stranger, token), 200);
  expectStatus(await read(tpp, token), 200);
});

test("revocation without client authentication, without a certificate or with another client's is refused", async () => {
  const { access_token: token } = await approve();
  const bare = await tpp.send(
    `${tpp.bank.mtlsUrl}/token/revocation`,
    "POST",
    Buffer.from(new URLSearchParams({ token }).toString()),
    { "content-type": "application/x-www-form-urlencoded" },
  );
  assert.equal(bare.status, 400);
  const { transport } = (await bank.createTpp()).tpp;
  const thief = new TppClient(bank, { ...tpp.tpp, transport });
  const stolen = await revoke(thief, token).finally(() => thief.close());
  const uncertified = await revoke(tpp, token, {}, bank.publicUrl);
  for (const refused of [stolen, uncertified]) {
    assert.equal(refused.status, 401);
    assert.equal(oauthError(refused), "invalid_client");
  }
  expectStatus(await read(tpp, token), 200);
});
