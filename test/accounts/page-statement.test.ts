import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { compilePageStatement, itemSeparator, type PageRow } from "#src/accounts/page-statement.ts";
import { transactions } from "#src/accounts/resources/transactions.ts";
import { present } from "#src/lib/assert.ts";
import { sha256 } from "#src/lib/hash.ts";
import { first } from "#src/storage/database.ts";
import { AccountsBank } from "./fixture.ts";

let bank: AccountsBank;
before(async () => {
  bank = await AccountsBank.open();
});
after(() => bank.close());

const pageSize = 5;
const statement = compilePageStatement({ ...transactions, path: "/transactions" }, pageSize);

test("A-219: a row without AccountId merges the consent's accounts, page by page", async () => {
  const customerId = await bank.addCustomer();
  const accountIds: string[] = [];
  const wanted: string[] = [];
  for (let account = 0; account < 3; account++) {
    const accountId = await bank.addAccount(customerId);
    const entries = Array.from({ length: 6 }, (_, day) => ({
      at: `2026-11-0${day + 1}T10:00:00Z`,
    }));
    wanted.push(...(await bank.addTransactions(accountId, entries)));
    accountIds.push(accountId);
  }
  const hidden = await bank.addAccount(customerId);
  await bank.addTransactions(hidden, [{ at: "2026-11-03T10:00:00Z" }]);
  const { token } = await bank.addConsent({ customerId, accountIds });
  const read = async (start: string[] | null): Promise<PageRow> => {
    const tokenHash = sha256(token);
    const credentials = { tokenHash, certificateThumbprint: null, loopback: true };
    const query = { credentials, accountId: null, from: null, to: null, start, wanted: true };
    const row = await first<PageRow>(bank.database, statement({ ...query, now: bank.now }));
    return present(row, "a row");
  };
  const shown: string[] = [];
  const starts: (string[] | null)[] = [];
  for (let start: string[] | null = null, more = true; more; ) {
    const page: PageRow = await read(start);
    const ids = (page.items ?? "")
      .split(itemSeparator)
      .map((text) => JSON.parse(text).TransactionId as string);
    shown.push(...ids.slice(0, pageSize));
    assert.equal(page.has_previous, start !== null);
    if (starts.length > 1) assert.deepEqual(page.previous_key, starts.at(-1));
    starts.push(start);
    start = page.next_key;
    more = start !== null;
  }
  assert.deepEqual([...shown].sort(), [...wanted].sort());
});
