import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { cancelOrder, listUpcoming } from "#src/payments/execution/cancellation.ts";
import { createEngine } from "#src/payments/execution/engine.ts";
import { decideMultiAuthorisation } from "#src/payments/execution/multi-authorisation.ts";
import { ibanFrom } from "#src/sandbox/bank/account-numbers.ts";
import {
  endingAbroad,
  networkDelays,
  refusalOf,
  scenarios,
  statusesOf,
} from "#src/sandbox/scenarios/scenarios.ts";
import { addHolders } from "#test/account-store/add-holders.ts";
import type { Json } from "#test/payments/answer-check.ts";
import { accounts, orderOf } from "#test/payments/fixture.ts";
import {
  type Abroad,
  atRate,
  consents,
  dollarConsent,
  euroConsent,
  onDay,
  openAbroad,
  orders,
  type Placed,
  scheduledConsents,
  scheduledOrders,
  start,
} from "./abroad.ts";

let bank: Abroad;
before(async () => {
  bank = await openAbroad();
});
beforeEach(() => bank.clock.set(start));
after(async () => {
  assert.deepEqual(await bank.breaches(), []);
  await bank.close();
});

const statusOf = async (placed: Placed): Promise<string> => (await bank.dataOf(placed)).Status;
const available = async (): Promise<bigint> =>
  (await bank.core.loadFunds([accounts.current])).get(accounts.current)?.availableMinor ?? 0n;
const scheduled = { scheduled: true };
const day = "2027-03-10T06:00:00Z";

for (const scenario of scenarios) {
  test(`an international payment to the payee ${scenario.name} has the documented outcome`, async () => {
    const iban = ibanFrom("DE", `0099009900${endingAbroad(scenario)}`);
    const placed = await bank.place(
      euroConsent(({ Data }) => {
        Data.Initiation.CreditorAccount.Identification = iban;
      }),
    );
    await bank.engine.drain();
    const expected = statusesOf(scenario.answer);
    assert.equal(await statusOf(placed), expected[0]);
    await bank.runTo("2027-03-04T11:00:00Z");
    const { Status, StatusReason } = await bank.dataOf(placed);
    assert.equal(Status, expected.at(-1));
    const code = refusalOf(scenario.answer);
    if (code !== null) {
      assert.equal(StatusReason[0]?.StatusReasonCode, code);
    } else {
      assert.ok(StatusReason[0]?.StatusReasonDescription, "every status has a reason");
    }
    const details = (await bank.get(`${placed.url}/payment-details`)).body.Data.PaymentStatus;
    assert.deepEqual(
      details.map((item: Json) => [item.PaymentTransactionId, item.Status]),
      [[placed.paymentId, Status]],
    );
  });
}

const elsewhere = (change: (initiation: Json) => void) =>
  euroConsent(({ Data }) => {
    Data.Initiation.CreditorAccount.Identification = "DE89370400440532013000";
    change(Data.Initiation);
  });
const networks: [keyof typeof networkDelays, Json][] = [
  ["SEPA", elsewhere(() => undefined)],
  [
    "SEPAInstant",
    elsewhere((i) => {
      i.InstructionPriority = "Urgent";
    }),
  ],
  [
    "SEPAInstant",
    elsewhere((i) => {
      i.LocalInstrument = "UK.OBIE.SEPAInstantCreditTransfer";
    }),
  ],
  [
    "SWIFT",
    elsewhere((i) => {
      i.ChargeBearer = "BorneByDebtor";
    }),
  ],
  [
    "SWIFT",
    dollarConsent(({ Data }) => {
      Data.Initiation.CreditorAccount.Identification = "77";
    }),
  ],
];
for (const [index, [network, body]] of networks.entries()) {
  test(`${network} delivers after its own delay, ${index}`, async () => {
    const placed = await bank.place(body);
    await bank.engine.drain();
    assert.equal(await statusOf(placed), "ACSC");
    const delay = networkDelays[network];
    const arrives = bank.clock.now().add(delay);
    await bank.runTo(arrives.subtract({ milliseconds: 1 }).toString());
    assert.equal(await statusOf(placed), "ACSC");
    await bank.runTo(arrives.toString());
    assert.equal(await statusOf(placed), "ACCC");
  });
}

test("P-148, D-401-21, D-401-22: a new order is RCVD", async () => {
  for (const [consentPath, path, body] of [
    [consents, orders, euroConsent()],
    [scheduledConsents, scheduledOrders, onDay(euroConsent())],
  ] as const) {
    const { consentId, token } = await bank.authorised({ body, path: consentPath });
    const answer = await bank.post(path, { token, body: orderOf(consentId, body) });
    assert.equal(answer.body.Data.Status, "RCVD");
    assert.equal((await bank.get(`${consentPath}/${consentId}`)).body.Data.Status, "COND");
  }
});

test("D-401-54: a cancelled payment is CANC", async () => {
  const placed = await bank.place(onDay(euroConsent()), scheduled);
  await bank.engine.drain();
  const orderId = placed.data.InternationalScheduledPaymentId;
  assert.equal(await cancelOrder(bank, { orderId, customerId: "customer-bob" }), "notYours");
  await addHolders(bank.database, [
    { accountId: accounts.current, customerId: "customer-ann", role: "owner" },
  ]);
  const mine = (await listUpcoming(bank, "customer-ann")).filter(
    (upcoming) => upcoming.orderId === orderId,
  );
  assert.deepEqual(
    mine.map(({ payment: { amount } }) => [amount.amountMinor, amount.currency]),
    [[10_000n, "EUR"]],
  );
  assert.equal(await cancelOrder(bank, { orderId, customerId: "customer-ann" }), "cancelled");
  const { Status, StatusReason } = await bank.dataOf(placed);
  assert.deepEqual([Status, StatusReason[0].StatusReasonCode], ["CANC", "CUST"]);
  await bank.runTo(day);
  assert.equal(await statusOf(placed), "CANC");
});

test("a scheduled payment is debited on its day, at the rate of that day", async () => {
  const placed = await bank.place(onDay(dollarConsent(atRate("Indicative"))), scheduled);
  const before = await bank.balance(accounts.current);
  assert.equal(placed.data.ExpectedExecutionDateTime, day);
  await bank.engine.drain();
  assert.equal(await statusOf(placed), "PDNG");
  await bank.runTo("2027-03-10T05:59:59Z");
  assert.equal(await bank.balance(accounts.current), before);
  await bank.runTo(day);
  const price = await bank.core.price({
    debtorAccountId: accounts.current,
    amount: { amountMinor: 10_000n, currency: "USD" },
    international: {
      transferCurrency: "USD",
      rate: null,
      contractId: null,
      charge: { amountMinor: 1_000n, currency: "GBP" },
      deduction: null,
      network: "SWIFT",
      creditorAgent: null,
      fundsAtOnce: false,
    },
  });
  const debited = before - (await bank.balance(accounts.current));
  assert.equal(debited, (price?.debit.amountMinor ?? 0n) + 1_000n);
  const said = placed.data.ExchangeRateInformation.ExchangeRate;
  assert.notEqual(debited - 1_000n, BigInt(Math.round(10_000 / said)));
  assert.equal(await statusOf(placed), "ACCC");
});

test("a firm rate for a scheduled payment reserves the funds immediately, and pays at that rate", async () => {
  const before = await bank.balance(accounts.current);
  const free = await available();
  const placed = await bank.place(onDay(euroConsent(atRate("Actual"))), scheduled);
  await bank.engine.drain();
  const debit = BigInt(Math.round(10_000 / placed.data.ExchangeRateInformation.ExchangeRate));
  assert.equal(await statusOf(placed), "ACFC");
  assert.deepEqual(
    [await bank.balance(accounts.current), await available()],
    [before, free - debit],
  );
  const orderId = placed.data.InternationalScheduledPaymentId;
  assert.equal(await cancelOrder(bank, { orderId, customerId: "customer-ann" }), "tooLate");
  assert.deepEqual(await bank.breaches(), []);
  await bank.runTo(day);
  assert.equal(await statusOf(placed), "ACCC");
  assert.equal(before - (await bank.balance(accounts.current)), debit);
});

test("an engine that dies after reserving funds leaves the reservation to the next engine", async () => {
  const free = await available();
  const placed = await bank.place(onDay(euroConsent(atRate("Actual"))), scheduled);
  const { database, clock, core } = bank;
  const dying = createEngine({
    database,
    clock,
    bank: core,
    owner: "dying",
    batchSize: 16,
    log: { error: () => undefined },
    // the engine dies before it gets the bank's response, so the next engine must ask
    onStep: (moment) => assert.notEqual(moment, "reserved"),
  });
  await dying.drain();
  const debit = BigInt(Math.round(10_000 / placed.data.ExchangeRateInformation.ExchangeRate));
  assert.equal(await available(), free - debit);
  assert.equal(await statusOf(placed), "RCVD");
  await bank.runTo("2027-03-03T10:00:10Z");
  assert.equal(await statusOf(placed), "ACFC");
  assert.equal(await available(), free - debit);
  await bank.runTo(day);
  assert.equal(await statusOf(placed), "ACCC");
});

test("a scheduled payment with a firm rate and no funds is refused when it is ordered", async () => {
  const short = onDay(euroConsent(atRate("Actual")));
  const placed = await bank.place(short, { ...scheduled, accountId: accounts.savings });
  await bank.engine.drain();
  const { Status, StatusReason } = await bank.dataOf(placed);
  assert.deepEqual([Status, StatusReason[0].StatusReasonCode], ["RJCT", "AM04"]);
});

test("a scheduled payment without funds is refused with AM04 on its date", async () => {
  const placed = await bank.place(onDay(euroConsent()), {
    ...scheduled,
    accountId: accounts.savings,
  });
  await bank.engine.drain();
  assert.equal(await statusOf(placed), "PDNG");
  await bank.runTo(day);
  const { Status, StatusReason } = await bank.dataOf(placed);
  assert.deepEqual([Status, StatusReason[0].StatusReasonCode], ["RJCT", "AM04"]);
});

test("after the cut-off an international payment is made on the next working day", async () => {
  const late = await bank.configured({ CUT_OFF_TIME: "16:00" });
  bank.clock.set("2027-03-03T16:30:00Z");
  const body = euroConsent();
  const { consentId, token } = await late.authorised({ body, path: consents });
  const answer = await late.post(orders, { token, body: orderOf(consentId, body) });
  assert.equal(answer.body.Data.ExpectedExecutionDateTime, "2027-03-04T06:00:00Z");
  await bank.engine.drain();
  assert.equal((await bank.get(answer.body.Links.Self)).body.Data.Status, "PDNG");
  await bank.runTo("2027-03-04T06:00:00Z");
  assert.equal((await bank.get(answer.body.Links.Self)).body.Data.Status, "ACCC");
});

test("P-167, P-168, D-401-28: the refund account is the debited account, with its IBAN", async () => {
  const asks = euroConsent(({ Data }) => {
    Data.ReadRefundAccount = "Yes";
  });
  const placed = await bank.place(asks, { accountId: accounts.euro });
  const refund = {
    Account: {
      SchemeName: "UK.OBIE.IBAN",
      Identification: "GB05ALDG40478455555555",
      Name: "Ann Example",
    },
  };
  assert.deepEqual(placed.data.Refund, refund);
  assert.deepEqual((await bank.dataOf(placed)).Refund, refund);
  assert.equal("Refund" in (await bank.place(euroConsent())).data, false);
});

test("P-169, P-171: an international payment waits for the second signature, and keeps its quoted rate", async () => {
  await addHolders(bank.database, [
    { accountId: accounts.joint, customerId: "customer-ann", role: "signatory" },
    { accountId: accounts.joint, customerId: "customer-bob", role: "signatory" },
  ]);
  const before = await bank.balance(accounts.joint);
  const placed = await bank.place(euroConsent(atRate("Actual")), { accountId: accounts.joint });
  assert.deepEqual([placed.data.Status, placed.data.MultiAuthorisation.Status], ["PATC", "AWAF"]);
  const orderId = placed.data.InternationalPaymentId;
  bank.clock.set("2027-03-04T12:00:00Z");
  const given = { orderId, customerId: "customer-bob", decision: "approve" as const };
  assert.equal(await decideMultiAuthorisation(bank, given), "complete");
  await bank.engine.drain();
  const { Status, MultiAuthorisation } = await bank.dataOf(placed);
  assert.deepEqual([Status, MultiAuthorisation.Status], ["ACCC", "AUTH"]);
  const quoted = placed.data.ExchangeRateInformation.ExchangeRate;
  assert.equal(before - (await bank.balance(accounts.joint)), BigInt(Math.round(10_000 / quoted)));
});

test("P-047: repeating an international order returns the same order, and pays once", async () => {
  const body = euroConsent(atRate("Actual"));
  const { consentId, token } = await bank.authorised({ body, path: consents });
  const before = await bank.balance(accounts.current);
  const sent = { token, body: orderOf(consentId, body), key: "one-key" };
  const first = await bank.post(orders, sent);
  bank.clock.set("2027-03-03T12:00:00Z");
  await bank.engine.drain();
  const debited = before - (await bank.balance(accounts.current));
  const again = await bank.post(orders, sent);
  assert.equal(again.status, 201);
  assert.equal(again.body.Data.InternationalPaymentId, first.body.Data.InternationalPaymentId);
  await bank.engine.drain();
  assert.equal(before - (await bank.balance(accounts.current)), debited);
});
