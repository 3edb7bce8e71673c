import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import {
  anna,
  type BackchannelBed,
  expectError,
  hintToken,
  openBackchannelBed,
  tokensOf,
} from "./backchannel-bed.ts";
import { oauthError } from "./oauth.ts";

// A test tool in a sandbox, which sends the same hint in every request and cannot name a consent.

let bed: BackchannelBed;
let tpp: TppClient;
before(async () => {
  bed = await openBackchannelBed();
});
after(() => bed?.close());
beforeEach(async () => {
  bed.advance({ hours: 1 });
  tpp = await bed.createTpp();
});

const byTool = { login_hint: "sandbox:anna", "openbanking-intent-id": undefined };
const lodge = () => bed.lodge(tpp, "domestic-payment", { data: { debtor: "20201012345101" } });

/** Sends a request that names no consent. */
const send = (claims: Record<string, unknown> = {}, scope: "payments" | "accounts" = "payments") =>
  tpp.backchannel({ scope, consentId: "", claims: { ...byTool, ...claims } });

/** The id of a request that the bank has accepted. */
async function begin(...given: Parameters<typeof send>): Promise<string> {
  const answer = await send(...given);
  assert.equal(answer.status, 200, answer.raw.toString());
  return (answer.body as { auth_req_id: string }).auth_req_id;
}

test("CB-150, CB-153: a request that names no consent is about the newest one that is open", async () => {
  const [older, newer] = [await lodge(), await lodge()];
  await bed.lodge(tpp, "account-access"); // another scope
  const id = await begin();
  assert.equal(bed.challenges.at(-1)?.customerId, anna);
  // the newest one has a request, so the next request is about the other
  await begin();
  expectError(await send(), 400, "invalid_request");
  const newest = bed.inApp.sent.at(-2);
  bed.inApp.answer("approved", newest);
  bed.advance({ seconds: 2 });
  await bed.backchannel.run();
  assert.equal((await bed.consent(newer)).status, "AUTH");
  assert.equal((await bed.consent(older)).status, "AWAU");
  const claims = await tpp.verifyToken((await tokensOf(tpp, id)).id_token ?? "");
  assert.equal(claims.openbanking_intent_id, newer);
});

test("CB-150: a consent that was authorised and can be again serves for many requests", async () => {
  const consentId = await bed.lodge(tpp, "account-access", {
    expiresAt: bed.clock.now().add({ hours: 2000 }),
  });
  for (let turn = 0; turn < 2; turn += 1) {
    const id = await begin({}, "accounts");
    await bed.answer("approved");
    if (turn === 0) {
      const journeyId = await bed.journeyOf(consentId);
      const { shownHash } = await bed.app.show(journeyId);
      const decision = { decision: "approve", customerId: anna, shownHash } as const;
      await bed.app.decide(journeyId, { ...decision, accountIds: ["101"] });
    }
    await tokensOf(tpp, id);
  }
  // of another customer, it is not open
  expectError(await send({ login_hint: "sandbox:ben" }, "accounts"), 400, "invalid_request");
});

test("CB-150: a client without an open consent, or with those of another client, is told so", async () => {
  const owner = tpp;
  await lodge();
  tpp = await bed.createTpp();
  const answer = await send();
  expectError(answer, 400, "invalid_request");
  assert.match(answer.raw.toString(), /no consent for this scope .* Create one first/);
  const consentId = await lodge();
  bed.advance({ hours: 2 }); // it was not authorised in time
  expectError(await send(), 400, "invalid_request");
  assert.equal((await bed.consent(consentId)).status, "AWAU");
  assert.notEqual(owner.tpp.clientId, tpp.tpp.clientId);
});

const others: [title: string, claims: Record<string, unknown>, error: string][] = [
  ["no hint", { login_hint: undefined }, "invalid_request"],
  ["a login alone", { login_hint: "anna" }, "invalid_request"],
  [
    "the tool's hint beside another",
    { login_hint_token: hintToken({ sub: anna }) },
    "invalid_request",
  ],
  [
    "another hint alone",
    { login_hint: undefined, login_hint_token: hintToken({ sub: anna }) },
    "invalid_request",
  ],
  ["a login that nobody has", { login_hint: "sandbox:nobody" }, "unknown_user_id"],
];
for (const [title, claims, error] of others) {
  test(`CB-81, CB-153: with ${title}, a request must name its consent`, async () => {
    await lodge();
    const asked = bed.challenges.length;
    assert.equal(oauthError(await send(claims)), error);
    assert.equal(bed.challenges.length, asked, "a customer was asked");
  });
}

test("CB-153: a tool may name the consent, too", async () => {
  const older = await lodge();
  await lodge();
  await begin({ "openbanking-intent-id": older });
  await bed.answer("approved");
  assert.equal((await bed.consent(older)).status, "AUTH");
});

test("CB-153: a bank in production knows no hint of test tools", async () => {
  const production = await openBackchannelBed({ profile: "production", hints: false });
  try {
    const client = await production.createTpp();
    const consentId = await production.lodge(client, "domestic-payment");
    const claims = { login_hint: "sandbox:anna" };
    expectError(
      await client.backchannel({ scope: "payments", consentId, claims }),
      400,
      "invalid_request",
    );
  } finally {
    await production.close();
  }
});
