import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import { lowBalance } from "#src/pages/account-choice.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { Visitor } from "#test/auth/visitor.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { lodge, type Order } from "./payments.ts";

// The choice of the account says if the balance beside it is lower than the payment, and nothing of
// what will happen then.

let bank: TestBank;
let client: TppClient;
before(async () => {
  bank = await openBank();
  client = await bank.createTpp();
});
after(() => bank?.close());

/** The choice of Amara's account: what each account that she can choose has, and its note. */
async function choiceFor(given: Order) {
  const { consentId } = await lodge(client, given);
  const visitor = new Visitor(bank);
  await visitor.open(await client.authorizationUrl({ scope: "payments", consentId }));
  const { password } = present(
    bank.sandbox?.personas.find(({ login }) => login === "amara"),
    "amara",
  );
  await visitor.submit({ login: "amara", password, decision: "continue" });
  await visitor.confirm();
  const accounts = visitor.shown.body
    .split('<label class="account"')
    .slice(1)
    .filter((text) => !/<input[^>]* disabled/.test(text))
    .map((text) => ({
      available: present(/class="balance">(\S+) available</.exec(text)?.[1], text),
      isLow: text.includes(lowBalance),
    }));
  return { visitor, accounts };
}

const pence = (text: string): number => Number(text.replace(/[£,.]/g, "").replace("−", "-"));

test("an account whose balance is lower than the payment says so, and can be chosen", async () => {
  const { visitor, accounts } = await choiceFor({ amount: "9500.00" });
  assert.ok(accounts.some(({ isLow }) => isLow));
  for (const { available, isLow } of accounts) {
    assert.equal(isLow, available.startsWith("£") && pence(available) < 950_000, available);
  }
  const [account = ""] =
    /(?<=name="account" value=")[^"]+(?="[^>]* required)/.exec(visitor.shown.body) ?? [];
  await visitor.submit({ account, decision: visitor.go });
  assert.match(visitor.shown.body, /You have approved £9,500\.00|You approved £9,500\.00/);
});

test("no account says so for a payment that it covers, or of which a part is not known", async () => {
  const abroad: Order = {
    kind: "international-payment",
    initiation: {
      CurrencyOfTransfer: "USD",
      InstructedAmount: { Amount: "9500.00", Currency: "USD" },
    },
  };
  for (const given of [{ amount: "0.01" }, abroad]) {
    const { accounts } = await choiceFor(given);
    assert.ok(accounts.length > 0);
    assert.deepEqual(
      accounts.filter(({ isLow, available }) => isLow && !available.startsWith("−")),
      [],
    );
  }
});
