// A TPP of v3.1 reads the words of v3.1: statuses, codes and paths, wherever the bank explains.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import type { Explanation } from "#src/request-log/explain/explanation.ts";
import type { JudgedText } from "#src/request-log/explain/judged-text.ts";
import type { LogReader } from "#src/request-log/reader.ts";
import type { Answer, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { approveKind } from "#test/journeys/approved-kind.ts";
import { nextMonday } from "#test/journeys/next-monday.ts";
import { lodgeAccess, type Resource } from "#test/journeys/payments.ts";
import { until } from "#test/until.ts";

type Shown = NonNullable<Awaited<ReturnType<LogReader["show"]>>>;
type Errors = { Errors: { ErrorCode: string; Message: string }[] };

let bank: TestBank;
let client: TppClient;
let account: string;
before(async () => {
  bank = await openBank();
  client = await bank.createTpp();
  await bank.control("PUT", "/clock", { now: nextMonday(bank.clock.now()).toString() });
  account = present((await bank.currentAccounts("amara"))[0], "an account").accountId;
});
after(() => bank?.close());

const explain = (id: string) =>
  bank.control<Explanation>("GET", `/explanations/${encodeURIComponent(id)}`);
const show = (id: string) => bank.control<Shown>("GET", `/requests/${encodeURIComponent(id)}`);
const pageOf = async (path: string): Promise<string> => {
  const answer = await fetch(bank.publicUrl + path);
  assert.equal(answer.status, 200);
  return answer.text();
};
const idOf = ({ headers }: Answer): string => String(headers["x-fapi-interaction-id"]);

/** The codes of v4 for a status, and for a fault or a reason: no text of v3.1 has one. */
const ofV4 = new RegExp(
  `\\b(${[
    ..."AWUP AWAU AUTH COND CANC EXPD RJCT RCVD PDNG ACTC PATC ACCP".split(" "),
    ..."ACFC ACSP ACSC ACCC INCO U0\\d\\d A[CM]\\d\\d".split(" "),
  ].join("|")})\\b`,
);
const assertOwnWords = (...texts: unknown[]) => {
  for (const text of texts) {
    assert.doesNotMatch(typeof text === "string" ? text : JSON.stringify(text), ofV4);
  }
};

for (const kind of paymentKinds) {
  test(`a ${kind.id} of v3.1 and its consent are explained in the words of v3.1`, async () => {
    const by = { customer: "amara", account };
    const { consentId, ...approved } = await approveKind({ bank, client }, kind, "pisp-v3.1", by);
    const consents = `${approved.path.slice(0, -1)}-consents`;
    const statusOf = async (path: string): Promise<string> => {
      const token = await client.clientToken("payments");
      const read = await client.call<Resource>({ path, token });
      expectStatus(read, 200);
      return String(read.body.Data.Status);
    };
    assert.equal(await statusOf(`${consents}/${consentId}`), "Authorised");
    assert.match((await explain(consentId)).summary, /It is Authorised \(the customer has/);
    const made = await client.call<Resource>(approved);
    expectStatus(made, 201);
    const orderId = String(made.body.Data[kind.orderIdField]);
    const { order } = await until(
      async () => ({
        order: await explain(orderId),
        status: await statusOf(`${approved.path}/${orderId}`),
      }),
      ({ order: { summary }, status }) => summary.includes(`It is ${status} since`),
    );
    assert.equal(order.subject, "order");
    const consent = await explain(consentId);
    const shown = await statusOf(`${consents}/${consentId}`);
    assert.match(consent.summary, new RegExp(`It is ${shown} \\(`));
    assert.match(consent.history[0]?.what ?? "", /^created as Awaiting(Authorisation|Upload); /);
    const request = await show(idOf(made));
    assert.equal(request.linked.consent?.status, shown);
    assertOwnWords(order, consent, request.linked.consent, request.linked.order);
    const pages = [`/sandbox/explanations?id=${orderId}`, `/sandbox/explanations?id=${consentId}`];
    for (const page of pages) {
      const [, why = ""] = (await pageOf(page)).split('id="why"');
      assertOwnWords(why.split("</section>")[0]);
    }
  });
}

test("account access of v3.1 that was revoked is explained as its TPP reads it", async () => {
  const consentId = await lodgeAccess(client);
  await bank.approve(client, { scope: "accounts", consentId, customer: "amara" });
  await bank.control("POST", `/consents/${consentId}/revoke`, {});
  const explained = await explain(consentId);
  assert.match(explained.summary, /It is Authorised \(its access was withdrawn; v3\.1 has no /);
  assert.deepEqual(
    explained.history.map(({ what }) => what.split(/[;:]/)[0]?.replace(/ grant .*/, "")),
    [
      "created as AwaitingAuthorisation",
      "AwaitingAuthorisation became Authorised",
      "it stays Authorised, but its access was withdrawn",
    ],
  );
  assertOwnWords(explained, await explain(account));
});

test("a rejected request of v3.1 has the code of its answer in the log and in its explanation", async () => {
  const path = "/v3.1/pisp/domestic-payment-consents";
  const body = Buffer.from('{"Data":{}}');
  const refused = await client.call<Errors>({
    path,
    token: await client.clientToken("payments"),
    body,
    headers: { "x-jws-signature": await client.signature(Buffer.from("{}")) },
  });
  assert.equal(refused.status, 400);
  const code = "UK.OBIE.Signature.Invalid";
  assert.equal(refused.body.Errors[0]?.ErrorCode, code);
  const shown = await show(idOf(refused));
  assert.deepEqual(shown.codes, [code]);
  const explained = await explain(idOf(refused));
  assert.match(explained.summary, /was rejected with 400, by the check signature: UK\.OBIE\.Sig/);
  assert.equal(explained.faults[0]?.code, code);
  assert.match(explained.faults[0]?.meaning ?? "", /signature/);
  assert.match(explained.next, /Sign the exact bytes/);
  assertOwnWords(explained, shown.codes);
  assertOwnWords((await pageOf(`/sandbox/requests/${shown.logId}`)).split("<main")[1]);
});

test("a message of v3.1 is judged with the codes of v3.1, by the checks of the log", async () => {
  const signature = await client.signature(Buffer.from("{}"));
  const lines = [
    "POST /api/open-banking/v3.1/pisp/domestic-payment-consents HTTP/1.1",
    "Content-Type: application/json",
    "x-idempotency-key: 4711",
    `x-jws-signature: ${signature}`,
    "",
    '{"Data":{}}',
  ];
  const judged = await bank.control<JudgedText>("POST", "/judgements", {
    text: lines.join("\r\n"),
  });
  const refused = judged.checks.filter(({ result }) => result === "refused");
  assert.deepEqual(
    refused.map(({ name }) => name),
    ["signature", "schema"],
  );
  const codes = judged.faults.map(({ code }) => code);
  assert.deepEqual([...new Set(codes)], ["UK.OBIE.Signature.Invalid", "UK.OBIE.Field.Missing"]);
});

test("a path of v3.1 that nothing serves has the code of v3.1 in the log and in the judge", async () => {
  const refused = await client.call<Errors>({ path: "/v3.1/aisp/none" });
  assert.equal(refused.status, 404);
  const code = "UK.OBIE.Resource.NotFound";
  assert.equal(refused.body.Errors[0]?.ErrorCode, code);
  assert.deepEqual((await show(idOf(refused))).codes, [code]);
  assertOwnWords(await explain(idOf(refused)));
  const text = "GET /api/open-banking/v3.1/aisp/none HTTP/1.1";
  const { faults } = await bank.control<JudgedText>("POST", "/judgements", { text });
  assert.deepEqual(
    faults.map((fault) => fault.code),
    [code],
  );
});

test("a code of our own in v3.1 is found in the log by the name in its answer", async () => {
  const consentId = await lodgeAccess(client, { Permissions: ["ReadAccountsBasic"] });
  const approval = { scope: "accounts", consentId, customer: "amara" } as const;
  const { access_token: token } = await bank.approve(client, approval);
  const refused = await client.call<Errors>({
    path: `/v3.1/aisp/accounts/${account}/balances`,
    token,
    headers: { "x-fapi-interaction-id": randomUUID() },
  });
  assert.equal(refused.status, 403);
  const [code = ""] = refused.body.Errors.map(({ ErrorCode }) => ErrorCode);
  assert.equal(code, "GB.Aldgate.PermissionMissing");
  const { requests } = await bank.control<{ requests: Shown[] }>("GET", `/requests?code=${code}`);
  assert.deepEqual(
    requests.map(({ interactionId, codes }) => [interactionId, codes]),
    [[idOf(refused), [code]]],
  );
});

test("a refusal because of a consent's status says the status as v3.1 has it", async () => {
  const [kind] = paymentKinds;
  const by = { customer: "amara", account };
  const approved = await approveKind({ bank, client }, present(kind, "a kind"), "pisp-v3.1", by);
  expectStatus(await client.call(approved), 201);
  const again = await client.call<Errors>({ ...approved, idempotencyKey: randomUUID() });
  assert.equal(again.status, 400);
  assert.match(
    again.body.Errors[0]?.Message ?? "",
    /The consent's status is Consumed; this request needs Authorised\. An order has used up/,
  );
  const url = await client.authorizationUrl({ scope: "payments", consentId: approved.consentId });
  const sent = await client.send(url, "GET", undefined, { accept: "text/html" });
  const location = decodeURIComponent(String(sent.headers.location).replaceAll("+", " "));
  assert.match(location, /its status is Consumed\./);
  assertOwnWords(location, await explain(idOf(sent)));
});
