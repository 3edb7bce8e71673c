import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { refusals } from "#src/http/refusal/refusals.ts";
import { present } from "#src/lib/assert.ts";
import { adviceOn } from "#src/request-log/explain/advice.ts";
import type { ExplainedFault, Explanation } from "#src/request-log/explain/explanation.ts";
import type { Answer, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { lodge, lodgeAccess, submit } from "#test/journeys/payments.ts";

let bank: TestBank;
let tpp: TppClient;
before(async () => {
  bank = await openBank();
  tpp = await bank.createTpp();
});
after(() => bank?.close());

const explain = (id: string) =>
  bank.control<Explanation>("GET", `/explanations/${encodeURIComponent(id)}`);
const idOf = ({ headers }: Answer): string => String(headers["x-fapi-interaction-id"]);
const faultOf = async (answer: Answer): Promise<ExplainedFault> =>
  present((await explain(idOf(answer))).faults[0], "a fault");

/** The rules of registrations that the code names. */
const rulesNamed = (): string[] => {
  const files = readdirSync("src/registration").map((name) => `src/registration/${name}`);
  const texts = files.map((file) => readFileSync(file, "utf8"));
  return texts.flatMap((text) => text.match(/(?<=")R-\d{3}(?=")/g) ?? []);
};

test("every reason that the bank can note has a row with all that an explanation needs", () => {
  const reasons = [...Object.keys(refusals), ...new Set(rulesNamed())];
  assert.ok(reasons.length > 130, String(reasons.length));
  for (const reason of reasons) {
    const row = present(adviceOn(reason), reason);
    const isWhole = row.where && row.expected && row.next && row.rules.length > 0;
    assert.ok(isWhole && row.sections.length > 0, `${reason}: ${JSON.stringify(row)}`);
  }
});

type Claims = Record<string, unknown>;
const atAuth: [name: string, code: string, where: string, claims: Claims, found: RegExp][] = [
  [
    "a redirect URI that is not registered",
    "redirectUnregistered",
    "redirect_uri",
    { redirect_uri: "https://other.example/cb" },
    /^https:\/\/other\.example\/cb$/,
  ],
  ["another audience", "jwtAudience", "aud", { aud: "https://other.example" }, /other\.example/],
  ["a long life", "jwtSpan", "exp", { exp: Math.floor(Date.now() / 1000) + 9000 }, /^\d{10}$/],
  [
    "an unknown consent",
    "consentUnknown",
    "claims",
    { claims: { id_token: { openbanking_intent_id: { value: "none" } } } },
    /openbanking_intent_id:\{value:none/,
  ],
  ["no consent", "unexplained", "the request", { claims: {} }, /^$/],
];
for (const [name, code, where, overrides, found] of atAuth) {
  test(`a refused authorization with ${name}: the sentence, the claim and the value`, async () => {
    const consentId = await lodgeAccess(tpp);
    const url = await tpp.authorizationUrl({ scope: "accounts", consentId, overrides });
    const answer = await tpp.send(url, "GET", undefined, { accept: "text/html" });
    const fault = await faultOf(answer);
    assert.equal(fault.code, code);
    assert.ok((fault.meaning ?? "").length > 30, JSON.stringify(fault));
    assert.equal(fault.where, where);
    assert.match((fault.found ?? "").replaceAll('"', ""), found);
    assert.ok(fault.expected && fault.next);
    assert.equal(fault.message, null, "it would repeat the meaning");
    assert.notEqual(fault.expected, fault.meaning);
    if (code !== "redirectUnregistered") return;
    assert.match(fault.meaning ?? "", /which is not registered\. Registered: https?:/);
  });
}

test("milliseconds in exp of a request object: the next step is to send seconds", async () => {
  const consentId = await lodgeAccess(tpp);
  const exp = Date.now() + 300_000;
  const url = await tpp.authorizationUrl({ scope: "accounts", consentId, overrides: { exp } });
  const fault = await faultOf(await tpp.send(url, "GET", undefined, { accept: "text/html" }));
  assert.match(fault.next ?? "", /^Send exp in seconds/);
});

test("a call without a token: the next step is to send one", async () => {
  const fault = await faultOf(await tpp.call({ path: "/v4.0/aisp/accounts" }));
  assert.match(fault.next ?? "", /^Send `Authorization: Bearer TOKEN`/);
  assert.ok(fault.rules.length > 0 && fault.sections.length > 0);
});

test("a wrong scope and a wrong grant: the next step names the token", async () => {
  const token = await tpp.clientToken("accounts");
  const path = "/v4.0/pisp/domestic-payment-consents";
  const scope = await faultOf(await tpp.call({ path, token, body: "{}" }));
  assert.match(scope.next ?? "", /^Get a token with the scope payments\.$/);
  const payments = await tpp.clientToken("payments");
  const pay = await tpp.call({
    path: "/v4.0/pisp/domestic-payments",
    token: payments,
    body: "{}",
    headers: { "x-idempotency-key": randomUUID() },
  });
  assert.match((await faultOf(pay)).next ?? "", /^Use the token of the customer's approval/);
});

test("an unknown path and a wrong method of an API: the next step is about them", async () => {
  const path = await faultOf(await tpp.call({ path: "/v4.0/aisp/acounts" }));
  assert.match(path.next ?? "", /^Check the path: `\.\/aldgate routes`/);
  const put = await tpp.call({ path: "/v4.0/aisp/accounts", method: "PUT", body: "{}" });
  assert.equal(put.status, 405);
  assert.match((await faultOf(put)).next ?? "", /^Use a method that the header Allow names/);
});

test("a request that is explained by an id that a later one has too is the rejected one", async () => {
  const headers = { "x-fapi-interaction-id": randomUUID() };
  const path = "/v4.0/aisp/account-access-consents";
  const token = await tpp.clientToken("accounts");
  const Data = { Permissions: ["ReadAccountsBasic"] };
  const send = (body: object) =>
    tpp.call({ path, token, headers, body: JSON.stringify({ Risk: {}, ...body }) });
  assert.equal((await send({ Data: { Permissions: ["ReadAll"] } })).status, 400);
  assert.equal((await send({ Data })).status, 201);
  const explained = await explain(headers["x-fapi-interaction-id"]);
  assert.match(explained.summary, /was rejected with 400/);
  assert.ok(explained.faults.length > 0);
  const [other] = explained.facts;
  assert.equal(other?.name, "same interaction id");
  assert.match(other?.value ?? "", /got 201/);
});

test("a wrong scope at the token endpoint: the sentence, what was found, rule and section", async () => {
  const fault = await faultOf(
    await tpp.tokenAnswer({
      grant_type: "client_credentials",
      scope: "everything",
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      client_assertion: await tpp.assertion(),
    }),
  );
  assert.equal(fault.code, "scopeUnknown");
  assert.equal((fault.found ?? "").replaceAll('"', ""), "everything");
  assert.ok(fault.rules.length > 0 && fault.sections.length > 0);
});

test("an approval without a browser whose message is too long is explained by its member", async () => {
  const { consentId } = await lodge(tpp);
  const claims = { binding_message: "x".repeat(30) };
  const fault = await faultOf(await tpp.backchannel({ scope: "payments", consentId, claims }));
  assert.equal(fault.where, "binding_message", JSON.stringify(fault));
  assert.ok(fault.rules.length > 0 && fault.sections.length > 0 && fault.next);
});

test("an order that repeats an idempotency key is explained with the first request", async () => {
  const lodged = await lodge(tpp);
  const { consentId, initiation } = lodged;
  const approval = { scope: "payments", consentId, customer: "amara" } as const;
  const { access_token: token } = await bank.approve(tpp, approval);
  const key = randomUUID();
  const changed = { ...lodged, initiation: { ...initiation, EndToEndIdentification: "other" } };
  assert.equal((await submit(tpp, changed, token, key)).status, 400);
  const first = await submit(tpp, lodged, token, key);
  assert.equal(first.status, 201);
  const firstOf = async (answer: Answer) =>
    (await explain(idOf(answer))).facts.find(({ name }) => name.startsWith("first request"))?.value;
  assert.equal(await firstOf(first), undefined);

  const replay = await submit(tpp, lodged, token, key);
  assert.equal(replay.status, 201);
  assert.match((await firstOf(replay)) ?? "", new RegExp(`got 201.*${idOf(first)}.* at 2`));
  const rejected = await submit(tpp, changed, token, key);
  assert.match(rejected.raw.toString(), /This key was used with another body/);
  assert.match((await firstOf(rejected)) ?? "", new RegExp(idOf(first)));
});
