import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Bed, openRegistrationBed, subjectText } from "./bed.ts";

// what each version allows that another does not
const versions = [
  { version: "3.2", application_type: "mobile", grants: ["refresh_token"] },
  { version: "3.3", application_type: "web", grants: [] },
  { version: "3.4", application_type: "native", grants: [] },
] as const;
const contentTypes = ["application/jose", "application/jwt; charset=utf-8"];
const methods = {
  private_key_jwt: {},
  tls_client_auth: {
    token_endpoint_auth_signing_alg: undefined,
    tls_client_auth_subject_dn: subjectText,
  },
};

for (const { version, application_type, grants } of versions) {
  describe(`a bank of version ${version}`, () => {
    let bed: Bed;
    before(async () => {
      bed = await openRegistrationBed({ REGISTRATION_VERSION: version });
    });
    after(() => bed?.close());

    for (const contentType of contentTypes) {
      for (const [method, claims] of Object.entries(methods)) {
        test(`R-001, R-015, R-051, R-100: a client of each version registers, gets a token and reads its registration (${version}, ${contentType}, ${method})`, async () => {
          const answer = await bed.send({
            body: await bed.request({
              application_type,
              grant_types: ["authorization_code", "client_credentials", ...grants],
              token_endpoint_auth_method: method,
              ...claims,
            }),
            headers: { "content-type": contentType },
          });
          assert.equal(answer.status, 201, answer.text);
          assert.equal(answer.headers["content-type"], "application/json");
          assert.equal(answer.headers["cache-control"], "no-store");
          assert.equal(answer.body.application_type, application_type);
          const client = bed.client(answer.body, bed);
          try {
            const token = await client.clientToken("accounts");
            const url = `${bed.url}/${String(answer.body.client_id)}`;
            const headers = { authorization: `Bearer ${token}` };
            const read = await bed.send({ method: "GET", url, headers });
            assert.deepEqual(read.body, answer.body);
          } finally {
            client.close();
          }
        });
      }
    }
  });
}
