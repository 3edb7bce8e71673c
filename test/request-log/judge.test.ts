import "reflect-metadata";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as x509 from "@peculiar/x509";
import type { Browser } from "playwright-core";
import { explanationLines } from "#src/cli/explanation-lines.ts";
import type { JudgedText } from "#src/request-log/explain/judged-text.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { pispV40 } from "#src/standard/pisp-v4.0/version.ts";
import { expectAccessible, looks, lookText, openPage } from "#test/axe.ts";
import { openBrowser } from "#test/browser.ts";
import { makeCertificate } from "#test/certificates/make-certificate.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { lodge, lodgeAccess, quickPayee } from "#test/journeys/payments.ts";
import { requestOf } from "#test/registration/request-claims.ts";

let bank: TestBank;
let tpp: TppClient;
let browser: Browser;
before(async () => {
  bank = await openBank();
  tpp = await bank.createTpp();
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await bank?.close();
});

const judge = (text: string, more: object = {}): Promise<JudgedText> =>
  bank.control<JudgedText>("POST", "/judgements", { text, ...more });
const refusedBy = ({ checks }: JudgedText): string[] =>
  checks.filter(({ result }) => result === "refused").map(({ name }) => name);

const payment = JSON.stringify({
  Data: {
    Initiation: {
      InstructionIdentification: "42",
      EndToEndIdentification: "43",
      InstructedAmount: { Amount: "1.00", Currency: "GBP" },
      CreditorAccount: quickPayee,
    },
  },
  Risk: { PaymentContextCode: "TransferToThirdParty" },
});
const lines = (
  body: string,
  headers: Record<string, string>,
  path = "/domestic-payment-consents",
) =>
  [
    `POST ${pispV40.basePath}${path} HTTP/1.1`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    "",
    body,
  ].join("\r\n");
const headersOf = async (signed: string, claims: Record<string, unknown> = {}) => ({
  "Content-Type": "application/json",
  "x-idempotency-key": "4711",
  "x-jws-signature": await tpp.signature(Buffer.from(signed), claims),
});

test("a signed request is judged by the steps of its operation, without being sent", async () => {
  const good = await judge(lines(payment, await headersOf(payment)));
  assert.deepEqual(good.faults, [], JSON.stringify(good.faults));
  assert.equal(good.subject, "message");
  assert.equal(good.id, "CreateDomesticPaymentConsents");
  assert.equal(good.signature?.isValid, true);
  const results = Object.fromEntries(good.checks.map(({ name, result }) => [name, result]));
  assert.equal(results.token, "not judged");
  assert.equal(results["idempotency-key"], "passed");
  assert.equal(results.schema, "passed");
  const before = await bank.control<{ requests: object[] }>("GET", "/requests");
  assert.ok(!JSON.stringify(before.requests).includes("judgements"), "it is not in the log");
});

test("a request with several mistakes: each check says its own", async () => {
  const body = payment.replace('"1.00"', '"1,00"');
  const { "x-idempotency-key": _, ...headers } = await headersOf(payment);
  const bad = await judge(lines(body, { ...headers, "x-fapi-interaction-id": "not a uuid" }));
  assert.deepEqual(refusedBy(bad), ["interaction-id", "idempotency-key", "signature", "schema"]);
  assert.deepEqual(
    bad.faults.map(({ code }) => code),
    ["U006", "U007", "U015", "U002"],
  );
  assert.equal(bad.faults.at(-1)?.where, "Data.Initiation.InstructedAmount.Amount");
  assert.ok(bad.faults.every(({ next, rules }) => next !== null && rules.length > 0));
});

test("a path that nobody serves, and a method that it does not have", async () => {
  const nowhere = await judge(lines("{}", {}, "/domestic-payment-consent"));
  assert.match(nowhere.faults[0]?.message ?? "", /Similar paths: \/domestic-payment-consents/);
  const put = await judge(lines("{}", {}).replace("POST", "PUT"));
  assert.match(put.faults[0]?.message ?? "", /does not have the requested method. It has: POST/);
});

test("a body with its detached signature: another serialisation is named with its first byte", async () => {
  const signature = await tpp.signature(Buffer.from(payment));
  assert.equal((await judge(payment, { signature })).signature?.isValid, true);
  const spaced = JSON.stringify(JSON.parse(payment), null, 2);
  const bad = await judge(spaced, { signature });
  assert.match(bad.signature?.mistake ?? "", /serialised again/);
  assert.equal(bad.signature?.difference?.at, 1);
  const alone = await judge(payment);
  assert.equal(alone.subject, "unknown");
  assert.match(alone.next, /x-jws-signature/);
});

test("a kid that the client does not have, and its key that signed instead", async () => {
  const signature = await tpp.signature(Buffer.from(payment), { kid: "none" });
  const unknown = await judge(payment, { signature });
  assert.match(
    unknown.signature?.mistake ?? "",
    /kid names none, but .* the client's key [\w-]{43}/,
  );
  assert.ok(unknown.signature?.otherKey);
});

const assertion = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

test("a client assertion passes every check, is not used up, and is refused once it was used", async () => {
  const jwt = await tpp.assertion();
  for (const _ of [1, 2]) {
    const good = await judge(jwt);
    assert.deepEqual(refusedBy(good), [], JSON.stringify(good.faults));
    assert.match(good.summary, /a client assertion/);
    assert.ok(good.checks.every(({ result }) => result === "passed"));
  }
  const form = { grant_type: "client_credentials", scope: "accounts" };
  const given = { ...form, client_assertion: jwt, client_assertion_type: assertion };
  assert.equal((await tpp.tokenAnswer(given)).status, 200);
  const used = await judge(jwt);
  assert.deepEqual(refusedBy(used), ["jti is new"]);
  assert.equal(used.faults[0]?.code, "jwtReplayed");
});

const now = Math.floor(Date.now() / 1000);
const assertions: [name: string, claims: Record<string, unknown>, check: string, where: string][] =
  [
    ["another audience", { aud: "https://elsewhere.example" }, "audience", "aud"],
    ["an expiry that has passed", { exp: now - 600 }, "times", "exp"],
    ["an issue time in milliseconds", { iat: now * 1000 }, "times", "iat"],
    ["another issuer", { iss: "someone" }, "issuer", "iss"],
  ];
for (const [name, claims, check, where] of assertions) {
  test(`a client assertion with ${name}: the check, the claim, the value and the rule`, async () => {
    const judged = await judge(await tpp.assertion(claims));
    assert.deepEqual(refusedBy(judged), [check]);
    const [fault] = judged.faults;
    assert.equal(fault?.where, where);
    assert.equal(fault?.found, String(Object.values(claims)[0]));
    assert.ok((fault?.sections.length ?? 0) + (fault?.rules.length ?? 0) > 0 || check === "times");
    assert.ok(fault?.next);
  });
}

test("a request object is judged up to its consent, for FAPI 1 and for FAPI 2", async () => {
  const consentId = await lodgeAccess(tpp);
  const url = new URL(await tpp.authorizationUrl({ scope: "accounts", consentId }));
  const good = await judge(url.searchParams.get("request") ?? "");
  assert.deepEqual(good.faults, []);
  assert.match(good.summary, /a request object/);
  const payments = (await lodge(tpp)).consentId;
  const bad = await judge(
    new URL(
      await tpp.authorizationUrl({ scope: "accounts", consentId: payments }),
    ).searchParams.get("request") ?? "",
  );
  assert.deepEqual(refusedBy(bad), ["consent"]);
  assert.match(bad.faults[0]?.meaning ?? "", /the consent needs: openid payments/);
  assert.equal(bad.faults[0]?.found, "openid accounts");
  const whole = await judge(`GET ${url.pathname}${url.search} HTTP/1.1\nHost: localhost\n\n`);
  assert.deepEqual(whole.faults, []);
  const stranger = await judge(
    new URL(
      await tpp.authorizationUrl({
        scope: "accounts",
        consentId,
        redirectUri: "https://elsewhere.example/callback",
      }),
    ).searchParams.get("request") ?? "",
  );
  assert.deepEqual(refusedBy(stranger), ["redirect URI"]);
  const next = await bank.createTpp({ profile: "fapi2-message-signing" });
  const pushed = await judge(
    await next.signJwt({
      iss: next.tpp.clientId,
      client_id: next.tpp.clientId,
      aud: bank.publicUrl,
      nbf: now,
      exp: now + 300,
      response_type: "code",
      response_mode: "jwt",
      scope: "openid accounts",
      redirect_uri: next.tpp.redirectUris[0],
    }),
  );
  assert.deepEqual(refusedBy(pushed), ["PKCE"], JSON.stringify(pushed.faults));
});

test("CB-41: the request object of a request without a browser is judged by its endpoint's checks", async () => {
  const { consentId } = await lodge(tpp);
  const seconds = Math.floor(Date.now() / 1000);
  const signed = (claims: Record<string, unknown> = {}) =>
    tpp.signJwt({
      ...{ iss: tpp.tpp.clientId, aud: bank.publicUrl, iat: seconds, nbf: seconds },
      ...{ exp: seconds + 300, jti: crypto.randomUUID(), scope: "openid payments" },
      "openbanking-intent-id": consentId,
      ...claims,
    });
  const good = await judge(await signed());
  assert.deepEqual(good.faults, [], JSON.stringify(good.faults));
  assert.match(good.summary, /without a browser \(CIBA\)/);
  const isJudged = ({ result }: { result: string }) => result !== "passed";
  assert.deepEqual(
    good.checks.filter(isJudged).map(({ name }) => name),
    ["new request"],
  );
  const wrong: [claims: Record<string, unknown>, check: string, says: RegExp][] = [
    [{ exp: seconds + 7200 }, "lifetime", /./],
    [{ aud: "https://elsewhere.example" }, "audience", /aud/],
    [{ iss: "nobody" }, "client", /nobody/],
    [{ requested_expiry: -1 }, "parameters", /requested_expiry/],
    [{ binding_message: "<b>" }, "parameters", /binding_message/],
    [{ "openbanking-intent-id": "dpc-unknown" }, "consent", /dpc-unknown/],
    [{ scope: "openid accounts" }, "consent", /openid payments/],
    [{ login_hint: "07700900123" }, "hint", /login_hint_token/],
    [{ login_hint_token: "e30.e30." }, "hint", /login_hint_token/],
  ];
  for (const [claims, check, says] of wrong) {
    const bad = await judge(await signed(claims));
    assert.deepEqual(refusedBy(bad), [check], JSON.stringify(bad));
    assert.match(bad.faults[0]?.meaning ?? "", says);
    assert.ok(bad.faults[0]?.where && bad.faults[0].expected, JSON.stringify(bad.faults));
    assert.doesNotMatch(bad.next, /Nothing is wrong/);
  }
  const post = (request: string) =>
    judge(`POST /backchannel HTTP/1.1\nHost: localhost\n\nrequest=${request}`);
  assert.deepEqual((await post(await signed())).faults, []);
  // its endpoint says what it is, even if nothing in it does
  const unnamed = await post(await signed({ "openbanking-intent-id": undefined }));
  assert.match(unnamed.faults[0]?.meaning ?? "", /openbanking-intent-id/);
  assert.doesNotMatch(unnamed.next, /Nothing is wrong/);
  // it was neither stored nor used up
  const { raw, status } = await tpp.backchannelForm({ request: await signed() });
  assert.equal(status, 200, raw.toString());
});

test("a registration request and a software statement are judged by every rule", async () => {
  const { softwareStatement: statement = "" } = tpp.tpp as { softwareStatement?: string };
  const audience = bank.publicUrl;
  const jwt = await requestOf(tpp.tpp, { audience, statement }, { aud: "x", scope: "openid all" });
  const judged = await judge(jwt);
  assert.match(judged.summary, /a registration request/);
  assert.deepEqual(refusedBy(judged), ["envelope", "scope"], JSON.stringify(judged.faults));
  assert.ok(judged.faults.every(({ code, rules }) => rules.includes(code)));
  const alone = await judge(statement);
  assert.match(alone.summary, /a software statement/);
  assert.deepEqual(alone.faults, []);
  const wanted = alone.checks.map(({ name }) =>
    /^statement/.test(name) ? "passed" : "not judged",
  );
  assert.deepEqual(
    alone.checks.map(({ result }) => result),
    wanted,
  );
});

test("an id_token of the bank, a changed one, and a DPoP proof", async () => {
  const consentId = await lodgeAccess(tpp);
  const tokens = await bank.approve(tpp, { scope: "accounts", consentId, customer: "amara" });
  const token = tokens.id_token ?? "";
  const good = await judge(token);
  assert.match(good.summary, /an id_token of this bank. It passes every check/);
  const [header = "", , signature = ""] = token.split(".");
  const claims = Buffer.from(JSON.stringify({ iss: bank.publicUrl, sub: "x" }));
  const changed = await judge(`${header}.${claims.toString("base64url")}.${signature}`);
  assert.deepEqual(refusedBy(changed)[0], "signature");
  const proof = await judge(
    `${Buffer.from('{"typ":"dpop+jwt","alg":"ES256"}').toString("base64url")}.e30.c2ln`,
  );
  assert.match(proof.faults[0]?.message ?? "", /does not offer DPoP/);
});

test("certificates: the transport certificate is accepted, an authority's and a stranger's are not", async () => {
  const { certificatePem } = tpp.tpp.transport;
  const good = await judge(certificatePem);
  assert.deepEqual(refusedBy(good), [], JSON.stringify(good.faults));
  assert.equal(good.facts.find(({ name }) => name === "clients")?.value, tpp.tpp.clientId);
  const base64 = certificatePem.replaceAll(/-----.*-----|\s/g, "");
  assert.equal((await judge(base64)).id, good.id);
  const authority = await judge(tpp.tpp.caPem);
  assert.deepEqual(refusedBy(authority), ["key usage"]);
  assert.match(authority.faults[0]?.meaning ?? "", /needs the extended key usage clientAuth/);
  assert.match(authority.faults[0]?.expected ?? "", /the extended key usage clientAuth/);
  assert.match(authority.summary, /^A certificate of an authority: its root\./);
  const stranger = await makeCertificate({
    subject: [["CN", "stranger"]],
    extensions: [new x509.ExtendedKeyUsageExtension(["1.3.6.1.5.5.7.3.2"])],
  });
  assert.deepEqual(refusedBy(await judge(stranger.toString())), ["chain, dates and key"]);
});

test("private keys are refused with words, in any form; other texts are told what is wanted", async () => {
  const { privateKeyPem } = tpp.tpp.signing;
  const der = privateKeyPem.replaceAll(/-----.*-----|\s/g, "");
  for (const text of [privateKeyPem, der, '{"kty":"RSA","n":"x","e":"AQAB","d":"secret"}']) {
    await assert.rejects(judge(text), /private key/, text.slice(0, 20));
  }
  assert.equal((await judge("hello")).subject, "unknown");
  await assert.rejects(judge("x".repeat(70_000)), /not valid/);
});

test("the page judges by keyboard and without JavaScript, keeps no key, and passes axe", async () => {
  const page = await browser.newPage({ javaScriptEnabled: false });
  await page.goto(`${bank.publicUrl}/`);
  await page.getByRole("link", { name: "Judge a message" }).click();
  const spaced = JSON.stringify(JSON.parse(payment), null, 2);
  await page
    .getByLabel("Message, JWT or certificate")
    .fill(lines(spaced, await headersOf(payment)));
  await page.getByRole("button", { name: "Judge" }).press("Enter");
  await page.getByText("serialised again after it was signed").first().waitFor();
  await page.getByLabel("Message, JWT or certificate").fill(tpp.tpp.signing.privateKeyPem);
  await page.getByRole("button", { name: "Judge" }).press("Enter");
  await page.getByRole("alert").getByText("This has a private key").waitFor();
  assert.ok(!(await page.content()).includes("PRIVATE KEY"));
  await page.close();
});

for (const look of looks) {
  test(`WCAG: axe finds no fault on a judgement ${lookText(look)}`, async () => {
    const page = await openPage(browser, look);
    await page.goto(`${bank.publicUrl}/sandbox/judge`);
    const text = lines(payment, await headersOf(JSON.stringify(JSON.parse(payment), null, 2)));
    await page.getByLabel("Message, JWT or certificate").fill(text);
    await page.getByRole("button", { name: "Judge" }).click();
    await page.getByRole("heading", { name: "Result" }).waitFor();
    await expectAccessible(page, "a judgement", look);
    await page.close();
  });
}

test("the command prints one empty line before the next step of a text that cannot be judged", async () => {
  const [summary, empty, next] = explanationLines(await judge("hello"));
  assert.deepEqual([summary, empty], ["This cannot be judged.", ""]);
  assert.match(next ?? "", /^Next: /);
});
