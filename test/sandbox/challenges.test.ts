import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import { Visitor } from "#test/auth/visitor.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { lodgeAccess } from "#test/journeys/payments.ts";
import { type Caller, callerOf, expectRefusal } from "./caller.ts";

let bank: TestBank;
let call: Caller;
before(async () => {
  bank = await openBank();
  call = callerOf(bank);
});
after(() => bank?.close());

test("a program that approves for a customer whose codes have expired is told what to do", async () => {
  const client = await bank.createTpp();
  const consentId = await lodgeAccess(client);
  const authorizationUrl = await client.authorizationUrl({ scope: "accounts", consentId });
  const approve = { authorizationUrl, customer: "test_code_expired", decision: "approve" };
  const { message } = await expectRefusal(await call("POST", "/authorisations", approve), 400);
  for (const said of [
    /The code has expired: it can be entered for 5 minutes\./,
    /“Send a new code” sends another one, and each new authorisation begins with a new code\./,
    /Every code of test_code_expired expires at once.+use another customer to approve\./,
  ]) {
    assert.match(message, said);
  }
});

test("a customer's open challenges are listed with the code that the page shows, until answered", async () => {
  type Listed = { challengeId: string; code: string; subject: { act: string } };
  const list = async (): Promise<Listed[]> => {
    const answer = await call("GET", "/customers/dev/challenges");
    assert.equal(answer.status, 200);
    return ((await answer.json()) as { challenges: Listed[] }).challenges;
  };
  const visitor = new Visitor(bank);
  await visitor.open(`${bank.publicUrl}/bank/login`);
  const { password } = present(bank.sandbox, "the sandbox").personas.find(
    ({ login }) => login === "dev",
  ) ?? { password: "" };
  await visitor.submit({ login: "dev", password, decision: "continue" });
  const [open, ...others] = await list();
  assert.deepEqual(others, []);
  assert.equal(open?.subject.act, "login");
  assert.match(visitor.shown.body, new RegExp(`\\b${open?.code}\\b`));
  await visitor.confirm();
  assert.match(visitor.shown.body, /Your accounts/);
  assert.deepEqual(await list(), []);
});
