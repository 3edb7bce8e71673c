import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { first } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { setConsent } from "#test/consents/stored-rows.ts";
import type { Json } from "./answer-check.ts";
import {
  accounts,
  base,
  domesticConsent,
  firstFault,
  numbers,
  openPayments,
  type PaymentsFixture,
  scheduledConsent,
} from "./fixture.ts";

const path = "/domestic-payments";
const scheduledPath = "/domestic-scheduled-payments";
const consents = "/domestic-payment-consents";
let bank: PaymentsFixture;
before(async () => {
  bank = await openPayments();
});
beforeEach(() => bank.clock.set("2027-03-02T10:00:00Z"));
after(() => bank.close());

const consentStatus = async (consentId: string): Promise<string> =>
  (await bank.get(`${consents}/${consentId}`)).body.Data.Status;

type PaymentRow = {
  status: string;
  dueAt: Temporal.Instant | null;
  executeAt: Temporal.Instant | null;
  amountMinor: bigint;
  creditor: Json;
  reference: string | null;
  endToEndId: string | null;
  localInstrument: string | null;
};

const paymentOf = (orderId: string): Promise<PaymentRow | undefined> =>
  first<PaymentRow>(
    bank.database,
    sql`select status, due_at as "dueAt", execute_at as "executeAt",
        amount_minor as "amountMinor", creditor, reference, end_to_end_id as "endToEndId",
        local_instrument as "localInstrument"
      from payment where order_id = ${orderId}`,
  );

test("P-148, D-401-22: an order equal to its consent is received, and the consent is used up", async () => {
  const { consentId, token, order } = await bank.authorised();
  const woken = bank.woken();
  const { status, body } = await bank.post(path, { token, body: order });
  assert.equal(status, 201);
  assert.match(body.Data.DomesticPaymentId, /^dp-[0-9a-z]{26}$/);
  assert.equal(body.Data.Status, "RCVD");
  assert.equal(body.Data.StatusReason[0].StatusReasonCode, "U030");
  assert.equal(body.Data.ExpectedExecutionDateTime, "2027-03-02T10:00:00Z");
  assert.equal(await consentStatus(consentId), "COND");
  assert.equal(bank.woken(), woken + 1);
  const consent = (await bank.get(`${consents}/${consentId}`)).body.Data;
  assert.equal(consent.StatusReason[0].StatusReasonCode, "U038");
});

test("P-166, D-401-02, D-401-05: an order has no Risk, returns the Initiation and links to itself", async () => {
  const sent = domesticConsent(({ Data }) => {
    Data.Initiation.RemittanceInformation = { Structured: [{ ReferredDocumentAmount: 7 }] };
  });
  const { consentId, token, order } = await bank.authorised({ body: sent });
  const { body } = await bank.post(path, { token, body: order });
  assert.equal(body.Risk, undefined);
  assert.equal(body.Data.ConsentId, consentId);
  assert.equal(JSON.stringify(body.Data.Initiation), JSON.stringify(sent.Data.Initiation));
  assert.equal(body.Links.Self, `${base}${path}/${body.Data.DomesticPaymentId}`);
  assert.deepEqual(body.Meta, {});
});

test("an order's payment is due immediately, with the data that the bank needs", async () => {
  const body = domesticConsent(({ Data }) => {
    Data.Initiation.LocalInstrument = "UK.OBIE.FPS";
    Data.Initiation.RemittanceInformation = {
      Structured: [{}, { CreditorReferenceInformation: { Reference: "INV-7" } }],
      Unstructured: ["for the fish"],
    };
  });
  const { token, order } = await bank.authorised({ body });
  const created = (await bank.post(path, { token, body: order })).body;
  assert.deepEqual(await paymentOf(created.Data.DomesticPaymentId), {
    status: "RCVD",
    dueAt: Temporal.Instant.from("2027-03-02T10:00:00Z"),
    executeAt: null,
    amountMinor: 1000n,
    creditor: {
      schemeName: "UK.OBIE.SortCodeAccountNumber",
      identification: "20201010981789",
      name: "Dr Foo",
      secondaryIdentification: null,
    },
    reference: "INV-7",
    endToEndId: "e1",
    localInstrument: "UK.OBIE.FPS",
  });
});

test("a scheduled order is executed on its date, and the engine knows it immediately", async () => {
  const { token, order } = await bank.authorised({
    path: "/domestic-scheduled-payment-consents",
    body: scheduledConsent(),
  });
  const { status, body } = await bank.post(scheduledPath, { token, body: order });
  assert.equal(status, 201);
  assert.equal(body.Data.Status, "RCVD");
  assert.equal(body.Data.ExpectedExecutionDateTime, "2027-03-09T06:00:00Z");
  assert.equal(body.Data.Permission, undefined);
  const payment = await paymentOf(body.Data.DomesticScheduledPaymentId);
  assert.equal(payment?.executeAt?.toString(), "2027-03-09T06:00:00Z");
  assert.equal(payment?.dueAt?.toString(), "2027-03-02T10:00:00Z");
});

test("P-131: a scheduled order whose date has come is refused", async () => {
  const { token, order, consentId } = await bank.authorised({
    path: "/domestic-scheduled-payment-consents",
    body: scheduledConsent(),
  });
  bank.clock.set("2027-03-09T08:00:00Z");
  const answer = await bank.post(scheduledPath, { token, body: order });
  assert.deepEqual(firstFault(answer), ["U003", "Data.Initiation.RequestedExecutionDateTime"]);
  const consent = await bank.get(`/domestic-scheduled-payment-consents/${consentId}`);
  assert.equal(consent.body.Data.Status, "AUTH");
});

const mismatches: [title: string, change: (order: Json) => void, path: string][] = [
  [
    "P-152: a changed amount",
    ({ Data }) => (Data.Initiation.InstructedAmount.Amount = "11.00"),
    "Data.Initiation.InstructedAmount.Amount",
  ],
  [
    "P-152: an added member",
    ({ Data }) => (Data.Initiation.LocalInstrument = "UK.OBIE.FPS"),
    "Data.Initiation.LocalInstrument",
  ],
  [
    "P-152: a removed member",
    ({ Data }) => delete Data.Initiation.RemittanceInformation,
    "Data.Initiation.RemittanceInformation",
  ],
  [
    "P-153: a changed Risk",
    ({ Risk }) => (Risk.PaymentContextCode = "TransferToThirdParty"),
    "Risk.PaymentContextCode",
  ],
  ["P-153: an emptied Risk", (order) => (order.Risk = {}), "Risk.PaymentContextCode"],
  [
    "P-155: another notation of the amount",
    ({ Data }) => (Data.Initiation.InstructedAmount.Amount = "10.0"),
    "Data.Initiation.InstructedAmount.Amount",
  ],
  [
    "P-155: another letter case in the creditor's name",
    ({ Data }) => (Data.Initiation.CreditorAccount.Name = "dr foo"),
    "Data.Initiation.CreditorAccount.Name",
  ],
  [
    "P-155: an added space at the end of a text",
    ({ Data }) => (Data.Initiation.EndToEndIdentification = "e1 "),
    "Data.Initiation.EndToEndIdentification",
  ],
  [
    "P-157: a reordered array",
    ({ Data }) => Data.Initiation.RemittanceInformation.Unstructured.reverse(),
    "Data.Initiation.RemittanceInformation.Unstructured[0]",
  ],
  [
    "P-158: an order that names the account that the customer chose",
    ({ Data }) => {
      Data.Initiation.DebtorAccount = {
        SchemeName: "UK.OBIE.SortCodeAccountNumber",
        Identification: numbers.current,
      };
    },
    "Data.Initiation.DebtorAccount",
  ],
  [
    "D-401-30: a document's amount as a string in place of a number",
    ({ Data }) =>
      (Data.Initiation.RemittanceInformation.Structured[0].ReferredDocumentAmount = "1"),
    "Data.Initiation.RemittanceInformation.Structured[0].ReferredDocumentAmount",
  ],
];

for (const [title, change, differs] of mismatches) {
  test(`${title} is refused as a mismatch, and the consent can still be used`, async () => {
    const body = domesticConsent(({ Data, Risk }) => {
      Data.Initiation.RemittanceInformation = {
        Structured: [{ ReferredDocumentAmount: 1 }],
        Unstructured: ["one", "two"],
      };
      Risk.PaymentContextCode = "TransferToSelf";
    });
    const { consentId, token, order } = await bank.authorised({ body });
    const changed = structuredClone(order);
    change(changed);
    const answer = await bank.post(path, { token, body: changed });
    assert.equal(answer.status, 400);
    assert.deepEqual(firstFault(answer), ["U008", differs]);
    // P-159
    assert.equal(await consentStatus(consentId), "AUTH");
    assert.equal((await bank.post(path, { token, body: order })).status, 201);
  });
}

test("P-154, P-156: member order, spacing and the notation of an instant do not count as differences", async () => {
  const { token, order } = await bank.authorised({
    path: "/domestic-scheduled-payment-consents",
    body: scheduledConsent(),
  });
  const { Initiation } = order.Data;
  Initiation.RequestedExecutionDateTime = "2027-03-09T01:00:00.000+01:00";
  const reversed = Object.fromEntries(Object.entries(Initiation).reverse());
  const body = JSON.stringify({ Risk: {}, Data: { Initiation: reversed, ...order.Data } }, null, 3);
  assert.equal((await bank.post(scheduledPath, { token, body })).status, 201);
});

test("P-060, P-064: an order is validated against its own schema", async () => {
  const { token, order, consentId } = await bank.authorised();
  const faults: [change: (order: Json) => void, fault: string][] = [
    [(body) => delete body.Risk, "U004 Risk"],
    [({ Data }) => delete Data.ConsentId, "U004 Data.ConsentId"],
    [({ Data }) => (Data.ReadRefundAccount = "Yes"), "U005 Data.ReadRefundAccount"],
    [({ Data }) => (Data.Permission = "Create"), "U005 Data.Permission"],
  ];
  for (const [change, fault] of faults) {
    const body = structuredClone(order);
    change(body);
    assert.equal(firstFault(await bank.post(path, { token, body })).join(" "), fault);
  }
  assert.equal(await consentStatus(consentId), "AUTH");
});

test("P-159: a refused order leaves its consent and token unchanged", async () => {
  const { token, order, consentId } = await bank.authorised();
  const before = await bank.get(`${consents}/${consentId}`);
  for (const change of [
    ({ Data }: Json) => (Data.Initiation.InstructedAmount.Amount = "11.00"),
    ({ Risk }: Json) => (Risk.PaymentContextCode = "TransferToSelf"),
    ({ Data }: Json) => (Data.ConsentId = "nothing"),
  ]) {
    const body = structuredClone(order);
    change(body);
    assert.equal((await bank.post(path, { token, body })).status, 400);
  }
  assert.deepEqual((await bank.get(`${consents}/${consentId}`)).body, before.body);
  assert.equal((await bank.post(path, { token, body: order })).status, 201);
});

test("P-150: a rejected consent cannot pay, with its own token or with another consent's", async () => {
  const { token, order, consentId } = await bank.authorised();
  const other = await bank.authorised();
  // a rejected consent gets no token, and even an existing token would not work
  await setConsent(bank.database, consentId, { status: "RJCT" });
  assert.equal((await bank.post(path, { token, body: order })).status, 401);
  assert.equal((await bank.post(path, { token: other.token, body: order })).status, 403);
  const made = await bank.database.query(
    sql`select 1 from payment_order where consent_id = ${consentId}`,
  );
  assert.deepEqual(made, []);
});

test("P-151: a used consent cannot pay again", async () => {
  const { token, order } = await bank.authorised();
  await bank.post(path, { token, body: order });
  const answer = await bank.post(path, { token, body: order });
  assert.equal(answer.status, 400);
  assert.deepEqual(firstFault(answer), ["U009", "Data.Status"]);
});

test("P-160, P-163: an unknown consent, or one of another kind, is U011", async () => {
  const { token, order } = await bank.authorised();
  const unknown = structuredClone(order);
  unknown.Data.ConsentId = "nothing";
  assert.deepEqual(firstFault(await bank.post(path, { token, body: unknown })), [
    "U011",
    "Data.ConsentId",
  ]);
  const scheduled = structuredClone(order);
  scheduled.Data.Initiation.RequestedExecutionDateTime = "2027-03-09T00:00:00Z";
  assert.deepEqual(firstFault(await bank.post(scheduledPath, { token, body: scheduled })), [
    "U011",
    "Data.ConsentId",
  ]);
});

test("P-149, P-161: a token can pay only for its own consent", async () => {
  const { token } = await bank.authorised();
  const other = await bank.authorised();
  const answer = await bank.post(path, { token, body: other.order });
  assert.equal(answer.status, 403);
  assert.equal(await consentStatus(other.consentId), "AUTH");
  const waiting = (await bank.post(consents, { body: domesticConsent() })).body.Data.ConsentId;
  const order = structuredClone(other.order);
  order.Data.ConsentId = waiting;
  assert.equal((await bank.post(path, { token, body: order })).status, 403);
});

test("P-162: an order on another TPP's consent is 403", async () => {
  const { order } = await bank.authorised();
  const lodged = await bank.post(consents, { body: domesticConsent() }, bank.otherTpp);
  const token = await bank.authorise(lodged.body.Data.ConsentId);
  assert.equal((await bank.post(path, { token, body: order }, bank.otherTpp)).status, 403);
});

test("P-007: client credentials cannot submit an order", async () => {
  const { order, consentId } = await bank.authorised();
  assert.equal((await bank.post(path, { body: order })).status, 403);
  assert.equal(await consentStatus(consentId), "AUTH");
});

test("P-167: a TPP with refund permission gets the refund account on POST and GET", async () => {
  const body = domesticConsent(({ Data }) => {
    Data.ReadRefundAccount = "Yes";
  });
  const { token, order } = await bank.authorised({ body });
  const account = {
    SchemeName: "UK.OBIE.SortCodeAccountNumber",
    Identification: numbers.current,
    Name: "Ann Example",
  };
  const created = (await bank.post(path, { token, body: order })).body;
  assert.deepEqual(created.Data.Refund, { Account: account });
  assert.deepEqual(created.Data.Debtor, account);
  assert.deepEqual((await bank.get(created.Links.Self)).body, created);
});

test("P-168, P-170: Refund is absent unless requested, and MultiAuthorisation is absent if one person signs", async () => {
  for (const ReadRefundAccount of ["No", undefined]) {
    const body = domesticConsent(({ Data }) => {
      if (ReadRefundAccount) Data.ReadRefundAccount = ReadRefundAccount;
    });
    const { token, order } = await bank.authorised({ body });
    const { Data } = (await bank.post(path, { token, body: order })).body;
    assert.equal(Data.Refund, undefined);
    assert.equal(Data.MultiAuthorisation, undefined);
    assert.deepEqual(Data.Debtor, { Name: "Ann Example" });
  }
});

test("P-169, D-401-24: an order from an account with two signatories waits for the second", async () => {
  const { token, order } = await bank.authorised({ accountId: accounts.joint });
  const { Data } = (await bank.post(path, { token, body: order })).body;
  assert.equal(Data.Status, "PATC");
  assert.equal(Data.StatusReason[0].StatusReasonCode, "U040");
  assert.equal(
    Data.ExpectedExecutionDateTime,
    undefined,
    "the time of the last signature is not known",
  );
  assert.deepEqual(Data.MultiAuthorisation, {
    Status: "AWAF",
    NumberRequired: 2,
    NumberReceived: 1,
    LastUpdateDateTime: "2027-03-02T10:00:00Z",
    ExpirationDateTime: "2027-03-09T10:00:00Z",
  });
  const payment = await paymentOf(Data.DomesticPaymentId);
  assert.equal(payment?.status, "PATC");
  assert.equal(payment?.dueAt, null);
  const signed = await first<{ by: string[] }>(
    bank.database,
    sql`select signed_by as by from payment_order where order_id = ${Data.DomesticPaymentId}`,
  );
  assert.deepEqual(signed?.by, ["customer-ann"]);
});

test("P-169: CompletionDateTime is the deadline for the signatures", async () => {
  const body = domesticConsent(({ Data }) => {
    Data.Authorisation = {
      AuthorisationType: "Multiple",
      CompletionDateTime: "2027-03-03T12:00:00+01:00",
    };
  });
  const { token, order } = await bank.authorised({ body, accountId: accounts.joint });
  const { Data } = (await bank.post(path, { token, body: order })).body;
  assert.equal(Data.MultiAuthorisation.ExpirationDateTime, "2027-03-03T11:00:00Z");
});

test("P-172: an InstructionIdentification may be used again", async () => {
  for (let time = 0; time < 2; time++) {
    const { token, order } = await bank.authorised();
    assert.equal((await bank.post(path, { token, body: order })).status, 201);
  }
});
