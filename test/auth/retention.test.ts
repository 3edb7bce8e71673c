import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { CompactSign, importPKCS8 } from "jose";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { sql } from "#src/storage/sql.ts";
import { addConsents } from "#test/consents/add-consents.ts";
import { clearConsents, readConsents } from "#test/consents/stored-rows.ts";
import { addFile } from "#test/payments/add-orders.ts";
import { consentsWithFiles } from "#test/payments/stored-orders.ts";
import { type AuthBed, openAuthBed } from "./auth-bed.ts";
import { authorised, oauthError } from "./oauth.ts";

let bed: AuthBed;
let tpp: TppClient;
before(async () => {
  bed = await openAuthBed();
  tpp = await bed.createTpp();
});
after(() => bed.close());

const consents = async (): Promise<string[]> =>
  (await readConsents(bed.database)).map(({ consentId }) => consentId).sort();

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
  await clearConsents(bed.database);
  const { consentId: allowed } = await authorised(bed, tpp, "account-access");
  const { consentId: paid } = await authorised(bed, tpp, "domestic-payment");
  const left = await bed.lodge(tpp, "account-access");
  await bed.authorise({
    authorizationUrl: await tpp.authorizationUrl({ scope: "accounts", consentId: left }),
    decision: "deny",
  });
  const at = bed.clock.now();
  const { clientId } = tpp.tpp;
  const rejected = { kind: "file-payment", clientId, status: "RJCT", at };
  const deleted = { kind: "account-access", clientId, status: "AWAU", at, deletedAt: at };
  await addConsents(bed.database, [
    ...Array.from({ length: 250 }, (_, n) => ({ ...rejected, consentId: `never-${n + 1}` })),
    { ...deleted, consentId: "deleted", apiVersion: "aisp-v3.1" },
  ]);
  await addFile(bed.database, "file-1", "never-1");
  await bed.database.query(sql`
    insert into journey (uid, consent_id, client_id, software_name, step, outcome, created_at,
      expires_at)
    values ('open', 'never-2', ${tpp.tpp.clientId}, 'TPP', 'ended', 'cancelled', ${at},
      ${at.add({ hours: 24 * 60 })})`);
  bed.advance({ hours: 24 * 29 });
  const young = await bed.lodge(tpp, "account-access");
  await bed.auth.sweep();
  assert.equal((await consents()).length, 255);
  bed.advance({ hours: 25 });
  await bed.auth.sweep();
  assert.deepEqual(await consents(), [allowed, paid, young].sort());
  assert.deepEqual(await consentsWithFiles(bed.database), []);
  assert.deepEqual(await bed.database.query(sql`select consent_id from journey`), []);
});
