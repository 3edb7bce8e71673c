import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { moveConsent, type StatusReason } from "#src/consents/consent.ts";
import { nextConsentStatus } from "#src/consents/states.ts";
import { rejectOverdueConsents } from "#src/consents/sweep-consents.ts";
import { byCustomer } from "#src/history/change.ts";
import { domesticPayment } from "#src/payments/kinds/domestic-payment.ts";
import type { ConsentStatus } from "#src/standard/api-version.ts";
import { setTokenExpiry } from "#test/auth/stored-rows.ts";
import { shownReason } from "#test/consents/shown-reason.ts";
import {
  base,
  domesticConsent,
  firstFault,
  numbers,
  openPayments,
  orderOf,
  type PaymentsFixture,
  scheduledConsent,
} from "./fixture.ts";

const path = "/domestic-payment-consents";
let bank: PaymentsFixture;
before(async () => {
  bank = await openPayments();
});
beforeEach(() => bank.clock.set("2027-03-02T10:00:00Z"));
after(() => bank.close());

const richConsent = () =>
  domesticConsent((body) => {
    body.Data.ReadRefundAccount = "Yes";
    body.Data.Authorisation = {
      AuthorisationType: "Any",
      CompletionDateTime: "2027-04-01T10:00:00+01:00",
    };
    body.Data.SCASupportData = { RequestedSCAExemptionType: "PartyToParty", Extra: [1] };
    body.Data.Initiation.RemittanceInformation = {
      Structured: [
        {
          ReferredDocumentAmount: 1,
          CreditorReferenceInformation: { Reference: "R-1" },
          Unknown: { b: 1, a: [] },
        },
      ],
      Unstructured: ["two", "one"],
      Reference: "as v3 had it",
    };
    body.Data.Initiation.SupplementaryData = { anything: { goes: [null, 1.5, "x"] } };
    body.Risk = { PaymentContextCode: "TransferToThirdParty", DeliveryAddress: { Country: "UK" } };
  });

test("P-095, D-401-04: a minimal consent is created as AWAU, with time zones in its timestamps", async () => {
  const { status, body } = await bank.post(path, { body: domesticConsent() });
  assert.equal(status, 201);
  assert.equal(body.Data.Status, "AWAU");
  assert.match(body.Data.ConsentId, /^dpc-[0-9a-z]{26}$/);
  assert.equal(body.Data.CreationDateTime, "2027-03-02T10:00:00Z");
  assert.equal(body.Data.StatusUpdateDateTime, "2027-03-02T10:00:00Z");
  assert.equal(body.Data.StatusReason[0].StatusReasonCode, "U036");
  assert.deepEqual(body.Data.Charges, [], "an empty list is sent");
  assert.equal("CutOffDateTime" in body.Data, false, "an absent member is left out");
});

test("D-401-01: the path has /v4.0/, and a path with the patch number is 404", async () => {
  const { body } = await bank.post(path, { body: domesticConsent() });
  const patched = body.Links.Self.replace("/v4.0/", "/v4.0.1/");
  assert.equal((await bank.get(patched)).status, 404);
});

test("D-401-07: an x-client-id, even another TPP's, changes nothing", async () => {
  const headers = { "x-client-id": bank.otherTpp.clientId };
  const { status, body } = await bank.post(path, { body: domesticConsent(), headers });
  assert.equal(status, 201);
  assert.equal((await bank.get(`${path}/${body.Data.ConsentId}`)).status, 200);
  assert.equal((await bank.get(body.Links.Self, bank.otherTpp.token)).status, 403);
});

test("D-401-11: a request with an invalid signature is refused whatever its body, and its idempotency key can be used again", async () => {
  const sent = { body: domesticConsent(), key: "d40111" };
  const signature = (await bank.post(path, { body: {} })).headers["x-jws-signature"];
  const headers = { "x-jws-signature": String(signature) }; // made by the bank, for another body
  assert.equal((await bank.post(path, { ...sent, headers })).status, 400);
  assert.equal((await bank.post(path, sent)).status, 201);
});

test("P-096, D-401-02: a consent returns the request unchanged", async () => {
  const sent = richConsent();
  const created = (await bank.post(path, { body: sent })).body;
  const read = (await bank.get(`${path}/${created.Data.ConsentId}`)).body;
  for (const { Data, Risk } of [created, read]) {
    const { Initiation, Authorisation, SCASupportData, ReadRefundAccount } = Data;
    const echoed = { Initiation, Authorisation, SCASupportData, ReadRefundAccount };
    assert.equal(
      JSON.stringify({ ...echoed, Risk }),
      JSON.stringify({
        Initiation: sent.Data.Initiation,
        Authorisation: sent.Data.Authorisation,
        SCASupportData: sent.Data.SCASupportData,
        ReadRefundAccount: "Yes",
        Risk: sent.Risk,
      }),
    );
    assert.equal(Data.Debtor, undefined, "the debtor is not known yet");
  }
  assert.deepEqual(read, created);
});

test("P-100: reading a consent returns its current status", async () => {
  const { body } = await bank.post(path, { body: domesticConsent() });
  const { ConsentId } = body.Data;
  const status = async () => (await bank.get(`${path}/${ConsentId}`)).body.Data.Status;
  assert.equal(await status(), "AWAU");
  const token = await bank.authorise(ConsentId);
  assert.equal(await status(), "AUTH");
  await bank.post("/domestic-payments", { token, body: orderOf(ConsentId, domesticConsent()) });
  assert.equal(await status(), "COND");
});

test("D-401-20: a payment consent's status is always AWAU, RJCT, AUTH or COND", () => {
  const events = ["upload", "authorise", "reject", "consume", "revoke", "expire"] as const;
  const reached = new Set<ConsentStatus>(["AWAU"]);
  for (const status of reached) {
    for (const event of events) {
      const after = nextConsentStatus(domesticPayment.consent, status, event);
      if (after) reached.add(after);
    }
  }
  assert.deepEqual([...reached].sort(), ["AUTH", "AWAU", "COND", "RJCT"]);
});

test("P-009: a customer's token cannot read its consent or its order", async () => {
  const { consentId, token, order } = await bank.authorised();
  const { body } = await bank.post("/domestic-payments", { token, body: order });
  for (const url of [
    `${path}/${consentId}`,
    body.Links.Self,
    `${body.Links.Self}/payment-details`,
  ]) {
    const answer = await bank.get(url, token);
    assert.equal(answer.status, 403);
    assert.deepEqual(firstFault(answer), ["U006", "Authorization"]);
  }
});

test("P-003, D-401-13: an expired token is 401 with TKXP, and its consent stays AUTH", async () => {
  const { consentId, token } = await bank.authorised();
  await setTokenExpiry(bank.database, { token }, bank.clock.now());
  const answer = await bank.get(funds(consentId), token);
  assert.equal(answer.status, 401);
  assert.deepEqual(firstFault(answer), ["TKXP", "Authorization"]);
  assert.equal((await bank.get(`${path}/${consentId}`)).body.Data.Status, "AUTH");
});

test("P-097, D-401-05: Links.Self is absolute and contains the consent's id, and Meta is present", async () => {
  const created = (await bank.post(path, { body: domesticConsent() })).body;
  const self = `${base}${path}/${created.Data.ConsentId}`;
  assert.deepEqual(created.Links, { Self: self });
  assert.deepEqual(created.Meta, {});
  assert.equal((await bank.get(self)).body.Links.Self, self);
});

test("P-099: the account that the customer chose is not added to the Initiation", async () => {
  const { consentId, body } = await bank.authorised();
  const read = (await bank.get(`${path}/${consentId}`)).body;
  assert.equal(read.Data.Status, "AUTH");
  assert.deepEqual(read.Data.Initiation, body.Data.Initiation);
  assert.deepEqual(read.Data.Debtor, { Name: "Ann Example" });
});

test("P-104: authorisation changes Status and StatusUpdateDateTime, not CreationDateTime", async () => {
  const { body } = await bank.post(path, { body: domesticConsent() });
  bank.clock.set("2027-03-02T10:05:00Z");
  await bank.authorise(body.Data.ConsentId);
  const { Data } = (await bank.get(`${path}/${body.Data.ConsentId}`)).body;
  assert.equal(Data.Status, "AUTH");
  assert.equal(Data.CreationDateTime, "2027-03-02T10:00:00Z");
  assert.equal(Data.StatusUpdateDateTime, "2027-03-02T10:05:00Z");
  assert.deepEqual(Data.StatusReason, []);
});

test("P-105: a rejected consent shows its status reason", async () => {
  const { body } = await bank.post(path, { body: domesticConsent() });
  const consent = { consentId: body.Data.ConsentId };
  const reason: StatusReason = {
    code: "U037",
    text: "The customer declined.",
  };
  const course = domesticPayment.consent;
  await moveConsent(
    bank.database,
    consent,
    course,
    "reject",
    [reason],
    byCustomer(bank.clock.now()),
  );
  const { Data } = (await bank.get(`${path}/${consent.consentId}`)).body;
  assert.equal(Data.Status, "RJCT");
  assert.deepEqual(Data.StatusReason, [shownReason(reason)]);
  assert.equal(Data.ExpectedExecutionDateTime, undefined, "it will never be executed");
});

test("P-118: a consent that timed out is rejected, and can still be read", async () => {
  const { body } = await bank.post(path, { body: domesticConsent() });
  bank.clock.set("2027-03-02T11:00:00Z");
  await rejectOverdueConsents(bank.database, bank.clock.now(), 3600);
  bank.clock.set("2027-03-03T10:00:00Z");
  const { Data } = (await bank.get(`${path}/${body.Data.ConsentId}`)).body;
  assert.equal(Data.Status, "RJCT");
  assert.equal(Data.StatusUpdateDateTime, "2027-03-02T11:00:00Z");
});

test("PC-10: a TPP with refund permission sees the debtor once the consent is authorised", async () => {
  const { consentId } = await bank.authorised({ body: richConsent() });
  const { Data } = (await bank.get(`${path}/${consentId}`)).body;
  assert.deepEqual(Data.Debtor, {
    SchemeName: "UK.OBIE.SortCodeAccountNumber",
    Identification: numbers.current,
    Name: "Ann Example",
  });
});

test("a debtor account is shown as the TPP named it", async () => {
  const DebtorAccount = {
    SchemeName: "UK.OBIE.SortCodeAccountNumber",
    Identification: numbers.current,
    Name: "What the TPP calls her",
    SecondaryIdentification: "R/1",
  };
  const body = domesticConsent(({ Data }) => {
    Data.Initiation.DebtorAccount = DebtorAccount;
  });
  const { consentId } = await bank.authorised({ body });
  const { Data } = (await bank.get(`${path}/${consentId}`)).body;
  assert.deepEqual(Data.Debtor, { ...DebtorAccount, Name: "Ann Example" });
  assert.deepEqual(Data.Initiation.DebtorAccount, DebtorAccount);
});

test("P-101: an unknown ConsentId is 400 U011", async () => {
  const answer = await bank.get(`${path}/nothing`);
  assert.equal(answer.status, 400);
  assert.deepEqual(firstFault(answer), ["U011", "ConsentId"]);
});

test("P-102: another TPP's consent is 403, and reveals nothing", async () => {
  const { body } = await bank.post(path, { body: domesticConsent() });
  const answer = await bank.get(`${path}/${body.Data.ConsentId}`, bank.otherTpp.token);
  assert.equal(answer.status, 403);
  assert.doesNotMatch(JSON.stringify(answer.body), /AWAU|Foo/);
});

test("P-103: a consent is not found on another kind's path", async () => {
  const { body } = await bank.post(path, { body: domesticConsent() });
  const answer = await bank.get(`/domestic-scheduled-payment-consents/${body.Data.ConsentId}`);
  assert.deepEqual(firstFault(answer), ["U011", "ConsentId"]);
});

test("P-006: a customer's token cannot create a consent", async () => {
  const { token } = await bank.authorised();
  const answer = await bank.post(path, { token, body: domesticConsent() });
  assert.equal(answer.status, 403);
  assert.deepEqual(firstFault(answer), ["U006", "Authorization"]);
});

test("a CHAPS payment shows its charge in the consent and in the order", async () => {
  const body = domesticConsent(({ Data }) => {
    Data.Initiation.LocalInstrument = "UK.OBIE.CHAPS";
  });
  const charges = [
    {
      ChargeBearer: "BorneByDebtor",
      Type: "UK.OBIE.CHAPSOut",
      Amount: { Amount: "20.00", Currency: "GBP" },
    },
  ];
  const { consentId, order, token } = await bank.authorised({ body });
  assert.deepEqual((await bank.get(`${path}/${consentId}`)).body.Data.Charges, charges);
  const created = await bank.post("/domestic-payments", { token, body: order });
  assert.deepEqual(created.body.Data.Charges, charges);
});

test("the expected execution of a scheduled payment is its date at 06:00 London time", async () => {
  const expected: [requested: string, execution: string][] = [
    ["2027-03-09T00:00:00+00:00", "2027-03-09T06:00:00Z"],
    ["2027-03-29T12:00:00+01:00", "2027-03-30T05:00:00Z"], // Easter Monday, then summer time
    ["2027-03-13T00:00:00Z", "2027-03-15T06:00:00Z"], // a Saturday
    ["2027-12-25T00:00:00Z", "2027-12-29T06:00:00Z"], // Christmas and its substitutes
  ];
  for (const [requested, execution] of expected) {
    const body = scheduledConsent(({ Data }) => {
      Data.Initiation.RequestedExecutionDateTime = requested;
    });
    const { Data } = (await bank.post("/domestic-scheduled-payment-consents", { body })).body;
    assert.equal(Data.ExpectedExecutionDateTime, execution);
    assert.equal(Data.Permission, "Create");
    assert.equal(Data.CutOffDateTime, undefined);
  }
});

const funds = (consentId: string) => `${path}/${consentId}/funds-confirmation`;

test("P-184, D-401-41: funds are confirmed if they are available, and otherwise not", async () => {
  const amounts: [amount: string, available: boolean][] = [
    ["50.00", true],
    ["50.01", false],
  ];
  for (const [Amount, available] of amounts) {
    const body = domesticConsent(({ Data }) => {
      Data.Initiation.InstructedAmount.Amount = Amount;
    });
    const { consentId, token } = await bank.authorised({ body });
    const answer = await bank.get(funds(consentId), token);
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body, {
      Data: {
        FundsAvailableResult: {
          FundsAvailableDateTime: "2027-03-02T10:00:00Z",
          FundsAvailable: available,
        },
      },
      Links: { Self: base + funds(consentId) },
      Meta: {},
    });
  }
});

test("P-190: confirming funds includes the debtor's charge", async () => {
  const body = domesticConsent(({ Data }) => {
    Data.Initiation.InstructedAmount.Amount = "30.01";
    Data.Initiation.LocalInstrument = "UK.OBIE.CHAPS";
  });
  const { consentId, token } = await bank.authorised({ body });
  const answer = await bank.get(funds(consentId), token);
  assert.equal(answer.body.Data.FundsAvailableResult.FundsAvailable, false);
});

test("P-186, P-173, D-401-41: confirming funds changes nothing, and the token can still pay", async () => {
  const { consentId, token, order } = await bank.authorised();
  for (let time = 0; time < 3; time++) {
    assert.equal((await bank.get(funds(consentId), token)).status, 200);
  }
  assert.equal((await bank.get(`${path}/${consentId}`)).body.Data.Status, "AUTH");
  assert.equal((await bank.post("/domestic-payments", { token, body: order })).status, 201);
});

test("P-185: funds can be confirmed only for an authorised consent", async () => {
  const { consentId, token, order } = await bank.authorised();
  await bank.post("/domestic-payments", { token, body: order });
  const answer = await bank.get(funds(consentId), token);
  assert.equal(answer.status, 400);
  assert.deepEqual(firstFault(answer), ["U009", "Data.Status"]);
});

test("P-008, P-187, P-188: funds can be confirmed only with the consent's own token", async () => {
  const { consentId } = await bank.authorised();
  const other = await bank.authorised();
  assert.equal((await bank.get(funds(consentId))).status, 403);
  assert.equal((await bank.get(funds(consentId), other.token)).status, 403);
  assert.deepEqual(firstFault(await bank.get(funds("nothing"), other.token)), [
    "U011",
    "ConsentId",
  ]);
});

test("P-022: funds cannot be confirmed for scheduled payments", async () => {
  const path = "/domestic-scheduled-payment-consents";
  const { consentId, token } = await bank.authorised({ path, body: scheduledConsent() });
  const answer = await bank.get(`${path}/${consentId}/funds-confirmation`, token);
  assert.equal(answer.status, 404);
});

test("P-090: a response converts date-times to RFC 3339, and repeats RFC 3339 ones as sent", async () => {
  for (const [sent, repeated] of [
    ["2027-03-09", "2027-03-09T00:00:00+00:00"],
    ["2027-03-09T10:40", "2027-03-09T10:40:00+00:00"],
    ["20270309T104012Z", "2027-03-09T10:40:12+00:00"],
    ["2027-03-09T10:40:12.34567+01", "2027-03-09T10:40:12.34567+01:00"],
    ["2027-03-09T10:40:00z", "2027-03-09T10:40:00+00:00"],
    ["2027-03-09T10:40:00.120Z", "2027-03-09T10:40:00.120Z"],
    ["2027-03-09T00:00:00+02:00", "2027-03-09T00:00:00+02:00"],
  ] as const) {
    const body = scheduledConsent(({ Data }) => {
      Data.Initiation.RequestedExecutionDateTime = sent;
    });
    const made = await bank.post("/domestic-scheduled-payment-consents", { body });
    assert.equal(made.status, 201, sent);
    assert.equal(made.body.Data.Initiation.RequestedExecutionDateTime, repeated);
    const read = await bank.get(made.body.Links.Self);
    assert.equal(read.body.Data.Initiation.RequestedExecutionDateTime, repeated);
  }
});
