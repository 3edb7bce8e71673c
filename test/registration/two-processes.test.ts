import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Answer, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { TppCredentials } from "#src/sandbox/test-tpp/tpp-credentials.ts";
import { openTwoProcesses, type TwoProcesses } from "#test/attacks/two-processes.ts";
import { Visitor } from "#test/auth/visitor.ts";
import { expectStatus } from "#test/harness.ts";
import type { Json } from "#test/payments/answer-check.ts";
import { commercial, scheme } from "#test/payments/limits/contract-bed.ts";
import { limitsOnAnyDay, vrpConsent, vrpOrder } from "#test/payments/limits/vrp-bed.ts";
import { requestOf } from "./request-claims.ts";

let banks: TwoProcesses;
before(async () => {
  banks = await openTwoProcesses({ samePublicUrl: true });
});
after(() => banks?.close());

/** A client at both processes, whose token each process has accepted. */
async function createClient(tokenEndpointAuthMethod: TppCredentials["tokenEndpointAuthMethod"]) {
  const { tpp, atOne, atOther } = await banks.createTpp(tokenEndpointAuthMethod);
  const token = await atOne.clientToken("accounts");
  const manage = (client: TppClient, method: "GET" | "DELETE") =>
    client.send(`${client.bank.mtlsUrl}/register/${tpp.clientId}`, method, undefined, {
      authorization: `Bearer ${token}`,
    });
  const lodge = (client: TppClient) =>
    client.call({
      path: "/v3.1/aisp/account-access-consents",
      token,
      body: { Data: { Permissions: ["ReadAccountsBasic"] }, Risk: {} },
    });
  const credentials = { grant_type: "client_credentials", scope: "accounts" };
  /** The statuses of a management request, an API request and a token request. */
  const statusesAt = async (client: TppClient): Promise<number[]> => {
    const answers = [
      await manage(client, "GET"),
      await lodge(client),
      await client.tokenAnswer(credentials),
    ];
    return answers.map(({ status }) => status);
  };
  for (const client of [atOne, atOther]) assert.deepEqual(await statusesAt(client), served);
  return { tpp, atOne, atOther, manage, statusesAt };
}

const served = [200, 201, 200];
const refused = [401, 401, 401];

for (const method of ["private_key_jwt", "tls_client_auth"] as const) {
  test(`R-020, R-153: after DELETE of a client at one process, another process refuses tokens that it had accepted (${method})`, async () => {
    const { atOne, atOther, manage, statusesAt } = await createClient(method);
    expectStatus(await manage(atOne, "DELETE"), 204);
    assert.deepEqual(await statusesAt(atOther), refused);
    assert.deepEqual(await statusesAt(atOne), refused);
  });

  test(`R-153, R-155: after one process suspends a client, another process refuses tokens that it had accepted, until the client is restored (${method})`, async () => {
    const { tpp, atOther, statusesAt } = await createClient(method);
    const set = (status: string) =>
      banks.control("PUT", `/clients/${tpp.clientId}/status`, { status });
    await set("suspended");
    assert.deepEqual(await statusesAt(atOther), refused);
    await set("active");
    assert.deepEqual(await statusesAt(atOther), served);
  });
}

test("R-047: of ten concurrent requests with one jti at two processes, one registers", async () => {
  const { tpp, atOne, atOther } = await createClient("private_key_jwt");
  const at = `/directory/software/${tpp.softwareId}/statements`;
  const { statement } = await banks.control<{ statement: string }>("POST", at, {});
  const body = Buffer.from(await requestOf(tpp, { audience: banks.one.publicUrl, statement }));
  const send = (client: TppClient): Promise<Answer> =>
    client.send(`${client.bank.mtlsUrl}/register`, "POST", body, {
      "content-type": "application/jose",
    });
  const answers = await Promise.all(
    [atOne, atOther].flatMap((client) => Array.from({ length: 5 }, () => send(client))),
  );
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [201, ...Array.from({ length: 9 }, () => 400)]);
  const refused = answers.filter(({ status }) => status === 400);
  for (const answer of refused)
    assert.match(answer.raw.toString(), /jti is .* an earlier request used/);
});

/** The body of a consent of the scheme whose limits are the same on any day. */
const schemeConsent = () =>
  vrpConsent(
    commercial([scheme(1)], ({ Data }) => {
      Data.ControlParameters.PeriodicLimits = limitsOnAnyDay;
    }),
  );

/** A consent of the scheme that a customer has approved at the first process. */
async function approvedVrp(client: TppClient) {
  const body = schemeConsent();
  const path = "/v4.0/pisp/domestic-vrp-consents";
  const lodged = await client.call<Json>({
    ...{ path, body },
    token: await client.clientToken("payments"),
  });
  expectStatus(lodged, 201);
  const consentId: string = lodged.body.Data.ConsentId;
  const { redirectUrl } = await banks.control<{ redirectUrl: string }>("POST", "/authorisations", {
    authorizationUrl: await client.authorizationUrl({ scope: "payments", consentId }),
    customer: "amara",
    decision: "approve",
  });
  const { access_token: token } = await client.exchangeCode(redirectUrl);
  return { consentId, body, token };
}

test("CV-21, CV-24, CV-88: after one process suspends a TPP in the commercial scheme, or a customer pauses its payments there, another process refuses its next payment", async () => {
  const { tpp, atOne, atOther } = await banks.createTpp("private_key_jwt");
  const setStatus = (status: string) =>
    banks.control("PUT", `/tpps/${tpp.clientId}/scheme-status`, { status });
  await setStatus("Active");
  const { consentId, body, token } = await approvedVrp(atOne);
  const pay = async (client: TppClient) => {
    const order = vrpOrder(consentId, body, "1.00");
    order.Data.VRPType = scheme(1);
    const answer = await client.call<Json>({
      path: "/v4.0/pisp/domestic-vrps",
      token,
      body: order,
    });
    return [answer.status, answer.body.Errors?.[0].Message];
  };
  const accepted = [201, undefined];
  assert.deepEqual(await pay(atOther), accepted);
  await setStatus("Suspended");
  const [status, message] = await pay(atOther);
  assert.deepEqual([status, /in the scheme is Suspended/.test(message)], [403, true]);
  await setStatus("Active");
  assert.deepEqual(await pay(atOther), accepted);

  const customer = new Visitor(banks.one);
  await customer.open(`${banks.one.publicUrl}/bank/permissions/${consentId}`);
  await customer.submit({ login: "amara", password: "amara-sandbox", decision: "continue" });
  await customer.confirm();
  await customer.submit({ decision: "pause" });
  const [refusal, why] = await pay(atOther);
  assert.deepEqual([refusal, /has paused the payments/.test(why)], [403, true]);
  await customer.submit({ decision: "resume" });
  assert.deepEqual(await pay(atOther), accepted);
});

test("CV-20, CV-24: after one process suspends a TPP in the commercial scheme, another process refuses its next consent, until it is active again", async () => {
  const { tpp, atOne, atOther } = await banks.createTpp("private_key_jwt");
  const token = await atOne.clientToken("payments");
  const body = schemeConsent();
  const lodge = (client: TppClient) =>
    client.call<Json>({ path: "/v4.0/pisp/domestic-vrp-consents", token, body });
  const set = (status: string) =>
    banks.control("PUT", `/tpps/${tpp.clientId}/scheme-status`, { status });
  expectStatus(await lodge(atOther), 400);
  await set("Active");
  expectStatus(await lodge(atOther), 201);
  await set("Suspended");
  const answer = await lodge(atOther);
  expectStatus(answer, 400);
  assert.match(answer.body.Errors[0].Message, /in the scheme is Suspended/);
  await set("Active");
  expectStatus(await lodge(atOther), 201);
});
