import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createAccountFeed } from "#src/account-store/account-feed.ts";
import type { DirectDebitFact } from "#src/account-store/facts.ts";
import { newId } from "#src/lib/ids.ts";
import type { PaymentKindId } from "#src/standard/kind-id.ts";
import { addHolders } from "#test/account-store/add-holders.ts";
import { addBeneficiary } from "#test/account-store/stored-facts.ts";
import { addConsents } from "#test/consents/add-consents.ts";
import { addOrders } from "#test/payments/add-orders.ts";
import { AccountsBank } from "./fixture.ts";

let bank: AccountsBank;
let customerId: string;
let accountId: string;

before(async () => {
  bank = await AccountsBank.open();
  customerId = await bank.addCustomer();
  accountId = await bank.addAccount(customerId);
});
after(() => bank.close());

async function tokenFor(permissions: string[], accountIds = [accountId]): Promise<string> {
  const given = { customerId, accountIds, permissions: ["ReadAccountsBasic", ...permissions] };
  return (await bank.addConsent(given)).token;
}

const read = async (path: string, permissions: string[], accountIds?: string[]) =>
  (await bank.get(path, await tokenFor(permissions, accountIds))).body;

async function addMandate(
  id: string,
  given: { account?: string; previous?: DirectDebitFact["previous"]; version?: bigint } = {},
) {
  const { account = accountId, previous = null, version = 1n } = given;
  await createAccountFeed(bank.database).apply({
    directDebits: [
      {
        version,
        directDebitId: id,
        accountId: account,
        mandateReference: `REF ${id}`,
        originatorName: "Brightspark Energy",
        frequency: "Quarterly",
        state: "Active",
        mandate: null,
        stateUpdatedAt: bank.now,
        previous,
      },
    ],
  });
}

async function addPayee(id: string, given: { scheme?: string; number?: string } = {}) {
  const { scheme = "UK.OBIE.SortCodeAccountNumber", number = `009900${id.slice(-8)}` } = given;
  await addBeneficiary(bank.database, {
    beneficiaryId: id,
    customerId,
    type: "Trusted",
    schemeName: scheme,
    identification: number,
    name: "Bea Payee",
    reference: "RENT",
  });
}

/** Stores a future-dated payment as payment initiation does. Returns its order. */
async function addScheduled(
  status: string,
  given: { kind?: PaymentKindId; waits?: boolean; executeAt?: string } = {},
): Promise<string> {
  const { kind = "domestic-scheduled-payment", waits = false } = given;
  const orderId = newId("ds");
  const executeAt = Temporal.Instant.from(given.executeAt ?? "2026-12-01T06:00:00Z");
  const isOver = ["ACCC", "RJCT", "CANC"].includes(status);
  const creditor = {
    schemeName: "UK.OBIE.PAN",
    identification: "4444333322221111",
    name: "Acme",
    secondaryIdentification: "ROLL 7",
  };
  const body = { Data: { Initiation: { InstructedAmount: { Amount: "9.50", Currency: "GBP" } } } };
  const its = { consentId: `c-${orderId}`, kind, clientId: "tpp-1", at: bank.now };
  await addConsents(bank.database, [{ ...its, status: "COND", body }]);
  const payment = {
    paymentId: `p-${orderId}`,
    amountMinor: 950n,
    creditor,
    reference: "R".repeat(60),
    executeAt,
    dueAt: isOver || waits ? null : executeAt,
  };
  await addOrders(bank.database, [
    { ...its, orderId, customerId, debtorAccountId: accountId, status, waits, payment },
  ]);
  return orderId;
}

describe("direct debits", () => {
  const permissions = ["ReadDirectDebits"];

  test("A-160: a mandate without collections has account, identification and name, and no previous payment", async () => {
    await addMandate("dd-1");
    const body = await read(`/accounts/${accountId}/direct-debits`, permissions);
    assert.deepEqual(body.Data.DirectDebit, [
      {
        AccountId: accountId,
        DirectDebitId: "dd-1",
        MandateIdentification: "REF dd-1",
        DirectDebitStatusCode: "Active",
        Name: "Brightspark Energy",
        Frequency: "UK.OBIE.Quarterly",
      },
    ]);
  });

  test("A-160: a mandate's previous payment is the payment in its newest version", async () => {
    const other = await bank.addAccount(customerId, { balance: 1_000n });
    const collected = (month: number, amountMinor: bigint) => ({
      at: Temporal.Instant.from(`2026-0${month}-03T02:30:00Z`),
      amount: { amountMinor, currency: "GBP" },
    });
    await addMandate("dd-2", { account: other, previous: collected(7, 150n), version: 2n });
    await addMandate("dd-2", { account: other, previous: collected(6, 125n), version: 1n });
    const path = `/accounts/${other}/direct-debits`;
    const [item] = (await read(path, permissions, [other])).Data.DirectDebit;
    assert.equal(item.PreviousPaymentDateTime, "2026-07-03T02:30:00Z");
    assert.deepEqual(item.PreviousPaymentAmount, { Amount: "1.50", Currency: "GBP" });
    const bulk = await read("/direct-debits", permissions, [accountId, other]);
    assert.deepEqual(
      bulk.Data.DirectDebit.map((each: { AccountId: string }) => each.AccountId),
      [accountId, other],
    );
  });

  test("A-125: an account without mandates has an empty list", async () => {
    const empty = await bank.addAccount(customerId, { subType: "Savings" });
    const body = await read(`/accounts/${empty}/direct-debits`, permissions, [empty]);
    assert.deepEqual(body.Data, { DirectDebit: [] });
  });
});

describe("beneficiaries", () => {
  before(async () => {
    await addPayee("ben-00000001");
    await addPayee("ben-00000002", { scheme: "UK.OBIE.PAN", number: "4444333322221111" });
  });
  const path = () => `/accounts/${accountId}/beneficiaries`;
  const basic = (id: string) => ({
    AccountId: accountId,
    BeneficiaryId: id,
    BeneficiaryType: "Trusted",
    Reference: "RENT",
  });

  test("A-163: Basic hides a beneficiary's account", async () => {
    const body = await read(path(), ["ReadBeneficiariesBasic"]);
    assert.deepEqual(body.Data.Beneficiary, [basic("ben-00000001"), basic("ben-00000002")]);
  });

  test("A-163, A-130: Detail shows every beneficiary's account, even if Basic is granted too", async () => {
    const both = ["ReadBeneficiariesBasic", "ReadBeneficiariesDetail"];
    const [first, second] = (await read(path(), both)).Data.Beneficiary;
    assert.deepEqual(first, {
      ...basic("ben-00000001"),
      CreditorAccount: {
        SchemeName: "UK.OBIE.SortCodeAccountNumber",
        Identification: "00990000000001",
        Name: "Bea Payee",
      },
    });
    assert.equal(second.CreditorAccount.Identification, "**** **** **** 1111");
  });

  test("ReadPAN shows a payee's card number but no Detail field", async () => {
    const full = await read(path(), ["ReadBeneficiariesDetail", "ReadPAN"]);
    assert.equal(full.Data.Beneficiary[1].CreditorAccount.Identification, "4444333322221111");
    const poor = await read(path(), ["ReadBeneficiariesBasic", "ReadPAN"]);
    assert.equal(poor.Data.Beneficiary[1].CreditorAccount, undefined);
  });

  test("A-164: the list for all accounts has each payee once, without AccountId", async () => {
    const second = await bank.addAccount(customerId);
    const permissions = ["ReadBeneficiariesDetail"];
    const body = await read("/beneficiaries", permissions, [accountId, second]);
    assert.deepEqual(
      body.Data.Beneficiary.map((item: object) => ["AccountId" in item, Object.values(item)[0]]),
      [
        [false, "ben-00000001"],
        [false, "ben-00000002"],
      ],
    );
    const own = await read(`/accounts/${second}/beneficiaries`, permissions, [second]);
    assert.equal(own.Data.Beneficiary[0].AccountId, second);
  });

  test("a card has no payees, and a consent for cards only shows none", async () => {
    const maskedPan = "**** **** **** 4444";
    const card = await bank.addAccount(customerId, { subType: "CreditCard", maskedPan });
    const permissions = ["ReadBeneficiariesDetail"];
    for (const which of [`/accounts/${card}/beneficiaries`, "/beneficiaries"]) {
      assert.deepEqual((await read(which, permissions, [card])).Data, { Beneficiary: [] });
    }
  });

  test("another holder of a joint account has a different list of payees", async () => {
    const partner = await bank.addCustomer();
    await addHolders(bank.database, [{ accountId, customerId: partner, role: "joint" }]);
    const permissions = ["ReadAccountsBasic", "ReadBeneficiariesDetail"];
    const given = { customerId: partner, accountIds: [accountId], permissions };
    const { token } = await bank.addConsent(given);
    assert.deepEqual((await bank.get(path(), token)).body.Data, { Beneficiary: [] });
  });
});

describe("scheduled payments", () => {
  const path = () => `/accounts/${accountId}/scheduled-payments`;

  test("A-212: Basic hides the creditor of a scheduled payment, and Detail shows the account", async () => {
    const later = await addScheduled("PDNG", { executeAt: "2026-12-24T06:00:00Z" });
    const sooner = await addScheduled("ACCP");
    const basic = {
      AccountId: accountId,
      ScheduledPaymentDateTime: "2026-12-01T06:00:00Z",
      ScheduledType: "Execution",
      Reference: "R".repeat(35),
      InstructedAmount: { Amount: "9.50", Currency: "GBP" },
    };
    const hidden = await read(path(), ["ReadScheduledPaymentsBasic"]);
    assert.deepEqual(hidden.Data.ScheduledPayment, [
      { ...basic, ScheduledPaymentId: sooner },
      {
        ...basic,
        ScheduledPaymentId: later,
        ScheduledPaymentDateTime: "2026-12-24T06:00:00Z",
      },
    ]);
    const shown = await read(path(), ["ReadScheduledPaymentsBasic", "ReadScheduledPaymentsDetail"]);
    for (const { CreditorAccount } of shown.Data.ScheduledPayment) {
      assert.deepEqual(CreditorAccount, {
        SchemeName: "UK.OBIE.PAN",
        Identification: "**** **** **** 1111",
        Name: "Acme",
        SecondaryIdentification: "ROLL 7",
      });
    }
    const full = await read("/scheduled-payments", ["ReadScheduledPaymentsDetail", "ReadPAN"]);
    assert.deepEqual(
      full.Data.ScheduledPayment.map(
        (item: { CreditorAccount: { Identification: string } }) =>
          item.CreditorAccount.Identification,
      ),
      ["4444333322221111", "4444333322221111"],
    );
  });

  test("a payment that is finished, unsigned or due today is not a scheduled payment", async () => {
    const ids = async () =>
      (await read(path(), ["ReadScheduledPaymentsBasic"])).Data.ScheduledPayment.map(
        (item: { ScheduledPaymentId: string }) => item.ScheduledPaymentId,
      );
    const before = await ids();
    for (const status of ["ACCC", "RJCT", "CANC"]) await addScheduled(status);
    await addScheduled("PATC", { waits: true });
    await addScheduled("PDNG", { kind: "domestic-payment" });
    assert.deepEqual(await ids(), before);
    const international = await addScheduled("PDNG", { kind: "international-scheduled-payment" });
    assert.ok((await ids()).includes(international));
  });
});

describe("permissions of regular payments", () => {
  const codes: Record<string, string[]> = {
    beneficiaries: ["ReadBeneficiariesBasic", "ReadBeneficiariesDetail"],
    "direct-debits": ["ReadDirectDebits"],
    "scheduled-payments": ["ReadScheduledPaymentsBasic", "ReadScheduledPaymentsDetail"],
  };

  test("A-080: a consent may have the permissions of every resource that is served", async () => {
    const token = await bank.clientToken();
    const Permissions = ["ReadAccountsBasic", ...Object.values(codes).flat()];
    const body = { Data: { Permissions }, Risk: {} };
    const answer = await bank.call("POST", "/account-access-consents", token, { body });
    assert.equal(answer.status, 201);
  });

  test("A-120, A-121, A-122: each permission gives access to its own resource, for the consent's accounts", async () => {
    const strange = await bank.addAccount(await bank.addCustomer());
    for (const [resource, own] of Object.entries(codes)) {
      for (const code of own) {
        const token = await tokenFor([code]);
        const status = async (path: string) => (await bank.get(path, token)).status;
        for (const other of Object.keys(codes)) {
          const expected = other === resource ? 200 : 403;
          assert.equal(await status(`/accounts/${accountId}/${other}`), expected);
          assert.equal(await status(`/${other}`), expected);
        }
        assert.equal(await status(`/accounts/${strange}/${resource}`), 403);
        assert.equal(await status(`/accounts/foobar/${resource}`), 400);
        assert.equal(await status(`/accounts/${accountId}/${resource}/foobar`), 404);
      }
    }
  });
});
