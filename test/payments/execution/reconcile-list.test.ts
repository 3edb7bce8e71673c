import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Bank } from "#src/bank/port.ts";
import { reconcile } from "#src/payments/execution/reconcile.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import type { Database } from "#src/storage/database.ts";
import { openEmpty } from "#test/sandbox/bank/empty-bank.ts";

let database: Database;
before(async () => {
  database = await openEmpty();
});
after(() => database?.close());

test("a core whose list of payments never ends is named, and the comparison stops", async () => {
  // it ignores the id after which it is asked
  const bank = { listPayments: async () => [{ paymentId: "p-1" }] } as unknown as Bank;
  const deps = { database, bank, kinds: paymentKinds, onProgress: () => undefined, pauseMs: 0 };
  const comparing = reconcile(deps, Temporal.Now.instant());
  await assert.rejects(comparing, /listPayments ends a page with the id .*never end: p-1/);
});
