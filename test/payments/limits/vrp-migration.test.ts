import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { moveConsent, type StatusReason } from "#src/consents/consent.ts";
import { usedWithinLimits } from "#src/consents/states.ts";
import { byCustomer } from "#src/history/change.ts";
import { sql } from "#src/storage/sql.ts";
import { shownReason } from "#test/consents/shown-reason.ts";
import type { Answer, Json } from "#test/payments/answer-check.ts";
import { openPayments, type PaymentsFixture } from "#test/payments/fixture.ts";
import { agree, consents, limit, orders, payee, vrpConsent, vrpOrder } from "./vrp-bed.ts";
import { deprecatedContexts } from "./vrp-versions.ts";

// Consents of v3.1 live on in v4.0; consents of v4.0 do not exist in v3.1.

const v31 = "/api/open-banking/v3.1/pisp";
const older = { consents: v31 + consents, orders: v31 + orders };

let bank: PaymentsFixture;
before(async () => {
  bank = await openPayments();
});
after(() => bank?.close());
beforeEach(() => bank.clock.set("2027-03-01T10:00:00Z"));

const faults = ({ status, body }: Answer) => [
  status,
  ...(body?.Errors ?? []).map(({ ErrorCode, Path }: Json) => [ErrorCode, Path]),
];
const unknown = (path: string) => [400, ["UK.OBIE.Resource.NotFound", path]];

/** Has a consent of v3.1 authorised; `change` may alter its body. */
const agreeOnV31 = (change?: (body: Json) => void) => agree(bank, change, older);

/** The order in v4.0 that a consent allows as v4.0 shows it. */
async function orderOnV4(consentId: string, amount = "3.00"): Promise<Json> {
  const { body } = await bank.get(`${consents}/${consentId}`);
  return vrpOrder(
    consentId,
    { Data: { Initiation: body.Data.Initiation }, Risk: body.Risk },
    amount,
  );
}

/** Pays under a consent of v3.1 on v4.0. */
async function payOnV4(
  { consentId, token }: { consentId: string; token: string },
  change: (order: Json) => void = () => undefined,
  front: Pick<PaymentsFixture, "post"> = bank,
): Promise<Answer> {
  const order = await orderOnV4(consentId);
  change(order);
  return front.post(orders, { token, body: order });
}

const withEverything = (body: Json) => {
  body.Data.ReadRefundAccount = "Yes";
  Object.assign(body.Data.Initiation, {
    CreditorPostalAddress: { AddressType: "Business", TownName: "Leeds", AddressLine: ["1 Park"] },
    RemittanceInformation: { Unstructured: "Rainy day", Reference: "SAVE-1" },
  });
  body.Risk = {
    PaymentContextCode: "PartyToParty",
    ContractPresentInidicator: true,
    PaymentPurposeCode: "SAV",
    DeliveryAddress: { TownName: "Leeds", Country: "GB", AddressLine: ["1 Park"] },
  };
};

test("V-170, V-174, V-175, D-401-79: v4.0 shows a v3.1 consent in v4.0 format, and v3.1 shows it as it was sent", async () => {
  const { consentId, body } = await agreeOnV31(withEverything);
  const same = (await bank.get(`${older.consents}/${consentId}`)).body;
  assert.deepEqual([same.Data.Initiation, same.Risk], [body.Data.Initiation, body.Risk]);
  assert.equal(same.Data.Status, "Authorised");
  const { Data, Risk, Links } = (await bank.get(`${consents}/${consentId}`)).body;
  assert.deepEqual([Data.Status, Data.StatusReason], ["AUTH", []]);
  assert.deepEqual(Data.Initiation, {
    CreditorAccount: payee,
    CreditorPostalAddress: { AddressType: "BIZZ", TownName: "Leeds", AddressLine: ["1 Park"] },
    RemittanceInformation: {
      Unstructured: ["Rainy day"],
      Structured: [{ CreditorReferenceInformation: { Reference: "SAVE-1" } }],
    },
  });
  assert.deepEqual(Data.ControlParameters, body.Data.ControlParameters);
  assert.deepEqual(Risk, {
    PaymentContextCode: "PartyToParty",
    ContractPresentIndicator: true,
    PaymentPurposeCode: "SAV",
    DeliveryAddress: body.Risk.DeliveryAddress,
  });
  assert.match(Links.Self, /\/v4\.0\/pisp\//);
});

test("F-014, V-171, V-177: a payment on v4.0 under a v3.1 consent succeeds, also with STRICT_OAS, and the payee's bank gets the consent's reference", async () => {
  const agreement = await agreeOnV31(withEverything);
  const strict = await bank.configured({ STRICT_OAS: true });
  for (const front of [bank, strict]) {
    const answer = await payOnV4(agreement, undefined, front);
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    const { Data, Risk } = answer.body;
    assert.deepEqual([Data.Status, Risk.PaymentContextCode], ["RCVD", "PartyToParty"]);
    assert.equal(Data.Refund.Account.Name, "Ann Example");
    const rows = await bank.database.query(sql`
      select reference from payment where order_id = ${Data.DomesticVRPId}`);
    assert.deepEqual(rows, [{ reference: "SAVE-1" }]);
  }
});

test("F-017, V-171: a payment on v4.0 must match its v3.1 consent as v4.0 returns it", async () => {
  const agreement = await agreeOnV31(withEverything);
  const differing = await payOnV4(agreement, ({ Risk }) => {
    Risk.PaymentContextCode = "BillPayment";
  });
  assert.deepEqual(faults(differing), [400, ["U008", "Risk.PaymentContextCode"]]);
  const older = await payOnV4(agreement, ({ Data }) => {
    Data.Initiation.RemittanceInformation = agreement.body.Data.Initiation.RemittanceInformation;
  });
  const at = "Data.Initiation.RemittanceInformation";
  assert.deepEqual(faults(older), [
    400,
    ["U002", `${at}.Unstructured`],
    ["U005", `${at}.Reference`],
  ]);
});

test("V-171: a deprecated payment context is accepted only under consents of v3.1", async () => {
  for (const PaymentContextCode of deprecatedContexts) {
    const agreement = await agreeOnV31((body) => {
      body.Risk = { PaymentContextCode };
    });
    assert.equal((await agreement.pay("1.00")).status, 201, PaymentContextCode);
    assert.equal((await payOnV4(agreement)).status, 201, PaymentContextCode);
  }
  const { consentId, token } = await agree(bank);
  const order = await orderOnV4(consentId);
  order.Risk = { PaymentContextCode: "PartyToParty" };
  const answer = await bank.post(orders, { token, body: order });
  assert.deepEqual(faults(answer), [400, ["U002", "Risk.PaymentContextCode"]]);
});

test("F-015, V-172: every v3.1 operation treats a v4.0 consent as unknown, and names the version that has it", async () => {
  const { consentId, token, body } = await agree(bank);
  const path = `${older.consents}/${consentId}`;
  const read = await bank.get(path);
  assert.deepEqual(faults(read), unknown("ConsentId"));
  assert.match(
    read.body.Errors[0].Message,
    /created on pisp-v4\.0, .* Send the request to \/api\/open-banking\/v4\.0\/pisp\.$/,
  );
  assert.deepEqual(faults(await bank.send("DELETE", path)), unknown("ConsentId"));
  const amount = { Amount: "1.00", Currency: "GBP" };
  const funds = await bank.post(`${path}/funds-confirmation`, {
    token,
    body: { Data: { ConsentId: consentId, InstructedAmount: amount } },
  });
  assert.deepEqual(faults(funds), unknown("ConsentId"));
  const order = vrpOrder(consentId, body, "1.00");
  const paid = await bank.post(older.orders, { token, body: order });
  assert.deepEqual(faults(paid), unknown("Data.ConsentId"));
  assert.match(paid.body.Errors[0].Message, /created on pisp-v4\.0/);
  assert.equal((await bank.get(`${consents}/${consentId}`)).body.Data.Status, "AUTH");
});

test("V-173: v4.0 shows payments made on v3.1, and payments made on v4.0 are unknown on v3.1", async () => {
  const agreement = await agreeOnV31((body) => {
    body.Data.Initiation.RemittanceInformation = { Unstructured: "Rainy day" };
  });
  const onV31 = (await agreement.pay("1.00")).body.Data;
  assert.deepEqual([onV31.Status, "StatusReason" in onV31], ["Pending", false]);
  const { Data, Links } = (await bank.get(`${orders}/${onV31.DomesticVRPId}`)).body;
  assert.equal(Data.Status, "RCVD");
  assert.equal(Data.StatusReason[0].StatusReasonCode, "U030");
  const lines = { Unstructured: ["Rainy day"] };
  assert.deepEqual(Data.Initiation.RemittanceInformation, lines);
  assert.deepEqual(Data.Instruction.RemittanceInformation, lines);
  assert.match(Links.Self, /\/v4\.0\/pisp\//);
  const details = `${onV31.DomesticVRPId}/payment-details`;
  const statusOn = async (base: string) =>
    (await bank.get(`${base}/${details}`)).body.Data.PaymentStatus[0].Status;
  assert.deepEqual([await statusOn(older.orders), await statusOn(orders)], ["Received", "RCVD"]);

  const underV31 = (await payOnV4(agreement)).body.Data;
  const ofV4 = (await (await agree(bank)).pay("1.00")).body.Data;
  for (const { DomesticVRPId } of [underV31, ofV4]) {
    for (const rest of ["", "/payment-details"]) {
      const answer = await bank.get(`${older.orders}/${DomesticVRPId}${rest}`);
      assert.deepEqual(faults(answer), unknown("DomesticVRPId"));
    }
  }
});

test("F-037, V-176: a payee's name from v3.1 is stored and paid in full, and v4.0 shows and accepts its first 70 characters", async () => {
  const Name = `${"é".repeat(69)}𠮷${"n".repeat(280)}`;
  const agreement = await agreeOnV31((body) => {
    body.Data.Initiation.CreditorAccount.Name = Name;
  });
  const { consentId } = agreement;
  const nameOn = async (path: string) =>
    (await bank.get(`${path}/${consentId}`)).body.Data.Initiation.CreditorAccount.Name;
  assert.equal(await nameOn(older.consents), Name);
  assert.equal(await nameOn(consents), `${"é".repeat(69)}𠮷`);
  const paid = [await agreement.pay("1.00"), await payOnV4(agreement)];
  for (const { status, body } of paid) {
    assert.equal(status, 201, JSON.stringify(body));
    const rows = await bank.database.query(sql`
      select creditor->>'name' as name from payment where order_id = ${body.Data.DomesticVRPId}`);
    assert.deepEqual(rows, [{ name: Name }]);
  }
  const whole = await payOnV4(agreement, ({ Data }) => {
    Data.Instruction.CreditorAccount.Name = Name;
  });
  assert.deepEqual(faults(whole), [400, ["U002", "Data.Instruction.CreditorAccount.Name"]]);
});

test("V-177, D-401-79: on v4.0, a v3.1 consent keeps its token and its funds confirmations, its limits count the payments of both versions, and it can be deleted", async () => {
  const agreement = await agreeOnV31((body) => {
    body.Data.ControlParameters.PeriodicLimits = [limit("Month", "Calendar", "7.00")];
  });
  const { consentId, token } = agreement;
  assert.equal((await agreement.pay("3.00")).status, 201);
  assert.equal((await payOnV4(agreement)).status, 201);
  const at = "Data.ControlParameters.PeriodicLimits[0]";
  assert.deepEqual(faults(await payOnV4(agreement)), [400, ["U014", at]]);
  const name = "UK.OBIE.Rules.FailsControlParameters";
  assert.deepEqual(faults(await agreement.pay("1.01")), [400, [name, at]]);
  assert.equal((await agreement.pay("1.00")).status, 201);
  const amount = { Amount: "1.00", Currency: "GBP" };
  const funds = await bank.post(`${consents}/${consentId}/funds-confirmation`, {
    token,
    body: { Data: { ConsentId: consentId, InstructedAmount: amount } },
  });
  assert.equal(funds.body.Data.FundsAvailableResult.FundsAvailable, "Available");
  assert.equal((await bank.send("DELETE", `${consents}/${consentId}`)).status, 204);
  assert.deepEqual(faults(await bank.get(`${older.consents}/${consentId}`)), unknown("ConsentId"));
});

test("F-016, V-080, D-401-79: a v3.1 consent that the customer cancels stays Authorised on v3.1 and is CANC on v4.0", async () => {
  const agreement = await agreeOnV31();
  const { consentId } = agreement;
  const before = (await bank.get(`${older.consents}/${consentId}`)).body.Data;
  bank.clock.set("2027-03-02T10:00:00Z");
  const reason: StatusReason = {
    code: "CUST",
    text: "Cancelled.",
  };
  const why = byCustomer(bank.clock.now());
  await moveConsent(bank.database, { consentId }, usedWithinLimits, "revoke", [reason], why);
  assert.deepEqual((await bank.get(`${older.consents}/${consentId}`)).body.Data, before);
  const { Data } = (await bank.get(`${consents}/${consentId}`)).body;
  assert.deepEqual([Data.Status, Data.StatusReason], ["CANC", [shownReason(reason)]]);
  assert.deepEqual(faults(await agreement.pay("1.00")), [401]);
  const order = await orderOnV4(consentId);
  const answer = await bank.post(orders, { token: agreement.token, body: order });
  assert.deepEqual(faults(answer), [401, ["TKSP", "Authorization"]]);
});

test("V-034, V-037, V-175: v3.1 has its own mandatory members, and accepts only the misspelt ContractPresentInidicator", async () => {
  const refusal = async (change: (body: Json) => void) =>
    faults(await bank.post(older.consents, { body: vrpConsent(change) }));
  const { Name: _, ...nameless } = payee;
  const named = await refusal((body) => {
    body.Data.Initiation.DebtorAccount = nameless;
  });
  assert.deepEqual(named, [400, ["UK.OBIE.Field.Missing", "Data.Initiation.DebtorAccount.Name"]]);
  const spelt = await refusal((body) => {
    body.Risk = { ContractPresentIndicator: true };
  });
  const at = "Risk.ContractPresentIndicator";
  assert.deepEqual(spelt, [400, ["UK.OBIE.Field.Unexpected", at]]);
  const delivered = await refusal((body) => {
    body.Risk = { DeliveryAddress: { TownName: "Leeds" } };
  });
  assert.deepEqual(delivered, [400, ["UK.OBIE.Field.Missing", "Risk.DeliveryAddress.Country"]]);
});

test("F-064, V-131: a body with a v3.1 member is refused with the member's path, and an unknown payload-version is U006", async () => {
  const { body, consentId, token } = await agree(bank);
  const order = vrpOrder(consentId, body, "1.00");
  const send = (version: string) =>
    bank.post(orders, { token, body: order, headers: { "payload-version": version } });
  assert.deepEqual(faults(await send("3.1.11")), [400, ["U006", "payload-version"]]);
  order.Data.Instruction.RemittanceInformation = { Unstructured: "Savings" };
  const path = "Data.Instruction.RemittanceInformation.Unstructured";
  assert.deepEqual(faults(await send("4.0.1")), [400, ["U002", path]]);
  delete order.Data.Instruction.RemittanceInformation;
  assert.equal((await send("4.0.1")).status, 201);
  // v3.1 has no such header
  const agreement = await agreeOnV31();
  const headers = { "payload-version": "4.0.1" };
  const onV31 = vrpOrder(agreement.consentId, agreement.body, "1.00");
  const sent = { token: agreement.token, body: onV31, headers };
  assert.equal((await bank.post(older.orders, sent)).status, 201);
});
