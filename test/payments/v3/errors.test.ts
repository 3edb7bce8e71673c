import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import type { Answer, Json } from "#test/payments/answer-check.ts";
import { hashOf } from "#test/payments/files/fixture.ts";
import { domesticConsent } from "#test/payments/fixture.ts";
import {
  at,
  faultsOf,
  init,
  openV3,
  sampleFile,
  start,
  type V3Bed,
  v3Consent,
  v31,
} from "./bed.ts";

// How v3.1 refuses requests.

let bank: V3Bed;
before(async () => {
  bank = await openV3();
});
after(() => bank?.close());
beforeEach(() => bank.clock.set(start));

test("F-055: an error has a code, a message, and a message for each fault", async () => {
  const { status, body } = await bank.lodge("domestic-payment", init({ Frequency: "MNTH" }));
  assert.equal(status, 400);
  assert.equal(body.Code, "400 BadRequest");
  for (const text of [body.Message, ...body.Errors.map(({ Message }: Json) => Message)]) {
    assert.match(text, /^.{1,500}$/s);
  }
  assert.match(body.Errors[0].ErrorCode, /^UK\.OBIE\./);
});

test("F-056: the path decides whose words a refusal has", async () => {
  const codes = async (base: string) => {
    const answers: Answer[] = [
      await bank.post(`${base}/domestic-payment-consents`, { body: "{" }),
      await bank.get(`${base}/domestic-payment-consents/unknown`),
      await bank.get(`${base}/domestic-payments/unknown`),
      await bank.get(`${base}/file-payments/unknown/report-file`),
    ];
    return answers.map(({ body }) => body.Errors[0].ErrorCode);
  };
  const notFound = "UK.OBIE.Resource.NotFound";
  assert.deepEqual(await codes(v31), [
    "UK.OBIE.Resource.InvalidFormat",
    ...[notFound, notFound, notFound],
  ]);
  assert.deepEqual(await codes(""), ["U010", "U011", "U011", "U011"]);
});

test("F-059: a key that was used with another body is refused as an invalid header", async () => {
  const key = "f059";
  const path = `${v31}/domestic-payment-consents`;
  const body = v3Consent("domestic-payment");
  const first = await bank.post(path, { key, body });
  const again = await bank.post(path, { key, body });
  assert.equal(again.body.Data.ConsentId, first.body.Data.ConsentId);
  const other = await bank.post(path, {
    key,
    body: v3Consent("domestic-payment", init({ InstructionIdentification: "I-2" })),
  });
  assert.deepEqual(faultsOf(other), [400, ["UK.OBIE.Header.Invalid", "x-idempotency-key"]]);
});

test("F-060: a key may be used once on each version", async () => {
  const key = "f060";
  const path = "/domestic-payment-consents";
  const older = await bank.post(v31 + path, { key, body: v3Consent("domestic-payment") });
  const newer = await bank.post(path, { key, body: domesticConsent() });
  assert.deepEqual([older.status, newer.status], [201, 201]);
  assert.notEqual(older.body.Data.ConsentId, newer.body.Data.ConsentId);
});

test("F-061: a request must be signed, and a signature must belong to its body", async () => {
  const path = `${v31}/domestic-payment-consents`;
  const header = "x-jws-signature";
  const send = async (sent: object) =>
    faultsOf(await bank.post(path, { body: v3Consent("domestic-payment"), ...sent }));
  const none = await send({ headers: { [header]: "" } });
  assert.deepEqual(none, [400, ["UK.OBIE.Signature.Malformed", header]]);
  const claims = Buffer.from(JSON.stringify({ alg: "PS256" })).toString("base64url");
  const [status, first] = await send({ headers: { [header]: `${claims}..e30` } });
  assert.deepEqual([status, first], [400, ["UK.OBIE.Signature.MissingClaim", "kid"]]);
  const issuedAt = "http://openbanking.org.uk/iat";
  // later than both clocks: neither may make a fresh signature look early
  const later = Math.max(Date.now(), bank.clock.now().epochMilliseconds) / 1000 + 3600;
  const future = await send({ signedAt: later });
  assert.deepEqual(future, [400, ["UK.OBIE.Signature.InvalidClaim", issuedAt]]);
});

test("F-055: a file that differs from its consent is refused with published names", async () => {
  const upload = async (members: object, body: string) => {
    const { Data } = (await bank.lodge("file-payment", init(members))).body;
    const consents = `${v31}/file-payment-consents/${Data.ConsentId}`;
    const answer = await bank.post(`${consents}/file`, { body });
    assert.equal((await bank.get(consents)).body.Data.Status, "Rejected");
    return faultsOf(answer);
  };
  const invalid = "UK.OBIE.Field.Invalid";
  assert.deepEqual(await upload({ ControlSum: 9 }, sampleFile), [
    400,
    [invalid, `${at}.ControlSum`],
  ]);
  assert.deepEqual(await upload({ NumberOfTransactions: "3" }, sampleFile), [
    400,
    [invalid, `${at}.NumberOfTransactions`],
  ]);
  const text = JSON.stringify({ Data: { DomesticStandingOrders: [{}] } });
  assert.deepEqual(await upload({ FileHash: hashOf(text) }, text), [
    400,
    [invalid, "Data.DomesticStandingOrders"],
  ]);
});
