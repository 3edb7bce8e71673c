import { strict as assert } from "node:assert";
import { present } from "#src/lib/assert.ts";
import { Visitor } from "#test/auth/visitor.ts";
import type { TestBank } from "#test/harness.ts";

/** Opens a browser without scripts, in which a persona is logged in to the bank's own pages. */
export async function logIn(bank: TestBank, login: string): Promise<Visitor> {
  const visitor = new Visitor(bank);
  const sandbox = present(bank.sandbox, "the sandbox");
  const persona = present(
    sandbox.personas.find((one) => one.login === login),
    login,
  );
  await visitor.open(`${bank.publicUrl}/bank/login`);
  await visitor.submit({ login, password: persona.password, decision: "continue" });
  await visitor.confirm();
  assert.match(visitor.shown.body, /Your accounts/);
  return visitor;
}
