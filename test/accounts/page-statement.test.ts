import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { compilePageStatement, type PageRow } from "#src/accounts/reading/page-statement.ts";
import { balances } from "#src/accounts/resources/balances.ts";
import { accessRow } from "#src/auth/access-row.ts";
import { present } from "#src/lib/assert.ts";
import { sha256 } from "#src/lib/hash.ts";
import { first } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { AccountsBank } from "./fixture.ts";

let bank: AccountsBank;
before(async () => {
  bank = await AccountsBank.open();
});
after(() => bank.close());

// the customer who consented, who must be read once even with several accounts
const customers = compilePageStatement(
  {
    ...balances.source,
    path: "/customer",
    perCustomer: true,
    from: sql`party c`,
    where: sql`c.party_id = r.customer_id`,
    key: { columns: [{ column: sql`c.party_id`, type: "text" }], descending: false },
    facts: sql`json_build_array(c.party_id, r.account_id, r.permissions)::text`,
  },
  { pageSize: 25, maxAgeSeconds: null, accessRow },
);

test("the customer's own row is read once, however many accounts the consent has", async () => {
  const customerId = await bank.addCustomer();
  const accountIds = [await bank.addAccount(customerId), await bank.addAccount(customerId)];
  const read = async (permissions: string[]): Promise<PageRow> => {
    const { token } = await bank.addConsent({ customerId, accountIds, permissions });
    const tokenHash = sha256(token);
    const credentials = {
      tokenHash,
      certificateThumbprint: null,
      certificateFault: null,
      loopback: true,
    };
    const query = {
      credentials,
      accountId: null,
      partId: null,
      from: null,
      to: null,
      start: null,
      wanted: true,
    };
    const row = await first<PageRow>(bank.database, customers({ ...query, now: bank.now }));
    return present(row, "a row");
  };
  const shown = await read(["ReadBalances"]);
  assert.deepEqual(JSON.parse(shown.items ?? ""), [customerId, null, ["ReadBalances"]]);
  assert.deepEqual([shown.account_known, shown.account_readable], [true, true]);
  assert.equal((await read(["ReadAccountsBasic"])).items, null);
});
