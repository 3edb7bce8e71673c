import assert from "node:assert/strict";
import { oauthError } from "#test/auth/oauth.ts";
import { expectStatus } from "#test/harness.ts";
import { lodgeAccess } from "#test/journeys/payments.ts";
import type { ActEffect, ActsBed } from "./acts-bed.ts";

type Access = { consentId: string; token: string };

/** The acts on a TPP's request without a browser, and their effects. */
export const requestRows = (
  bed: () => ActsBed,
  consentAndUse: (access: Access) => Promise<unknown[]>,
): ActEffect[] => [
  [
    "request",
    "allow",
    "gives the TPP its tokens, for the accounts of the customer",
    async (perform) => {
      const { id, poll, consentId } = await begin(bed());
      assert.equal(await perform(id), "approved");
      const answer = await poll();
      expectStatus(answer, 200);
      const token = String((answer.body as { access_token: string }).access_token);
      assert.deepEqual(await consentAndUse({ consentId, token }), ["AUTH", 200]);
    },
  ],
  [
    "request",
    "deny",
    "is access_denied at the token endpoint, and rejects the consent",
    async (perform) => {
      const { id, poll, consentId } = await begin(bed());
      assert.equal(await perform(id), "cancelled");
      assert.equal(oauthError(await poll()), "access_denied");
      assert.equal((await consentAndUse({ consentId, token: "none" }))[0], "RJCT");
    },
  ],
  [
    "request",
    "time-out",
    "is expired_token at the token endpoint, and rejects the consent",
    async (perform) => {
      const { id, poll, consentId } = await begin(bed());
      assert.equal(await perform(id), "timed_out");
      assert.equal(oauthError(await poll()), "expired_token");
      assert.equal((await consentAndUse({ consentId, token: "none" }))[0], "RJCT");
      // the request has ended, and nothing more becomes of it
      assert.equal((await bed().act(`/backchannel-requests/${id}/allow`)).code, 409);
    },
  ],
];

/** Asks for access without a browser. The test tool names the customer, and not the consent. */
async function begin({ client, login }: ActsBed) {
  const consentId = await lodgeAccess(client);
  const claims = { login_hint: `sandbox:${login}`, "openbanking-intent-id": undefined };
  const answer = await client.backchannel({ scope: "accounts", consentId, claims });
  expectStatus(answer, 200);
  const { auth_req_id: id } = answer.body as { auth_req_id: string };
  return { id, consentId, poll: () => client.poll(id) };
}
