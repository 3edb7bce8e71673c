import assert from "node:assert/strict";
import * as https from "node:https";
import { after, before, test } from "node:test";
import { issueLeaf } from "#src/sandbox/directory/authority.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { TppClient as Client, TokenError } from "#src/sandbox/test-tpp/tpp-client.ts";
import { sql } from "#src/storage/sql.ts";
import { setConsent } from "#test/consents/stored-rows.ts";
import { type AuthBed, fragmentOf, openAuthBed } from "./auth-bed.ts";
import { assertTokenRefused, authorised } from "./oauth.ts";

let bed: AuthBed;
let tpp: TppClient;
before(async () => {
  bed = await openAuthBed();
  tpp = await bed.createTpp();
});
after(() => bed.close());

test("a code that is used again is refused, and its tokens are revoked", async () => {
  const { redirectUrl } = await authorised(bed, tpp, "account-access");
  const tokens = await tpp.exchangeCode(redirectUrl);
  await assert.rejects(tpp.exchangeCode(redirectUrl), TokenError);
  await assertTokenRefused(
    tpp,
    { grant_type: "refresh_token", refresh_token: tokens.refresh_token ?? "" },
    "invalid_grant",
  );
});

test("at most one of many concurrent exchanges of a code gets tokens", async () => {
  const { redirectUrl } = await authorised(bed, tpp, "account-access");
  const attempts = await Promise.allSettled(
    [1, 2, 3, 4, 5].map(() => tpp.exchangeCode(redirectUrl)),
  );
  assert.equal(attempts.filter(({ status }) => status === "fulfilled").length, 1);
});

test("a code of another client, or with another redirect URI, is refused", async () => {
  const other = await bed.createTpp();
  const { redirectUrl } = await authorised(bed, tpp, "account-access");
  await assert.rejects(other.exchangeCode(redirectUrl), /invalid_grant/);
  const code = fragmentOf(redirectUrl).code ?? "";
  await assertTokenRefused(
    tpp,
    { grant_type: "authorization_code", code, redirect_uri: "http://localhost:9/other" },
    "invalid_grant",
  );
});

test("R-086, R-089, R-091: a refresh token outlives its certificate, and binds new tokens to the new certificate", async () => {
  const { redirectUrl } = await authorised(bed, tpp, "account-access");
  const tokens = await tpp.exchangeCode(redirectUrl);
  const subject = (["C=GB", "O=OpenBanking", `OU=${tpp.tpp.organisationId}`] as const).map(
    (part) => {
      const [attribute, value] = part.split("=") as ["C" | "O" | "OU", string];
      return { attribute, value };
    },
  );
  const certificatePem = issueLeaf(bed.directory.authority, {
    subject: [...subject, { attribute: "CN", value: tpp.tpp.softwareId }],
    subjectKeyPem: tpp.tpp.transport.privateKeyPem,
    use: "client",
  });
  const renewed = new Client(tpp.bank, {
    ...tpp.tpp,
    transport: { ...tpp.tpp.transport, certificatePem },
  });
  const fresh = await renewed.refresh(tokens.refresh_token ?? "");
  const rows = await bed.database.query<{ thumbprint: string }>(
    sql`select distinct certificate_thumbprint as thumbprint from access_token
      where grant_id = (select grant_id from access_token where kind = 'authorization_code'
        order by expires_at desc limit 1)`,
  );
  assert.ok(fresh.access_token);
  assert.equal(rows.length, 2);
  renewed.close();
});

test("A-102: deleting a consent revokes its refresh token", async () => {
  const { consentId, redirectUrl } = await authorised(bed, tpp, "account-access");
  const tokens = await tpp.exchangeCode(redirectUrl);
  await setConsent(bed.database, consentId, { deletedAt: bed.clock.now() });
  await assertTokenRefused(
    tpp,
    { grant_type: "refresh_token", refresh_token: tokens.refresh_token ?? "" },
    "invalid_grant",
  );
});

test("a refresh whose answer was lost twice can be repeated with the same refresh token", async () => {
  const { redirectUrl } = await authorised(bed, tpp, "account-access");
  const { refresh_token: refreshToken = "" } = await tpp.exchangeCode(redirectUrl);
  for (const _ of [1, 2]) {
    const form = new URLSearchParams({
      grant_type: "refresh_token",
      refresh_token: refreshToken,
      client_assertion: await tpp.assertion(),
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    });
    assert.equal(await dropAnswer(form), 200);
  }
  const tokens = await tpp.refresh(refreshToken);
  assert.ok(tokens.access_token);
  assert.ok([undefined, refreshToken].includes(tokens.refresh_token), "it has not been rotated");
  assert.ok((await tpp.refresh(refreshToken)).access_token);
});

/** Sends a token request, and cuts the connection before the answer's body is read. */
function dropAnswer(form: URLSearchParams): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = https.request(
      `${bed.mtlsUrl}/token`,
      {
        method: "POST",
        agent: false,
        ca: tpp.tpp.caPem,
        key: tpp.tpp.transport.privateKeyPem,
        cert: tpp.tpp.transport.certificatePem,
        headers: { "content-type": "application/x-www-form-urlencoded" },
      },
      (response) => {
        resolve(response.statusCode);
        response.destroy();
      },
    );
    request.on("error", reject);
    request.end(form.toString());
  });
}

test("a revoked refresh token is refused", async () => {
  const { redirectUrl } = await authorised(bed, tpp, "account-access");
  const tokens = await tpp.exchangeCode(redirectUrl);
  const form = new URLSearchParams({
    token: tokens.refresh_token ?? "",
    client_assertion: await tpp.assertion(),
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
  });
  const answer = await tpp.send(
    `${bed.mtlsUrl}/token/revocation`,
    "POST",
    Buffer.from(form.toString()),
    { "content-type": "application/x-www-form-urlencoded" },
  );
  assert.equal(answer.status, 200);
  await assertTokenRefused(
    tpp,
    { grant_type: "refresh_token", refresh_token: tokens.refresh_token ?? "" },
    "invalid_grant",
  );
});

// This test sets the clock forward, so the tests after it run at the later time.
test("a refresh token is valid as long as its consent, by the bank's clock", async () => {
  const { redirectUrl } = await authorised(bed, tpp, "account-access");
  const tokens = await tpp.exchangeCode(redirectUrl);
  bed.advance({ hours: 1990 });
  assert.ok((await tpp.refresh(tokens.refresh_token ?? "")).access_token);
  bed.advance({ hours: 11 });
  await assertTokenRefused(
    tpp,
    { grant_type: "refresh_token", refresh_token: tokens.refresh_token ?? "" },
    "invalid_grant",
  );
});

test("a code expires after a minute and an unauthorised consent after an hour, by the bank's clock", async () => {
  const { redirectUrl } = await authorised(bed, tpp, "account-access");
  const consentId = await bed.lodge(tpp, "account-access");
  bed.advance({ seconds: 61 });
  await assert.rejects(tpp.exchangeCode(redirectUrl), /invalid_grant/);
  bed.advance({ hours: 1 });
  const authorizationUrl = await tpp.authorizationUrl({ scope: "accounts", consentId });
  const answer = fragmentOf(await bed.authorise({ authorizationUrl }));
  assert.equal(answer.error, "invalid_request");
});
