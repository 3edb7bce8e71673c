// Accounts that share a sort code and number: those of a building society, with a roll number each,
// and a new account with the number of a closed one.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type AccountFeed, createAccountFeed } from "#src/account-store/account-feed.ts";
import { loadAccountFact } from "#src/account-store/load-account-fact.ts";
import { present } from "#src/lib/assert.ts";
import { ibanOf } from "#src/sandbox/bank/account-numbers.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { sql } from "#src/storage/sql.ts";
import { holderOf } from "#test/account-store/add-holders.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import {
  loadFunds,
  lodge,
  lodgeAccess,
  order,
  type Resource,
  readOrder,
  untilStatus,
} from "#test/journeys/payments.ts";
import { addLedgerAccounts } from "#test/sandbox/stored-ledger.ts";

const scheme = "UK.OBIE.SortCodeAccountNumber";
const shared = "00109998765432";
const kind = "domestic-payment";

let bank: TestBank;
let client: TppClient;
let feed: AccountFeed;
let login: string;
let from: string;

type Fact = NonNullable<Awaited<ReturnType<typeof loadAccountFact>>>;
let model: Fact;
let version = 100n;

/** An account as the feed sends it, like the customer's own account. */
const account = (accountId: string, more: Partial<Fact>): Fact => {
  version += 1n;
  return { ...model, accountId, iban: null, nickname: null, version, ...more };
};

before(async () => {
  bank = await openBank();
  client = await bank.createTpp();
  feed = createAccountFeed(bank.database);
  const payer = present(
    (await bank.customers()).find(({ accounts }) => accounts.length > 1),
    "a customer",
  );
  login = payer.login;
  from = present((await bank.currentAccounts(login))[0], "an account").accountId;
  model = await bank.database.transaction(async (on) =>
    present(await loadAccountFact(on, from), "the account's fact"),
  );
  const customerId = await holderOf(bank.database, from);
  for (const secondaryIdentification of ["A/1", "B/2"]) {
    const accountId = `roll-${secondaryIdentification[0]}`;
    await feed.apply({
      accounts: [account(accountId, { sortCodeAccountNumber: shared, secondaryIdentification })],
      holders: [{ accountId, customerId, role: "owner", version: 1n }],
      balances: [
        {
          accountId,
          version: 1n,
          currency: "GBP",
          currencyKind: null,
          statedAt: bank.clock.now(),
          balances: [{ type: "InterimBooked", amountMinor: 0n }],
        },
      ],
    });
    await addLedgerAccounts(bank.database, [{ accountId }]);
  }
});
after(() => bank?.close());

const named = (secondary?: string) => ({
  SchemeName: scheme,
  Identification: shared,
  Name: "A saver",
  ...(secondary === undefined ? {} : { SecondaryIdentification: secondary }),
});

/** Pays from the customer's current account to an account with the shared number. */
async function payTo(amount: string, creditor: object): Promise<string> {
  const lodged = await lodge(client, { amount, payee: creditor });
  const { access_token: token } = await bank.approve(client, {
    scope: "payments",
    consentId: lodged.consentId,
    customer: login,
    accounts: [from],
  });
  return order(client, lodged, token);
}

const booked = async (accountId: string) => (await loadFunds(bank, accountId)).bookedMinor;

test("a payment is credited to the account of the creditor's roll number", async () => {
  const id = await payTo("10.00", named("B/2"));
  await untilStatus(client, kind, id, "ACCC");
  assert.deepEqual([await booked("roll-A"), await booked("roll-B")], [0n, 1000n]);
  const other = await payTo("7.00", named("A/1"));
  await untilStatus(client, kind, other, "ACCC");
  assert.deepEqual([await booked("roll-A"), await booked("roll-B")], [700n, 1000n]);
});

for (const [what, creditor] of [
  ["no roll number", named()],
  ["a roll number that no account has", named("Z/9")],
] as const) {
  test(`a payment to a shared number with ${what} is rejected, and nothing is debited`, async () => {
    const before = await booked(from);
    const id = await payTo("1.00", creditor);
    const { StatusReason } = await untilStatus(client, kind, id, "RJCT");
    assert.match(JSON.stringify(StatusReason), /AC03/);
    assert.equal(await booked(from), before);
  });
}

const consentOf = async (debtor: object, type: string | null = "Single") =>
  client.call<Resource>({
    path: `/v4.0/pisp/${kind}-consents`,
    token: await client.clientToken("payments"),
    body: {
      Data: {
        ...(type === null ? {} : { Authorisation: { AuthorisationType: type } }),
        Initiation: {
          InstructionIdentification: "i1",
          EndToEndIdentification: "e1",
          InstructedAmount: { Amount: "3.00", Currency: "GBP" },
          CreditorAccount: { ...named(), Identification: model.sortCodeAccountNumber },
          DebtorAccount: debtor,
        },
      },
      Risk: {},
    },
  });

test("P-084: a consent whose debtor's number several accounts share needs the roll number", async () => {
  const refused = await consentOf(named());
  expectStatus(refused, 400);
  const [error] = (refused.body as unknown as { Errors: Record<string, string>[] }).Errors;
  assert.equal(error?.ErrorCode, "U022");
  assert.equal(error?.Path, "Data.Initiation.DebtorAccount.SecondaryIdentification");
  assert.match(String(error?.Message), /Several accounts have this number/);
  expectStatus(await consentOf(named("B/2")), 201);
});

test("a payment is debited from the account of the debtor's roll number, which the order repeats", async () => {
  const before = await booked("roll-B");
  const lodged = await lodge(client, {
    amount: "3.00",
    payee: { SchemeName: scheme, Identification: model.sortCodeAccountNumber, Name: "Payee" },
    initiation: { DebtorAccount: named("B/2") },
    data: { ReadRefundAccount: "Yes" },
  });
  const { access_token: token } = await bank.approve(client, {
    scope: "payments",
    consentId: lodged.consentId,
    customer: login,
  });
  const id = await order(client, lodged, token);
  await untilStatus(client, kind, id, "ACCC");
  assert.equal(await booked("roll-B"), before - 300n);
  const { Initiation, Debtor, Refund } = (await readOrder(client, kind, id)) as Record<
    string,
    object
  >;
  for (const part of [Initiation, Debtor, Refund]) {
    assert.match(JSON.stringify(part), /"SecondaryIdentification":"B\/2"/);
  }
});

test("the refund account and the debtor show the roll number of an account that the customer chose", async () => {
  const lodged = await lodge(client, {
    amount: "1.00",
    payee: { SchemeName: scheme, Identification: model.sortCodeAccountNumber, Name: "Payee" },
    data: { ReadRefundAccount: "Yes" },
  });
  const { access_token: token } = await bank.approve(client, {
    scope: "payments",
    consentId: lodged.consentId,
    customer: login,
    accounts: ["roll-A"],
  });
  const { Refund } = await readOrder(client, kind, await order(client, lodged, token));
  assert.match(JSON.stringify(Refund), /"SecondaryIdentification":"A\/1"/);
});

for (const version of ["v3.1", "v4.0"]) {
  test(`A-140: account information ${version} shows the roll number of each account`, async () => {
    const { access_token: token } = await bank.approve(client, {
      scope: "accounts",
      consentId: await lodgeAccess(client),
      customer: login,
      accounts: ["roll-A", "roll-B"],
    });
    const answer = await client.call<Resource>({ path: `/${version}/aisp/accounts`, token });
    expectStatus(answer, 200);
    const accounts = answer.body.Data.Account as { Account: Record<string, string>[] }[];
    assert.deepEqual(
      accounts.map(({ Account: [first] }) => first?.SecondaryIdentification).sort(),
      ["A/1", "B/2"],
    );
  });
}

const taken = (key: string) => ({
  kind: "accounts",
  key,
  path: "",
  rule: "must fit what is stored: another open account has this number",
});

test("two open accounts cannot have one number and one roll number", async () => {
  const more = { sortCodeAccountNumber: shared, secondaryIdentification: "A/1" };
  const { refused } = await feed.apply({ accounts: [account("roll-C", more)] });
  assert.deepEqual(refused, [taken("roll-C")]);
});

test("a number is given out again: the closed account stays, and the new one is found and paid", async () => {
  const number = { sortCodeAccountNumber: "00109911112222", iban: ibanOf("00109911112222") };
  await feed.apply({ accounts: [account("given-old", number)] });
  const { refused } = await feed.apply({ accounts: [account("given-new", number)] });
  assert.deepEqual(refused, [taken("given-new")]);
  // the new account's id comes first in order, and its number is free only after the closure
  await feed.apply({
    accounts: [
      account("given-a-new", number),
      account("given-old", { ...number, status: "Deleted" }),
    ],
  });
  await addLedgerAccounts(bank.database, [{ accountId: "given-a-new" }]);
  for (const [name, text] of [
    [scheme, number.sortCodeAccountNumber],
    ["UK.OBIE.IBAN", number.iban],
  ] as const) {
    const found = await bank.bank.findAccount(name, text, null);
    assert.equal(typeof found === "object" && found?.accountId, "given-a-new");
  }
  const payee = { SchemeName: scheme, Identification: number.sortCodeAccountNumber, Name: "New" };
  await untilStatus(client, kind, await payTo("2.00", payee), "ACCC");
  assert.equal(await booked("given-a-new"), 200n);
});

test("a payment to a number of which the only account is closed is rejected as closed", async () => {
  const number = { sortCodeAccountNumber: "00109933334444", status: "Deleted" } as const;
  await feed.apply({ accounts: [account("closed", number)] });
  const payee = { SchemeName: scheme, Identification: "00109933334444", Name: "Closed" };
  const { StatusReason } = await untilStatus(client, kind, await payTo("1.00", payee), "RJCT");
  assert.match(JSON.stringify(StatusReason), /AC04/);
});

test("accounts are found by their number through an index, whatever their status", async () => {
  const plan = await bank.database.transaction(async (on) => {
    await on.query(sql`set local enable_seqscan = off`);
    return on.query<Record<string, string>>(sql`
      explain select account_id from account where sort_code_account_number = ${shared}`);
  });
  assert.match(JSON.stringify(plan), /account_by_number/);
  assert.match(JSON.stringify(plan), /Index Cond/);
});
