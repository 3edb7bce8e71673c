import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import type { Explanation } from "#src/request-log/explain/explanation.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { approveKind } from "#test/journeys/approved-kind.ts";
import { nextMonday } from "#test/journeys/next-monday.ts";
import type { Resource } from "#test/journeys/payments.ts";

let bank: TestBank;
let client: TppClient;
let account: string;
before(async () => {
  bank = await openBank();
  client = await bank.createTpp();
  await bank.control("PUT", "/clock", { now: nextMonday(bank.clock.now()).toString() });
  account = present((await bank.currentAccounts("amara"))[0], "an account").accountId;
});
after(() => bank?.close());

for (const kind of paymentKinds) {
  test(`the explanation of a ${kind.id} says what it pays to whom`, async () => {
    const by = { customer: "amara", account };
    const approved = await approveKind({ bank, client }, kind, "pisp-v4.0", by);
    const made = await client.call<Resource>(approved);
    expectStatus(made, 201);
    const id = String(made.body.Data[kind.orderIdField]);
    const { subject, facts } = await bank.control<Explanation>("GET", `/explanations/${id}`);
    assert.equal(subject, "order");
    const told = (name: string) => facts.filter((one) => one.name === name);
    assert.deepEqual([told("amount").length, told("payee").length], [1, 1], JSON.stringify(facts));
    assert.match(told("amount")[0]?.value ?? "", /\d\.\d\d/);
    assert.notEqual(told("payee")[0]?.value, "");
  });
}
