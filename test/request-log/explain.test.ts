import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { ps256 } from "#src/http/signature/signer.ts";
import { codeAdvice } from "#src/request-log/explain/advice.ts";
import type { Explanation } from "#src/request-log/explain/explanation.ts";
import { reasonAdvice } from "#src/request-log/explain/reason-advice.ts";
import { registrationAdvice } from "#src/request-log/explain/registration-advice.ts";
import { requestRows } from "#src/sandbox/controls/request-rows.ts";
import { pathOf, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { pispV40 } from "#src/standard/pisp-v4.0/version.ts";
import { addSigningKey } from "#test/clients/added-key.ts";
import { ruleSets } from "#test/conformance/rules.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { lodge, lodgeAccess, order, untilStatus } from "#test/journeys/payments.ts";

let bank: TestBank;
let tpp: TppClient;
before(async () => {
  bank = await openBank();
  tpp = await bank.createTpp();
});
after(() => bank?.close());

const explain = (id: string) =>
  bank.control<Explanation>("GET", `/explanations/${encodeURIComponent(id)}`);

const body = {
  Data: {
    Initiation: {
      InstructionIdentification: "42",
      EndToEndIdentification: "Müller/7",
      InstructedAmount: { Amount: "1.00", Currency: "GBP" },
    },
  },
  Risk: {},
};

/** Sends a body with a signature, and returns the explanation of the answer. */
async function sendSigned(
  sent: string,
  signature: string,
  headers: Record<string, string> = {},
): Promise<Explanation> {
  const interactionId = randomUUID();
  const answer = await tpp.call({
    path: `${pathOf(pispV40)}/domestic-payment-consents`,
    token: await tpp.clientToken("payments"),
    body: sent,
    headers: {
      "x-fapi-interaction-id": interactionId,
      "x-jws-signature": signature,
      ...headers,
    },
  });
  assert.equal(answer.status, 400, answer.raw.toString());
  return explain(interactionId);
}

const compact = JSON.stringify(body);
const python = compact.replaceAll(":", ": ").replaceAll(",", ", ");
const byteOf = (part: string): number => Buffer.from(compact).indexOf(part);
const forms: [name: string, signed: string, sent: string, at: number, said: RegExp][] = [
  ["compact JSON, sent as Python writes it", compact, python, 8, /without white space/],
  ["JSON with spaces, sent compact", python, compact, 8, /as Python writes it/],
  ["indented JSON, sent compact", JSON.stringify(body, null, 2), compact, 1, /indented by two/],
  [
    "escaped slashes, sent compact",
    compact.replace("/", "\\/"),
    compact,
    byteOf("/7"),
    /as PHP writes it/,
  ],
  [
    "ASCII only, sent in UTF-8",
    compact.replace("ü", "\\u00fc"),
    compact,
    byteOf("ü"),
    /ASCII characters/,
  ],
];
for (const [name, signed, sent, at, said] of forms) {
  test(`the signature of ${name}: the explanation names the form and the first byte that differs`, async () => {
    const { signature, faults, next } = await sendSigned(
      sent,
      await tpp.signature(Buffer.from(signed)),
    );
    assert.deepEqual(faults[0]?.code, "U015");
    assert.match(signature?.mistake ?? "", /serialised again after it was signed/);
    assert.match(signature?.mistake ?? "", said);
    assert.equal(signature?.difference?.at, at, JSON.stringify(signature?.difference));
    assert.equal(signature?.verified.bodyBytes, Buffer.from(sent).length);
    assert.deepEqual(signature?.header?.alg, "PS256");
    const { signingInput = "", sha256, bytes, begin } = signature?.verified ?? {};
    const [, signedBody = ""] = signingInput.split(".");
    assert.equal(Buffer.from(signedBody, "base64url").toString(), sent);
    assert.equal(createHash("sha256").update(signingInput).digest("hex"), sha256);
    assert.equal(signingInput.length, bytes);
    assert.equal(begin, `${signingInput.slice(0, 120)}…`);
    assert.match(next, /exact bytes/);
  });
}

test("a body that was signed without base64url is told from a changed one", async () => {
  const [header = ""] = (await tpp.signature(Buffer.from(compact))).split(".");
  const input = Buffer.from(`${header}.${compact}`);
  const plain = sign("sha256", input, { key: tpp.tpp.signing.privateKeyPem, ...ps256 });
  const explained = await sendSigned(compact, `${header}..${plain.toString("base64url")}`);
  assert.match(explained.signature?.mistake ?? "", /signed as it is \(b64 false\)/);
  const changed = await sendSigned(compact, await tpp.signature(Buffer.from("{}")));
  assert.match(changed.signature?.mistake ?? "", /the body was changed after it was signed/);
  assert.match(changed.signature?.mistake ?? "", /curl -d removes line breaks/);
  assert.match(changed.faults[0]?.message ?? "", /curl -d removes line breaks/);
  const lines = JSON.stringify(JSON.parse(compact), null, 3);
  const broken = await sendSigned(lines, await tpp.signature(Buffer.from("{}")));
  assert.doesNotMatch(JSON.stringify(broken), /curl/);
});

const iat = "http://openbanking.org.uk/iat";
const iss = "http://openbanking.org.uk/iss";
const claims: [title: string, claim: Record<string, unknown>, where: string, said: RegExp][] = [
  ["a time in milliseconds", { [iat]: Date.now() }, iat, /in seconds, not milliseconds/],
  ["another issuer", { [iss]: "someone" }, iss, /\{organisation id\}\/\{software id\}/],
  ["an unknown key", { kid: "none" }, "kid", /name a signature key of your JWKS/],
  ["b64", { b64: true }, "b64", /leave it out/],
];
for (const [title, claim, where, said] of claims) {
  test(`a signature with ${title}: the explanation has the claim, what was found and the rule`, async () => {
    const signature = await tpp.signature(Buffer.from(compact), claim);
    const { faults } = await sendSigned(compact, signature);
    const fault = faults.find((one) => one.where === where);
    assert.equal(fault?.code, "U016", JSON.stringify(faults));
    assert.equal(fault.found, JSON.stringify(Object.values(claim)[0]));
    assert.match(fault.message ?? "", said);
    assert.equal(fault.expected, null, "it would repeat the message");
    assert.ok(fault.rules.length > 0 && fault.sections.length > 0);
  });
}

const tan = "http://openbanking.org.uk/tan";
for (const [named, crit] of [
  ["with b64", ["b64", iat, iss, tan]],
  ["without b64", [iat, iss, tan]],
] as const) {
  test(`a signature with b64 false and a crit ${named}: each step names crit`, async () => {
    const signature = await tpp.signature(Buffer.from(compact), { b64: false, crit });
    const explained = await sendSigned(compact, signature);
    const steps = [explained.next, ...explained.faults.map(({ next }) => next)];
    for (const next of steps) assert.match(next ?? "", /^Leave b64 out, of the header and of crit/);
    assert.match(explained.signature?.mistake ?? "", /crit/);
  });
}

test("a wrong member is explained with its path, what was found, and what is allowed", async () => {
  const wrong = JSON.stringify({
    ...body,
    Data: { Initiation: { ...body.Data.Initiation, InstructedAmount: { Amount: "1,00" } } },
  });
  const { summary, faults } = await sendSigned(wrong, await tpp.signature(Buffer.from(wrong)));
  assert.match(summary, /was rejected with 400/);
  const path = "Data.Initiation.InstructedAmount.Amount";
  const fault = faults.find(({ where }) => where === path);
  assert.equal(fault?.found, '"1,00"', JSON.stringify(faults));
});

test("a member that is too long to show is cut with a mark", async () => {
  const long = "9".repeat(300);
  const wrong = JSON.stringify({
    ...body,
    Data: { Initiation: { ...body.Data.Initiation, InstructedAmount: { Amount: long } } },
  });
  const { faults } = await sendSigned(wrong, await tpp.signature(Buffer.from(wrong)));
  const fault = faults.find(({ where }) => where === "Data.Initiation.InstructedAmount.Amount");
  assert.equal(fault?.found, `"${long.slice(0, 199)}…`, JSON.stringify(faults));
});

test("a refusal of the token endpoint has the reason, the advice and the specification", async () => {
  const assertion = await tpp.assertion({ exp: 1_700_000_000 });
  const answer = await tpp.tokenAnswer({
    grant_type: "client_credentials",
    scope: "payments",
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: assertion,
  });
  assert.equal(answer.status, 401);
  const { faults } = await explain(String(answer.headers["x-fapi-interaction-id"]));
  assert.equal(faults[0]?.code, "jwtExpired");
  assert.match(faults[0]?.meaning ?? "", /exp of the client assertion is 2023-11-14/);
  assert.equal(faults[0]?.where, "exp");
  assert.equal(faults[0]?.found, "1700000000");
  assert.match(faults[0]?.expected ?? "", /seconds after now/);
  assert.match(faults[0]?.next ?? "", /Make a new JWT/);
});

test("a consent is explained: what was granted, by whom, until when, and why it ended", async () => {
  const consentId = await lodgeAccess(tpp);
  assert.match((await explain(consentId)).summary, /it waits for the customer/);
  const approval = { scope: "accounts", consentId, customer: "amara" } as const;
  const { access_token } = await bank.approve(tpp, approval);
  const granted = await explain(consentId);
  const fact = (name: string) => granted.facts.find((one) => one.name === name)?.value ?? "";
  assert.match(fact("permissions"), /ReadBalances/);
  assert.match(fact("granted by"), /./);
  assert.match(fact("accounts"), /./);
  const grant = await explain(fact("grant"));
  assert.deepEqual(grant, granted);
  await bank.control("POST", `/consents/${consentId}/revoke`, {});
  const ended = await explain(consentId);
  assert.match(
    ended.summary,
    /It is Authorised \(its access was withdrawn; .* by the customer\. The customer has stopped/,
  );
  assert.deepEqual(
    ended.history.map(({ what, by }) => [what.split(/[;:]/)[0]?.replace(/grant .*/, "grant"), by]),
    [
      ["created as AwaitingAuthorisation", "the TPP"],
      ["AwaitingAuthorisation became Authorised", "the customer"],
      ["it stays Authorised, but its access was withdrawn", "the customer"],
    ],
  );
  assert.match(ended.next, /authorise again/);
  const refused = await tpp.call({ path: "/v3.1/aisp/accounts", token: access_token });
  assert.equal(refused.status, 401);
  const unread = await explain(String(refused.headers["x-fapi-interaction-id"]));
  assert.match(unread.next, /says whether the customer can authorise it again/);
});

test("an order that the bank refused is explained with its reason", async () => {
  const lodged = await lodge(tpp, { amount: "9999.99" });
  const { consentId } = lodged;
  const approval = { scope: "payments", consentId, customer: "finn" } as const;
  const { access_token: token } = await bank.approve(tpp, approval);
  const orderId = await order(tpp, lodged, token);
  assert.doesNotMatch((await explain(orderId)).summary, /\s$/);
  await untilStatus(tpp, "domestic-payment", orderId, "RJCT");
  const explained = await explain(orderId);
  assert.equal(explained.subject, "order");
  assert.match(explained.summary, /It is RJCT .*AM04/);
  assert.doesNotMatch(explained.summary, /^\s|\s$| {2}/);
  const consent = await explain(consentId);
  for (const { facts } of [explained, consent]) {
    const fact = (name: string) => facts.find((one) => one.name === name)?.value ?? "";
    assert.equal(fact("amount"), "£9,999.99");
    assert.match(fact("payee"), /^Acme Supplies Ltd, 00-99-00 00000001$/);
    assert.match(fact("reference"), /Invoice 42/);
  }
  const named = explained.facts.map(({ name }) => name);
  for (const name of ["customer", "debtor account"]) assert.ok(named.includes(name), name);
  assert.ok(explained.facts.some(({ value }) => value === consentId));
});

test("a signature by another key of the same client is explained with that key", async () => {
  const kid = "second-key";
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const jwk = { ...publicKey.export({ format: "jwk" }), kid, use: "sig", alg: "PS256" };
  const owner = await bank.createTpp();
  const { clientId, signing } = owner.tpp;
  await addSigningKey(bank.database, clientId, jwk);
  const signer = new TppClient(owner.bank, {
    ...owner.tpp,
    signing: {
      kid: signing.kid,
      privateKeyPem: String(privateKey.export({ type: "pkcs8", format: "pem" })),
    },
  });
  const interactionId = randomUUID();
  const answer = await owner.call({
    path: `${pathOf(pispV40)}/domestic-payment-consents`,
    token: await owner.clientToken("payments"),
    body: compact,
    headers: {
      "x-fapi-interaction-id": interactionId,
      "x-jws-signature": await signer.signature(Buffer.from(compact)),
    },
  });
  signer.close();
  assert.equal(answer.status, 400, answer.raw.toString());
  assert.match(answer.raw.toString(), /U015/);
  const { signature } = await explain(interactionId);
  assert.equal(signature?.otherKey, kid, JSON.stringify(signature));
  assert.equal(signature?.keyNamed, signing.kid);
  assert.match(signature?.mistake ?? "", /made with the client's key second-key/);
});

test("the management listener explains too, and has its own 404", async () => {
  const consentId = await lodgeAccess(tpp);
  const at = (id: string) => fetch(`${bank.managementUrl}/explanations/${id}`);
  const explained = (await (await at(consentId)).json()) as Explanation;
  assert.deepEqual(explained, await explain(consentId));
  const unknown = await at("none");
  assert.equal(unknown.status, 404);
  assert.match(((await unknown.json()) as { message: string }).message, /Nothing has the id none/);
});

/** The names of the members of a schema, and of those inside it. */
const membersOf = (schema: unknown): string[] =>
  typeof schema !== "object" || schema === null
    ? []
    : Object.entries(schema).flatMap(([key, value]) => [
        ...(key === "properties" ? Object.keys(value) : []),
        ...membersOf(value),
      ]);

test("docs/ask-it-why.md names every member of an explanation, and bodies.refusal", () => {
  const page = readFileSync("docs/ask-it-why.md", "utf8");
  const row = requestRows.find(({ operationId }) => operationId === "explain");
  const members = membersOf(row?.response.schema);
  assert.ok(members.includes("meaning") && members.includes("signingInput"));
  const missing = [...members, "bodies.refusal"].filter((name) => !page.includes(`\`${name}\``));
  assert.deepEqual(missing, []);
});

test("the page of an explanation has the address that the API's one suggests, too", async () => {
  const consentId = await lodgeAccess(tpp);
  const page = await fetch(`${bank.publicUrl}/sandbox/explanations/${consentId}`);
  assert.equal(page.status, 200);
  assert.equal(page.url, `${bank.publicUrl}/sandbox/explanations?id=${consentId}`);
  assert.match(await page.text(), /it waits for the customer/);
});

test("an unknown id is 404 in words", async () => {
  const answer = await fetch(`${bank.publicUrl}/sandbox/v1/explanations/none`);
  assert.equal(answer.status, 404);
  assert.match(((await answer.json()) as { message: string }).message, /Nothing has the id none/);
});

test("every rule that an explanation names is a rule of docs/conformance.md", () => {
  const known = new Set(ruleSets.flatMap(({ rules }) => rules.map(({ id }) => id)));
  for (const [code, advice] of Object.entries({
    ...codeAdvice,
    ...reasonAdvice,
    ...registrationAdvice,
  })) {
    for (const id of advice.rules) assert.ok(known.has(id), `${code}: ${id}`);
  }
});
