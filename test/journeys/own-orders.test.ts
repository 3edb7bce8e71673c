import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { lodgeAccess } from "./payments.ts";

// Orders that a customer has set up with the bank itself, without a TPP.

type Item = Record<string, unknown> & { Reference?: string; TransactionInformation?: string };
type List = { Data: Record<string, Item[]> };

let bank: TestBank;
let client: TppClient;
before(async () => {
  bank = await openBank();
  client = await bank.createTpp();
});
after(() => bank?.close());

/** Lists a resource of a customer's current account in a currency. */
async function listOf(login: string, currency: string, resource: string): Promise<Item[]> {
  const accounts = await bank.currentAccounts(login);
  const account = present(
    accounts.find((one) => one.currency === currency),
    currency,
  ).accountId;
  const consentId = await lodgeAccess(client, {
    Permissions: [
      "ReadAccountsBasic",
      "ReadScheduledPaymentsDetail",
      "ReadTransactionsDetail",
      "ReadTransactionsDebits",
    ],
  });
  const { access_token: token } = await bank.approve(client, {
    scope: "accounts",
    consentId,
    customer: login,
    accounts: [account],
  });
  const answer = await client.call<List>({
    path: `/v3.1/aisp/accounts/${account}/${resource}`,
    token,
  });
  expectStatus(answer, 200);
  return present(Object.values(answer.body.Data)[0], resource);
}

const owners = [
  { login: "amara", currency: "GBP", reference: "POLICY LH 20418", amount: "184.50" },
  { login: "iris", currency: "EUR", reference: "ACOMPTE 118", amount: "640.00" },
];

test("A-212: a scheduled payment, domestic or international, is listed until it is paid", async () => {
  for (const { login, currency, reference, amount } of owners) {
    const [later, ...more] = await listOf(login, currency, "scheduled-payments");
    assert.deepEqual(more, []);
    assert.equal(later?.Reference, reference);
    assert.deepEqual(later?.InstructedAmount, { Amount: amount, Currency: currency });
    assert.ok(later?.CreditorAccount);
  }
  await bank.advance("P32D");
  for (const { login, currency, reference, amount } of owners) {
    assert.deepEqual(await listOf(login, currency, "scheduled-payments"), []);
    const paid = (await listOf(login, currency, "transactions")).filter((one) =>
      one.TransactionInformation?.includes(reference),
    );
    assert.deepEqual(
      paid.map(({ Amount, CreditDebitIndicator }) => [Amount, CreditDebitIndicator]),
      [[{ Amount: amount, Currency: currency }, "Debit"]],
    );
  }
  assert.deepEqual(await bank.control("GET", "/verify"), { holds: true, breaches: [] });
});
