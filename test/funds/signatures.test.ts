// Signatures are optional on v4.0, and unknown on v3.1.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Answer } from "#src/sandbox/test-tpp/tpp-client.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { CardIssuer, confirmations, named } from "./card-issuer.ts";

let bank: TestBank;
let issuer: CardIssuer;
let account: object;
before(async () => {
  bank = await openBank();
  issuer = new CardIssuer(bank, await bank.createTpp(), "/v4.0/cbpii");
  account = named((await bank.currentAccounts("amara"))[0]?.identification ?? null);
});
after(() => bank?.close());

const header = "x-jws-signature";
const isSigned = ({ headers }: Answer): boolean => headers[header] !== undefined;

const question = (consentId: string, reference: string) => ({
  Data: {
    ConsentId: consentId,
    Reference: reference,
    InstructedAmount: { Amount: "1.00", Currency: "GBP" },
  },
});

test("C-018: the bank signs only the responses to signed requests, including refusals", async () => {
  const { client } = issuer;
  for (const signed of [true, false]) {
    const lodged = await issuer.lodge(account, { signed });
    expectStatus(lodged, 201);
    const consentId = String(lodged.body.Data.ConsentId);
    const { token } = await issuer.approve("amara", consentId);
    const body = question(consentId, "Signed");
    const answered = await issuer.call(confirmations, { token, body, signed });
    expectStatus(answered, 201);
    const refused = await issuer.call(confirmations, { token, body, signed });
    expectStatus(refused, 400);
    for (const answer of [lodged, answered, refused]) {
      assert.equal(isSigned(answer), signed);
      if (signed) assert.ok(await client.verifySignature(answer));
    }
    assert.equal(isSigned(await issuer.read(consentId)), false);
  }
});

test("C-017: an invalid signature is refused on v4.0, and ignored on v3.1", async () => {
  const another = await issuer.client.signature(Buffer.from("{}"));
  for (const [signature, code] of [
    [another, "U015"],
    ["no signature", "U018"],
    ["", "U018"],
  ] as const) {
    const headers = { [header]: signature };
    const refused = await issuer.lodge(account, { headers });
    assert.deepEqual([refused.status, refused.body.Errors[0]?.ErrorCode], [400, code]);
    const { consentId, token } = await issuer.authorised("amara", account);
    const body = question(consentId, "Signed");
    const answer = await issuer.call(confirmations, { token, body, headers });
    assert.deepEqual([answer.status, answer.body.Errors[0]?.ErrorCode], [400, code]);
    expectStatus(await issuer.call(confirmations, { token, body }), 201);
    const older = await issuer.through("/v3.1/cbpii").lodge(account, { headers });
    expectStatus(older, 201);
    assert.equal(isSigned(older), false);
  }
});
