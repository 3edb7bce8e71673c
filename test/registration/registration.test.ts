import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { systemClock } from "#src/lib/clock.ts";
import { recordAttempt } from "#src/registration/store-registration.ts";
import { sql } from "#src/storage/sql.ts";
import { type Bed, openRegistrationBed, redirectUri, softwareId, subjectText } from "./bed.ts";
import { openOtherProcess } from "./other-process.ts";

let bed: Bed;
before(async () => {
  bed = await openRegistrationBed();
});
after(() => bed?.close());

test("R-131, R-132, R-133, R-134, R-135, R-136: the response has the registered members, the id and the members of the statement", async () => {
  const statement = await bed.statement();
  const answer = await bed.send({
    body: await bed.request({ software_statement: statement, surprise: "unknown" }),
  });
  assert.equal(answer.status, 201, answer.text);
  const { client_id: id, client_id_issued_at: issued, ...rest } = answer.body;
  assert.match(String(id), /^.{1,36}$/);
  assert.ok(Number.isInteger(issued) && Math.abs(Number(issued) - Date.now() / 1000) < 600);
  const { org_id: _, organisation_competent_authority_claims: authority, ...members } = rest;
  assert.ok(authority);
  assert.partialDeepStrictEqual(members, {
    redirect_uris: [redirectUri],
    token_endpoint_auth_method: "private_key_jwt",
    token_endpoint_auth_signing_alg: "PS256",
    grant_types: ["authorization_code", "client_credentials"],
    response_types: ["code id_token"],
    software_id: softwareId,
    scope: "openid accounts",
    application_type: "web",
    id_token_signed_response_alg: "PS256",
    request_object_signing_alg: "PS256",
    software_statement: statement,
    software_client_name: "Savvy",
  });
  for (const name of ["iss", "iat", "exp", "aud", "jti", "client_secret", "surprise"]) {
    assert.ok(!(name in answer.body), name);
  }
});

const ciba = "urn:openid:params:grant-type:ciba";

test("R-054, R-064, R-065, R-066, R-067, CB-52: a client registers for approvals without a browser, and can leave them out again", async () => {
  const members = {
    grant_types: ["authorization_code", "client_credentials", ciba],
    backchannel_token_delivery_mode: "ping",
    backchannel_client_notification_endpoint: "https://tpp.example/decided",
    backchannel_authentication_request_signing_alg: "PS256",
    backchannel_user_code_parameter: false,
  };
  const answer = await bed.send({ body: await bed.request(members) });
  assert.equal(answer.status, 201, answer.text);
  assert.partialDeepStrictEqual(answer.body, members);
  const without = await bed.send({
    body: await bed.request({ ...members, grant_types: members.grant_types.slice(0, 2) }),
  });
  assert.equal(without.status, 201, without.text);
  assert.ok(!("backchannel_token_delivery_mode" in without.body));
});

test("R-142: every attempt is recorded with its certificate, software, outcome and rule", async () => {
  const interactionId = "93bac548-d2de-4546-b106-880a5018460d";
  const headers = { "x-fapi-interaction-id": interactionId };
  const answer = await bed.send({ body: await bed.request({ exp: 1 }), headers });
  assert.equal(answer.status, 400);
  assert.equal(answer.headers["x-fapi-interaction-id"], interactionId);
  const rows = await bed.bank.database.query(sql`
    select software_id as "softwareId", certificate_subject as subject, status, rule
    from registration_attempt where interaction_id = ${interactionId}`);
  assert.deepEqual(rows, [
    {
      softwareId,
      subject: subjectText,
      status: 400,
      rule: "R-045",
    },
  ]);
});

test("R-142: the sweep deletes attempts after 400 days, and keeps newer ones", async () => {
  const { database } = bed.bank;
  const now = systemClock.now();
  const attempt = {
    method: "POST",
    certificateSubject: subjectText,
    softwareId,
    clientId: null,
    status: 400,
    rule: "R-045",
    description: "exp is past.",
  };
  // more than the purge deletes at once
  const ages = [399, ...Array.from({ length: 501 }, () => 401)];
  for (const days of ages) {
    const at = now.subtract({ hours: days * 24 });
    await recordAttempt(database, { ...attempt, at, interactionId: `aged ${days}` });
  }
  await openOtherProcess(bed.bank).sweep();
  const kept = await database.query(sql`
    select interaction_id as id from registration_attempt where interaction_id like 'aged %'`);
  assert.deepEqual(kept, [{ id: "aged 399" }]);
});
