import assert from "node:assert/strict";
import { test } from "node:test";
import { present } from "#src/lib/assert.ts";
import { canonicalJson, sha256 } from "#src/lib/hash.ts";
import { toNextPage } from "#test/browser.ts";
import { readAuthorisations } from "#test/consents/stored-rows.ts";
import { type JourneyBed, openBefore } from "./journey-bed.ts";
import { picture } from "./page-bed.ts";
import { lodge, lodgeAccess, readConsent } from "./payments.ts";

// The choice of accounts while the bank closes them, the choice of many, and the page after it.

let opened: JourneyBed;
openBefore((bed) => {
  opened = bed;
});

const act = (name: string, accountId: string) =>
  opened.bank.control("POST", `/accounts/${accountId}/${name}`, {});

async function currentAccount(login: string) {
  return present((await opened.bank.currentAccounts(login))[0], "an account");
}

async function visit(consentId: string, scope: "payments" | "accounts") {
  const customer = await opened.customers.arrive({ javaScriptEnabled: false });
  await customer.open(await opened.client.authorizationUrl({ scope, consentId }));
  return customer;
}

for (const [name, word] of [
  ["close", "closed"],
  ["block", "blocked"],
] as const) {
  test(`an account that is ${word} after the choice was shown is refused before the approval`, async () => {
    const { consentId } = await lodge(opened.client);
    const { accountId } = await currentAccount("amara");
    const customer = await visit(consentId, "payments");
    await customer.goToApproval("amara", accountId);
    await act(name, accountId);
    await customer.press("approve");
    const text = await customer.text();
    assert.match(text, /An account that you chose has just been closed or blocked/);
    assert.ok(text.includes(`This account is ${word}.`), text);
    const option = customer.page.locator(`input[value="${accountId}"]`);
    assert.equal(await option.isDisabled(), true);
    const { status } = await readConsent(opened.client, "domestic-payment-consents", consentId);
    assert.equal(status, "AWAU");
    await customer.leave();
    await act("reopen", accountId);
  });
}

test("the evidence has the choice of accounts as it was shown last, without figures of balances", async () => {
  const { consentId } = await lodge(opened.client);
  const { accountId } = await currentAccount("amara");
  const customers = await opened.bank.customers();
  const accounts = customers.find(({ login }) => login === "amara")?.accounts ?? [];
  const other = present(
    accounts.find((one) => one.accountId !== accountId),
    "another account",
  );
  const customer = await visit(consentId, "payments");
  await customer.goToApproval("amara", accountId);
  assert.match(await customer.text(), /£[\d,.]+ available/);
  await act("block", other.accountId);
  await customer.page.reload();
  assert.match(await customer.text(), /This account is blocked\./);
  await customer.page.locator(`input[value="${accountId}"]`).check();
  await customer.press("approve");
  await customer.leave();
  await act("reopen", other.accountId);
  const [given] = await readAuthorisations(opened.bank.database, consentId);
  const choice = given?.showings.filter(({ step }) => step === "accounts") ?? [];
  assert.equal(choice.length, 1);
  const [{ shown, shownHash, answer } = {}] = choice;
  assert.deepEqual(answer?.accountIds, [accountId]);
  assert.equal(sha256(canonicalJson(shown)), shownHash);
  const kept = (shown as { accounts: Record<string, unknown>[] }).accounts;
  const blocked = kept.find((one) => one.accountId === other.accountId);
  assert.equal(blocked?.unavailable, "This account is blocked.");
  assert.ok(kept.every((one) => one.showsBalance === true && !("balance" in one)));
  assert.doesNotMatch(JSON.stringify(kept), /£/);
});

test("a known account that is closed before the code is entered is refused, and this is said", async () => {
  const { accountId, schemeName, identification } = await currentAccount("amara");
  const DebtorAccount = { SchemeName: schemeName, Identification: identification, Name: "A" };
  const { consentId } = await lodge(opened.client, { initiation: { DebtorAccount } });
  const customer = await visit(consentId, "payments");
  await customer.goToApproval("amara");
  await act("close", accountId);
  await customer.press("approve");
  assert.match(await customer.text(), /Your account cannot be used for this.*Nothing was paid\./);
  await customer.leave();
  await act("reopen", accountId);
});

test("the page after the approval names amount, payee and account, also when the customer returns", async () => {
  const { consentId } = await lodge(opened.client, { amount: "12.34" });
  const { accountId } = await currentAccount("amara");
  const customer = await visit(consentId, "payments");
  await customer.goToApproval("amara", accountId);
  const { url, form } = { url: customer.page.url(), form: await customer.hidden() };
  const answer = await customer.context.request.post(url, {
    form: { ...form, account: accountId, decision: "approve" },
  });
  const whole = /(?:<span class="whole">)?\d\d-\d\d-\d\d(?:<\/span>)?/.source;
  const said = new RegExp(
    `You approved £12\\.34 to Acme Supplies Ltd from Everyday \\(${whole} \\d{8}\\)\\.`,
  );
  assert.match(await answer.text(), said);
  await customer.page.reload();
  await customer.comeBack();
  await customer.open(url);
  const text = await customer.text();
  assert.match(text, said);
  assert.doesNotMatch(text, /Reference/);
  assert.equal(await customer.page.locator(".outcome.approved").count(), 1);
  await picture(customer, "approved");
  await customer.leave();
});

test("the page after the approval of a payment with a charge says what leaves the account", async () => {
  const initiation = { LocalInstrument: "UK.OBIE.CHAPS" };
  const { consentId } = await lodge(opened.client, { amount: "12.34", initiation });
  const { accountId } = await currentAccount("amara");
  const customer = await visit(consentId, "payments");
  await customer.goToApproval("amara", accountId);
  const form = { ...(await customer.hidden()), account: accountId, decision: "approve" };
  const answer = await customer.context.request.post(customer.page.url(), { form });
  assert.match(
    await answer.text(),
    /You approved £12\.34 to .*\. £32\.34 leaves this account, including £20\.00 in charges\./,
  );
  await customer.leave();
});

test("if others must approve too, the page after the approval names them", async () => {
  const { consentId } = await lodge(opened.client, { amount: "12.34" });
  const dev = (await opened.bank.customers()).find(({ login }) => login === "dev");
  const account = dev?.accounts.find(({ signatoriesRequired }) => signatoriesRequired > 1);
  const customer = await visit(consentId, "payments");
  await customer.goToApproval("dev", present(account, "an account").accountId);
  const answer = await customer.context.request.post(customer.page.url(), {
    form: { ...(await customer.hidden()), decision: "approve" },
  });
  const text = await answer.text();
  assert.match(text, /We will not pay until Elin Nystrom has approved it too\./);
  await customer.open(customer.page.url());
  const until = customer.page.getByText("until Elin Nystrom has approved it too");
  assert.equal(await until.isVisible(), true, "the page stays until the customer goes on");
  await picture(customer, "approved-first-of-two");
  assert.ok((await customer.comeBack()).answer.code);
  await customer.leave();
});

test("one button selects all accounts and another none, without script, and neither approves", async () => {
  const consentId = await lodgeAccess(opened.client);
  const customer = await visit(consentId, "accounts");
  await customer.login("iris");
  await customer.factor();
  const options = customer.page.locator("input[name=account]:enabled");
  const checked = customer.page.locator("input[name=account]:checked");
  assert.ok((await options.count()) >= 3);
  assert.equal(await checked.count(), 0);
  await customer.press("all");
  assert.equal(await checked.count(), await options.count());
  await picture(customer, "select-all");
  await customer.press("none");
  assert.equal(await checked.count(), 0);
  await customer.press("all");
  const { status } = await readConsent(opened.client, "account-access-consents", consentId);
  assert.match(status, /Awaiting/);
  await customer.press("approve");
  assert.ok((await customer.comeBack()).answer.code);
  await customer.leave();
});

for (const scope of ["accounts", "payments"] as const) {
  test(`Enter on an account neither marks the others nor approves: ${scope}`, async () => {
    const consentId = await (scope === "accounts"
      ? lodgeAccess(opened.client)
      : lodge(opened.client).then((lodged) => lodged.consentId));
    const customer = await opened.customers.arrive();
    const { page } = customer;
    await customer.open(await opened.client.authorizationUrl({ scope, consentId }));
    await customer.login("iris");
    await customer.factor();
    await page.locator("input[name=account]:enabled").last().focus();
    await page.keyboard.press("Space");
    const answer = page.waitForResponse((response) => response.request().method() === "POST");
    await toNextPage(page, () => page.keyboard.press("Enter"));
    assert.equal((await answer).status(), 200);
    assert.equal(await page.locator("input[name=account]:checked").count(), 1);
    assert.equal(await page.locator("[role=alert]").count(), 0);
    await customer.press("approve");
    assert.ok((await customer.comeBack()).answer.code);
    await customer.leave();
  });
}
