import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { lodgeAccess } from "#test/journeys/payments.ts";
import { runCommand } from "#test/server/run-command.ts";
import { type Caller, callerOf, expectRefusal } from "./caller.ts";

let bank: TestBank;
let call: Caller;
let client: TppClient;
let accountId: string;
let token: string;
before(async () => {
  bank = await openBank();
  call = callerOf(bank);
  client = await bank.createTpp();
  accountId = present((await bank.currentAccounts("amara"))[0], "an account").accountId;
  token = await access();
});
after(() => bank?.close());

type Statement = { StatementId: string; StartDateTime: string; EndDateTime: string };
type Listed = { Data: { Statement: Statement[]; Transaction: { Amount: { Amount: string } }[] } };

async function access(): Promise<string> {
  const consentId = await lodgeAccess(client, {
    Permissions: [
      "ReadAccountsBasic",
      "ReadStatementsDetail",
      "ReadTransactionsDetail",
      "ReadTransactionsCredits",
      "ReadTransactionsDebits",
    ],
  });
  const given = { consentId, customer: "amara", accounts: [accountId] };
  return (await bank.approve(client, { scope: "accounts", ...given })).access_token;
}

async function make(): Promise<string> {
  const answer = await bank.control<{ status: string }>(
    "POST",
    `/accounts/${accountId}/statement`,
    {},
  );
  assert.match(answer.status, /^statement st-/);
  return answer.status.replace("statement ", "");
}

const read = (below: string, version = "v4.0", headers = {}) =>
  client.call<Listed>({
    path: `/${version}/aisp/accounts/${accountId}/statements${below}`,
    token,
    headers,
  });
const breaches = async () =>
  (await bank.control<{ breaches: string[] }>("GET", "/verify")).breaches;

test("a statement up to now is in both versions, with its transactions and its files", async () => {
  await bank.control("POST", `/accounts/${accountId}/pay-in`, { amount: "31.41", name: "A Payer" });
  await bank.advance("PT1S");
  const id = await make();
  for (const version of ["v4.0", "v3.1"]) {
    const one = await read(`/${id}`, version);
    expectStatus(one, 200);
    assert.deepEqual(
      one.body.Data.Statement.map(({ StatementId }) => StatementId),
      [id],
    );
    const lines = await read(`/${id}/transactions`, version);
    expectStatus(lines, 200);
    assert.ok(lines.body.Data.Transaction.some(({ Amount }) => Amount.Amount === "31.41"));
  }
  const csv = await read(`/${id}/file`, "v4.0", { accept: "text/csv" });
  assert.equal(csv.status, 200);
  assert.match(csv.raw.toString(), /,31\.41,/);
  const last = new RegExp(
    `${bank.clock.now().toString().slice(0, 10)}[^\n]*Balance carried forward`,
  );
  assert.match(csv.raw.toString(), last);
  const pdf = await read(`/${id}/file`, "v4.0", { accept: "application/pdf" });
  assert.equal(pdf.status, 200);
  assert.equal(pdf.raw.subarray(0, 5).toString(), "%PDF-");
  assert.deepEqual(await breaches(), []);
});

test("a further statement of a month replaces the earlier one, and the month's own replaces both", async () => {
  const [first, second] = [await make(), await make()];
  assert.notEqual(first, second);
  assert.equal((await read(`/${second}`)).status, 200);
  assert.notEqual((await read(`/${first}`)).status, 200);
  const { StartDateTime } = present(
    (await read(`/${second}`)).body.Data.Statement[0],
    "the statement",
  );
  await bank.advance("P32D");
  token = await access();
  assert.notEqual((await read(`/${second}`)).status, 200);
  const month = (await read("")).body.Data.Statement.filter(
    (one) => Date.parse(one.StartDateTime) === Date.parse(StartDateTime),
  );
  assert.equal(month.length, 1);
  assert.match(present(month[0], "the month").EndDateTime, /T23:59:59/);
  assert.deepEqual(await breaches(), []);
});

test("a statement is made by a command, and not of an unknown account", async () => {
  const line = `act statement ${accountId}`;
  const { printed } = await runCommand(line, { PUBLIC_URL: bank.publicUrl });
  assert.match(printed, new RegExp(`^${accountId}: statement st-`));
  await expectRefusal(await call("POST", "/accounts/none/statement", {}), 404);
});
