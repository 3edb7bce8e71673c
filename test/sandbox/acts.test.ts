import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { Explanation } from "#src/request-log/explain/explanation.ts";
import type { LogReader } from "#src/request-log/reader.ts";
import { actRows } from "#src/sandbox/controls/act-rows.ts";
import { lodgeAccess } from "#test/journeys/payments.ts";
import { lease } from "#test/payments/stored-orders.ts";
import { runCommand } from "#test/server/run-command.ts";
import { type ActsBed, openActs } from "./acts-bed.ts";

type Listed = Awaited<ReturnType<LogReader["list"]>>;
type Lodged = { Data: { ConsentId: string } };
type Shown = NonNullable<Awaited<ReturnType<LogReader["show"]>>>;

let bed: ActsBed;
let act: ActsBed["act"];
let order: ActsBed["order"];
before(async () => {
  bed = await openActs();
  ({ act, order } = bed);
});
after(() => bed?.bank.close());

test("a settled payment is not advanced", async () => {
  const { id } = await order("domestic-payment", "00990000000001", "ACCC");
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

test("a payment is refused while it is reviewed, and before its date", async () => {
  const held = await order("domestic-payment", "00990000000005", "ACFC");
  assert.equal((await act(`/payments/${held.id}/refuse`)).body.status, "RJCT");
  const later = await order("domestic-scheduled-payment", "00990000000001", "PDNG");
  assert.equal((await act(`/payments/${later.id}/refuse`)).body.status, "RJCT");
});

test("an act answers in the words of the version in which its order was made", async () => {
  const { client } = bed;
  const of = (payee: string, status: string) =>
    order("domestic-payment", payee, status, client, "v3.1");
  const held = await of("00990000000005", "Pending");
  const advanced = await act(`/payments/${held.id}/advance`);
  assert.equal(advanced.body.status, "AcceptedCreditSettlementCompleted");
  assert.equal(await held.status(), advanced.body.status);
  const again = await act(`/payments/${held.id}/advance`);
  assert.match(again.body.message, /^The payment is AcceptedCreditSettlementCompleted\. Only/);
});

test("an act answers in the words of the version in which its consent was made", async () => {
  const open = await bed.access("v3.1");
  const allowed = /A customer can withdraw a consent that is Authorised\.$/;
  // v3.1 has no word for what becomes of a consent to accounts
  assert.equal((await act(`/consents/${open.consentId}/revoke`)).body.status, "CANC");
  const again = await act(`/consents/${open.consentId}/revoke`);
  assert.match(again.body.message, /^The consent is CANC\. /);
  assert.match(again.body.message, allowed);
  const { body } = await bed.client.call<Lodged>({
    path: "/v3.1/aisp/account-access-consents",
    token: await bed.client.clientToken("accounts"),
    body: { Data: { Permissions: ["ReadAccountsBasic"] }, Risk: {} },
  });
  const early = await act(`/consents/${body.Data.ConsentId}/revoke`);
  assert.match(early.body.message, /^The consent is AwaitingAuthorisation\. /);
  assert.match(early.body.message, allowed);
});

test("an act waits for the engine that works on its payment", async () => {
  const { id } = await order("domestic-payment", "00990000000004", "ACSC");
  await lease(bed.bank.database, id, "another engine");
  const acting = act(`/payments/${id}/refuse`);
  // an act that does not wait has ended by then
  await Promise.race([acting, setTimeout(300)]);
  await lease(bed.bank.database, id, null);
  assert.equal((await acting).body.status, "RJCT");
});

for (const [name, payee, status, body] of [
  ["advance", "00990000000005", "ACFC", {}],
  ["refuse", "00990000000004", "ACSC", {}],
  ["delay", "00990000000005", "ACFC", { by: "PT1H" }],
] as const) {
  test(`an act is refused, and nobody reads that a tester did ${name}, if the engine keeps the payment`, async () => {
    const { id } = await order("domestic-payment", payee, status);
    await lease(bed.bank.database, id, "another engine");
    const refused = await act(`/payments/${id}/${name}`, body);
    assert.equal(refused.code, 409, JSON.stringify(refused.body));
    assert.match(refused.body.message, /^The engine works on this payment now/);
    const { history } = await bed.bank.control<Explanation>("GET", `/explanations/${id}`);
    assert.ok(history.every(({ by }) => by !== tester));
    await lease(bed.bank.database, id, null);
    assert.equal((await act(`/payments/${id}/${name}`, body)).code, 200);
  });
}

test("a payment that nobody will answer is not delayed, and none by what is no duration", async () => {
  const { id } = await order("domestic-payment", "00990000000004", "ACSC");
  assert.equal((await act(`/payments/${id}/delay`, { by: "PT1H" })).code, 409);
  assert.equal((await act(`/payments/${id}/delay`, { by: "soon" })).code, 400);
});

test("only a settled payment is returned, once", async () => {
  const pending = await order("domestic-payment", "00990000000004", "ACSC");
  const early = await act(`/payments/${pending.id}/return`);
  assert.equal(early.code, 409);
  assert.match(early.body.message, /refuse one that is not settled/);
  const settled = await order("domestic-payment", "00990000000001", "ACCC");
  assert.equal((await act(`/payments/${settled.id}/return`)).body.status, "ACCC");
  assert.match((await act(`/payments/${settled.id}/return`)).body.message, /returned already/);
});

test("the return of a payment is in the explanation of its order, and in the log's ledger lines", async () => {
  const { id } = await order("domestic-payment", "00990000000001", "ACCC");
  const { control } = bed.bank;
  const explain = () => control<Explanation>("GET", `/explanations/${id}`);
  const before = (await explain()).history.length;
  assert.equal((await act(`/payments/${id}/return`)).code, 200);
  const { summary, history } = await explain();
  assert.match(summary, /It is ACCC .* Money was returned to the debtor at 20/);
  assert.equal(history.length, before + 1);
  assert.match(history.at(-1)?.what ?? "", /^returned: \d+\.\d\d GBP went back to the debtor/);
  const { requests } = await control<Listed>("GET", `/requests?order=${id}&status=201`);
  const { linked } = await control<Shown>("GET", `/requests/${requests[0]?.logId}`);
  const [paid, returned] = linked.ledger;
  assert.equal(linked.ledger.length, 2);
  assert.deepEqual(
    [returned?.purpose, returned?.amount, returned?.creditAccountId],
    ["return", paid?.amount, bed.accountId],
  );
  const { printed } = await runCommand(`explain ${id}`, { PUBLIC_URL: bed.bank.publicUrl });
  assert.match(printed, /returned: .* the status stays, by a tester with the sandbox's controls$/m);
});

const tester = "a tester with the sandbox's controls";
const orderActs: [act: string, payee: string, status: string, body: object][] = [
  ["advance", "00990000000005", "ACFC", {}],
  ["refuse", "00990000000004", "ACSC", {}],
  ["delay", "00990000000005", "ACFC", { by: "PT1H" }],
];
for (const [name, payee, status, body] of orderActs) {
  test(`the history of an order says that a tester did ${name}, and what the bank did before`, async () => {
    const { id } = await order("domestic-payment", payee, status);
    const explain = () => bed.bank.control<Explanation>("GET", `/explanations/${id}`);
    const earlier = (await explain()).history;
    assert.ok(earlier.every(({ by }) => by !== tester));
    assert.equal((await act(`/payments/${id}/${name}`, body)).code, 200);
    const { history, summary } = await explain();
    assert.deepEqual(history.slice(0, earlier.length), earlier);
    const later = history.slice(earlier.length).map(({ by }) => by);
    assert.deepEqual([...new Set(later)], [tester]);
    assert.equal(/It is (ACCC|RJCT) since .*, by a tester with/.test(summary), name !== "delay");
  });
}

test("a consent that is not authorised does not expire, and one to accounts is not suspended", async () => {
  const lodged = await lodgeAccess(bed.client);
  const refused = await act(`/consents/${lodged}/expire`);
  assert.equal(refused.code, 409);
  assert.match(refused.body.message, /has not been authorised, so this act cannot expire it\./);
  const { consentId } = await bed.access();
  assert.match((await act(`/consents/${consentId}/suspend`)).body.message, /variable recurring/);
});

test("no payment from outside arrives on a closed account", async () => {
  const path = `/accounts/${bed.accountId}`;
  assert.equal((await act(`${path}/close`)).body.status, "closed");
  assert.equal((await act(`${path}/pay-in`, { amount: "25.00" })).code, 409);
  assert.equal((await act(`${path}/reopen`)).body.status, "open");
});

test("the command line does the same acts", async () => {
  const { id } = await order("domestic-payment", "00990000000004", "ACSC");
  const environment = { PUBLIC_URL: bed.bank.publicUrl };
  const right = await runCommand(`act refuse ${id} --reason AG01 --json`, environment);
  assert.deepEqual(JSON.parse(right.printed), { id, status: "RJCT" });
  const wrong = await runCommand(`act return ${id}`, environment);
  assert.equal(wrong.code, 1);
  assert.match(wrong.complained, /Only a settled payment can be returned/);
  assert.equal((await runCommand(`act explode ${id}`, environment)).code, 2);
});

test("the page of an order has buttons for its acts, and says what became of it", async () => {
  const { id } = await order("domestic-payment", "00990000000004", "ACSC");
  const page = `${bed.bank.publicUrl}/sandbox/explanations?id=${id}`;
  const shown = await (await fetch(page)).text();
  for (const { on, act: name } of actRows) {
    const isHere = on === "payment" || on === "object";
    assert.equal(shown.includes(`name="act" value="${name}"`), isHere, name);
  }
  const press = (fields: Record<string, string>) =>
    fetch(`${bed.bank.publicUrl}/sandbox/acts`, {
      method: "POST",
      body: new URLSearchParams({ id, ...fields }),
    });
  const refused = await press({ act: "refuse", reason: "AM05" });
  assert.equal(refused.status, 200);
  assert.match(await refused.text(), /Result: RJCT\./);
  const again = await press({ act: "refuse", reason: "AM05" });
  assert.equal(again.status, 409);
  assert.match(await again.text(), /Only a payment that is not settled can be refused/);
  assert.equal((await press({ act: "refuse", reason: "nonsense" })).status, 400);
  assert.equal((await press({ act: "close" })).status, 404);
  const account = await fetch(`${bed.bank.publicUrl}/sandbox/explanations?id=${bed.login}`);
  assert.match(await account.text(), /Fail the next code/);
});

test("a payment that the payee's bank returns is not a tester's", async () => {
  const { id } = await order("domestic-payment", "00990000000023", "ACCC");
  await bed.bank.control("PUT", "/clock", { advance: "P3D" });
  const { history } = await bed.bank.control<Explanation>("GET", `/explanations/${id}`);
  assert.match(history.at(-1)?.what ?? "", /^returned:/);
  assert.ok(history.every(({ by }) => by !== tester));
});

test("refused acts leave the ledger and the orders without a breach", async () => {
  const { breaches } = await bed.bank.control<{ breaches: string[] }>("GET", "/verify");
  assert.deepEqual(breaches, []);
});
