import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Json } from "#test/payments/answer-check.ts";
import { firstFault, openPayments, orderOf, type PaymentsFixture } from "#test/payments/fixture.ts";
import {
  consents,
  dollarConsent,
  euroConsent,
  onDay,
  orders,
  scheduledConsents,
  scheduledOrders,
} from "./abroad.ts";

let bank: PaymentsFixture;
before(async () => {
  bank = await openPayments();
});
after(() => bank.close());

const initiation = "Data.Initiation";
type Change = (initiation: Json) => void;
const address = { TownName: "New York", Country: "US" };

test("P-110, P-111, P-112: only scheduled kinds have Permission", async () => {
  const once = await bank.post(consents, { body: onDay(euroConsent()) });
  assert.deepEqual(
    once.body.Errors.map(({ ErrorCode, Path }: Json) => [ErrorCode, Path]),
    [
      ["U005", "Data.Initiation.RequestedExecutionDateTime"],
      ["U005", "Data.Permission"],
    ],
  );
  const without = onDay(euroConsent(), ({ Data }) => delete Data.Permission);
  const answer = await bank.post(scheduledConsents, { body: without });
  assert.deepEqual(firstFault(answer), ["U004", "Data.Permission"]);
  const other = onDay(euroConsent(), ({ Data }) => {
    Data.Permission = "Update";
  });
  assert.deepEqual(firstFault(await bank.post(scheduledConsents, { body: other })), [
    "U002",
    "Data.Permission",
  ]);
});

test("P-131, P-133: the date of an international scheduled payment must be after today", async () => {
  const dated = (RequestedExecutionDateTime: string) =>
    onDay(euroConsent(), ({ Data }) => {
      Data.Initiation.RequestedExecutionDateTime = RequestedExecutionDateTime;
    });
  for (const day of ["2027-03-01T00:00:00Z", "2027-03-02T23:00:00Z", "2028-03-04T00:00:00Z"]) {
    const answer = await bank.post(scheduledConsents, { body: dated(day) });
    assert.deepEqual(firstFault(answer), ["U003", `${initiation}.RequestedExecutionDateTime`], day);
  }
  assert.equal(
    (await bank.post(scheduledConsents, { body: dated("2027-03-03T00:00:00Z") })).status,
    201,
  );
});

test("P-095, P-096, P-097: an international consent returns exactly what was sent", async () => {
  const body = dollarConsent(({ Data, Risk }) => {
    Object.assign(Data.Initiation, {
      InstructionPriority: "Urgent",
      ExtendedPurpose: "Consulting",
      ChargeBearer: "Shared",
      DestinationCountryCode: "US",
      Creditor: { Name: "Bright Harbor", PostalAddress: address },
      ExchangeRateInformation: { UnitCurrency: "GBP", RateType: "Indicative" },
    });
    Data.Authorisation = { AuthorisationType: "Any" };
    Data.ReadRefundAccount = "Yes";
    Risk.PaymentContextCode = "TransferToThirdParty";
  });
  const { status, body: answer } = await bank.post(consents, { body });
  assert.equal(status, 201);
  const { Initiation, Authorisation, ReadRefundAccount, ConsentId, Status } = answer.Data;
  assert.deepEqual({ Initiation, Authorisation, ReadRefundAccount }, body.Data);
  assert.deepEqual([answer.Risk, Status], [body.Risk, "AWAU"]);
  assert.equal(
    answer.Links.Self,
    `http://bank.test/api/open-banking/v4.0/pisp${consents}/${ConsentId}`,
  );
  assert.deepEqual((await bank.get(`${consents}/${ConsentId}`)).body, answer);
});

test("D-401-36: a creditor's name of 350 characters is kept in consent and order", async () => {
  const body = euroConsent(({ Data }) => {
    Data.Initiation.Creditor = { Name: "n".repeat(350) };
  });
  const { token, consentId } = await bank.authorised({ body, path: consents });
  const answer = await bank.post(orders, { token, body: orderOf(consentId, body) });
  assert.equal(answer.body.Data.Initiation.Creditor.Name.length, 350);
  const long = euroConsent(({ Data }) => {
    Data.Initiation.Creditor = { Name: "n".repeat(351) };
  });
  assert.deepEqual(firstFault(await bank.post(consents, { body: long })), [
    "U002",
    "Data.Initiation.Creditor.Name",
  ]);
});

test("D-401-25: AuthorisationType Multiple is accepted and returned, also with STRICT_OAS", async () => {
  const body = euroConsent(({ Data }) => {
    Data.Authorisation = { AuthorisationType: "Multiple" };
  });
  for (const front of [bank, await bank.configured({ STRICT_OAS: true })]) {
    const { status, body: answer } = await front.post(consents, { body });
    assert.deepEqual([status, answer.Data.Authorisation], [201, { AuthorisationType: "Multiple" }]);
  }
});

test("P-152, P-156: an order must repeat the Initiation, including every number", async () => {
  const body = onDay(
    euroConsent(({ Data }) => {
      Data.Initiation.ExchangeRateInformation = { UnitCurrency: "GBP", RateType: "Indicative" };
    }),
  );
  const { token, consentId } = await bank.authorised({ body, path: scheduledConsents });
  const send = (change: Change) => {
    const order = orderOf(consentId, body);
    change(order.Data.Initiation);
    return bank.post(scheduledOrders, { token, body: order });
  };
  const changes: [string, Change][] = [
    [
      "CurrencyOfTransfer",
      (i) => {
        i.CurrencyOfTransfer = "USD";
      },
    ],
    [
      "ExchangeRateInformation.RateType",
      (i) => {
        i.ExchangeRateInformation.RateType = "Actual";
      },
    ],
    [
      "ChargeBearer",
      (i) => {
        i.ChargeBearer = "Shared";
      },
    ],
  ];
  for (const [member, change] of changes) {
    assert.deepEqual(firstFault(await send(change)), ["U008", `${initiation}.${member}`]);
  }
  const answer = await send((i) => {
    i.RequestedExecutionDateTime = "2027-03-10T00:00Z";
  });
  assert.equal(answer.status, 201);
});
