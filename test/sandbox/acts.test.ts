import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { actRows } from "#src/sandbox/controls/act-rows.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { examplesIn } from "#src/server/examples/examples.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { runCommand } from "#test/server/run-command.ts";
import { until } from "#test/until.ts";

let bank: TestBank;
let client: TppClient;
let account: { accountId: string; balance: string };

before(async () => {
  bank = await openBank();
  client = await bank.createTpp();
  account = await ownAccount();
});
after(() => bank?.close());

type Resource = { Data: Record<string, unknown> };
type Made = { id: string; status(): Promise<unknown> };
type Refused = { message: string };

const login = "test_executed";
const ownAccount = async () => present((await bank.currentAccounts(login))[0], "an account");
const kindOf = (id: string) =>
  present(
    paymentKinds.find((kind) => kind.id === id),
    id,
  );

/** The answer of an act: its HTTP status, and its body. */
async function act(path: string, body: object = {}) {
  const answer = await fetch(`${bank.publicUrl}/sandbox/v1${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { code: answer.status, body: (await answer.json()) as { status: string } & Refused };
}

/** Makes an order to a payee, and waits until its status is this one. */
async function order(kindId: string, number: string, status: string): Promise<Made> {
  const kind = kindOf(kindId);
  const payee = {
    SchemeName: "UK.OBIE.SortCodeAccountNumber",
    Identification: number,
    Name: "A Payee",
  };
  const example = examplesIn(kind, "pisp-v4.0").demo(payee, bank.clock.now());
  const token = await client.clientToken("payments");
  const lodged = await client.call<Resource>({
    path: `/v4.0/pisp/${kindId}-consents`,
    token,
    body: example.consent,
  });
  expectStatus(lodged, 201);
  const consentId = String(lodged.body.Data.ConsentId);
  const accounts = [account.accountId];
  const theirs = await bank.approve(client, {
    scope: "payments",
    consentId,
    customer: login,
    accounts,
  });
  const { order: ordered } = example;
  const made = await client.call<Resource>({
    path: `/v4.0/pisp/${kindId}s`,
    token: theirs.access_token,
    body: { ...ordered, Data: { ...ordered.Data, ConsentId: consentId } },
  });
  expectStatus(made, 201);
  const id = String(made.body.Data[kind.orderIdField]);
  const path = `/v4.0/pisp/${kindId}s/${id}`;
  // a moved clock ends tokens
  const read = async () => {
    const current = await client.clientToken("payments");
    return (await client.call<Resource>({ path, token: current })).body.Data.Status;
  };
  await until(read, (found) => found === status);
  return { id, status: read };
}

test("a payment that its scheme never answers is advanced, and is then settled", async () => {
  const { id, status } = await order("domestic-payment", "00990000000004", "ACSC");
  const { code, body } = await act(`/payments/${id}/advance`);
  assert.deepEqual([code, body.status], [200, "ACCC"]);
  assert.equal(await status(), "ACCC");
  const again = await act(`/payments/${id}/advance`);
  assert.equal(again.code, 409);
  assert.match(again.body.message, /^The payment is ACCC\. Only a payment that waits/);
});

test("a payment under review is advanced, and one with a later date is made now", async () => {
  const held = await order("domestic-payment", "00990000000005", "ACFC");
  assert.equal((await act(`/payments/${held.id}/advance`)).body.status, "ACCC");
  const later = await order("domestic-scheduled-payment", "00990000000001", "PDNG");
  assert.equal((await act(`/payments/${later.id}/advance`)).body.status, "ACCC");
});

test("a pending payment is refused, and its debtor gets the money back", async () => {
  const { balance } = await ownAccount();
  const { id } = await order("domestic-payment", "00990000000004", "ACSC");
  assert.notEqual((await ownAccount()).balance, balance);
  assert.equal((await act(`/payments/${id}/refuse`, { reason: "AC01" })).body.status, "RJCT");
  assert.equal((await ownAccount()).balance, balance);
});

test("a payment is refused while it is reviewed, and before its date", async () => {
  const held = await order("domestic-payment", "00990000000005", "ACFC");
  assert.equal((await act(`/payments/${held.id}/refuse`)).body.status, "RJCT");
  const later = await order("domestic-scheduled-payment", "00990000000001", "PDNG");
  assert.equal((await act(`/payments/${later.id}/refuse`)).body.status, "RJCT");
});

test("a pending payment is delayed, and settles at its new time", async () => {
  const { id, status } = await order("domestic-payment", "00990000000002", "ACSC");
  assert.equal((await act(`/payments/${id}/delay`, { by: "PT1H" })).body.status, "ACSC");
  await bank.advance("PT15M");
  assert.equal(await status(), "ACSC");
  await bank.advance("PT56M");
  assert.equal(await status(), "ACCC");
  const unanswered = await order("domestic-payment", "00990000000004", "ACSC");
  assert.equal((await act(`/payments/${unanswered.id}/delay`, { by: "PT1H" })).code, 409);
  assert.equal((await act(`/payments/${unanswered.id}/delay`, { by: "soon" })).code, 400);
});

test("only a settled payment is returned, once", async () => {
  const pending = await order("domestic-payment", "00990000000004", "ACSC");
  const early = await act(`/payments/${pending.id}/return`);
  assert.equal(early.code, 409);
  assert.match(early.body.message, /refuse one that is not settled/);
  const { balance } = await ownAccount();
  const settled = await order("domestic-payment", "00990000000001", "ACCC");
  assert.equal((await act(`/payments/${settled.id}/return`)).body.status, "ACCC");
  assert.equal((await ownAccount()).balance, balance);
  assert.match((await act(`/payments/${settled.id}/return`)).body.message, /returned already/);
});

test("a consent to accounts expires by an act, and cannot be suspended", async () => {
  const lodged = await client.call<Resource>({
    path: "/v4.0/aisp/account-access-consents",
    token: await client.clientToken("accounts"),
    body: { Data: { Permissions: ["ReadAccountsBasic"] }, Risk: {} },
  });
  expectStatus(lodged, 201);
  const consentId = String(lodged.body.Data.ConsentId);
  assert.equal((await act(`/consents/${consentId}/expire`)).code, 409);
  const accounts = [account.accountId];
  const tokens = await bank.approve(client, {
    scope: "accounts",
    consentId,
    customer: login,
    accounts,
  });
  const read = () =>
    client.call<Resource>({ path: "/v4.0/aisp/accounts", token: tokens.access_token });
  expectStatus(await read(), 200);
  assert.match((await act(`/consents/${consentId}/suspend`)).body.message, /variable recurring/);
  assert.deepEqual((await act(`/consents/${consentId}/expire`)).body, {
    id: consentId,
    status: "EXPD",
  });
  assert.notEqual((await read()).status, 200);
});

test("a payment from outside arrives on an account, but not on a closed one", async () => {
  const before = (await ownAccount()).balance;
  const given = { amount: "25.00", name: "Ashdown Homes", reference: "RENT" };
  const path = `/accounts/${account.accountId}`;
  assert.equal((await act(`${path}/pay-in`, given)).code, 200);
  assert.equal(Number((await ownAccount()).balance) - Number(before), 25);
  assert.equal((await act(`${path}/close`)).body.status, "closed");
  assert.equal((await act(`${path}/pay-in`, given)).code, 409);
  assert.equal((await act(`${path}/reopen`)).body.status, "open");
});

test("the next code of a customer fails, and a later one is right again", async () => {
  assert.equal((await act(`/customers/${login}/fail-code`)).code, 200);
  await assert.rejects(order("domestic-payment", "00990000000001", "ACCC"), /code/);
  await order("domestic-payment", "00990000000001", "ACCC");
});

test("the acts leave the ledger and the orders without a breach", async () => {
  const { breaches } = await bank.control<{ breaches: string[] }>("GET", "/verify");
  assert.deepEqual(breaches, []);
});

test("the command line does the same acts", async () => {
  const { id } = await order("domestic-payment", "00990000000004", "ACSC");
  const environment = { PUBLIC_URL: bank.publicUrl };
  const right = await runCommand(`act refuse ${id} --reason AG01 --json`, environment);
  assert.deepEqual(JSON.parse(right.printed), { id, status: "RJCT" });
  const wrong = await runCommand(`act return ${id}`, environment);
  assert.equal(wrong.code, 1);
  assert.match(wrong.complained, /Only a settled payment can be returned/);
  assert.equal((await runCommand(`act explode ${id}`, environment)).code, 2);
});

test("the page of an order has buttons for its acts, and says what became of it", async () => {
  const { id } = await order("domestic-payment", "00990000000004", "ACSC");
  const page = `${bank.publicUrl}/sandbox/explanations?id=${id}`;
  const shown = await (await fetch(page)).text();
  for (const { on, act: name } of actRows) {
    const isHere = on === "payment" || on === "object";
    assert.equal(shown.includes(`name="act" value="${name}"`), isHere, name);
  }
  const press = (fields: Record<string, string>) =>
    fetch(`${bank.publicUrl}/sandbox/acts`, {
      method: "POST",
      body: new URLSearchParams({ id, ...fields }),
    });
  const refused = await press({ act: "refuse", reason: "AM05" });
  assert.equal(refused.status, 200);
  assert.match(await refused.text(), /The payment is now: RJCT\./);
  const again = await press({ act: "refuse", reason: "AM05" });
  assert.equal(again.status, 409);
  assert.match(await again.text(), /Only a payment that is not settled can be refused/);
  assert.equal((await press({ act: "refuse", reason: "nonsense" })).status, 400);
  assert.equal((await press({ act: "close" })).status, 404);
  const account = await fetch(`${bank.publicUrl}/sandbox/explanations?id=${login}`);
  assert.match(await account.text(), /Fail the next code/);
});
