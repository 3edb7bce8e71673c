import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { consentStatus } from "#test/consents/stored-rows.ts";
import type { Answer, Json } from "./answer-check.ts";
import { firstFault, openPayments, type PaymentsFixture, standingOrderConsent } from "./fixture.ts";

const path = "/domestic-standing-order-consents";
const initiation = "Data.Initiation";
const mandate = `${initiation}.MandateRelatedInformation`;
const frequency = `${mandate}.Frequency`;

let bank: PaymentsFixture;
before(async () => {
  bank = await openPayments();
});
beforeEach(() => bank.clock.set("2027-03-02T10:00:00Z"));
after(() => bank.close());

type Change = (initiation: Json, mandate: Json) => void;

const bodyWith = (change: Change): Json =>
  standingOrderConsent(({ Data }) =>
    change(Data.Initiation, Data.Initiation.MandateRelatedInformation),
  );
const lodge = (change: Change): Promise<Answer> => bank.post(path, { body: bodyWith(change) });

const gbp = (Amount: string): Json => ({ Amount, Currency: "GBP" });

type Refused = [title: string, change: Change, code: string, path: string];

const refused: Refused[] = [
  [
    "P-060, D-401-45: the schedule is mandatory",
    (i) => delete i.MandateRelatedInformation,
    "U004",
    mandate,
  ],
  ["P-060: the frequency is mandatory", (_, m) => delete m.Frequency, "U004", frequency],
  [
    "P-060: the first amount is mandatory",
    (i) => delete i.FirstPaymentAmount,
    "U004",
    `${initiation}.FirstPaymentAmount`,
  ],
  [
    "P-135: an unknown frequency Type is U002",
    (_, m) => Object.assign(m.Frequency, { Type: "foobar" }),
    "U002",
    `${frequency}.Type`,
  ],
  ...["INDA", "ADHO", "NONE"].map(
    (Type): Refused => [
      `P-136: the frequency ${Type} does not define a day and is U025`,
      (_, m) => Object.assign(m.Frequency, { Type }),
      "U025",
      `${frequency}.Type`,
    ],
  ),
  [
    "P-138: CountPerPeriod and PointInTime exclude each other",
    (_, m) => Object.assign(m.Frequency, { CountPerPeriod: 1, PointInTime: "15" }),
    "U005",
    `${frequency}.PointInTime`,
  ],
  ...["xx", "32", "00", "015", ""].map(
    (PointInTime): Refused => [
      `P-139, D-401-48: PointInTime "${PointInTime}" is U002`,
      (_, m) => Object.assign(m.Frequency, { PointInTime }),
      "U002",
      `${frequency}.PointInTime`,
    ],
  ),
  [
    "D-401-48: a sixth day from the end is U025",
    (_, m) => Object.assign(m.Frequency, { PointInTime: "-6" }),
    "U025",
    `${frequency}.PointInTime`,
  ],
  [
    "D-401-48: an eighth day of the week is U025",
    (_, m) => Object.assign(m.Frequency, { Type: "WEEK", PointInTime: "8" }),
    "U025",
    `${frequency}.PointInTime`,
  ],
  [
    "a CountPerPeriod that cannot be evenly spaced is U025",
    (_, m) => Object.assign(m.Frequency, { CountPerPeriod: 2 }),
    "U025",
    `${frequency}.CountPerPeriod`,
  ],
  [
    "P-141: NumberOfPayments and FinalPaymentDateTime exclude each other",
    (i, m) => {
      i.NumberOfPayments = "3";
      m.FinalPaymentDateTime = "2027-12-15T00:00:00Z";
    },
    "U005",
    `${initiation}.NumberOfPayments`,
  ],
  [
    "D-401-50: CountPerPeriod and FinalPaymentDateTime exclude each other",
    (_, m) => {
      m.Frequency.CountPerPeriod = 1;
      m.FinalPaymentDateTime = "2027-12-15T00:00:00Z";
    },
    "U005",
    `${frequency}.CountPerPeriod`,
  ],
  [
    "P-142: a final amount needs an end of the schedule",
    (i) => {
      i.FinalPaymentAmount = gbp("7.00");
    },
    "U001",
    `${mandate}.FinalPaymentDateTime`,
  ],
  [
    "a single payment cannot have a final amount besides its first",
    (i) => {
      i.NumberOfPayments = "1";
      i.FinalPaymentAmount = gbp("7.00");
    },
    "U005",
    `${initiation}.FinalPaymentAmount`,
  ],
  ...["0", "-1", "1.5", "twelve", "10000"].map(
    (NumberOfPayments): Refused => [
      `D-401-49: NumberOfPayments "${NumberOfPayments}" is U002`,
      (i) => Object.assign(i, { NumberOfPayments }),
      "U002",
      `${initiation}.NumberOfPayments`,
    ],
  ),
  [
    "D-401-49: NumberOfPayments must be a string",
    (i) => Object.assign(i, { NumberOfPayments: 12 }),
    "U002",
    `${initiation}.NumberOfPayments`,
  ],
  ...["2027-03-01T00:00:00Z", "2027-03-02T23:59:59Z"].map(
    (FirstPaymentDateTime): Refused => [
      `P-143: a first payment at ${FirstPaymentDateTime}, which is not in the future, is refused`,
      (_, m) => Object.assign(m, { FirstPaymentDateTime }),
      "U003",
      `${mandate}.FirstPaymentDateTime`,
    ],
  ),
  [
    "a first payment more than a year in the future is refused",
    (_, m) => Object.assign(m, { FirstPaymentDateTime: "2028-03-03T00:00:00Z" }),
    "U003",
    `${mandate}.FirstPaymentDateTime`,
  ],
  [
    "P-143: the last payment must not be before the first",
    (_, m) => Object.assign(m, { FinalPaymentDateTime: "2027-03-14T00:00:00Z" }),
    "U003",
    `${mandate}.FinalPaymentDateTime`,
  ],
  [
    "P-143: recurring payments must not be before the first",
    (_, m) => Object.assign(m, { RecurringPaymentDateTime: "2027-03-14T00:00:00Z" }),
    "U003",
    `${mandate}.RecurringPaymentDateTime`,
  ],
  [
    "P-143: without a first date, recurring payments cannot start today",
    (_, m) => {
      delete m.FirstPaymentDateTime;
      m.RecurringPaymentDateTime = "2027-03-02T00:00:00Z";
    },
    "U003",
    `${mandate}.RecurringPaymentDateTime`,
  ],
  ...["Frequency", "FirstPaymentDateTime", "Reference"].map(
    (member): Refused => [
      `P-144: the v3 member ${member} is not part of an initiation`,
      (i) => Object.assign(i, { [member]: "EvryDay" }),
      "U005",
      `${initiation}.${member}`,
    ],
  ),
  [
    "P-145, D-401-46: a v3 frequency is U025 unless the bank accepts it",
    (_, m) => Object.assign(m.Frequency, { Type: "IntrvlMnthDay:01:15" }),
    "U025",
    `${frequency}.Type`,
  ],
  [
    "P-146: the amounts must be in one currency",
    (i) => Object.assign(i, { RecurringPaymentAmount: { Amount: "5.00", Currency: "EUR" } }),
    "U002",
    `${initiation}.RecurringPaymentAmount.Currency`,
  ],
  [
    "P-079: an amount in a currency that is not offered is U023",
    (i) => Object.assign(i.FirstPaymentAmount, { Currency: "EUR" }),
    "U023",
    `${initiation}.FirstPaymentAmount.Currency`,
  ],
  [
    "P-075: a recurring amount of zero is U002",
    (i) => Object.assign(i, { RecurringPaymentAmount: gbp("0.00") }),
    "U002",
    `${initiation}.RecurringPaymentAmount.Amount`,
  ],
  [
    "a single payment's instructed amount is not part of a standing order",
    (i) => Object.assign(i, { InstructedAmount: gbp("5.00") }),
    "U005",
    `${initiation}.InstructedAmount`,
  ],
];

for (const [title, change, code, at] of refused) {
  test(title, async () => {
    const answer = await lodge(change);
    assert.equal(answer.status, 400, JSON.stringify(answer.body));
    assert.deepEqual(firstFault(answer), [code, at]);
    assert.equal(answer.body.Errors.length, 1);
  });
}

type Accepted = [title: string, change: Change];

const accepted: Accepted[] = [
  ["P-140: a Type alone is enough", () => undefined],
  [
    "P-140: with only Type and amount, the bank sets the first date",
    (_, m) => delete m.FirstPaymentDateTime,
  ],
  ...["MNTH", "LWMH", "LXMH", "TWYR", "WODL", "FIMH"].map(
    (Type): Accepted => [
      `D-401-47: the frequency ${Type} is offered`,
      (_, m) => Object.assign(m.Frequency, { Type }),
    ],
  ),
  ...["-1", "-5", "1", "9", "01", "31"].map(
    (PointInTime): Accepted => [
      `D-401-48: PointInTime "${PointInTime}" is accepted and returned as sent`,
      (_, m) => Object.assign(m.Frequency, { PointInTime }),
    ],
  ),
  [
    "D-401-49: a standing order ends after NumberOfPayments payments",
    (i) => Object.assign(i, { NumberOfPayments: "12", FinalPaymentAmount: gbp("6.00") }),
  ],
  [
    "a recurring amount may equal the first",
    (i) => Object.assign(i, { RecurringPaymentAmount: gbp("5.00") }),
  ],
  [
    "P-065: the schedule may have additional members",
    (_, m) => Object.assign(m, { Reason: "Rent", Extra: { anything: [1] } }),
  ],
  [
    "P-143: the last payment may have the date of the first",
    (_, m) => Object.assign(m, { FinalPaymentDateTime: "2027-03-15T00:00:00Z" }),
  ],
];

for (const [title, change] of accepted) {
  test(title, async () => {
    const body = bodyWith(change);
    const answer = await bank.post(path, { body });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    assert.equal(answer.body.Data.Status, "AWAU");
    assert.deepEqual(answer.body.Data.Initiation, body.Data.Initiation);
    assert.equal(answer.body.Data.ExpectedExecutionDateTime, undefined);
    assert.equal(answer.body.Data.CutOffDateTime, undefined);
  });
}

test("P-110, P-111: Permission is mandatory and must be Create", async () => {
  const without = await bank.post(path, {
    body: standingOrderConsent(({ Data }) => delete Data.Permission),
  });
  assert.deepEqual(firstFault(without), ["U004", "Data.Permission"]);
  const other = await bank.post(path, {
    body: standingOrderConsent(({ Data }) => Object.assign(Data, { Permission: "Update" })),
  });
  assert.deepEqual(firstFault(other), ["U002", "Data.Permission"]);
});

test("P-145, D-401-46: with STANDING_ORDER_V3_FREQUENCIES, v3 frequencies are accepted and unknown ones are not", async () => {
  const lax = await bank.configured({ STANDING_ORDER_V3_FREQUENCIES: true });
  const lodgeV3 = (frequencyOf: Json) =>
    lax.post(path, { body: bodyWith((_, m) => Object.assign(m, { Frequency: frequencyOf })) });
  for (const Type of ["EvryWorkgDay", "IntrvlMnthDay:01:-01", "QtrDay:ENGLISH"]) {
    assert.equal((await lodgeV3({ Type })).status, 201);
  }
  assert.deepEqual(firstFault(await lodgeV3({ Type: "NotKnown" })), ["U025", `${frequency}.Type`]);
  const both = await lodgeV3({ Type: "EvryDay", PointInTime: "01" });
  assert.deepEqual(firstFault(both), ["U005", `${frequency}.PointInTime`]);
});

test("D-401-25: AuthorisationType Multiple is accepted for a standing order, and returned", async () => {
  const Authorisation = { AuthorisationType: "Multiple" };
  const body = standingOrderConsent(({ Data }) => Object.assign(Data, { Authorisation }));
  const answer = await bank.post(path, { body });
  assert.equal(answer.status, 201);
  assert.deepEqual(answer.body.Data.Authorisation, Authorisation);
});

test("P-022: funds cannot be confirmed for a standing order", async () => {
  const { body } = await lodge(() => undefined);
  const answer = await bank.get(`${path}/${body.Data.ConsentId}/funds-confirmation`);
  assert.equal(answer.status, 404);
});

test("P-137: an order with a wrong Type is refused, and the corrected order is then accepted", async () => {
  const { token, order, consentId } = await bank.authorised({ path, body: standingOrderConsent() });
  const wrong = structuredClone(order);
  wrong.Data.Initiation.MandateRelatedInformation.Frequency.Type = "foobar";
  const answer = await bank.post("/domestic-standing-orders", { token, body: wrong });
  assert.equal(answer.status, 400);
  assert.deepEqual(firstFault(answer), ["U002", `${frequency}.Type`]);
  assert.equal((await bank.get(`${path}/${consentId}`)).body.Data.Status, "AUTH");
  const other = structuredClone(order);
  other.Data.Initiation.MandateRelatedInformation.Frequency.Type = "WEEK";
  const differs = await bank.post("/domestic-standing-orders", { token, body: other });
  assert.deepEqual(firstFault(differs), ["U008", `${frequency}.Type`]);
  const right = await bank.post("/domestic-standing-orders", { token, body: order });
  assert.equal(right.status, 201);
  assert.equal(right.body.Data.Status, "RCVD");
});

test("P-131, P-143: an order whose first date has come since the consent is refused", async () => {
  const { token, order, consentId } = await bank.authorised({ path, body: standingOrderConsent() });
  bank.clock.set("2027-03-15T00:00:01Z");
  const answer = await bank.post("/domestic-standing-orders", { token, body: order });
  assert.deepEqual(firstFault(answer), ["U003", `${mandate}.FirstPaymentDateTime`]);
  const row = await consentStatus(bank.database, consentId);
  assert.equal(row, "AUTH");
});

test("P-143: an order without a first date is refused once its last date has passed", async () => {
  const body = bodyWith((_, m) => {
    delete m.FirstPaymentDateTime;
    m.FinalPaymentDateTime = "2027-03-05T00:00:00Z";
  });
  const { token, order } = await bank.authorised({ path, body });
  bank.clock.set("2027-03-05T10:00:00Z");
  const answer = await bank.post("/domestic-standing-orders", { token, body: order });
  assert.deepEqual(firstFault(answer), ["U003", `${mandate}.FinalPaymentDateTime`]);
});
