import assert from "node:assert/strict";
import { test } from "node:test";
import { History } from "#test/model/history.ts";
import { testMoney } from "./money.ts";

// The short form; `npm run soak -- money` is longer. It starts its own PostgreSQL server, so it
// would be the same in both lanes and runs only in the first.

test("money is paid once whatever is sent twice, killed, sent at once or added up", async () => {
  const history = new History();
  const { findings, counts } = await testMoney({ pairs: 10, kills: 2, payments: 60, history });
  assert.deepEqual(findings, []);
  assert.match(Object.values(counts)[3] ?? "", /^20 payments, 0 pence left, 0 held$/);
});
