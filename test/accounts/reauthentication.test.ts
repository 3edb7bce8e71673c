import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setConsent } from "#test/consents/stored-rows.ts";
import { AccountsBank } from "./fixture.ts";

const days = 30;
let bank: AccountsBank;
let customerId: string;
let accountId: string;
let path: string;

before(async () => {
  bank = await AccountsBank.open({ reauthenticationDays: days, pageSize: 2 });
  customerId = await bank.addCustomer();
  accountId = await bank.addAccount(customerId);
  path = `/accounts/${accountId}/transactions`;
  // it is 21 November, so 90 days ago is 23 August
  const ages = ["2026-11-20", "2026-10-01", "2026-08-24", "2026-08-22", "2026-01-01"];
  await bank.addTransactions(
    accountId,
    ages.map((day) => ({ at: `${day}T12:00:00Z` })),
  );
});
after(() => bank.close());

/**
 * Adds a consent whose customer authenticated `ago` days ago, or never if null. Returns a token.
 */
async function tokenOf(ago: number | null, window: { from?: string; to?: string } = {}) {
  const given = await bank.addConsent({ customerId, accountIds: [accountId], ...window });
  const at = ago === null ? null : bank.now.subtract({ hours: 24 * ago });
  await setConsent(bank.database, given.consentId, { authenticatedAt: at });
  return given.token;
}

test("A-126: transactions older than 90 days need a fresh authentication", async () => {
  for (const [ago, status] of [
    [0, 200],
    [days, 200],
    [days + 1, 403],
    [null, 403],
  ] as const) {
    const answer = await bank.get(path, await tokenOf(ago));
    assert.equal(answer.status, status, `${ago}`);
    if (status === 200) continue;
    const [fault, ...more] = answer.body.Errors;
    assert.deepEqual(
      [fault.ErrorCode, "Path" in fault, more],
      ["UK.OBIE.Reauthenticate", false, []],
    );
  }
});

test("A-126: transactions of the last 90 days need no fresh authentication, whether the query or the consent sets the start date", async () => {
  const stale = days + 1;
  const threshold = "2026-08-23T10:00:00";
  const token = await tokenOf(stale);
  const asked = (query: string) => bank.get(`${path}?${query}`, token);
  const recent = await asked(`fromBookingDateTime=${threshold}`);
  assert.equal(recent.body.Data.Transaction.length, 2);
  assert.equal((await bank.get(recent.body.Links.Next, token)).status, 200);
  assert.equal((await asked("fromBookingDateTime=2026-08-23T09:59:59")).status, 403);
  const narrow = await tokenOf(stale, { from: `${threshold}Z` });
  assert.equal((await bank.get(`${path}?fromBookingDateTime=2020-01-01`, narrow)).status, 200);
  const old = await tokenOf(stale, { to: "2026-02-01T00:00:00Z" });
  assert.equal((await bank.get(path, old)).status, 403);
});

test("A-127: a request that would show no older transactions does not ask for authentication", async () => {
  const token = await tokenOf(null);
  const refused = async (url: string) => {
    const { status, text } = await bank.get(url, token);
    assert.ok(!text.includes("Reauthenticate"), url);
    return status;
  };
  const other = await bank.addAccount(customerId);
  assert.equal(await refused(`/accounts/${other}/transactions`), 403);
  assert.equal(await refused(`${path}?fromBookingDateTime=foo`), 400);
  // there are no such old transactions, and a window that ends before it starts is empty
  assert.equal(await refused(`${path}?toBookingDateTime=2025-01-01`), 200);
  const { token: empty } = await bank.addConsent({ customerId, accountIds: [other] });
  assert.equal((await bank.get(`/accounts/${other}/transactions`, empty)).status, 200);
  for (const below of ["", "/balances"]) {
    assert.equal(await refused(`/accounts/${accountId}${below}`), 200);
  }
});

test("A-126: later pages need the same authentication as the first", async () => {
  const first = await bank.get(path, await tokenOf(0));
  assert.equal((await bank.get(first.body.Links.Next, await tokenOf(days + 1))).status, 403);
});

test("without REAUTHENTICATION_DAYS no request needs a fresh authentication", async () => {
  const lenient = await AccountsBank.open();
  const owner = await lenient.addCustomer();
  const account = await lenient.addAccount(owner);
  await lenient.addTransactions(account, [{ at: "2020-01-01T00:00:00Z" }]);
  const { consentId, token } = await lenient.addConsent({
    customerId: owner,
    accountIds: [account],
  });
  await setConsent(lenient.database, consentId, { authenticatedAt: null });
  assert.equal((await lenient.get(`/accounts/${account}/transactions`, token)).status, 200);
  await lenient.close();
});
