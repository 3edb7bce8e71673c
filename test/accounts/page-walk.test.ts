import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { AccountResource } from "#src/accounts/resource.ts";
import { statements } from "#src/accounts/resources/statements.ts";
import { transactions } from "#src/accounts/resources/transactions.ts";
import { AccountsBank } from "./fixture.ts";
import { accountOf, openSeeded } from "./seeded-bank.ts";
import { served, servedAt } from "./served.ts";

// Pages are read forwards to the end and back to the beginning, in both sort directions, with
// filters, and with more items at one time than a page contains.

type Item = Partial<Record<IdName | "BookingDateTime" | "StartDateTime", string>>;
type IdName = "TransactionId" | "StatementId";
type Window = { from?: string; to?: string };

const oldestFirst: AccountResource = {
  ...servedAt(transactions.path),
  path: "/accounts/:AccountId/oldest-first",
  operationId: "GetOldestFirst",
  source: {
    ...transactions.source,
    key: { ...transactions.source.key, descending: false },
  },
};
delete oldestFirst.bulk;

const instants = ["2026-11-01T00:00:00Z", "2026-11-02T00:00:00Z", "2026-11-03T00:00:00Z"];
// seven entries at each of three times
const entries = Array.from({ length: 21 }, (_, index) => ({ at: instants[index % 3] ?? "" }));
const windows: Window[] = [
  {},
  { from: instants[1] ?? "" },
  { to: instants[1] ?? "" },
  { from: instants[1] ?? "", to: instants[1] ?? "" },
  { from: "2026-11-01T00:00:01Z", to: "2026-11-02T23:59:59Z" },
];

/** Follows links from a page. Returns the ids of each page. */
async function follow(
  bank: AccountsBank,
  url: string,
  token: string,
  link: "Next" | "Prev",
): Promise<{ pages: Item[][]; end: string }> {
  const pages: Item[][] = [];
  let end = url;
  for (let next: string | undefined = url; next; ) {
    const { status, text, body } = await bank.get(next, token);
    assert.equal(status, 200, text);
    pages.push(body.Data.Transaction ?? body.Data.Statement);
    end = body.Links.Self;
    next = body.Links[link];
    assert.ok(pages.length < 200, "the pages end");
  }
  return { pages, end };
}

const idOf = (item: Item): string => item.TransactionId ?? item.StatementId ?? "";

/**
 * Reads to the end and back, and checks that both directions have the same items in the same order,
 * each once. Returns the items.
 */
async function walkBothWays(bank: AccountsBank, path: string, token: string): Promise<Item[]> {
  const forwards = await follow(bank, path, token, "Next");
  const back = await follow(bank, forwards.end, token, "Prev");
  const items = forwards.pages.flat();
  assert.equal(new Set(items.map(idOf)).size, items.length, "no item appears twice");
  assert.deepEqual(
    back.pages.reverse().flat().map(idOf),
    items.map(idOf),
    "the way back has the same items",
  );
  return items;
}

describe("paging through transactions", () => {
  let bank: AccountsBank;
  let customerId: string;
  let accountId: string;
  let placed: string[];
  before(async () => {
    bank = await AccountsBank.open();
    customerId = await bank.addCustomer();
    accountId = await bank.addAccount(customerId);
    const ids = await bank.addTransactions(accountId, entries);
    placed = ids.map((id, index) => `${entries[index]?.at} ${id}`).sort();
  });
  after(() => bank.close());

  const within = ({ from, to }: Window) =>
    placed.filter((one) => {
      const [at = ""] = one.split(" ");
      return (!from || at >= from) && (!to || at <= to);
    });
  const shown = (items: Item[]) => items.map((one) => `${one.BookingDateTime} ${idOf(one)}`);
  const parameters = ({ from, to }: Window) =>
    new URLSearchParams({
      ...(from ? { fromBookingDateTime: from } : {}),
      ...(to ? { toBookingDateTime: to } : {}),
    });

  for (const pageSize of [1, 2, 7, 20, 21]) {
    test(`A-195, A-196: pages of any size contain every item, in both directions, whatever the order and filter (${pageSize})`, async () => {
      const resources = [servedAt(transactions.path), oldestFirst];
      const paging = await AccountsBank.over(bank.database, { pageSize, resources });
      const whole = await bank.addConsent({ customerId, accountIds: [accountId] });
      const path = `/accounts/${accountId}`;
      for (const window of windows) {
        const ascending = within(window);
        const descending = [...ascending].reverse();
        const narrow = await bank.addConsent({ customerId, accountIds: [accountId], ...window });
        for (const [query, token] of [
          [`?${parameters(window)}`, whole.token],
          ["", narrow.token],
        ] as const) {
          const list = async (each: string) =>
            shown(await walkBothWays(paging, each + query, token));
          assert.deepEqual(await list(`${path}/oldest-first`), ascending);
          assert.deepEqual(await list(`${path}/transactions`), descending);
          assert.deepEqual(await list("/transactions"), descending);
        }
      }
      await paging.app.close();
    });
  }
});

test("A-195: items with a duration, such as statements, can be paged in both directions", async (context) => {
  const seeded = await openSeeded();
  context.after(() => seeded.close());
  const { accountId, customerId } = await accountOf(seeded, "amara", "Everyday");
  const permissions = ["ReadAccountsBasic", "ReadStatementsBasic"];
  const { token } = await seeded.addConsent({ customerId, accountIds: [accountId], permissions });
  const path = `/accounts/${accountId}/statements`;
  for (const pageSize of [1, 4]) {
    const bank = await AccountsBank.over(seeded.database, {
      pageSize,
      resources: served(statements.path),
    });
    bank.now = seeded.now;
    const all = await walkBothWays(bank, path, token);
    const starts = all.map((one) => one.StartDateTime ?? "");
    assert.ok(starts.length >= 17);
    assert.deepEqual(starts, [...starts].sort().reverse());
    const between = new URLSearchParams({
      fromStatementDateTime: starts.at(-2) ?? "",
      toStatementDateTime: starts[1] ?? "",
    });
    const some = await walkBothWays(bank, `${path}?${between}`, token);
    assert.deepEqual(
      some.map(idOf),
      all.slice(2, -1).map(idOf),
      "starts and ends within the filter",
    );
    await bank.app.close();
  }
});
