import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import type { AccountResource } from "#src/accounts/resource.ts";
import { addHolders } from "#test/account-store/add-holders.ts";
import { AccountsBank } from "./fixture.ts";
import { holders } from "./holders-example.ts";

// The example resource of docs/accounts.md: one file, with a view for each of two versions.

const { "aisp-v3.1": viewV3 } = holders.views;
const onlyV3: AccountResource = {
  ...holders,
  path: "/accounts/:AccountId/former-holders",
  operationId: "GetFormerHolders",
  views: viewV3 ? { "aisp-v3.1": viewV3 } : {},
};
delete onlyV3.bulk;

let bank: AccountsBank;
let customerId: string;
let accountIds: string[];
before(async () => {
  bank = await AccountsBank.open({ resources: [holders, onlyV3], pageSize: 2 });
  customerId = await bank.addCustomer();
  accountIds = [await bank.addAccount(customerId), await bank.addAccount(customerId)];
  for (const accountId of accountIds) {
    const other = await bank.addCustomer();
    await addHolders(bank.database, [{ accountId, customerId: other, role: "joint" }]);
  }
});
after(() => bank.close());

const tokenFor = async (...permissions: string[]): Promise<string> =>
  (await bank.addConsent({ customerId, accountIds, permissions })).token;
const pathOf = (accountId = accountIds[0]) => `/accounts/${accountId}/holders`;

test("the documented example row is the row that this test serves", () => {
  const page = readFileSync(new URL("../../docs/accounts.md", import.meta.url), "utf8");
  const row = readFileSync(new URL("./holders-example.ts", import.meta.url), "utf8");
  assert.ok(page.includes(`\`\`\`ts\n${row}\`\`\``));
});

test("permissions, accounts and tokens are checked for an added resource", async () => {
  const token = await tokenFor("ReadAccountsBasic", "ReadParty");
  const strange = await bank.addAccount(await bank.addCustomer());
  assert.equal((await bank.get(pathOf(), token)).status, 200);
  assert.equal((await bank.get(pathOf(strange), token)).status, 403);
  assert.equal((await bank.get(pathOf("none"), token)).status, 400);
  assert.equal((await bank.get(pathOf(), await tokenFor("ReadAccountsBasic"))).status, 403);
  assert.equal((await bank.get(pathOf(), null)).status, 401);
});

test("a resource's row determines which members Basic hides", async () => {
  const read = async (...permissions: string[]) =>
    (await bank.get(pathOf(), await tokenFor("ReadParty", ...permissions))).body.Data.Holder;
  for (const holder of await read("ReadAccountsBasic")) {
    assert.deepEqual(Object.keys(holder), ["AccountId", "Role"]);
  }
  for (const holder of await read("ReadAccountsDetail")) assert.equal(holder.Name, "Ann Example");
});

test("an added resource has pages and links, for one account and for all accounts", async () => {
  const token = await tokenFor("ReadAccountsBasic", "ReadParty");
  const one = await bank.get(pathOf(), token);
  assert.equal(one.body.Data.Holder.length, 2);
  assert.equal(one.body.Links.Next, undefined);
  const all = await bank.get("/holders", token);
  assert.equal(all.body.Data.Holder.length, 2);
  const rest = await bank.get(all.body.Links.Next, token);
  const seen = [...all.body.Data.Holder, ...rest.body.Data.Holder];
  assert.deepEqual(
    [...new Set(seen.map(({ AccountId }: { AccountId: string }) => AccountId))].sort(),
    [...accountIds].sort(),
  );
  assert.equal(seen.length, 4);
  const back = await bank.get(rest.body.Links.Prev, token);
  assert.deepEqual(back.body.Data, all.body.Data);
});

test("a resource with two views is served on both versions, each in its own format", async () => {
  const v4 = bank.through("aisp-v4.0");
  const read = async (...permissions: string[]) =>
    (await v4.get(pathOf(), await tokenFor("ReadParty", ...permissions))).body.Data.Holder;
  for (const holder of await read("ReadAccountsBasic")) {
    assert.deepEqual(Object.keys(holder), ["AccountId", "RoleCode"]);
  }
  const shown = await read("ReadAccountsDetail");
  assert.deepEqual(shown.map(({ RoleCode }: { RoleCode: string }) => RoleCode).sort(), [
    "JOIN",
    "OWNE",
  ]);
  for (const holder of shown) assert.equal(holder.FullName, "Ann Example");
  const all = await v4.get("/holders", await tokenFor("ReadAccountsBasic", "ReadParty"));
  assert.equal(all.body.Data.Holder.length, 2);
  assert.match(all.body.Links.Next, /\/v4\.0\/aisp\/holders\?pg=/);
});

test("a resource without a view in a version is not served there", async () => {
  const token = await tokenFor("ReadAccountsBasic", "ReadParty");
  const path = `/accounts/${accountIds[0]}/former-holders`;
  assert.equal((await bank.get(path, token)).status, 200);
  assert.equal((await bank.through("aisp-v4.0").get(path, token)).status, 404);
});
