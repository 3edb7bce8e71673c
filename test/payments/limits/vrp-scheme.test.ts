import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import type { VrpContract } from "#src/clients/vrp-contracts.ts";
import { loadConsent } from "#src/consents/consent.ts";
import { listChanges } from "#src/history/change.ts";
import { contractOperations } from "#src/payments/limits/contract-operations.ts";
import type { SchemeStatus } from "#src/standard/shared/vrp-types.ts";
import { clearContracts } from "#test/clients/stored-settings.ts";
import type { Json } from "#test/payments/answer-check.ts";
import { openPayments, type PaymentsFixture } from "#test/payments/fixture.ts";
import {
  authenticated,
  type Change,
  commercial,
  grantTo,
  other,
  refused,
  scheme,
  withoutInteraction,
  withoutPayee,
} from "./contract-bed.ts";
import { type Agreement, agree, consents, sweeping, vrpConsent } from "./vrp-bed.ts";

// Consents and payments of the commercial scheme.

const at = (member: string) => `Data.ControlParameters.${member}`;

let bank: PaymentsFixture;
before(async () => {
  bank = await openPayments();
});
after(() => bank?.close());
beforeEach(async () => {
  bank.clock.set("2027-03-01T10:00:00Z");
  await clearContracts(bank.database);
});

const grant = (contract?: Partial<VrpContract>) => grantTo(bank, contract);

const lodge = (change: Change) => bank.post(consents, { body: vrpConsent(change) });

async function expectConsent(change: Change): Promise<Json> {
  const answer = await lodge(change);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body;
}

const expectRefusal = async (change: Change, ...faults: [string, string][]) =>
  assert.deepEqual(refused(await lodge(change)), [400, ...faults]);

test("B-182, CV-71: a consent of the scheme may omit its interaction types and its risk indicators", async () => {
  await grant({ types: [scheme(1)] });
  const { Data, Risk } = await expectConsent(commercial([scheme(1)], withoutInteraction));
  assert.ok(!("PSUInteractionTypes" in Data.ControlParameters));
  assert.deepEqual(Risk, {});
});

test("B-182: a consent of the scheme is refused without a maximum per payment, without a limit per period, or in another currency", async () => {
  await grant({ types: [scheme(1)] });
  const rows: [Change, string, string][] = [
    [
      ({ Data }) => delete Data.ControlParameters.MaximumIndividualAmount,
      "U004",
      "MaximumIndividualAmount",
    ],
    [({ Data }) => delete Data.ControlParameters.PeriodicLimits, "U004", "PeriodicLimits"],
    [
      ({ Data }) => {
        Data.ControlParameters.MaximumIndividualAmount.Currency = "EUR";
      },
      "U023",
      "MaximumIndividualAmount.Currency",
    ],
  ];
  for (const [change, code, member] of rows) {
    await expectRefusal(commercial([scheme(1)], change), [code, at(member)]);
  }
});

test("CV-72, CV-73: under a consent of the scheme without interaction types, a payment may omit its type or be InSession", async () => {
  await grant({ types: [scheme(1)] });
  const agreement = await agree(bank, commercial([scheme(1)], withoutInteraction));
  for (const interaction of [undefined, "OffSession", "InSession"]) {
    const { status } = await agreement.pay("1.00", {
      change({ Data }) {
        Data.VRPType = scheme(1);
        if (interaction) Data.PSUInteractionType = interaction;
      },
    });
    assert.equal(status, 201, interaction ?? "no type");
  }
});

const risk =
  (member: string, value: string): Change =>
  ({ Risk }) => {
    Risk[member] = value;
  };

test("CV-58: a consent of the scheme has a context and an account type of the scheme's lists", async () => {
  await grant({ types: [scheme(1), other] });
  const context = "Risk.PaymentContextCode";
  const wrong = risk("PaymentContextCode", "BillingGoodsAndServicesInAdvance");
  const answer = await lodge(commercial([sweeping, scheme(1)], wrong));
  assert.deepEqual(refused(answer), [400, ["U002", context]]);
  assert.equal(
    answer.body.Errors[0].Message,
    `UK.OBIE.Field.Invalid - ${scheme(1)} does not allow the payment context ` +
      "BillingGoodsAndServicesInAdvance. Send TransferToSelf, EcommerceMerchantInitiatedPayment, " +
      "FaceToFacePointOfSale or TransferToThirdParty.",
  );
  await expectRefusal(commercial([scheme(1)], risk("BeneficiaryAccountType", "Pension")), [
    "U002",
    "Risk.BeneficiaryAccountType",
  ]);
  for (const value of ["TransferToSelf", "FaceToFacePointOfSale"]) {
    await expectConsent(commercial([scheme(1)], risk("PaymentContextCode", value)));
  }
  for (const value of ["Personal", "Charity", "ISA"]) {
    await expectConsent(commercial([scheme(1)], risk("BeneficiaryAccountType", value)));
  }
  // bilateral contracts and sweeping have no such lists
  await expectConsent(commercial([other], wrong));
  await expectConsent(wrong);
});

test("CV-58: the lists of the scheme are settings", async () => {
  await grant({ types: [scheme(1)] });
  const front = await bank.configured({
    VRP_SCHEME_CONTEXTS: "BillingGoodsAndServicesInAdvance, TransferToSelf",
    VRP_SCHEME_ACCOUNT_TYPES: "any",
  });
  const tried = async (member: string, value: string) => {
    const body = vrpConsent(commercial([scheme(1)], risk(member, value)));
    return refused(await front.post(consents, { body }));
  };
  assert.deepEqual(await tried("PaymentContextCode", "BillingGoodsAndServicesInAdvance"), [201]);
  assert.deepEqual(await tried("BeneficiaryAccountType", "Pension"), [201]);
  assert.deepEqual(await tried("PaymentContextCode", "TransferToThirdParty"), [
    400,
    ["U002", "Risk.PaymentContextCode"],
  ]);
});

/** Sets the status of the TPP's organisation, as the scheme's list has it. */
const setStatus = async (status: SchemeStatus | null) => {
  const operations = contractOperations(bank.database, bank.clock);
  assert.ok(await operations.setStatus(bank.tpp.clientId, status));
};

const payAs = (agreement: Agreement, type: string) =>
  agreement.pay("1.00", {
    change({ Data }) {
      Data.VRPType = type;
    },
  });

for (const status of ["Suspended", "Revoked"] as const) {
  test(`CV-18, CV-20: a TPP that is ${status} in the scheme can create no consent of it, and others as before`, async () => {
    await grant({ types: [scheme(1), other] });
    await setStatus(status);
    const answer = await lodge(commercial([scheme(1)]));
    assert.deepEqual(refused(answer), [400, ["U002", at("VRPType[0]")]]);
    assert.equal(
      answer.body.Errors[0].Message,
      `UK.OBIE.Field.Invalid - The status of your organisation in the scheme is ${status}, so you ` +
        `cannot use ${scheme(1)}. Ask the scheme about your status.`,
    );
    await expectConsent(commercial([other]));
    await expectConsent(() => undefined);
  });

  test(`CV-21, CV-22, CV-24: the next payment of a TPP that becomes ${status} is refused, and payments work again when it is active`, async () => {
    await grant({ types: [scheme(1)] });
    const agreement = await agree(bank, commercial([sweeping, scheme(1)]));
    const { consentId } = agreement;
    const first = await payAs(agreement, scheme(1));
    assert.equal(first.status, 201);
    const statements = bank.statements();
    assert.equal((await payAs(agreement, scheme(1))).status, 201);
    const each = bank.statements() - statements;

    await setStatus(status);
    const earlier = bank.statements();
    assert.deepEqual(refused(await payAs(agreement, scheme(1))), [403, ["AG08", "Data.VRPType"]]);
    assert.ok(bank.statements() - earlier < each, "the status needs no statement of its own");
    const asked = { ConsentId: consentId, InstructedAmount: { Amount: "1.00", Currency: "GBP" } };
    const path = `${consents}/${consentId}/funds-confirmation`;
    const funds = await bank.post(path, { body: { Data: asked }, token: agreement.token });
    assert.deepEqual(refused(funds), [403, ["AG08", "Data.ConsentId"]]);
    assert.equal((await payAs(agreement, sweeping)).status, 201, "sweeping is not of the scheme");
    assert.equal((await bank.get(`${consents}/${consentId}`)).body.Data.Status, "AUTH");
    assert.equal((await bank.get(`/domestic-vrps/${first.body.Data.DomesticVRPId}`)).status, 200);

    await setStatus("Active");
    assert.equal((await payAs(agreement, scheme(1))).status, 201);
    await setStatus(null);
    assert.equal((await payAs(agreement, scheme(1))).status, 201);
  });
}

test("CV-02: a TPP that is active in the scheme needs no contract for its types, and only for them", async () => {
  await expectRefusal(commercial([scheme(1)]), ["U002", at("VRPType[0]")]);
  await setStatus("Active");
  const agreement = await agree(bank, commercial([scheme(1)]));
  assert.equal((await payAs(agreement, scheme(1))).status, 201);
  await expectRefusal(commercial([other]), ["U002", at("VRPType[0]")]);
  await expectRefusal(commercial([scheme(1)], withoutPayee), [
    "U004",
    "Data.Initiation.CreditorAccount",
  ]);
  await expectRefusal(commercial([scheme(1)], authenticated), [
    "U002",
    at("PSUAuthenticationMethods[0]"),
  ]);
  await grant({ contractId: "own", types: [scheme(1)], purpose: "finance" });
  const { ConsentId } = (await expectConsent(commercial([scheme(1)]))).Data;
  const basisOf = async (consentId: string) =>
    (await loadConsent(bank.database, consentId))?.terms.vrpContract;
  assert.deepEqual(await basisOf(ConsentId), { contractId: "own", purpose: "finance" });
  assert.deepEqual(await basisOf(agreement.consentId), {
    contractId: "commercial scheme",
    purpose: "scheme",
  });
});

test("CV-23: if a TPP is revoked, its consents of the scheme end, and those that allow another type stay", async () => {
  await grant({ types: [scheme(1), other] });
  const ending = await agree(bank, commercial([scheme(1)]));
  const waiting: string = (await expectConsent(commercial([scheme(1)]))).Data.ConsentId;
  const mixed = await agree(bank, commercial([sweeping, scheme(1)]));
  const bilateral = await agree(bank, commercial([other]));
  await setStatus("Suspended");
  const statusOf = async (id: string) => (await bank.get(`${consents}/${id}`)).body.Data.Status;
  assert.equal(await statusOf(ending.consentId), "AUTH");
  await setStatus("Revoked");
  assert.equal(await statusOf(ending.consentId), "CANC");
  assert.deepEqual(refused(await payAs(ending, scheme(1))), [401, ["TKSP", "Authorization"]]);
  for (const consentId of [ending.consentId, waiting]) {
    const last = (await listChanges(bank.database, consentId)).at(-1);
    assert.deepEqual([last?.cause, last?.after.contractEnded], ["bank", true]);
  }
  assert.equal(await statusOf(mixed.consentId), "AUTH");
  assert.deepEqual(refused(await payAs(mixed, scheme(1))), [403, ["AG08", "Data.VRPType"]]);
  assert.equal((await payAs(mixed, sweeping)).status, 201);
  assert.equal((await payAs(bilateral, other)).status, 201);

  await setStatus("Active");
  assert.equal(await statusOf(ending.consentId), "CANC", "an ended consent does not come back");
  assert.deepEqual(refused(await payAs(ending, scheme(1))), [401, ["TKSP", "Authorization"]]);
});

test("CV-25: the history of a client has each change of its status in the scheme", async () => {
  await setStatus("Active");
  await setStatus("Suspended");
  const changes = await listChanges(bank.database, bank.tpp.clientId);
  const last = changes.slice(-2).map(({ cause, after }) => [cause, after.schemeStatus]);
  assert.deepEqual(last, [
    ["bank", "Active"],
    ["bank", "Suspended"],
  ]);
});
