import assert from "node:assert/strict";
import { test } from "node:test";
import { AccountsBank } from "./fixture.ts";
import { versions } from "./versions.ts";

// The limits on requests, which both versions share.

test("E-021: 429 has Retry-After on both versions, which share the daily allowance", async () => {
  const bank = await AccountsBank.open({ unattended: 1 });
  try {
    const holder = await bank.addCustomer();
    const own = await bank.addAccount(holder);
    const { token } = await bank.addConsent({ customerId: holder, accountIds: [own] });
    const path = `/accounts/${own}/balances`;
    assert.equal((await bank.get(path, token)).status, 200);
    for (const { id } of versions) {
      const { status, headers } = await bank.through(id).get(path, token);
      assert.equal(status, 429, id);
      assert.match(String(headers["retry-after"]), /^\d+$/);
    }
  } finally {
    await bank.close();
  }
});

test("E-021: each version says how many requests are left, and 429 has Retry-After", async () => {
  const bank = await AccountsBank.open({ requestsPerSecond: 2 });
  try {
    const holder = await bank.addCustomer();
    const own = await bank.addAccount(holder);
    const { token } = await bank.addConsent({ customerId: holder, accountIds: [own] });
    for (const { id } of versions) {
      const seen: unknown[] = [];
      for (let n = 0; n < 3; n++) {
        const { status, headers } = await bank.through(id).get("/accounts", token);
        const policy = String(headers["ratelimit-policy"]).replace(/"[^"]+"/, "name");
        const left = String(headers.ratelimit).replace(/"[^"]+"/, "name");
        seen.push([status, policy, left, headers["retry-after"]]);
      }
      assert.deepEqual(seen, [
        [200, "name;q=2;w=1", "name;r=1;t=1", undefined],
        [200, "name;q=2;w=1", "name;r=0;t=1", undefined],
        [429, "name;q=2;w=1", "name;r=0;t=1", "1"],
      ]);
      bank.now = bank.now.add({ seconds: 2 });
    }
  } finally {
    await bank.close();
  }
});
