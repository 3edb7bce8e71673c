import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import type { PasskeyOffer } from "#src/bank/challenge.ts";
import type { Bank } from "#src/bank/port.ts";
import { present } from "#src/lib/assert.ts";
import { openAuthBed } from "./auth-bed.ts";
import { answerOf, openJourneys } from "./journeys.ts";
import { paperBank } from "./paper-bank.ts";
import { optionsOn, SoftPasskey } from "./soft-passkey.ts";

// What a core may offer, and what its answers count for.

const boundTo = (subjectHash: string): Buffer =>
  Buffer.concat([randomBytes(24), Buffer.from(subjectHash, "base64url")]);

/** A core whose customers have passkeys, and that accepts every answer. */
function offering(
  signed: (subjectHash: string) => Buffer,
  {
    verify = async () => true as const,
    ...more
  }: Partial<PasskeyOffer & Pick<Bank, "verify">> = {},
) {
  const wanted: unknown[] = [];
  const asked: string[] = [];
  const bank: Partial<Bank> = {
    async challenge(customerId, subject, request) {
      wanted.push(request.method);
      const made = await paperBank.challenge(customerId, subject, request);
      if (request.method === "code") return made;
      const passkey: PasskeyOffer = {
        request: {
          challenge: signed(request.subjectHash).toString("base64url"),
          rpId: "localhost",
          allowCredentials: [{ type: "public-key", id: "AAAA" }],
          userVerification: "required",
        },
        ...more,
      };
      return { ...made, method: "passkey", passkey };
    },
    async verify(challengeId, answer) {
      asked.push(challengeId);
      return verify(challengeId, answer);
    },
  };
  return { bank, wanted, asked };
}

const wrongOffers: Record<string, (subjectHash: string) => Buffer> = {
  "random bytes alone": () => randomBytes(56),
  "the hash alone": (hash) => Buffer.from(hash, "base64url"),
  "too few random bytes": (hash) => boundTo(hash).subarray(9),
  "the hash first": (hash) => Buffer.concat([Buffer.from(hash, "base64url"), randomBytes(24)]),
};

for (const [what, signed] of Object.entries(wrongOffers)) {
  test(`a core that lets passkeys sign ${what} is an outage`, async () => {
    const place = await openAuthBed(offering(signed));
    try {
      const { visitor } = await (await openJourneys(place)).visit("domestic-payment");
      await visitor.login("anna");
      assert.equal(visitor.shown.status, 503);
      assert.match(visitor.shown.body, /We cannot do this at the moment/);
      // the customer can go on with the request once the core answers again
      assert.match(visitor.shown.body, /href="\/journey\/[\w-]+">Continue with this request</);
      assert.match(visitor.shown.body, /try again in a minute/);
      const reason = "passkey challenge does not end with the subject's hash";
      assert.ok(place.logged.some((line) => line.includes(reason)));
    } finally {
      await place.close();
    }
  });
}

test("a core that says only that an answer is right has proved the possession of a key", async () => {
  const place = await openAuthBed(offering(boundTo));
  try {
    const journeys = await openJourneys(place);
    const { visitor } = await journeys.visit("domestic-payment");
    await visitor.login("anna");
    // nobody gets a code that the core has not offered
    assert.doesNotMatch(visitor.shown.body, /Use a code instead/);
    await visitor.submit({ decision: "code" });
    const answer = new SoftPasskey(place.publicUrl).sign(optionsOn(visitor.shown));
    await visitor.submit({ code: answer, decision: visitor.go });
    await visitor.submit({ account: "101", decision: "continue" });
    if (visitor.canApprove) await visitor.approve();
    const { id_token } = await answerOf(visitor);
    const claims = await journeys.tpp.verifyToken(present(id_token, "the id_token"));
    assert.deepEqual(claims.amr, ["pwd", "pop", "mfa"]);
  } finally {
    await place.close();
  }
});

test("the core is not asked about an answer that has signed another challenge", async () => {
  const { bank, asked } = offering(boundTo);
  const place = await openAuthBed({ bank });
  try {
    const { visitor } = await (await openJourneys(place)).visit("domestic-payment");
    await visitor.login("anna");
    const passkey = new SoftPasskey(place.publicUrl);
    const other = passkey.sign({ challenge: boundTo("AAAA").toString("base64url") });
    await visitor.submit({ code: other, decision: visitor.go });
    assert.match(visitor.shown.body, /We cannot accept this passkey/);
    assert.deepEqual(asked, []);
  } finally {
    await place.close();
  }
});

test("while the core cannot be reached, an answer is not counted and can be repeated", async () => {
  let isDown = true;
  const { bank } = offering(boundTo, {
    verify: async () => {
      if (isDown) throw new Error("the core is out of order");
      return { amr: ["hwk", "user"] };
    },
  });
  const place = await openAuthBed({ bank });
  try {
    const { visitor } = await (await openJourneys(place)).visit("domestic-payment");
    await visitor.login("anna");
    const { url } = visitor.shown;
    const code = new SoftPasskey(place.publicUrl).sign(optionsOn(visitor.shown));
    const form = { ...visitor.hidden, code, decision: visitor.go };
    for (let turn = 0; turn < 6; turn += 1) {
      await visitor.open(url, form);
      assert.equal(visitor.shown.status, 500);
    }
    isDown = false;
    await visitor.open(url, form);
    assert.equal(visitor.step, "accounts");
  } finally {
    await place.close();
  }
});

test("a customer who asked for a code gets codes until the request ends", async () => {
  const { bank, wanted } = offering(boundTo, { hasCode: true });
  const place = await openAuthBed({ bank });
  try {
    const { visitor } = await (await openJourneys(place)).visit("domestic-payment");
    await visitor.login("anna");
    await visitor.submit({ decision: "code" });
    await visitor.submit({ decision: "renew" });
    assert.deepEqual(wanted, [undefined, "code", "code"]);
  } finally {
    await place.close();
  }
});
