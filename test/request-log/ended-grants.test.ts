import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import type { ExplainedFault, Explanation } from "#src/request-log/explain/explanation.ts";
import type { Answer, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { Scope } from "#src/standard/api-version.ts";
import { fragmentOf } from "#test/auth/auth-bed.ts";
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
const saidIn = ({ body }: Answer): string =>
  String((body as { error_description?: string }).error_description);
const factIn = ({ facts }: Explanation, name: string): string | undefined =>
  facts.find((one) => one.name === name)?.value;
const lastOf = <One>(list: readonly One[]): One | undefined => list.at(-1);

/** Makes Amara approve a consent, and returns the form that exchanges its code. */
async function codeFor({
  scope,
  consentId,
}: {
  scope: Scope;
  consentId: string;
}): Promise<Record<string, string>> {
  const authorizationUrl = await tpp.authorizationUrl({ scope, consentId });
  const { redirectUrl } = await bank.decide({
    authorizationUrl,
    customer: "amara",
    decision: "approve",
  });
  return {
    grant_type: "authorization_code",
    code: present(fragmentOf(redirectUrl).code, "a code"),
    redirect_uri: present(tpp.tpp.redirectUris[0], "a redirect URI"),
  };
}

/** Approves a consent, and exchanges its code twice. */
async function replay(scope: "accounts" | "payments", consentId: string) {
  const form = await codeFor({ scope, consentId });
  const exchanged = await tpp.tokenAnswer(form);
  assert.equal(exchanged.status, 200, exchanged.raw.toString());
  const replayed = await tpp.tokenAnswer(form);
  assert.equal(replayed.status, 400);
  return { replayed, token: String((exchanged.body as { access_token: string }).access_token) };
}

async function assertHistory(explained: Explanation, replayed: Answer): Promise<void> {
  const line = lastOf(explained.history);
  assert.equal(line?.what, "its grant and tokens ended, because its code was used a second time");
  assert.equal(line.by, "the TPP");
  assert.equal(line.interactionId, idOf(replayed));
  assert.match(
    explained.summary,
    /It is (AUTH|Authorised) .*Its grant has ended, so no token is valid for it\./,
  );
  assert.equal(factIn(explained, "granted until"), line.at);
}

test("a payment whose code was used twice needs a new consent, and each answer and explanation says so", async () => {
  const lodged = await lodge(tpp);
  const { consentId } = lodged;
  const { replayed, token } = await replay("payments", consentId);
  const anew = /If it is for a single order, it cannot be authorised again: create a new consent\./;
  assert.match(saidIn(replayed), anew);
  const [fault] = (await explain(idOf(replayed))).faults;
  assert.equal(fault?.code, "codeReplayed");
  assert.match(fault.next ?? "", anew);

  const explained = await explain(consentId);
  await assertHistory(explained, replayed);
  assert.equal(explained.next, "Create a new consent, and ask the customer to authorise it.");

  const refused = await submit(tpp, lodged, token);
  assert.equal(refused.status, 401);
  const [unknown] = (await explain(idOf(refused))).faults as ExplainedFault[];
  assert.equal(unknown?.code, "tokenUnknown");
  assert.match(unknown.next ?? "", /If it came from a code, explain its consent/);

  const url = await tpp.authorizationUrl({ scope: "payments", consentId });
  const sent = await tpp.send(url, "GET", undefined, { accept: "text/html" });
  const location = decodeURIComponent(String(sent.headers.location).replaceAll("+", " "));
  assert.match(location, /its status is AUTH\. Its grant has ended\. Create a new consent\./);
});

test("account access whose code was used twice can be authorised again, as its explanation says", async () => {
  const consentId = await lodgeAccess(tpp);
  const { replayed } = await replay("accounts", consentId);
  assert.match(saidIn(replayed), /Ask the customer to authorise the consent again\./);
  const explained = await explain(consentId);
  await assertHistory(explained, replayed);
  assert.equal(explained.next, "Ask the customer to authorise again, with this consent.");
  await bank.approve(tpp, { scope: "accounts", consentId, customer: "amara" });
  const renewed = await explain(consentId);
  assert.doesNotMatch(renewed.summary, /grant has ended/);
  assert.match(renewed.next, /Use it with a token/);
});

test("the history says that a TPP has ended a grant by revoking its refresh token", async () => {
  const consentId = await lodgeAccess(tpp);
  const tokens = await bank.approve(tpp, { scope: "accounts", consentId, customer: "amara" });
  const form = new URLSearchParams({
    token: tokens.refresh_token ?? "",
    client_assertion: await tpp.assertion(),
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
  });
  const answer = await tpp.send(
    `${tpp.bank.mtlsUrl}/token/revocation`,
    "POST",
    Buffer.from(form.toString()),
    { "content-type": "application/x-www-form-urlencoded" },
  );
  assert.equal(answer.status, 200);
  const line = lastOf((await explain(consentId)).history);
  assert.equal(line?.what, "its grant and tokens ended, because its refresh token was revoked");
  assert.equal(line.interactionId, idOf(answer));
});

const nowIn = async (): Promise<Temporal.Instant> =>
  Temporal.Instant.from((await bank.control<{ now: string }>("GET", "/clock")).now);

test("a code that comes late is said to have expired, with its end and the bank's time, and stays unusable", async () => {
  const { consentId } = await lodge(tpp);
  const form = await codeFor({ scope: "payments", consentId });
  const at = await nowIn();
  await bank.control("PUT", "/clock", { now: at.add({ minutes: 2 }).toString() });
  const refused = await tpp.tokenAnswer(form);
  assert.equal(refused.status, 400);
  const said =
    /^The code expired at (\S+Z); the bank's time is (\S+Z)\. .* new consent\. The sandbox's clock/;
  const [, end = "", now = ""] = said.exec(saidIn(refused)) ?? [];
  assert.ok(end !== "", saidIn(refused));
  assert.ok(Temporal.Instant.compare(end, at.add({ seconds: 70 })) < 0, end);
  assert.ok(Temporal.Instant.compare(now, at.add({ seconds: 110 })) > 0, now);
  const [fault] = (await explain(idOf(refused))).faults;
  assert.equal(fault?.code, "codeExpired");
  assert.match(fault.next ?? "", /create a new consent/);
  const other = await bank.createTpp();
  assert.match(saidIn(await other.tokenAnswer(form)), /^The code is unknown/);
  await bank.control("PUT", "/clock", { now: at.add({ minutes: 62 }).toString() });
  assert.match(saidIn(await tpp.tokenAnswer(form)), /^The code is unknown/);
});

test("a call with a token that a moved clock has ended names the clock", async () => {
  const token = await tpp.clientToken("accounts");
  const call = async () => {
    const answer = await tpp.call({ path: "/v4.0/aisp/account-access-consents/none", token });
    return [answer.status, String(answer.headers["www-authenticate"])] as const;
  };
  const at = await nowIn();
  await bank.control("PUT", "/clock", { now: at.add({ hours: 2 }).toString() });
  const [status, challenge] = await call();
  assert.equal(status, 401);
  assert.match(
    challenge,
    /token expired at .* The sandbox's clock was set forward from \S+Z to \S+Z, so the token/,
  );
});

test("a used code that is sent again after its end is refused as expired, and its grant goes on", async () => {
  const consentId = await lodgeAccess(tpp);
  const form = await codeFor({ scope: "accounts", consentId });
  assert.equal((await tpp.tokenAnswer(form)).status, 200);
  await bank.control("PUT", "/clock", { now: (await nowIn()).add({ minutes: 2 }).toString() });
  const late = await tpp.tokenAnswer(form);
  assert.match(saidIn(late), /^The code expired at /);
  const explained = await explain(consentId);
  assert.doesNotMatch(explained.summary, /grant has ended/);
});
