import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import { closedMarket } from "#src/sandbox/scenarios/scenarios.ts";
import type { Json } from "#test/payments/answer-check.ts";
import { accounts, firstFault, orderOf } from "#test/payments/fixture.ts";
import {
  type Abroad,
  atRate,
  consents,
  dollarConsent,
  dollars,
  euroConsent,
  insertContract,
  onDay,
  openAbroad,
  orders,
  scheduledConsents,
  start,
} from "./abroad.ts";

let bank: Abroad;
before(async () => {
  bank = await openAbroad();
});
beforeEach(() => bank.clock.set(start));
after(() => bank.close());

const rate = "Data.Initiation.ExchangeRateInformation";
const lodge = (body: Json, path = consents) => bank.post(path, { body });

async function refused(body: Json, code: string, path: string, at = consents): Promise<void> {
  const answer = await lodge(body, at);
  assert.equal(answer.status, 400, JSON.stringify(answer.body));
  assert.deepEqual(firstFault(answer), [code, path]);
  assert.equal(answer.body.Errors.length, 1, JSON.stringify(answer.body));
}

test("P-130: a payment in another currency may leave the rate out", async () => {
  const { status, body } = await lodge(euroConsent());
  assert.equal(status, 201);
  assert.equal("ExchangeRateInformation" in body.Data, false);
});

const faults: [string, (body: Json) => void, string, string][] = [
  [
    "P-119: an Agreed rate needs ExchangeRate",
    atRate("Agreed", { ContractIdentification: "fx" }),
    "U001",
    `${rate}.ExchangeRate`,
  ],
  [
    "P-120: an Agreed rate needs its contract",
    atRate("Agreed", { ExchangeRate: 1.2 }),
    "U001",
    `${rate}.ContractIdentification`,
  ],
  [
    "P-121: a TPP cannot set an Actual rate",
    atRate("Actual", { ExchangeRate: 1.2 }),
    "U005",
    `${rate}.ExchangeRate`,
  ],
  [
    "P-121: an Indicative rate has no contract",
    atRate("Indicative", { ContractIdentification: "fx" }),
    "U005",
    `${rate}.ContractIdentification`,
  ],
  [
    "P-122: an unknown contract is refused",
    atRate("Agreed", { ExchangeRate: 1.2, ContractIdentification: "nobody's" }),
    "U002",
    `${rate}.ContractIdentification`,
  ],
  [
    "UnitCurrency must differ from the transfer currency",
    atRate("Actual", {}, "EUR"),
    "U002",
    `${rate}.UnitCurrency`,
  ],
  [
    "P-117: UnitCurrency must be a currency that the bank exchanges",
    atRate("Actual", {}, "XAF"),
    "U023",
    `${rate}.UnitCurrency`,
  ],
  ["P-117: ZZZ is not a currency", atRate("Actual", {}, "ZZZ"), "U002", `${rate}.UnitCurrency`],
];
for (const [title, change, code, path] of faults) {
  test(title, () => refused(euroConsent(change), code, path));
}

test("P-128: UnitCurrency must be the currency of the named debtor account", async () => {
  const body = (Identification: string) =>
    dollarConsent((consent) => {
      atRate("Actual", {}, "EUR")(consent);
      consent.Data.Initiation.DebtorAccount = {
        SchemeName: "UK.OBIE.SortCodeAccountNumber",
        Identification,
      };
    });
  await refused(body("40478411111111"), "U002", `${rate}.UnitCurrency`);
  // an unknown account is checked only once the customer has logged in
  assert.equal((await lodge(body("40478499999999"))).status, 201);
});

test("an amount must be in the transfer currency or the account's", async () => {
  const body = dollarConsent(({ Data }) => {
    Data.Initiation.ExchangeRateInformation = { UnitCurrency: "GBP", RateType: "Indicative" };
    Data.Initiation.InstructedAmount.Currency = "EUR";
  });
  await refused(body, "U002", "Data.Initiation.InstructedAmount.Currency");
});

test("P-124: an Actual rate is quoted and valid for a quarter of an hour", async () => {
  const { body } = await lodge(euroConsent(atRate("Actual")));
  const { ExchangeRateInformation: quoted, Initiation } = body.Data;
  assert.equal(typeof quoted.ExchangeRate, "number");
  assert.deepEqual(quoted, {
    UnitCurrency: "GBP",
    ExchangeRate: quoted.ExchangeRate,
    RateType: "Actual",
    ExpirationDateTime: "2027-03-03T10:15:00Z",
  });
  assert(quoted.ExchangeRate > 1.1 && quoted.ExchangeRate < 1.3);
  assert.deepEqual(Initiation.ExchangeRateInformation, { UnitCurrency: "GBP", RateType: "Actual" });
});

test("P-124: an Actual rate is valid for a quarter of an hour, even if it is quoted when markets are closed", async () => {
  const ends = {
    "2027-03-05T20:50:00Z": "2027-03-05T21:05:00Z",
    "2027-03-06T12:00:00Z": "2027-03-06T12:15:00Z",
    "2027-03-08T05:59:00Z": "2027-03-08T06:14:00Z",
  };
  for (const [now, end] of Object.entries(ends)) {
    bank.clock.set(now);
    const { body } = await lodge(euroConsent(atRate("Actual")));
    assert.equal(body.Data.ExchangeRateInformation.ExpirationDateTime, end);
  }
});

test("P-125: an Indicative rate is quoted without an expiry", async () => {
  const { body } = await lodge(euroConsent(atRate("Indicative")));
  assert.deepEqual(Object.keys(body.Data.ExchangeRateInformation).sort(), [
    "ExchangeRate",
    "RateType",
    "UnitCurrency",
  ]);
});

test("P-126: the currency of a closed market has an Indicative rate but no Actual rate", async () => {
  const dinars = (RateType: string) =>
    dollarConsent((body) => {
      atRate(RateType)(body);
      body.Data.Initiation.CurrencyOfTransfer = closedMarket;
      body.Data.Initiation.InstructedAmount.Currency = closedMarket;
    });
  await refused(dinars("Actual"), "U002", `${rate}.RateType`);
  assert.equal((await lodge(dinars("Indicative"))).status, 201);
});

test("P-123: an Agreed rate is returned with its contract and without an expiry", async () => {
  await insertContract(bank, { id: "fx-repeat" });
  const agreed = { ExchangeRate: 1.2, ContractIdentification: "fx-repeat" };
  const { body } = await lodge(euroConsent(atRate("Agreed", agreed)));
  assert.deepEqual(body.Data.ExchangeRateInformation, {
    UnitCurrency: "GBP",
    RateType: "Agreed",
    ...agreed,
  });
});

test("P-122: a contract applies only to its own rate, currencies, amount, time and account", async () => {
  await insertContract(bank, { id: "fx-checked", expires: "2027-03-09T00:00:00Z" });
  const agreed = (more: Json = {}) =>
    atRate("Agreed", { ExchangeRate: 1.2, ContractIdentification: "fx-checked", ...more });
  const wrong: [string, Json][] = [
    ["another rate", euroConsent(agreed({ ExchangeRate: 1.21 }))],
    ["another currency", dollarConsent(agreed())],
    [
      "more than was agreed",
      euroConsent((body) => {
        agreed()(body);
        body.Data.Initiation.InstructedAmount.Amount = "1000.01";
      }),
    ],
    [
      "more than was agreed, given in pounds",
      euroConsent((body) => {
        agreed()(body);
        body.Data.Initiation.InstructedAmount = { Amount: "833.34", Currency: "GBP" };
      }),
    ],
    [
      "another account",
      euroConsent((body) => {
        agreed()(body);
        body.Data.Initiation.DebtorAccount = {
          SchemeName: "UK.OBIE.SortCodeAccountNumber",
          Identification: "40478422222222",
        };
      }),
    ],
  ];
  for (const [what, body] of wrong) {
    await refused(body, "U002", `${rate}.ContractIdentification`).catch((error) =>
      assert.fail(`${what}: ${error.message}`),
    );
  }
  assert.equal((await lodge(euroConsent(agreed()))).status, 201);
  await refused(
    onDay(euroConsent(agreed())),
    "U002",
    `${rate}.ContractIdentification`,
    scheduledConsents,
  );
  bank.clock.set("2027-03-09T00:00:00Z");
  await refused(euroConsent(agreed()), "U002", `${rate}.ContractIdentification`);
});

test("a contract's rate may have trailing zeros", async () => {
  await insertContract(bank, { id: "fx-zeros", rate: "1.2000" });
  const agreed = { ExchangeRate: 1.2, ContractIdentification: "fx-zeros" };
  assert.equal((await lodge(euroConsent(atRate("Agreed", agreed)))).status, 201);
});

test("P-127: after its quote has expired a consent cannot pay, and stays AUTH", async () => {
  const body = euroConsent(atRate("Actual"));
  const { consentId, token } = await bank.authorised({ body, path: consents });
  bank.clock.set("2027-03-03T10:15:00Z");
  const answer = await bank.post(orders, { token, body: orderOf(consentId, body) });
  assert.equal(answer.status, 400);
  assert.deepEqual(firstFault(answer), ["U009", "Data.ExchangeRateInformation.ExpirationDateTime"]);
  assert.equal((await bank.get(`${consents}/${consentId}`)).body.Data.Status, "AUTH");
});

test("P-127: until the quote expires the consent pays at the quoted rate", async () => {
  const before = await bank.balance(accounts.current);
  const body = euroConsent(atRate("Actual"));
  const { consentId, token } = await bank.authorised({ body, path: consents });
  const consent = (await bank.get(`${consents}/${consentId}`)).body.Data;
  bank.clock.set("2027-03-03T10:14:59Z");
  const answer = await bank.post(orders, { token, body: orderOf(consentId, body) });
  assert.equal(answer.status, 201);
  // executed an hour later, when the market rate has changed
  await bank.runTo("2027-03-03T11:30:00Z");
  const quoted: number = consent.ExchangeRateInformation.ExchangeRate;
  assert.equal(
    before - (await bank.balance(accounts.current)),
    BigInt(Math.round(10_000 / quoted)),
  );
});

test("P-129: an order returns the consent's charges and rate", async () => {
  const body = dollarConsent(atRate("Actual"));
  const { consentId, token } = await bank.authorised({ body, path: consents });
  const consent = (await bank.get(`${consents}/${consentId}`)).body.Data;
  const order = (await bank.post(orders, { token, body: orderOf(consentId, body) })).body.Data;
  assert.equal(consent.Charges.length, 1);
  assert.deepEqual(order.Charges, consent.Charges);
  assert.deepEqual(order.ExchangeRateInformation, consent.ExchangeRateInformation);
});

test("P-184, P-190: funds are confirmed in the account's currency, with the charges", async () => {
  const terms = {
    transferCurrency: "USD",
    rate: null,
    contractId: null,
    charge: { amountMinor: 1_000n, currency: "GBP" },
    deduction: null,
    network: "SWIFT" as const,
    creditorAgent: null,
    fundsAtOnce: false,
  };
  const ordered = 30_000_000n;
  const price = present(
    await bank.core.price({
      debtorAccountId: accounts.euro,
      amount: { amountMinor: ordered, currency: "USD" },
      international: terms,
    }),
    "a price",
  );
  const body = dollarConsent(({ Data }) => {
    Data.Initiation.InstructedAmount.Amount = "300000.00";
  });
  const { consentId, token } = await bank.authorised({
    body,
    path: consents,
    accountId: accounts.euro,
  });
  const confirmed = async () => {
    const answer = await bank.get(`${consents}/${consentId}/funds-confirmation`, token);
    return answer.body.Data.FundsAvailableResult.FundsAvailable;
  };
  const needed = price.debit.amountMinor + (price.charge?.amountMinor ?? 0n);
  const has = await bank.balance(accounts.euro);
  assert.equal(price.charge?.currency, "EUR");
  await drawDown(has - needed);
  assert.equal(await confirmed(), true);
  await drawDown(1n);
  assert.equal(await confirmed(), false);
});

/** Takes euros from the account, as another payment of the customer would. */
async function drawDown(amountMinor: bigint): Promise<void> {
  const payment = {
    paymentId: `draw-${amountMinor}-${Math.random()}`,
    debtorAccountId: accounts.euro,
    amount: { amountMinor, currency: "EUR" },
    charge: null,
    creditor: {
      schemeName: "UK.OBIE.IBAN",
      identification: "DE1",
      name: "x",
      secondaryIdentification: null,
    },
    endToEndId: null,
    reference: null,
    localInstrument: null,
    international: null,
  };
  assert.deepEqual(await bank.core.reserve([payment]), [{ state: "reserved" }]);
}

test("P-189: funds of a scheduled payment can be confirmed if they are debited immediately", async () => {
  const path = (consentId: string) => `${scheduledConsents}/${consentId}/funds-confirmation`;
  const later = onDay(euroConsent(atRate("Indicative")));
  const asked = await bank.authorised({ body: later, path: scheduledConsents });
  const answer = await bank.get(path(asked.consentId), asked.token);
  assert.equal(answer.status, 400);
  assert.equal(firstFault(answer)[0], "U009");
  const atOnce = onDay(euroConsent(atRate("Actual")));
  const firm = await bank.authorised({ body: atOnce, path: scheduledConsents });
  const given = await bank.get(path(firm.consentId), firm.token);
  assert.equal(given.body.Data.FundsAvailableResult.FundsAvailable, true);
});

test("P-186: confirming funds of an international payment changes nothing, and the token can still pay", async () => {
  const body = dollarConsent();
  const { consentId, token } = await bank.authorised({ body, path: consents, accountId: dollars });
  await bank.get(`${consents}/${consentId}/funds-confirmation`, token);
  await bank.get(`${consents}/${consentId}/funds-confirmation`, token);
  const answer = await bank.post(orders, { token, body: orderOf(consentId, body) });
  assert.equal(answer.status, 201);
});
