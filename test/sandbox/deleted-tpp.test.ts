import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openBank, type TestBank } from "#test/harness.ts";
import { type Caller, callerOf, expectRefusal } from "./caller.ts";

let bank: TestBank;
let call: Caller;
before(async () => {
  bank = await openBank();
  call = callerOf(bank);
});
after(() => bank?.close());

test("a deleted TPP gets no token any more, and an unknown one cannot be deleted", async () => {
  const client = await bank.createTpp();
  await client.clientToken("accounts");
  const { clientId } = client.tpp;
  assert.equal((await call("DELETE", `/tpps/${clientId}`)).status, 200);
  await assert.rejects(client.clientToken("accounts"));
  for (const id of ["tpp-none", "a.b", "aldgate-own-channel"]) {
    await expectRefusal(await call("DELETE", `/tpps/${id}`), 404);
  }
});
