import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { AccountsBank, checkAgainstPublished } from "./fixture.ts";

let bank: AccountsBank;
let customerId: string;

before(async () => {
  bank = await AccountsBank.open();
  customerId = await bank.addCustomer();
});
after(() => bank.close());

test("A-204: the tests detect a response that violates the published schema", () => {
  const body = { Data: { Account: [{ AccountId: "a", Currency: null }] }, Links: {}, Meta: {} };
  for (const path of ["/accounts", "/accounts/a"]) {
    assert.throws(() => checkAgainstPublished("GET", path, { status: 200, body }));
  }
  assert.throws(() => checkAgainstPublished("GET", "/accounts", { status: 400, body }));
});

describe("accounts", () => {
  test("A-140: Basic hides Account and Servicer but shows the type of an account", async () => {
    const accountId = await bank.addAccount(customerId);
    const permissions = ["ReadAccountsBasic"];
    const { token } = await bank.addConsent({ customerId, accountIds: [accountId], permissions });
    const { body } = await bank.get("/accounts", token);
    assert.deepEqual(body.Data.Account, [
      {
        AccountId: accountId,
        Status: "Enabled",
        StatusUpdateDateTime: "2019-05-01T09:30:00Z",
        Currency: "GBP",
        AccountType: "Personal",
        AccountSubType: "CurrentAccount",
        Nickname: "Bills",
        OpeningDate: "2019-05-01T00:00:00+00:00",
        SwitchStatus: "UK.CASS.NotSwitched",
      },
    ]);
    assert.deepEqual(body.Meta, { TotalPages: 1 });
  });

  test("A-141, A-143: Detail shows the sort code and account number as 14 digits", async () => {
    const accountId = await bank.addAccount(customerId);
    const { token } = await bank.addConsent({ customerId, accountIds: [accountId] });
    const { body } = await bank.get("/accounts", token);
    const [{ SchemeName, Identification, Name }] = body.Data.Account[0].Account;
    assert.equal(SchemeName, "UK.OBIE.SortCodeAccountNumber");
    assert.match(Identification, /^[0-9]{14}$/);
    assert.equal(Name, "Ann Example");
  });

  test("A-142, A-147: the list has the chosen accounts, and each can be read separately", async () => {
    const accountIds = [
      await bank.addAccount(customerId),
      await bank.addAccount(customerId),
    ].sort();
    await bank.addAccount(customerId);
    const { token } = await bank.addConsent({ customerId, accountIds });
    const { body } = await bank.get("/accounts", token);
    assert.deepEqual(
      body.Data.Account.map(({ AccountId }: { AccountId: string }) => AccountId),
      accountIds,
    );
    for (const [index, accountId] of accountIds.entries()) {
      const one = await bank.get(`/accounts/${accountId}`, token);
      assert.deepEqual(one.body.Data.Account, [body.Data.Account[index]]);
    }
  });

  test("A-144, A-145: a card number is masked, with ReadPAN and without", async () => {
    const maskedPan = "**** **** **** 4444";
    const accountIds = [await bank.addAccount(customerId, { subType: "CreditCard", maskedPan })];
    for (const permissions of [["ReadAccountsDetail"], ["ReadAccountsDetail", "ReadPAN"]]) {
      const { token } = await bank.addConsent({ customerId, accountIds, permissions });
      const [account] = (await bank.get("/accounts", token)).body.Data.Account;
      const [{ SchemeName, Identification }] = account.Account;
      assert.deepEqual([SchemeName, Identification], ["UK.OBIE.PAN", maskedPan]);
    }
  });

  test("A-036, A-148: a trailing slash and legacy headers change nothing", async () => {
    const accountIds = [await bank.addAccount(customerId)];
    const { token } = await bank.addConsent({ customerId, accountIds });
    const headers = { "x-fapi-financial-id": "0015800000jfQ9aAAE" };
    assert.equal((await bank.get("/accounts/", token, headers)).status, 200);
  });
});

describe("balances", () => {
  type Balance = {
    Type: string;
    CreditDebitIndicator: string;
    Amount: { Amount: string };
    CreditLine?: { Type: string; Included: boolean; Amount: { Amount: string } }[];
  };

  async function read(account: Parameters<AccountsBank["addAccount"]>[1]): Promise<string[]> {
    const accountId = await bank.addAccount(customerId, account);
    const { token } = await bank.addConsent({ customerId, accountIds: [accountId] });
    const { body } = await bank.get(`/accounts/${accountId}/balances`, token);
    return body.Data.Balance.map(({ Type, CreditDebitIndicator, Amount, CreditLine }: Balance) =>
      [
        Type,
        CreditDebitIndicator,
        Amount.Amount,
        ...(CreditLine ?? []).map((line) => `${line.Type} ${line.Included} ${line.Amount.Amount}`),
      ].join(" "),
    );
  }

  test("A-155, A-156: booked and available balances are unsigned, and zero is a credit", async () => {
    assert.deepEqual(await read({}), ["InterimBooked Credit 0.00", "InterimAvailable Credit 0.00"]);
    assert.deepEqual(await read({ balance: 12_345n, held: 2_345n }), [
      "InterimBooked Credit 123.45",
      "InterimAvailable Credit 100.00",
    ]);
  });

  test("A-156, A-157: an overdraft limit is shown as a credit line, and the balance does not include it", async () => {
    assert.deepEqual(await read({ balance: 30_000n, limit: 50_000n }), [
      "InterimBooked Credit 300.00",
      "InterimAvailable Credit 300.00 Available false 500.00 Pre-Agreed false 500.00",
    ]);
    assert.deepEqual(await read({ balance: -10_000n, limit: 50_000n }), [
      "InterimBooked Debit 100.00",
      "InterimAvailable Debit 100.00 Available false 400.00 Pre-Agreed false 500.00",
    ]);
  });

  test("A-157: a card's available balance includes its limit", async () => {
    assert.deepEqual(await read({ subType: "CreditCard", balance: -3_000n, limit: 10_000n }), [
      "InterimBooked Debit 30.00",
      "InterimAvailable Credit 70.00 Credit true 100.00",
    ]);
    const pending = { subType: "CreditCard", balance: -3_000n, held: 1_000n, limit: 10_000n };
    assert.deepEqual(await read(pending), [
      "InterimBooked Debit 30.00",
      "InterimAvailable Credit 60.00 Credit true 100.00",
    ]);
  });
});
