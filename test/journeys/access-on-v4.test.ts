// Account access through a browser, for a consent created on v4.0, from its creation until the
// customer stops it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { expectStatus, type TestBank } from "#test/harness.ts";
import type { Customers } from "./customer.ts";
import { openBefore } from "./journey-bed.ts";

const base = "/v4.0/aisp";
const permissions = [
  "ReadAccountsDetail",
  "ReadBalances",
  "ReadTransactionsDetail",
  "ReadTransactionsCredits",
  "ReadTransactionsDebits",
];

let bank: TestBank;
let customers: Customers;
let client: TppClient;
openBefore((bed) => {
  ({ bank, customers, client } = bed);
});

type Item = Record<string, unknown>;
type Body = { Data: Item & { Account?: Item[]; Balance?: Item[]; Transaction?: Item[] } };

const read = async (path: string, token: string): Promise<Answer<Body>> =>
  client.call<Body>({ path, token });

/** Returns the status of a consent on v4.0, and the codes of its reasons. */
async function statusOf(consentId: string): Promise<[status: unknown, reasons: string[]]> {
  const token = await client.clientToken("accounts");
  const answer = await read(`${base}/account-access-consents/${consentId}`, token);
  expectStatus(answer, 200);
  const { Status, StatusReason = [] } = answer.body.Data;
  const reasons = StatusReason as { StatusReasonCode: string }[];
  return [Status, reasons.map(({ StatusReasonCode }) => StatusReasonCode)];
}

test("E-002, E-008, E-010, E-011: an access consent created on v4.0 is approved, read, stopped and approved again", async () => {
  const [everyday] = await bank.currentAccounts("amara");
  const accountId = everyday?.accountId ?? "";
  const lodged = await client.call<Body>({
    path: `${base}/account-access-consents`,
    token: await client.clientToken("accounts"),
    body: { Data: { Permissions: permissions }, Risk: {} },
  });
  expectStatus(lodged, 201);
  const consentId = String(lodged.body.Data.ConsentId);
  assert.deepEqual(await statusOf(consentId), ["AWAU", ["U036"]]);

  const approve = async (): Promise<string> => {
    const customer = await customers.arrive({ javaScriptEnabled: false });
    await customer.open(await client.authorizationUrl({ scope: "accounts", consentId }));
    await customer.goToApproval("amara", accountId);
    assert.match(await customer.text(), /balance/i);
    assert.match(await customer.text(), /Everyday/);
    await customer.press("approve");
    const { url } = await customer.comeBack();
    await customer.leave();
    return (await client.exchangeCode(url)).access_token;
  };
  const token = await approve();
  assert.deepEqual(await statusOf(consentId), ["AUTH", []]);

  const paths = ["", "/balances", "/transactions"].map((below) => `/accounts/${accountId}${below}`);
  const answers = await Promise.all(
    ["/accounts", ...paths].map((path) => read(base + path, token)),
  );
  for (const answer of answers) expectStatus(answer, 200);
  const [list, , balances, transactions] = answers.map(({ body }) => body.Data);
  const [account, ...others] = list?.Account ?? [];
  assert.deepEqual([account?.AccountId, account?.AccountTypeCode, others], [accountId, "CACC", []]);
  assert.ok((balances?.Balance ?? []).length > 0);
  const statuses = new Set(transactions?.Transaction?.map(({ Status }) => Status));
  assert.ok(statuses.has("BOOK") && !statuses.has("Booked"), "the entries have v4.0's codes");
  expectStatus(await read("/v3.1/aisp/accounts", token), 403);

  const customer = await customers.enterBank(bank, "amara");
  await customer.open(`${bank.publicUrl}/bank/connections/${consentId}`);
  assert.match(await customer.text(), /Everyday/);
  await customer.press("stop");
  await customer.open(`${bank.publicUrl}/bank/connections/${consentId}`);
  assert.match(await customer.text(), /Stopped by you/);
  await customer.leave();
  assert.deepEqual(await statusOf(consentId), ["CANC", ["CUST"]]);
  for (const path of ["/accounts", ...paths]) expectStatus(await read(base + path, token), 401);

  const again = await approve();
  assert.deepEqual(await statusOf(consentId), ["AUTH", []]);
  const shown = (await read(`${base}/accounts`, again)).body.Data.Account ?? [];
  assert.deepEqual(
    shown.map(({ AccountId }) => AccountId),
    [accountId],
  );
  expectStatus(await read(`${base}/accounts`, token), 401);
});
