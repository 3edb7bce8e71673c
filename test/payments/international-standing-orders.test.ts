import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { fundsIn, type PricedPayment, pricedPayments } from "#test/sandbox/stored-ledger.ts";
import type { Json } from "./answer-check.ts";
import { accounts, firstFault, standingOrderConsent } from "./fixture.ts";
import { openStandingOrders, type StandingOrderBed } from "./standing-order-bed.ts";
import { paymentsOf, readOrdersOf } from "./stored-orders.ts";

const consentPath = "/international-standing-order-consents";
const orderPath = "/international-standing-orders";
const mandate = "Data.Initiation.MandateRelatedInformation";

let bed: StandingOrderBed;
let bank: StandingOrderBed["bank"];
before(async () => {
  bed = await openStandingOrders();
  ({ bank } = bed);
});
beforeEach(() => bed.reset());
after(() => bed.close());

type Change = (initiation: Json, data: Json) => void;

/** €5 per month to Germany, from 15 March 2027. */
const bodyWith = (change: Change = () => undefined): Json =>
  standingOrderConsent(({ Data }) => {
    Data.Initiation = {
      MandateRelatedInformation: Data.Initiation.MandateRelatedInformation,
      CurrencyOfTransfer: "EUR",
      InstructedAmount: { Amount: "5.00", Currency: "EUR" },
      CreditorAccount: {
        SchemeName: "UK.OBIE.IBAN",
        Identification: "DE75512108001245126199",
        Name: "Kaffee Lindenau",
      },
    };
    change(Data.Initiation, Data);
  });

async function order(change?: Change): Promise<Json> {
  const granted = await bank.authorised({ path: consentPath, body: bodyWith(change) });
  const answer = await bank.post(orderPath, { token: granted.token, body: granted.order });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body;
}

type Priced = { status: string | null } & Omit<PricedPayment, "paymentId">;

/** Returns the bank's price of each payment of an order. */
async function pricedOf({ Data }: Json): Promise<Priced[]> {
  const orderId = Data.InternationalStandingOrderId;
  const rows = await readOrdersOf(bank.database, { orderId });
  const prices = await pricedPayments(bank.database, await paymentsOf(bank.database, orderId));
  return rows.flatMap(({ paymentId, paymentStatus: status }) =>
    prices.flatMap(({ paymentId: priced, ...price }) =>
      priced === paymentId ? [{ status, ...price }] : [],
    ),
  );
}

async function balance(): Promise<bigint> {
  const funds = await fundsIn(bank.database, accounts.current);
  assert(funds);
  return funds.balanceMinor;
}

test("P-148: an international standing order is set up and pays at each day's rate", async () => {
  const made = await order((initiation) => {
    initiation.NumberOfPayments = "3";
  });
  assert.equal(made.Data.Status, "RCVD");
  assert.match(made.Links.Self, /\/international-standing-orders\/iso-/);
  const before = await balance();
  await bed.liveUntil("2027-04-20");
  assert.equal((await bed.read(made)).Status, "INCO");
  assert.deepEqual(await bed.statuses(made), ["ACCC", "ACCC", "PDNG"]);
  await bed.liveUntil("2027-06-20");
  assert.deepEqual(await bed.statuses(made), ["ACCC", "ACCC", "ACCC"]);
  const priced = await pricedOf(made);
  assert.deepEqual(
    priced.map(({ transferMinor, chargeMinor }) => [transferMinor, chargeMinor]),
    [
      [500n, 0n],
      [500n, 0n],
      [500n, 0n],
    ],
  );
  assert(new Set(priced.map(({ rate }) => rate)).size > 1, "the rate is that of the payment date");
  const debited = priced.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
  assert.equal(before - (await balance()), debited);
  assert(debited > 1000n && debited < 1500n, `${debited} pence for 15 euros`);
});

test("P-129: charges are in the consent and the order, and are debited with every payment", async () => {
  const made = await order((initiation) => {
    Object.assign(initiation, {
      CurrencyOfTransfer: "USD",
      InstructedAmount: { Amount: "2.00", Currency: "USD" },
      NumberOfPayments: "2",
    });
  });
  assert.deepEqual(made.Data.Charges, [
    {
      ChargeBearer: "Shared",
      Type: "GB.Aldgate.SWIFTOut",
      Amount: { Amount: "10.00", Currency: "GBP" },
    },
  ]);
  await bed.liveUntil("2027-05-31");
  assert.deepEqual(
    (await pricedOf(made)).map(({ status, chargeMinor }) => [status, chargeMinor]),
    [
      ["ACCC", 1000n],
      ["ACCC", 1000n],
    ],
  );
});

test("P-190: a payment that costs more than the funds at the day's rate is refused, and the standing order continues", async () => {
  const made = await order((initiation) => {
    initiation.InstructedAmount.Amount = "100.00";
    initiation.NumberOfPayments = "2";
  });
  await bed.liveUntil("2027-03-31");
  const [refused, next] = (await bed.details(made)) as [Json, Json];
  assert.deepEqual([refused.Status, refused.StatusDetail.StatusReason], ["RJCT", "AM04"]);
  assert.equal(next.Status, "PDNG");
  assert.equal((await bed.read(made)).Status, "INCO");
});

test("P-147: an international standing order does not show expected dates or a rate", async () => {
  const { body } = await bank.post(consentPath, { body: bodyWith() });
  const made = await order();
  for (const { Data } of [body, made]) {
    assert.equal(Data.ExpectedExecutionDateTime, undefined);
    assert.equal(Data.ExchangeRateInformation, undefined);
  }
});

test("a customer can cancel an international standing order", async () => {
  const made = await order();
  await bed.liveUntil("2027-03-20");
  assert.equal(await bed.cancel(made), "cancelled");
  assert.equal((await bed.read(made)).Status, "CANC");
  assert.deepEqual(await bed.statuses(made), ["ACCC", "CANC"]);
});

type Refused = [title: string, change: Change, code: string, path: string];

const refused: Refused[] = [
  [
    "P-110: Permission is mandatory",
    (_, data) => delete data.Permission,
    "U004",
    "Data.Permission",
  ],
  [
    "D-401-45: the schedule is mandatory",
    (i) => delete i.MandateRelatedInformation,
    "U004",
    mandate,
  ],
  [
    "P-136: a frequency that is not offered is U025",
    (i) => Object.assign(i.MandateRelatedInformation.Frequency, { Type: "ADHO" }),
    "U025",
    `${mandate}.Frequency.Type`,
  ],
  [
    "P-143: a first payment in the past is U003",
    (i) =>
      Object.assign(i.MandateRelatedInformation, { FirstPaymentDateTime: "2027-03-01T00:00:00Z" }),
    "U003",
    `${mandate}.FirstPaymentDateTime`,
  ],
  [
    "P-117: a currency that the bank does not exchange is U023",
    (i) => Object.assign(i, { CurrencyOfTransfer: "XPF" }),
    "U023",
    "Data.Initiation.CurrencyOfTransfer",
  ],
  [
    "P-115: a CreditorAgent with only half of an identification is U001",
    (i) => Object.assign(i, { CreditorAgent: { SchemeName: "UK.OBIE.BICFI" } }),
    "U001",
    "Data.Initiation.CreditorAgent.Identification",
  ],
  [
    "P-064: a rate cannot be requested",
    (i) =>
      Object.assign(i, { ExchangeRateInformation: { UnitCurrency: "GBP", RateType: "Actual" } }),
    "U005",
    "Data.Initiation.ExchangeRateInformation",
  ],
];

for (const [title, change, code, path] of refused) {
  test(`${title} in an international standing order`, async () => {
    const answer = await bank.post(consentPath, { body: bodyWith(change) });
    assert.equal(answer.status, 400, JSON.stringify(answer.body));
    assert.deepEqual(firstFault(answer), [code, path]);
  });
}

test("P-175: the error for an unknown id has the path parameter's name", async () => {
  const answer = await bank.get(`${orderPath}/iso-unknown`);
  assert.deepEqual(firstFault(answer), ["U011", "InternationalStandingOrderPaymentId"]);
});

test("P-163: a domestic consent cannot be used for an international order", async () => {
  const domestic = await bank.authorised({
    path: "/domestic-standing-order-consents",
    body: standingOrderConsent(),
  });
  const body = { ...bodyWith(), Data: { ConsentId: domestic.consentId } as Json };
  body.Data.Initiation = bodyWith().Data.Initiation;
  const answer = await bank.post(orderPath, { token: domestic.token, body });
  assert.deepEqual(firstFault(answer), ["U011", "Data.ConsentId"]);
});
