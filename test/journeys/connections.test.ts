// What readers of accounts see when a customer has several consents or a joint account, and when an
// account is closed, switched or withdrawn from a consent.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accountResources } from "#src/accounts/account-resources.ts";
import type { Answer, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { expectStatus, type TestBank } from "#test/harness.ts";
import type { Customer, Customers } from "./customer.ts";
import { openBefore } from "./journey-bed.ts";
import { logIn } from "./log-in.ts";
import { lodge, lodgeAccess, quickPayee, readConsent } from "./payments.ts";

let bank: TestBank;
let customers: Customers;
let client: TppClient;
openBefore((bed) => {
  ({ bank, customers, client } = bed);
});

type Account = { AccountId: string; Status: string; SwitchStatus?: string };
type Accounts = { Data: { Account: Account[] } };

const read = <Body = unknown>(path: string, token: string): Promise<Answer<Body>> =>
  client.call<Body>({ path: `/v3.1/aisp${path}`, token });

/** Returns the ids of the accounts that a token shows. */
async function shown(token: string): Promise<string[]> {
  const answer = await read<Accounts>("/accounts", token);
  expectStatus(answer, 200);
  return answer.body.Data.Account.map(({ AccountId }) => AccountId).sort();
}

/** Returns a customer's accounts with these nicknames. */
async function accountsOf(login: string, ...nicknames: string[]): Promise<string[]> {
  const customer = (await bank.customers()).find((one) => one.login === login);
  return nicknames.map((nickname) => {
    const account = customer?.accounts.find((one) => one.nickname === nickname);
    assert.ok(account, `${login} has ${nickname}`);
    return account.accountId;
  });
}

/** Lets a customer approve access to accounts. */
async function grant(customer: string, accounts: string[], data: Record<string, unknown> = {}) {
  const consentId = await lodgeAccess(client, data);
  const tokens = await bank.approve(client, { scope: "accounts", consentId, customer, accounts });
  return { consentId, ...tokens, token: tokens.access_token };
}

const act = (name: string, accountId: string | undefined): Promise<unknown> =>
  bank.control("POST", `/accounts/${accountId}/${name}`, {});

const enterBank = (login: string) => customers.enterBank(bank, login);

/** Withdraws an account from a consent on the bank's own pages. Returns the text of the page. */
async function withdraw(customer: Customer, consentId: string, accountId: string) {
  await customer.open(`${bank.publicUrl}/bank/connections/${consentId}`);
  await customer.follow(`a[href$="/accounts/${accountId}"]`);
  await customer.press("stop");
  return (await customer.page.locator("[role=status]").textContent())?.trim();
}

test("A-050, A-123, A-147: each consent of a customer is visible only through its own token", async () => {
  const [everyday = "", rainyDay = ""] = await accountsOf("amara", "Everyday", "Rainy day");
  const from = bank.clock.now().toZonedDateTimeISO("UTC").toPlainDate().subtract({ months: 6 });
  const both = await grant("amara", [everyday, rainyDay]);
  const balances = await grant("amara", [everyday], {
    Permissions: ["ReadAccountsBasic", "ReadBalances"],
  });
  const credits = await grant("amara", [everyday], {
    Permissions: ["ReadAccountsBasic", "ReadTransactionsBasic", "ReadTransactionsCredits"],
    TransactionFromDateTime: `${from}T00:00:00+00:00`,
  });
  assert.deepEqual(await shown(both.token), [everyday, rainyDay].sort());
  for (const { token } of [balances, credits]) assert.deepEqual(await shown(token), [everyday]);
  const table = [
    ["/accounts", 200, 200, 200],
    [`/accounts/${everyday}/balances`, 200, 200, 403],
    [`/accounts/${everyday}/transactions`, 200, 403, 200],
    [`/accounts/${rainyDay}`, 200, 403, 403],
    [`/accounts/${rainyDay}/balances`, 200, 403, 403],
    ["/transactions", 200, 403, 200],
    ["/balances", 200, 200, 403],
  ] as const;
  for (const [path, ...wanted] of table) {
    const tokens = [both.token, balances.token, credits.token];
    const statuses = await Promise.all(
      tokens.map(async (token) => (await read(path, token)).status),
    );
    assert.deepEqual(statuses, wanted, path);
  }
  type Entries = {
    Data: { Transaction: { CreditDebitIndicator: string; BookingDateTime: string }[] };
  };
  const { body } = await read<Entries>(`/accounts/${everyday}/transactions`, credits.token);
  assert.ok(body.Data.Transaction.length > 0);
  for (const { CreditDebitIndicator, BookingDateTime } of body.Data.Transaction) {
    assert.equal(CreditDebitIndicator, "Credit");
    assert.ok(BookingDateTime >= `${from}`);
  }

  const customer = await enterBank("amara");
  await customer.open(`${bank.publicUrl}/bank/connections/${balances.consentId}`);
  await customer.press("stop");
  await customer.leave();
  assert.equal((await read("/accounts", balances.token)).status, 401);
  assert.deepEqual(await shown(both.token), [everyday, rainyDay].sort());
  assert.deepEqual(await shown(credits.token), [everyday]);
});

test("A-122, A-147: each holder of a joint account gives and stops access separately", async () => {
  const [bills = ""] = await accountsOf("ben", "Our bills");
  const [own = ""] = await accountsOf("chloe", "Chloe's account");
  const bens = await grant("ben", [bills]);
  const chloes = await grant("chloe", [bills, own]);
  assert.deepEqual(await shown(bens.token), [bills]);
  assert.deepEqual(await shown(chloes.token), [bills, own].sort());
  assert.equal((await read(`/accounts/${own}`, bens.token)).status, 403);
  type Page = { Data: { Transaction: object[] } };
  const entries = (token: string) => read<Page>(`/accounts/${bills}/transactions`, token);
  const [his, hers] = [await entries(bens.token), await entries(chloes.token)];
  assert.deepEqual(his.body.Data, hers.body.Data);
  assert.ok(his.body.Data.Transaction.length > 0);

  const ben = await enterBank("ben");
  await ben.open(`${bank.publicUrl}/bank/connections/${chloes.consentId}`);
  assert.match(await ben.text(), /We cannot find this page/);
  await ben.open(`${bank.publicUrl}/bank/connections/${bens.consentId}`);
  await ben.press("stop");
  await ben.leave();
  assert.equal((await read("/accounts", bens.token)).status, 401);
  assert.deepEqual(await shown(chloes.token), [bills, own].sort());
});

test("A-124: an account that the customer stops sharing is immediately excluded, and the others stay", async () => {
  const accounts = await accountsOf("amara", "Everyday", "Rainy day", "Credit card");
  const [everyday = "", rainyDay = "", card = ""] = accounts;
  const access = await grant("amara", accounts);
  const other = await grant("amara", [rainyDay]);
  const before = await readConsent(client, "account-access-consents", access.consentId);
  const customer = await enterBank("amara");
  const said = await withdraw(customer, access.consentId, rainyDay);
  assert.match(said ?? "", /^This access of Test TPP no longer includes Rainy day\. /);
  assert.match(said ?? "", / Test TPP still sees this account through .* connections?\.$/);
  assert.deepEqual(await shown(access.token), [everyday, card].sort());
  for (const below of ["", "/balances", "/transactions"]) {
    assert.equal((await read(`/accounts/${rainyDay}${below}`, access.token)).status, 403);
    assert.equal((await read(`/accounts/${everyday}${below}`, access.token)).status, 200);
  }
  assert.deepEqual(
    await shown(other.token),
    [rainyDay],
    "another consent still covers the account",
  );
  assert.deepEqual(
    await readConsent(client, "account-access-consents", access.consentId),
    before,
    "the consent is as it was",
  );

  // neither another authorisation nor a refresh brings the account back
  const { consentId } = access;
  const renewed = await client.refresh(access.refresh_token ?? "");
  assert.deepEqual(await shown(renewed.access_token), [everyday, card].sort());
  const again = await bank.approve(client, { scope: "accounts", consentId, customer: "amara" });
  assert.deepEqual(await shown(again.access_token), [everyday, card].sort());

  await withdraw(customer, consentId, card);
  assert.deepEqual(await shown(again.access_token), [everyday]);
  await customer.open(`${bank.publicUrl}/bank/connections/${consentId}`);
  assert.equal(await customer.page.locator("a", { hasText: "Stop sharing" }).count(), 0);
  for (const gone of [everyday, rainyDay, "acc-none"]) {
    await customer.open(`${bank.publicUrl}/bank/connections/${consentId}/accounts/${gone}`);
    assert.match(await customer.text(), /We had already stopped sharing this account|Hello/);
  }
  await customer.leave();
  assert.deepEqual(
    await shown(again.access_token),
    [everyday],
    "the last account cannot be removed",
  );
});

test("only the customer who gave an access can remove an account, and only with the page's form", async () => {
  const accounts = await accountsOf("chloe", "Our bills", "Chloe's account");
  const [bills = "", own = ""] = accounts;
  const access = await grant("chloe", accounts);
  const path = `${bank.publicUrl}/bank/connections/${access.consentId}/accounts/${own}`;
  const ben = await enterBank("ben");
  await ben.open(`${bank.publicUrl}/bank`);
  const csrf = (await ben.page.locator("input[name=csrf]").first().getAttribute("value")) ?? "";
  const form = { csrf, decision: "stop" };
  assert.equal((await ben.context.request.post(path, { form })).status(), 404);
  await ben.leave();
  const chloe = await enterBank("chloe");
  const forged = { csrf: "forged", decision: "stop" };
  assert.equal((await chloe.context.request.post(path, { form: forged })).status(), 403);
  await chloe.open(path);
  await chloe.press("keep");
  assert.deepEqual(await shown(access.token), [bills, own].sort());
  // of concurrent withdrawals of the last two accounts, one succeeds
  await chloe.open(path);
  const token = (await chloe.page.locator("input[name=csrf]").first().getAttribute("value")) ?? "";
  await Promise.all(
    accounts.map((accountId) =>
      chloe.context.request.post(path.replace(own, accountId), {
        form: { csrf: token, decision: "stop" },
      }),
    ),
  );
  assert.equal((await shown(access.token)).length, 1);
  await chloe.leave();
});

test("A-124, A-149: a closed or blocked account leaves every consent, and returns when it is reopened", async () => {
  const [bills = "", own = ""] = await accountsOf("chloe", "Our bills", "Chloe's account");
  const access = await grant("chloe", [bills, own]);
  for (const [name, state] of [
    ["close", "closed"],
    ["block", "blocked"],
  ] as const) {
    await act(name, own);
    assert.deepEqual(await shown(access.token), [bills]);
    for (const below of ["", "/balances", "/transactions"]) {
      assert.equal((await read(`/accounts/${own}${below}`, access.token)).status, 403);
      assert.equal((await read(`/accounts/${bills}${below}`, access.token)).status, 200);
    }
    const { body } = (await logIn(bank, "chloe")).shown;
    assert.ok(body.includes(`account (${state})`), "the customer sees the state too");
    await act(name, bills);
    assert.deepEqual(await shown(access.token), []);
    const { status } = await readConsent(client, "account-access-consents", access.consentId);
    assert.equal(status, "Authorised");
    await act("reopen", bills);
    await act("reopen", own);
    assert.deepEqual(await shown(access.token), [bills, own].sort());
  }
});

test("A-146: a switched account is shown by the accounts resource only", async () => {
  const [main = "", pounds = ""] = await switchable();
  const rows = accountResources.filter(({ path }) => path.startsWith("/accounts"));
  const permissions = [...new Set(rows.flatMap((row) => row.source.permissions.flat()))];
  const { token } = await grant("finn", [main, pounds], { Permissions: permissions });
  const before = await read<Accounts>(`/accounts/${main}`, token);
  assert.equal(before.body.Data.Account[0]?.SwitchStatus, "UK.CASS.NotSwitched");
  await act("switch", main);
  const list = await read<Accounts>("/accounts", token);
  const found = list.body.Data.Account.map(({ AccountId, Status, SwitchStatus }) => [
    AccountId,
    Status,
    SwitchStatus,
  ]);
  assert.deepEqual(
    found.find(([id]) => id === main),
    [main, "Deleted", "UK.CASS.SwitchCompleted"],
  );
  assert.deepEqual(found.find(([id]) => id === pounds)?.slice(1, 2), ["Enabled"]);
  assert.equal((await read(`/accounts/${main}`, token)).status, 200);
  for (const { path } of rows) {
    const below = path.replace("/accounts/:AccountId", "");
    if (below === "" || below === path || below.includes(":")) continue;
    assert.equal((await read(`/accounts/${main}${below}`, token)).status, 403, below);
    assert.equal((await read(`/accounts/${pounds}${below}`, token)).status, 200, below);
  }
  for (const path of ["/balances", "/transactions"]) {
    const answer = await read<{ Data: Record<string, Account[]> }>(path, token);
    const items = Object.values(answer.body.Data).flat();
    assert.ok(items.length > 0);
    assert.ok(
      items.every(({ AccountId }) => AccountId === pounds),
      path,
    );
  }
});

test("a switched account cannot pay or be chosen, and only a current account can be switched", async () => {
  const [savings = "", main = ""] = await accountsOf("amara", "Rainy day", "Everyday");
  await assert.rejects(act("switch", savings), /Only a current account/);
  await assert.rejects(act("close", "acc-none"), /no account/);
  await act("switch", main);
  try {
    const { consentId } = await lodge(client, { payee: quickPayee });
    const customer = await customers.arrive();
    const request = { scope: "payments" as const, consentId };
    await customer.open(await client.authorizationUrl(request));
    await customer.login("amara");
    await customer.factor();
    assert.equal(await customer.page.locator(`input[value="${main}"]`).count(), 0);
    await customer.leave();
  } finally {
    await act("reopen", main);
  }
  assert.deepEqual(await bank.control("GET", "/verify"), { holds: true, breaches: [] });
});

const switchable = (): Promise<string[]> => accountsOf("finn", "Main", "Savings");
