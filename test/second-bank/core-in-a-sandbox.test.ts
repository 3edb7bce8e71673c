import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { cancelOrder, listUpcoming } from "#src/payments/execution/cancellation.ts";
import { listPaidCreditors } from "#src/payments/execution/list-paid-creditors.ts";
import {
  decideMultiAuthorisation,
  listWaitingOrders,
} from "#src/payments/execution/multi-authorisation.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { expectStatus, type TestBank } from "#test/harness.ts";
import {
  lodge,
  lodgeAccess,
  order,
  quickPayee,
  readOrder,
  submit,
  untilStatus,
} from "#test/journeys/payments.ts";
import {
  approved,
  debitsOf,
  openOver,
  readyToPay,
  type SecondBank,
  startSecondBank,
} from "./second-bank.ts";

let second: SecondBank;
let bank: TestBank;
let client: TppClient;
let isClosed = false;

before(async () => {
  second = await startSecondBank();
  bank = await openOver(second);
  client = await bank.createTpp();
});
after(async () => {
  if (!isClosed) await bank?.close();
  await second?.close();
});

test("a sandbox with BANK_MODULE has the core's customers, not its own", async () => {
  const customers = await bank.customers();
  assert.deepEqual(
    customers.map(({ login }) => login),
    ["ada", "bob"],
  );
  assert.deepEqual(
    customers[0]?.accounts.map(({ accountId }) => accountId),
    ["second-current", "second-poor", "second-blocked", "second-joint"],
  );
});

test("Account Information shows the facts that the core has sent through the feed", async () => {
  const consentId = await lodgeAccess(client);
  const { access_token: token } = await bank.approve(client, {
    scope: "accounts",
    consentId,
    customer: "ada",
    accounts: ["second-current"],
  });
  type Body = { Data: { Transaction: Record<string, unknown>[] } };
  const path = "/v3.1/aisp/accounts/second-current/transactions";
  const answer = await client.call<Body>({ path, token });
  expectStatus(answer, 200);
  assert.deepEqual(answer.body.Data.Transaction, [
    {
      AccountId: "second-current",
      TransactionId: "second-entry-1",
      CreditDebitIndicator: "Credit",
      Status: "Booked",
      TransactionMutability: "Immutable",
      BookingDateTime: "2026-01-05T09:00:00Z",
      ValueDateTime: "2026-01-05T09:00:00Z",
      Amount: { Amount: "12.34", Currency: "GBP" },
      BankTransactionCode: {
        Code: "ReceivedCreditTransfers",
        SubCode: "DomesticCreditTransfer",
      },
      ProprietaryBankTransactionCode: { Code: "GIRO", Issuer: "Quill Bank" },
      TransactionInformation: "FROM BOB",
      Balance: {
        CreditDebitIndicator: "Credit",
        Type: "InterimBooked",
        Amount: { Amount: "10000.00", Currency: "GBP" },
      },
    },
  ]);
});

test("a payment is authorised at the core and paid once in the core's books", async () => {
  const { lodged, token } = await approved(bank, client, "12.34");
  const id = await order(client, lodged, token);
  await untilStatus(client, "domestic-payment", id, "ACCC");
  assert.deepEqual(
    debitsOf(await second.books(), "second-current").map(({ amountMinor }) => amountMinor),
    [-1234n],
  );
});

test("a payment that the core refuses is rejected with the core's reason", async () => {
  const { lodged, token } = await approved(bank, client, "12.34", "second-poor");
  const id = await order(client, lodged, token);
  const { StatusReason } = await untilStatus(client, "domestic-payment", id, "RJCT");
  assert.match(JSON.stringify(StatusReason), /AM04/);
  assert.deepEqual(debitsOf(await second.books(), "second-poor"), []);
});

test("the sandbox's controls of its own ledger are refused for a core", async () => {
  const response = await fetch(`${bank.publicUrl}/sandbox/v1/accounts/second-current/block`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
  assert.equal(response.status, 409, await response.clone().text());
  assert.match(await response.text(), /Only the bank's own core can change the state of accounts/);
});

test("the core decides who may sign, and the second holder's signature releases the payment", async () => {
  const { lodged, token } = await approved(bank, client, "15.00", "second-joint");
  const orderId = await order(client, lodged, token);
  assert.equal((await readOrder(client, "domestic-payment", orderId)).Status, "PATC");
  const stranger = { orderId, customerId: "second-nobody", decision: "approve" } as const;
  assert.equal(await decideMultiAuthorisation(bank, stranger), "notYours");
  assert.equal((await listWaitingOrders(bank, "second-bob"))[0]?.orderId, orderId);
  const path = `/multi-authorisations/${orderId}`;
  const { result } = await bank.control<{ result: string }>("POST", path, { decision: "approve" });
  assert.equal(result, "complete");
  await untilStatus(client, "domestic-payment", orderId, "ACCC");
  assert.equal(debitsOf(await second.books(), "second-joint").length, 1);
});

test("upcoming payments are listed and cancelled for the core's holders of the account", async () => {
  const day = Temporal.Now.plainDateISO().add({ days: 20 });
  const lodged = await lodge(client, {
    kind: "domestic-scheduled-payment",
    initiation: { RequestedExecutionDateTime: `${day}T00:00:00+00:00` },
  });
  const { token } = await readyToPay(bank, client, lodged);
  const orderId = await order(client, lodged, token);
  await untilStatus(client, "domestic-scheduled-payment", orderId, "PDNG");
  assert.deepEqual(
    (await listUpcoming(bank, "second-ada")).map((one) => one.orderId),
    [orderId],
  );
  assert.deepEqual(await listUpcoming(bank, "second-bob"), []);
  assert.equal(await cancelOrder(bank, { orderId, customerId: "second-bob" }), "notYours");
  assert.equal(await cancelOrder(bank, { orderId, customerId: "second-ada" }), "cancelled");
});

test("the list of paid payees covers the accounts that the core returns", async () => {
  const paid = await listPaidCreditors(bank, "second-ada");
  assert.deepEqual(
    paid.map(({ creditor }) => creditor.identification),
    [quickPayee.Identification],
  );
  // the joint account has paid the same payee too
  assert.equal((await listPaidCreditors(bank, "second-bob")).length, 1);
  assert.deepEqual(await listPaidCreditors(bank, "second-nobody"), []);
});

test("a CHAPS payment costs the tariff's charge, in the consent and in the core's books", async () => {
  const initiation = { LocalInstrument: "UK.OBIE.CHAPS" };
  const lodged = await lodge(client, { amount: "21.00", initiation });
  const { token } = await readyToPay(bank, client, lodged);
  const answer = await submit(client, lodged, token);
  expectStatus(answer, 201);
  assert.deepEqual(answer.body.Data.Charges, [
    {
      ChargeBearer: "BorneByDebtor",
      Type: "GB.Second.CHAPS",
      Amount: { Amount: "3.50", Currency: "GBP" },
    },
  ]);
  const id = String(answer.body.Data.DomesticPaymentId);
  await untilStatus(client, "domestic-payment", id, "ACCC");
  const debits = debitsOf(await second.books(), "second-current");
  assert.ok(debits.some(({ amountMinor }) => amountMinor === -2450n));
});

test("when the server closes, it closes the core after its last call", async () => {
  await second.calls();
  isClosed = true;
  await bank.close();
  const calls = (await second.calls()).map(({ call }) => call);
  assert.equal(calls.filter((call) => call === "close").length, 1, calls.join());
  assert.equal(calls.at(-1), "close");
});
