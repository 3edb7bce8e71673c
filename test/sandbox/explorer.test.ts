import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { profileIds, securityProfileNamed } from "#src/clients/security-profile.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { kindSample } from "#test/journeys/kind-sample.ts";
import { type Caller, callerOf, expectRefusal } from "./caller.ts";

let bank: TestBank;
let call: Caller;
before(async () => {
  bank = await openBank();
  call = callerOf(bank);
});
after(() => bank?.close());

const base = "/api/open-banking";

async function explore(body: object) {
  const answer = await call("POST", "/explorer", body);
  assert.equal(answer.status, 200, await answer.clone().text());
  return (await answer.json()) as {
    status: number;
    headers: Record<string, string>;
    body: { Data: Record<string, unknown> };
  };
}

test("the explorer adds token and signature to a call, as the TPP with unbound tokens", async () => {
  const initiation = {
    InstructionIdentification: "explorer-1",
    EndToEndIdentification: "explorer-1",
    InstructedAmount: { Amount: "1.00", Currency: "GBP" },
    CreditorAccount: {
      SchemeName: "UK.OBIE.SortCodeAccountNumber",
      Identification: "00990000000001",
      Name: "Acme",
    },
  };
  const risk = { PaymentContextCode: "TransferToThirdParty" };
  const consent = await explore({
    method: "POST",
    path: `${base}/v4.0/pisp/domestic-payment-consents`,
    body: { Data: { Initiation: initiation }, Risk: risk },
  });
  assert.equal(consent.status, 201);
  const consentId = String(consent.body.Data.ConsentId);
  const made = await explore({
    method: "POST",
    path: `${base}/v4.0/pisp/domestic-payments`,
    body: { Data: { ConsentId: consentId, Initiation: initiation }, Risk: risk },
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  assert.ok(made.headers["x-jws-signature"]);
  const read = await explore({
    method: "GET",
    path: `${base}/v4.0/pisp/domestic-payments/${made.body.Data.DomesticPaymentId}`,
  });
  assert.equal(read.status, 200);
  const access = await explore({
    method: "POST",
    path: `${base}/v3.1/aisp/account-access-consents`,
    body: { Data: { Permissions: ["ReadAccountsBasic"] }, Risk: {} },
  });
  const accounts = await explore({
    method: "GET",
    path: `${base}/v3.1/aisp/accounts`,
    consentId: access.body.Data.ConsentId,
  });
  assert.equal(accounts.status, 200);
  // a refusal by the bank is shown as a response too
  const missing = await explore({
    method: "GET",
    path: `${base}/v4.0/pisp/domestic-payments/none`,
  });
  assert.equal(missing.status, 400);
});

for (const profile of profileIds) {
  test(`the explorer sends calls as a TPP of ${securityProfileNamed(profile).title}`, async () => {
    const access = await explore({
      profile,
      method: "POST",
      path: `${base}/v3.1/aisp/account-access-consents`,
      body: { Data: { Permissions: ["ReadAccountsBasic"] }, Risk: {} },
    });
    assert.equal(access.status, 201, JSON.stringify(access.body));
    const consentId = access.body.Data.ConsentId;
    const path = `${base}/v3.1/aisp/accounts`;
    const accounts = await explore({ profile, method: "GET", path, consentId });
    assert.equal(accounts.status, 200, JSON.stringify(accounts.body));
    const [other] = profileIds.filter((id) => id !== profile);
    const foreign = await call("POST", "/explorer", {
      profile: other,
      method: "GET",
      path,
      consentId,
    });
    const { message } = await expectRefusal(foreign, 400);
    assert.match(message, /belongs to another client/);
  });
}

test("the sandbox makes the headers of a call that the caller sends, over its exact bytes", async () => {
  const [kind = assert.fail()] = paymentKinds;
  const path = `${base}/v4.0/pisp/${kind.id}-consents`;
  const body = JSON.stringify(kindSample(bank, kind).consent, null, 3);
  const made = await call("POST", "/explorer/headers", { method: "POST", path, body });
  assert.equal(made.status, 200);
  const { headers } = (await made.json()) as { headers: Record<string, string> };
  const send = (text: string) =>
    fetch(`${bank.publicUrl}${path}`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: text,
    });
  const lodged = await send(body);
  assert.equal(lodged.status, 201, await lodged.text());
  const other = await send(`${body} `);
  assert.equal(other.status, 400);
  const read = { method: "GET", path: `${base}/v3.1/aisp/accounts` };
  const { message } = await expectRefusal(await call("POST", "/explorer/headers", read), 400);
  assert.match(message, /send its ConsentId/);
});

test("a call with a consent succeeds after the consent's first token has expired", async () => {
  const access = await explore({
    method: "POST",
    path: `${base}/v4.0/aisp/account-access-consents`,
    body: { Data: { Permissions: ["ReadAccountsBasic"] }, Risk: {} },
  });
  const read = {
    method: "GET",
    path: `${base}/v4.0/aisp/accounts`,
    consentId: access.body.Data.ConsentId,
  };
  for (const wait of ["PT1H", "PT1H", null]) {
    const { status, body } = await explore(read);
    assert.equal(status, 200, JSON.stringify(body));
    if (wait) await bank.control("PUT", "/clock", { advance: wait });
  }
});

test("the reference's sample bodies make a payment of every kind", async () => {
  for (const kind of paymentKinds) {
    const { consent, file, order } = kindSample(bank, kind);
    const path = `${base}/v4.0/pisp/${kind.id}`;
    const post = (to: string, body: object) => explore({ method: "POST", path: to, body });
    const lodged = await post(`${path}-consents`, consent);
    assert.equal(lodged.status, 201, JSON.stringify(lodged.body));
    const { ConsentId } = lodged.body.Data;
    if (file) {
      const taken = await post(`${path}-consents/${ConsentId}/file`, file);
      assert.equal(taken.status, 200, JSON.stringify(taken.body));
    }
    const made = await post(`${path}s`, { ...order, Data: { ...order.Data, ConsentId } });
    assert.equal(made.status, 201, JSON.stringify(made.body));
  }
});

test("the explorer refuses an unknown operation, and a call without the consent that it needs", async () => {
  for (const [body, status] of [
    [{ method: "GET", path: `${base}/v9.9/pisp/domestic-payments` }, 404],
    [{ method: "DELETE", path: `${base}/v4.0/pisp/domestic-payments` }, 404],
    [{ method: "GET", path: `${base}/../../sandbox/v1/customers` }, 404],
    [{ method: "GET", path: "/sandbox/v1/customers" }, 400],
    [{ method: "GET", path: "https://elsewhere.example/api/open-banking/" }, 400],
    [{ method: "PATCH", path: `${base}/v3.1/aisp/accounts` }, 400],
    [{ method: "GET", path: `${base}/v3.1/aisp/accounts` }, 400],
    [{ method: "GET", path: `${base}/v3.1/aisp/accounts`, consentId: "none" }, 400],
    [{ method: "GET", path: `${base}/v3.1/aisp/accounts\r\nx: y`, consentId: "none" }, 404],
    [{ method: "GET", path: `${base}/v3.1/aisp/accounts?a=\r\nx`, consentId: "none" }, 400],
    [
      {
        method: "GET",
        path: `${base}/v3.1/aisp/account-access-consents/x`,
        headers: { "x-a": "b\r\nc: d" },
      },
      400,
    ],
    [
      {
        method: "GET",
        path: `${base}/v3.1/aisp/account-access-consents/x`,
        headers: { "bad name": "b" },
      },
      400,
    ],
    [
      {
        method: "GET",
        path: `${base}/v3.1/aisp/account-access-consents/x`,
        headers: { "Content-Length": "5" },
      },
      400,
    ],
  ] as const) {
    await expectRefusal(await call("POST", "/explorer", body), status);
  }
});
