import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { CompactSign, importPKCS8 } from "jose";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import { type AuthBed, openAuthBed } from "./auth-bed.ts";
import { authorised, oauthError } from "./oauth.ts";

let bed: AuthBed;
let tpp: TppClient;
before(async () => {
  bed = await openAuthBed();
  tpp = await bed.createTpp();
});
after(() => bed.close());

const ids = async (statement: Sql): Promise<string[]> =>
  (await bed.database.query<{ id: string }>(statement)).map(({ id }) => id).sort();
const consents = sql`select consent_id as id from consent`;
const files = sql`select consent_id as id from payment_file`;
const journeys = sql`select consent_id as id from journey`;

test("a used assertion stays used when the sandbox's clock is set forward, and its id is then purged", async () => {
  const parameters = {
    grant_type: "client_credentials",
    scope: "accounts",
    client_assertion: await tpp.assertion({ exp: Math.floor(Date.now() / 1000) + 3000 }),
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
  };
  assert.equal((await tpp.tokenAnswer(parameters)).status, 200);
  bed.advance({ hours: 48 });
  await bed.auth.sweep();
  const again = await tpp.tokenAnswer(parameters);
  assert.equal(again.status, 401);
  assert.equal(oauthError(again), "invalid_client");
  const replays = sql`select expires_at as "expiresAt" from oidc_artifact
    where model = 'ReplayDetection'`;
  const kept = await bed.database.query<{ expiresAt: Temporal.Instant }>(replays);
  assert.ok(kept.length > 0);
  const limit = Temporal.Now.instant().add({ minutes: 61 });
  for (const { expiresAt } of kept) assert.ok(Temporal.Instant.compare(expiresAt, limit) < 0);
  await bed.database.query(
    sql`update oidc_artifact set expires_at = now() - interval '1 second'
      where model = 'ReplayDetection'`,
  );
  await bed.auth.sweep();
  assert.deepEqual(await bed.database.query(replays), []);
});

async function signText(claims: string): Promise<string> {
  const { kid, privateKeyPem } = tpp.tpp.signing;
  return new CompactSign(Buffer.from(claims))
    .setProtectedHeader({ alg: "PS256", kid })
    .sign(await importPKCS8(privateKeyPem, "PS256"));
}

test("an assertion's expiry, however large, does not cause a failure", async () => {
  for (const exp of ["4102444800", "1e15", "1e300", "1e400", "-1e400", "9007199254740993"]) {
    const claims = JSON.stringify({
      iss: tpp.tpp.clientId,
      sub: tpp.tpp.clientId,
      aud: bed.publicUrl,
      jti: `exp ${exp}`,
      exp: "EXP",
    }).replace('"EXP"', exp);
    const answer = await tpp.tokenAnswer({
      grant_type: "client_credentials",
      scope: "accounts",
      client_assertion: await signText(claims),
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    });
    assert.equal(answer.status, 401, `${exp}: ${answer.raw}`);
    assert.equal(oauthError(answer), "invalid_client");
  }
});

test("only unauthorised consents are deleted after their retention period, in slices", async () => {
  await bed.database.query(sql`delete from journey`);
  await bed.database.query(sql`delete from consent`);
  const { consentId: allowed } = await authorised(bed, tpp, "account-access");
  const { consentId: paid } = await authorised(bed, tpp, "domestic-payment");
  const left = await bed.lodge(tpp, "account-access");
  await bed.authorise({
    authorizationUrl: await tpp.authorizationUrl({ scope: "accounts", consentId: left }),
    decision: "deny",
  });
  const at = bed.clock.now();
  await bed.database.query(sql`
    insert into consent (api_version,
      consent_id, kind, client_id, status, created_at, status_updated_at, body)
    select 'pisp-v4.0',
      'never-' || n, 'file-payment', ${tpp.tpp.clientId}, 'RJCT', ${at}, ${at}, '{}'
    from generate_series(1, 250) n`);
  await bed.database.query(sql`
    insert into consent (api_version,
      consent_id, kind, client_id, status, created_at, status_updated_at, body,
      deleted_at)
    values ('aisp-v3.1',
      'deleted', 'account-access', ${tpp.tpp.clientId}, 'AWAU', ${at}, ${at}, '{}', ${at})`);
  await bed.database.query(sql`
    insert into payment_file (file_id, consent_id, content_type)
    values ('file-1', 'never-1', 'application/json')`);
  await bed.database.query(sql`
    insert into payment_file_chunk (file_id, position, bytes) values ('file-1', 0, 'x'::bytea)`);
  await bed.database.query(sql`
    insert into journey (uid, consent_id, client_id, software_name, step, outcome, created_at,
      expires_at)
    values ('open', 'never-2', ${tpp.tpp.clientId}, 'TPP', 'ended', 'cancelled', ${at},
      ${at.add({ hours: 24 * 60 })})`);
  bed.advance({ hours: 24 * 29 });
  const young = await bed.lodge(tpp, "account-access");
  await bed.auth.sweep();
  assert.equal((await ids(consents)).length, 255);
  bed.advance({ hours: 25 });
  await bed.auth.sweep();
  assert.deepEqual(await ids(consents), [allowed, paid, young].sort());
  assert.deepEqual(await ids(files), []);
  assert.deepEqual(await ids(journeys), []);
});
