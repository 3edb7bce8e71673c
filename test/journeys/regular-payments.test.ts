import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { completedPayment } from "#test/payments/stored-orders.ts";
import { postingsFor } from "#test/sandbox/stored-ledger.ts";
import { logIn } from "./log-in.ts";
import { lodge, lodgeAccess, type Order, order, untilStatus } from "./payments.ts";

type Item = Record<string, unknown>;
type List = { Data: Record<string, Item[]>; Links: { Next?: string } };

const regular = [
  "ReadAccountsBasic",
  "ReadBeneficiariesDetail",
  "ReadDirectDebits",
  "ReadStandingOrdersDetail",
  "ReadScheduledPaymentsDetail",
];

let bank: TestBank;
let client: TppClient;
let accountId: string;
/** The token of a consent of Amara's with all permissions for regular payments. */
let token: string;

before(async () => {
  bank = await openBank();
  client = await bank.createTpp();
  accountId = present((await bank.currentAccounts("amara"))[0], "an account").accountId;
  token = await tokenOf("amara", accountId, regular);
});
after(() => bank.close());

async function tokenOf(customer: string, account: string, permissions: string[]): Promise<string> {
  const consentId = await lodgeAccess(client, { Permissions: permissions });
  const scope = "accounts";
  const tokens = await bank.approve(client, { scope, consentId, customer, accounts: [account] });
  return tokens.access_token;
}

async function list(path: string, given = token): Promise<Item[]> {
  const answer = await client.call<List>({ path: `/v3.1/aisp${path}`, token: given });
  expectStatus(answer, 200);
  const [items] = Object.values(answer.body.Data);
  return items ?? [];
}

const ofAccount = (resource: string) => list(`/accounts/${accountId}/${resource}`);

/** Orders a payment that Amara approves. Returns the order's id. */
async function make(given: Order): Promise<string> {
  const lodged = await lodge(client, given);
  const { consentId } = lodged;
  const customer = "amara";
  const accounts = [accountId];
  const tokens = await bank.approve(client, { scope: "payments", consentId, customer, accounts });
  return order(client, lodged, tokens.access_token);
}

/** A date some days from now, in the format of an instruction. */
const day = (days: number): string => `${dateIn(days)}T00:00:00+00:00`;

const dateIn = (days: number): string =>
  bank.clock.now().toZonedDateTimeISO("UTC").toPlainDate().add({ days }).toString();

describe("scheduled payments", () => {
  const kind = "domestic-scheduled-payment";
  const shown = async (id: string) =>
    (await ofAccount("scheduled-payments")).find((item) => item.ScheduledPaymentId === id);

  test("A-212: a scheduled payment is listed until it is executed", async () => {
    const date = day(5);
    const id = await make({ kind, initiation: { RequestedExecutionDateTime: date } });
    const item = present(await shown(id), "the payment");
    assert.deepEqual(
      [item.AccountId, item.ScheduledType, item.InstructedAmount, item.Reference],
      [accountId, "Execution", { Amount: "12.34", Currency: "GBP" }, "Invoice 42"],
    );
    assert.ok(String(item.ScheduledPaymentDateTime) >= date.slice(0, 10));
    await bank.advance("P10D");
    await untilStatus(client, kind, id, "ACCC");
    // the first token has expired meanwhile
    token = await tokenOf("amara", accountId, regular);
    assert.equal(await shown(id), undefined);
  });

  test("a scheduled payment that its customer cancels is no longer listed", async () => {
    const id = await make({ kind, initiation: { RequestedExecutionDateTime: day(5) } });
    assert.ok(await shown(id));
    const visitor = await logIn(bank, "amara");
    await visitor.open(`${bank.publicUrl}/bank/upcoming/${id}`);
    await visitor.submit({ decision: "stop" });
    await visitor.confirm();
    assert.equal(await shown(id), undefined);
  });
});

describe("standing orders", () => {
  const pattern =
    /^(IntrvlMnthDay:(0[1-6]|12|24):(-0[1-5]|0[1-9]|[12][0-9]|3[01])|IntrvlWkDay:0[1-9]:0[1-7])$/;

  test("A-161, A-162: a persona's standing orders show past and next payments", async () => {
    const items = await ofAccount("standing-orders");
    const rent = present(
      items.find(({ Reference }) => Reference === "RENT FLAT 4"),
      "the rent",
    );
    assert.deepEqual(
      [
        rent.Frequency,
        rent.StandingOrderStatusCode,
        rent.NextPaymentAmount,
        rent.LastPaymentAmount,
      ],
      [
        "IntrvlMnthDay:01:01",
        "Active",
        { Amount: "1050.00", Currency: "GBP" },
        { Amount: "1050.00", Currency: "GBP" },
      ],
    );
    assert.deepEqual(rent.CreditorAccount, {
      SchemeName: "UK.OBIE.SortCodeAccountNumber",
      Identification: "00981044820193",
      Name: "Harbour Lettings",
    });
    assert.ok(String(rent.LastPaymentDateTime) < String(rent.NextPaymentDateTime));
    for (const item of items) {
      assert.match(String(item.Frequency), pattern);
      assert.ok(item.CreditorAccount);
      assert.ok(["string", "undefined"].includes(typeof item.NumberOfPayments));
    }
    assert.ok(items.some(({ Reference }) => Reference === "Rainy day"));
  });

  test("A-162: Basic hides the creditor of a standing order", async () => {
    const permissions = ["ReadAccountsBasic", "ReadStandingOrdersBasic"];
    const basic = await tokenOf("amara", accountId, permissions);
    const items = await list(`/accounts/${accountId}/standing-orders`, basic);
    assert.ok(items.length > 0);
    for (const item of items) {
      assert.ok(!("CreditorAccount" in item) && !("CreditorAgent" in item));
      assert.ok(item.Frequency && item.AccountId === accountId);
    }
  });

  test("A-165: an account without standing orders has an empty list", async () => {
    const customers = await bank.customers();
    const amara = customers.find(({ login }) => login === "amara");
    const card = present(
      amara?.accounts.find(({ accountSubType }) => accountSubType === "CreditCard"),
      "a card",
    ).accountId;
    const cardToken = await tokenOf("amara", card, regular);
    const path = `/v3.1/aisp/accounts/${card}/standing-orders`;
    const answer = await client.call<List>({ path, token: cardToken });
    assert.deepEqual([answer.status, answer.body.Data], [200, { StandingOrder: [] }]);
  });

  test("A-161: a standing order from a TPP is listed, and its dates advance as payments are made", async () => {
    const kind = "domestic-standing-order";
    const id = await make({
      kind,
      initiation: {
        InstructionIdentification: undefined,
        EndToEndIdentification: undefined,
        InstructedAmount: undefined,
        MandateRelatedInformation: {
          FirstPaymentDateTime: day(3),
          Frequency: { Type: "WEEK" },
        },
        NumberOfPayments: "3",
        FirstPaymentAmount: { Amount: "7.00", Currency: "GBP" },
        RecurringPaymentAmount: { Amount: "5.00", Currency: "GBP" },
      },
    });
    const shown = async () =>
      present(
        (await ofAccount("standing-orders")).find(({ StandingOrderId }) => StandingOrderId === id),
        "the standing order",
      );
    const fresh = await shown();
    assert.deepEqual(
      [fresh.StandingOrderStatusCode, fresh.NumberOfPayments, fresh.LastPaymentDateTime],
      ["Active", "3", undefined],
    );
    assert.deepEqual(fresh.NextPaymentAmount, { Amount: "7.00", Currency: "GBP" });
    assert.equal(String(fresh.FirstPaymentDateTime).slice(0, 10), dateIn(3));
    await bank.advance("P7D");
    token = await tokenOf("amara", accountId, regular);
    const moved = await shown();
    assert.equal(moved.LastPaymentDateTime, fresh.NextPaymentDateTime);
    assert.deepEqual(moved.NextPaymentAmount, { Amount: "5.00", Currency: "GBP" });
    assert.ok(String(moved.NextPaymentDateTime) > String(fresh.NextPaymentDateTime));
    await bank.advance("P21D");
    token = await tokenOf("amara", accountId, regular);
    const ended = await shown();
    assert.deepEqual(
      [ended.StandingOrderStatusCode, ended.NextPaymentDateTime],
      ["Inactive", undefined],
    );
  });
});

describe("direct debits", () => {
  test("A-160: direct debits are collected as the clock advances, and a cancelled direct debit is Inactive", async () => {
    const before = await ofAccount("direct-debits");
    assert.ok(before.length >= 6);
    for (const item of before) assert.ok(item.AccountId && item.MandateIdentification && item.Name);
    await bank.advance("P32D");
    token = await tokenOf("amara", accountId, regular);
    const after = await ofAccount("direct-debits");
    for (const [index, item] of after.entries()) {
      const previous = before[index];
      assert.equal(item.DirectDebitId, previous?.DirectDebitId);
      // nothing is collected for a card that owes nothing
      if (item.Name === "Aldgate Credit Card") continue;
      const moved =
        String(item.PreviousPaymentDateTime) > String(previous?.PreviousPaymentDateTime ?? "");
      assert.ok(moved, String(item.Name));
    }
    const phone = present(
      after.find(({ Name }) => Name === "Lark Mobile"),
      "the phone",
    );
    const visitor = await logIn(bank, "amara");
    await visitor.open(`${bank.publicUrl}/bank/direct-debits`);
    assert.match(visitor.shown.body, /Lark Mobile/);
    const page = `${bank.publicUrl}/bank/direct-debits/${phone.DirectDebitId}`;
    await visitor.open(page);
    await visitor.submit({ decision: "keep" });
    await visitor.open(page);
    assert.match(visitor.shown.body, /<h1>Cancel a direct debit</);
    await visitor.submit({ decision: "stop" });
    assert.match(
      visitor.shown.body,
      /Cancel this direct debit\?.*Nothing has been done yet.*Lark Mobile/s,
    );
    await visitor.confirm();
    assert.match(visitor.shown.body, /Nothing more will be collected/);
    await visitor.open(page);
    assert.match(visitor.shown.body, /had already been cancelled/);
    const ended = (await ofAccount("direct-debits")).find(({ Name }) => Name === "Lark Mobile");
    assert.equal(ended?.DirectDebitStatusCode, "Inactive");
    assert.equal(ended?.PreviousPaymentDateTime, phone.PreviousPaymentDateTime);
  });

  test("another customer's direct debit is not shown", async () => {
    const [item] = await ofAccount("direct-debits");
    const visitor = await logIn(bank, "ben");
    await visitor.open(`${bank.publicUrl}/bank/direct-debits/${item?.DirectDebitId}`);
    assert.equal(visitor.shown.status, 404);
    await visitor.open(`${bank.publicUrl}/bank/direct-debits`);
    const { csrf } = visitor;
    const page = `${bank.publicUrl}/bank/direct-debits/${item?.DirectDebitId}`;
    await visitor.open(page, { csrf, decision: "stop" });
    assert.equal(visitor.shown.status, 404);
    const [same] = await ofAccount("direct-debits");
    assert.equal(same?.DirectDebitStatusCode, item?.DirectDebitStatusCode);
  });
});

describe("beneficiaries", () => {
  const names = async () =>
    (await ofAccount("beneficiaries")).map(
      ({ CreditorAccount }) => (CreditorAccount as { Name: string }).Name,
    );

  test("A-163: each payee that a persona has paid is one beneficiary", async () => {
    assert.deepEqual(await names(), ["Harbour Lettings"]);
  });

  test("A-164: a customer can save, trust and remove a creditor in the bank's own pages", async () => {
    token = await tokenOf("amara", accountId, regular);
    const id = await make({});
    await untilStatus(client, "domestic-payment", id, "ACCC");
    assert.ok(!(await names()).includes("Acme Supplies Ltd"), "a payment does not save its payee");
    const visitor = await logIn(bank, "amara");
    await visitor.open(`${bank.publicUrl}/bank/payees`);
    const acme = /<b>Acme Supplies Ltd<\/b>.*?href="\/bank\/paid\/([^"]+)"/s;
    const payment = present(acme.exec(visitor.shown.body)?.[1], "Acme among those paid");
    const paid = `${bank.publicUrl}/bank/paid/${payment}`;
    await visitor.open(paid);
    await visitor.submit({ decision: "decline" });
    assert.ok(!(await names()).includes("Acme Supplies Ltd"));
    await visitor.open(paid);
    await visitor.submit({ decision: "save" });
    assert.ok(!(await names()).includes("Acme Supplies Ltd"), "nothing is saved without a code");
    await visitor.confirm();
    assert.match(visitor.shown.body, /Acme Supplies Ltd is now on your list of payees/);
    assert.ok(!visitor.shown.body.includes(payment), "a saved payee is not offered again");
    assert.doesNotMatch(
      visitor.shown.body,
      /Amara Okafor/,
      "the customer's own account is not a payee",
    );
    await visitor.open(paid);
    await visitor.submit({ decision: "save" });
    await visitor.confirm();
    assert.match(visitor.shown.body, /was on your list of payees already/);
    const items = await list("/beneficiaries");
    assert.equal(items.length, 2);
    for (const item of items) assert.ok(!("AccountId" in item));
    const saved = present(
      (await ofAccount("beneficiaries")).find(
        ({ CreditorAccount }) => (CreditorAccount as { Name: string }).Name === "Acme Supplies Ltd",
      ),
      "Acme",
    );
    assert.deepEqual([saved.BeneficiaryType, saved.Reference], ["Ordinary", "Invoice 42"]);
    const page = `${bank.publicUrl}/bank/payees/${saved.BeneficiaryId}`;
    await visitor.open(page);
    await visitor.submit({ decision: "trust" });
    const typeNow = async () => {
      const all = await ofAccount("beneficiaries");
      return all.find(({ BeneficiaryId }) => BeneficiaryId === saved.BeneficiaryId)
        ?.BeneficiaryType;
    };
    assert.equal(await typeNow(), "Ordinary", "no payee is trusted without a code");
    await visitor.confirm();
    assert.equal(await typeNow(), "Trusted");
    await visitor.open(page);
    await visitor.submit({ decision: "untrust" });
    assert.equal(await typeNow(), "Ordinary", "trust is removed without a code");
    await visitor.open(`${page}/remove`);
    await visitor.submit({ decision: "keep" });
    assert.ok((await names()).includes("Acme Supplies Ltd"), "removing asks first");
    await visitor.open(`${page}/remove`);
    await visitor.submit({ decision: "remove" });
    assert.match(visitor.shown.body, /Acme Supplies Ltd is no longer on your list of payees/);
    assert.deepEqual(await names(), ["Harbour Lettings"]);
    await visitor.open(page);
    assert.equal(visitor.shown.status, 404);
  });

  test("a form for an unknown payment or for another customer's payee has no effect", async () => {
    const [harbour] = await ofAccount("beneficiaries");
    const visitor = await logIn(bank, "ben");
    const rent = await completedPayment(bank.database, accountId);
    await visitor.open(`${bank.publicUrl}/bank/payees`);
    const { csrf } = visitor;
    for (const id of ["pay-unknown", present(rent, "a payment of amara's")]) {
      await visitor.open(`${bank.publicUrl}/bank/paid/${id}`, { csrf, decision: "save" });
      assert.equal(visitor.shown.status, 404);
    }
    const page = `${bank.publicUrl}/bank/payees/${harbour?.BeneficiaryId}`;
    for (const [path, decision] of [
      [page, "trust"],
      [page, "untrust"],
      [`${page}/remove`, "remove"],
    ] as const) {
      await visitor.open(path, { csrf, decision });
      assert.equal(visitor.shown.status, 404);
    }
    assert.equal((await ofAccount("beneficiaries")).length, 1);
  });
});

test("after these tests every invariant holds, and each payment moved money once", async () => {
  const { breaches } = await bank.control<{ breaches: string[] }>("GET", "/verify");
  assert.deepEqual(breaches, []);
  assert.ok((await postingsFor(bank.database, "direct-debit")).length > 20);
});
