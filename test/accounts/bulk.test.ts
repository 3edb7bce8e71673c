import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { accountResources, supportedPermissions } from "#src/accounts/account-resources.ts";
import { endpointsOf, isOfOneAccount } from "#src/accounts/resource.ts";
import { closeAccount, removeHolders } from "#test/account-store/change-accounts.ts";
import { AccountsBank, type Answer, basePath, everything, publicUrl } from "./fixture.ts";

const pageSize = 5;
let bank: AccountsBank;
let customerId: string;

before(async () => {
  bank = await AccountsBank.open({ pageSize });
  customerId = await bank.addCustomer();
});
after(() => bank.close());

const bulk = accountResources
  .filter((row) => row.bulk !== undefined)
  .flatMap((row) => endpointsOf(row, "aisp-v3.1"))
  .filter((row) => !isOfOneAccount(row));

type Item = { AccountId: string; TransactionId: string; BookingDateTime: string };

/** Follows a link from page to page. Returns the pages. */
async function walk(url: string, token: string, link: "Next" | "Prev"): Promise<Answer[]> {
  const pages: Answer[] = [];
  for (let next: string | undefined = url; next; next = pages.at(-1)?.body.Links[link]) {
    const page = await bank.get(next, token);
    assert.equal(page.status, 200, page.text);
    pages.push(page);
    assert.ok(pages.length < 30, "the pages end");
  }
  return pages;
}

const entriesOf = (pages: Answer[]): Item[] => pages.flatMap(({ body }) => body.Data.Transaction);

/** Opens three accounts with six transactions each. At each time, every account has one. */
async function openThree(): Promise<{ accountIds: string[]; ids: string[] }> {
  const accountIds: string[] = [];
  const ids: string[] = [];
  for (let account = 0; account < 3; account++) {
    const accountId = await bank.addAccount(customerId, { balance: BigInt(account) });
    const entries = Array.from({ length: 6 }, (_, day) => ({
      at: `2026-11-0${day + 1}T10:00:00Z`,
      indicator: day % 2 === 0 ? ("Credit" as const) : ("Debit" as const),
    }));
    ids.push(...(await bank.addTransactions(accountId, entries)));
    accountIds.push(accountId);
  }
  return { accountIds, ids };
}

test("every bulk endpoint has an endpoint for one account", () => {
  const paths = new Set(bulk.map(({ path }) => path));
  assert.ok(paths.has("/balances") && paths.has("/transactions"));
  for (const row of bulk) assert.equal(row.paged, true, row.path);
});

describe("transactions of all accounts", () => {
  test("A-219: the bulk endpoint merges the consent's accounts, newest first, page by page", async () => {
    const { accountIds, ids } = await openThree();
    const hidden = await bank.addAccount(customerId);
    await bank.addTransactions(hidden, [{ at: "2026-11-03T10:00:00Z" }]);
    const { token } = await bank.addConsent({ customerId, accountIds });
    const pages = await walk("/transactions", token, "Next");
    const items = entriesOf(pages);
    assert.deepEqual(items.map((item) => item.TransactionId).sort(), [...ids].sort());
    assert.deepEqual([...new Set(items.map((item) => item.AccountId))].sort(), accountIds.sort());
    const order = items.map((item) => `${item.BookingDateTime} ${item.TransactionId}`);
    assert.deepEqual(order, [...order].sort().reverse());
    assert.deepEqual(
      pages.map(({ body }) => body.Data.Transaction.length),
      [5, 5, 5, 3],
    );
    const back = await walk(pages.at(-1)?.body.Links.Self, token, "Prev");
    assert.deepEqual(entriesOf(back.reverse()), items);
  });

  test("A-219: permissions and the consent's window apply to requests for all accounts, as to requests for one account", async () => {
    const { accountIds } = await openThree();
    const { token } = await bank.addConsent({
      customerId,
      accountIds,
      permissions: ["ReadAccountsBasic", "ReadTransactionsBasic", "ReadTransactionsCredits"],
      from: "2026-11-02T00:00:00Z",
    });
    const alone: Item[] = [];
    for (const accountId of accountIds) {
      alone.push(...entriesOf(await walk(`/accounts/${accountId}/transactions`, token, "Next")));
    }
    const together = entriesOf(await walk("/transactions", token, "Next"));
    assert.equal(together.length, 6);
    const sorted = (items: Item[]) =>
      [...items].sort((a, b) => (a.TransactionId < b.TransactionId ? -1 : 1));
    assert.deepEqual(sorted(together), sorted(alone));
    const { body } = await bank.get("/transactions", token);
    assert.equal(body.Meta.FirstAvailableDateTime, "2026-11-02T00:00:00Z");
  });

  test("A-197, A-200: bulk links are absolute and keep the filter", async () => {
    const { accountIds } = await openThree();
    const { token } = await bank.addConsent({ customerId, accountIds });
    const filter = "fromBookingDateTime=2026-11-03&toBookingDateTime=2026-11-05T10%3A00%3A00";
    const pages = await walk(`/transactions?${filter}`, token, "Next");
    assert.equal(entriesOf(pages).length, 9);
    for (const { body } of pages) {
      for (const link of Object.values(body.Links) as string[]) {
        assert.ok(link.startsWith(`${publicUrl}${basePath}/transactions?${filter}`), link);
      }
    }
  });
});

describe("balances of all accounts", () => {
  test("A-219: the balances of each account are listed, paged by account", async () => {
    const accountIds: string[] = [];
    for (let n = 0; n < pageSize + 2; n++) {
      accountIds.push(await bank.addAccount(customerId, { balance: 100n * BigInt(n) }));
    }
    const { token } = await bank.addConsent({ customerId, accountIds });
    const pages = await walk("/balances", token, "Next");
    assert.equal(pages.length, 2);
    const together = pages.flatMap(({ body }) => body.Data.Balance);
    const alone = [];
    for (const accountId of [...accountIds].sort()) {
      alone.push(...(await bank.get(`/accounts/${accountId}/balances`, token)).body.Data.Balance);
    }
    assert.deepEqual(together, alone);
  });
});

describe("every bulk endpoint", () => {
  test("A-045: a client credentials token on a bulk endpoint is 401 without a body", async () => {
    const token = await bank.clientToken();
    for (const { path } of bulk) {
      const answer = await bank.get(path, token);
      assert.deepEqual([path, answer.status, answer.text], [path, 401, ""]);
    }
  });

  test("A-120: a bulk endpoint without its permission is 403 and names the permission", async () => {
    const accountIds = [await bank.addAccount(customerId)];
    const permissions = ["ReadAccountsBasic"];
    const { token } = await bank.addConsent({ customerId, accountIds, permissions });
    for (const { path } of bulk) {
      const { status, body } = await bank.get(path, token);
      assert.deepEqual([path, status], [path, 403]);
      for (const { ErrorCode, Message } of body.Errors) {
        assert.equal(ErrorCode, "GB.Aldgate.PermissionMissing");
        assert.match(Message, /^The consent lacks Read\w+/);
      }
    }
  });

  test("A-123, A-124, A-219: a bulk endpoint shows only accounts that this consent can read", async () => {
    const { accountIds } = await openThree();
    const [first = "", second = "", third = ""] = accountIds;
    const permissions = [...supportedPermissions()];
    const other = await bank.addConsent({ customerId, accountIds: [third], permissions });
    const ids = [first, second];
    const { token } = await bank.addConsent({ customerId, accountIds: ids, permissions });
    await closeAccount(bank.database, second);
    for (const { path, arrayName } of bulk.filter(({ perCustomer }) => !perCustomer)) {
      for (const [shown, each] of [
        [first, token],
        [third, other.token],
      ] as const) {
        const { body } = await bank.get(path, each);
        for (const item of body.Data[arrayName]) assert.equal(item.AccountId, shown, path);
      }
    }
  });

  test("A-125: a bulk endpoint returns an empty list if the consent has no accounts left", async () => {
    const accountId = await bank.addAccount(customerId);
    const permissions = everything;
    const { token } = await bank.addConsent({ customerId, accountIds: [accountId], permissions });
    await removeHolders(bank.database, accountId);
    const { status, body } = await bank.get("/transactions", token);
    assert.deepEqual([status, body.Data], [200, { Transaction: [] }]);
  });

  test("A-198: a page parameter that the bank did not issue is 400", async () => {
    const accountIds = [await bank.addAccount(customerId)];
    const { token } = await bank.addConsent({ customerId, accountIds });
    for (const path of ["/balances", "/transactions"]) {
      const { status, body } = await bank.get(`${path}?pg=2`, token);
      assert.deepEqual(
        [status, body.Errors[0].ErrorCode, body.Errors[0].Path],
        [400, "UK.OBIE.Field.Invalid", "pg"],
      );
    }
  });
});
