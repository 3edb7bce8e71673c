import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { type VrpContract, withdrawVrpContract } from "#src/clients/vrp-contracts.ts";
import { loadConfig } from "#src/config/config.ts";
import { authoriseConsent, loadConsent, moveConsent } from "#src/consents/consent.ts";
import { countContractConsents, endContractConsents } from "#src/consents/contract-consents.ts";
import { usedWithinLimits } from "#src/consents/states.ts";
import { listChanges, byBank as theBank } from "#src/history/change.ts";
import { present } from "#src/lib/assert.ts";
import { paymentConsentKinds } from "#src/payments/consent/journey-kinds.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { verifyInvariants } from "#src/server/health/verify-invariants.ts";
import { sql } from "#src/storage/sql.ts";
import { vrpContract } from "#test/clients/add-client.ts";
import { clearContracts } from "#test/clients/stored-settings.ts";
import { evidence } from "#test/consents/evidence.ts";
import type { Json } from "#test/payments/answer-check.ts";
import { accounts, openPayments, type PaymentsFixture } from "#test/payments/fixture.ts";
import {
  authenticated,
  byTpp,
  type Change,
  commercial,
  grantTo,
  offSession,
  other,
  refused,
  scheme,
  withoutPayee,
} from "./contract-bed.ts";
import { type Agreement, agree, byBank, consents, payee, sweeping, vrpConsent } from "./vrp-bed.ts";

// Consents that need a contract between the bank and the TPP.

const at = (member: string) => `Data.ControlParameters.${member}`;

let bank: PaymentsFixture;
before(async () => {
  bank = await openPayments();
});
after(() => bank?.close());
// on the first day of a month, a new consent's monthly limits are not prorated
beforeEach(async () => {
  bank.clock.set("2027-03-01T10:00:00Z");
  await clearContracts(bank.database);
});

const why = () => theBank(bank.clock.now());

const grant = (contract?: Partial<VrpContract>) => grantTo(bank, contract);

const lodge = (change: Change) => bank.post(consents, { body: vrpConsent(change) });

async function expectConsent(change: Change): Promise<Json> {
  const answer = await lodge(change);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body;
}

const expectRefusal = async (change: Change, ...faults: [string, string][]) =>
  assert.deepEqual(refused(await lodge(change)), [400, ...faults]);

describe("the type of a consent", () => {
  test("V-009, V-010, B-180: a contract allows consents of its types, alone or together with sweeping", async () => {
    await expectRefusal(commercial(), ["U002", at("VRPType[0]")]);
    await grant();
    const { Data } = await expectConsent(commercial());
    assert.deepEqual([Data.Status, Data.ControlParameters.VRPType], ["AWAU", [other]]);
    await expectConsent(commercial([sweeping, other]));
  });

  test("B-180, B-181: a type without a contract is refused, and the message names the type and says what to do", async () => {
    await grant({ types: [scheme(1)] });
    await expectConsent(commercial([scheme(1)], offSession));
    const answer = await lodge(commercial([scheme(1), scheme(2)], offSession));
    assert.deepEqual(refused(answer), [400, ["U002", at("VRPType[1]")]]);
    assert.equal(
      answer.body.Errors[0].Message,
      "UK.OBIE.Field.Invalid - The bank does not find your organisation as Active in the " +
        "commercial scheme (it has no status there), and you have no current contract for " +
        `${scheme(2)}. Ask the bank for one, or send ${scheme(1)}.`,
    );
    const unknown = await lodge(commercial(["UK.OBIE.VRPType.Mopping"]));
    assert.equal(
      unknown.body.Errors[0].Message,
      `UK.OBIE.Field.Invalid - The type must be ${sweeping} or ${scheme(1)}.`,
    );
  });

  test("B-180: a contract allows new consents from its first to its last day, in London", async () => {
    await grant({ from: "2027-04-01", until: "2027-06-30" });
    const days: [string, boolean][] = [
      ["2027-03-31T22:59:59Z", false],
      ["2027-03-31T23:00:00Z", true],
      ["2027-06-30T22:59:59Z", true],
      ["2027-06-30T23:00:00Z", false],
    ];
    for (const [instant, isAllowed] of days) {
      bank.clock.set(instant);
      assert.equal((await lodge(commercial())).status, isAllowed ? 201 : 400, instant);
    }
  });

  test("B-180: the contract of one TPP does not allow the consents of another", async () => {
    await grant();
    const body = vrpConsent(commercial());
    const answer = await bank.post(consents, { body }, bank.otherTpp);
    assert.deepEqual(refused(answer), [400, ["U002", at("VRPType[0]")]]);
  });

  test("B-180: one consent cannot combine the types of two contracts", async () => {
    await grant();
    await grant({ contractId: "contract-2", types: [scheme(1)] });
    await expectRefusal(commercial([other, scheme(1)], offSession), ["U002", at("VRPType[0]")]);
    await expectConsent(commercial([scheme(1)], offSession));
  });

  test("B-181: a contract may limit the maximum of its consents", async () => {
    await grant({ maximumMinor: 500 });
    await expectConsent(commercial());
    const above = commercial([other], ({ Data }) => {
      Data.ControlParameters.MaximumIndividualAmount.Amount = "5.01";
    });
    await expectRefusal(above, ["U002", at("MaximumIndividualAmount.Amount")]);
    await grant({ contractId: "contract-2", maximumMinor: 501 });
    const { ConsentId } = (await expectConsent(above)).Data;
    const consent = present(await loadConsent(bank.database, ConsentId), "it");
    assert.deepEqual(consent.terms.vrpContract, { contractId: "contract-2", purpose: "bills" });
  });
});

describe("a consent without a payee", () => {
  test("V-007: a consent may omit the payee only if the contract allows each payment to name its own", async () => {
    await grant();
    const change = commercial([other], withoutPayee);
    await expectRefusal(change, ["U004", "Data.Initiation.CreditorAccount"]);
    await grant({ payeePerPayment: true });
    const { Data } = await expectConsent(change);
    assert.deepEqual(Data.Initiation, {});
  });

  test("V-006: a sweeping consent names its payee, whatever the contract says", async () => {
    await grant({ payeePerPayment: true });
    const fault: [string, string] = ["U004", "Data.Initiation.CreditorAccount"];
    await expectRefusal(withoutPayee, fault);
    await expectRefusal(commercial([other, sweeping], withoutPayee), fault);
  });

  let agreement: Agreement;
  const payTo = (Identification: string, Name: string, amount = "3.00") =>
    agreement.pay(amount, {
      change({ Data }) {
        Data.VRPType = other;
        Data.Instruction.CreditorAccount = { ...payee, Identification, Name };
      },
    });

  test("V-102: each payment names its own payee, the response repeats it, and all count towards the limits", async () => {
    await grant({ payeePerPayment: true });
    agreement = await agree(bank, commercial([other], withoutPayee));
    const names = ["Ann", "Bob", "Cy", "Di"];
    for (const [index, name] of names.entries()) {
      const answer = await payTo(`2020101098178${index}`, name);
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      const { Initiation, Instruction } = answer.body.Data;
      assert.deepEqual(Initiation, {});
      assert.equal(Instruction.CreditorAccount.Name, name);
      const read = await bank.get(`/domestic-vrps/${answer.body.Data.DomesticVRPId}`);
      assert.deepEqual(read.body.Data.Instruction, Instruction);
    }
    assert.deepEqual(refused(await payTo("20201010981789", "Ed", "0.01")), [
      400,
      ["U014", at("PeriodicLimits[0]")],
    ]);
    const creditors = await bank.database.query<{ name: string }>(sql`
      select p.creditor->>'name' as name from payment p join payment_order o using (order_id)
      where o.consent_id = ${agreement.consentId} order by p.created_at, name`);
    assert.deepEqual(
      creditors.map(({ name }) => name),
      names,
    );
  });

  test("V-041: a payee that a payment names is checked like the payee of a consent", async () => {
    await grant({ payeePerPayment: true });
    agreement = await agree(bank, commercial([other], withoutPayee));
    const path = "Data.Instruction.CreditorAccount.Identification";
    assert.deepEqual(refused(await payTo("1", "Ann")), [400, ["U021", path]]);
  });
});

describe("authentication by the TPP", () => {
  test("V-011: a consent may allow authentication by the TPP only if the contract does", async () => {
    await grant();
    const change = commercial([other], authenticated);
    await expectRefusal(change, ["U002", at("PSUAuthenticationMethods[0]")]);
    await grant({ tppAuthenticates: true });
    await expectConsent(change);
    await expectConsent(authenticated);
  });

  test("V-108: a payment uses an authentication method that its consent allows", async () => {
    await grant({ tppAuthenticates: true });
    const agreement = await agree(bank, commercial([other], authenticated));
    const pay = (method: string) =>
      agreement.pay("3.00", {
        change({ Data }) {
          Data.VRPType = other;
          Data.PSUAuthenticationMethod = method;
        },
      });
    assert.deepEqual(refused(await pay(byBank)), [400, ["U014", "Data.PSUAuthenticationMethod"]]);
    assert.equal((await pay(byTpp)).status, 201);
  });
});

test("V-109: the type, authentication and interaction of a payment are stored with its order, and are not in the response", async () => {
  await grant();
  const agreement = await agree(bank, commercial([sweeping, other], offSession));
  const stored = async (type: string, interaction?: string) => {
    const { status, body } = await agreement.pay("1.00", {
      change({ Data }) {
        Data.VRPType = type;
        if (interaction) Data.PSUInteractionType = interaction;
      },
    });
    assert.equal(status, 201, JSON.stringify(body));
    assert.ok(!("VRPType" in body.Data));
    const [row] = await bank.database.query<{ use: object }>(sql`
      select terms->'use' as use from payment_order where order_id = ${body.Data.DomesticVRPId}`);
    return row?.use;
  };
  const authentication = byBank;
  assert.deepEqual(await stored(sweeping), { type: sweeping, authentication, interaction: null });
  assert.deepEqual(await stored(other, "OffSession"), {
    type: other,
    authentication,
    interaction: "OffSession",
  });
});

test("an order and a sweeping consent do not read contracts", async () => {
  await grant();
  const count = async (act: () => Promise<{ status: number }>) => {
    const earlier = bank.statements();
    assert.equal((await act()).status, 201);
    return bank.statements() - earlier;
  };
  const plain = await count(() => lodge(() => undefined));
  assert.equal(await count(() => lodge(commercial())), plain + 1);
  const swept = await agree(bank);
  const paid = await agree(bank, commercial());
  const change = ({ Data }: Json) => {
    Data.VRPType = other;
  };
  assert.equal(await count(() => paid.pay("1.00", { change })), await count(() => swept.pay()));
});

describe("the end of a contract", () => {
  const pay = (agreement: Agreement) =>
    agreement.pay("1.00", {
      change({ Data }) {
        Data.VRPType = other;
      },
    });
  const whyNotNow = async (consentId: string) => {
    const kinds = paymentConsentKinds(paymentKinds, { bank: bank.bank, config: loadConfig({}) });
    const kind = present(
      kinds.find(({ id }) => id === "domestic-vrp"),
      "the kind",
    );
    const consent = present(await loadConsent(bank.database, consentId), "the consent");
    return kind.whyNotNow(consent, bank.clock.now())?.code ?? null;
  };

  test("B-180: after a contract is withdrawn, new consents are refused, and earlier consents can still be used", async () => {
    await grant();
    const agreement = await agree(bank, commercial());
    const { clientId } = bank.tpp;
    await withdrawVrpContract(bank.database, clientId, vrpContract.contractId, why());
    await expectRefusal(commercial(), ["U002", at("VRPType[0]")]);
    assert.equal((await pay(agreement)).status, 201);
    assert.equal(await whyNotNow(agreement.consentId), null);
  });

  test("V-196: the bank can end the consents of a contract: AUTH becomes CANC, tokens are 401, and no customer can authorise them again", async () => {
    await grant({ contractId: "ending" });
    await grant({ contractId: "staying", types: [scheme(1)] });
    const ending = await agree(bank, commercial());
    const staying = await agree(bank, commercial([scheme(1)], offSession));
    const waiting: string = (await expectConsent(commercial())).Data.ConsentId;
    const stopped = await agree(bank, commercial());
    await moveConsent(bank.database, stopped, usedWithinLimits, "revoke", [], why());
    const loaded = present(await loadConsent(bank.database, waiting), "the consent");
    const order: string = (await pay(ending)).body.Data.DomesticVRPId;
    const of = { clientId: bank.tpp.clientId, contractId: "ending" };
    bank.clock.set("2027-03-05T10:00:00Z");
    assert.equal(await endContractConsents(bank.database, of, why()), 1);
    assert.equal(await endContractConsents(bank.database, of, why()), 0);

    const { Data } = (await bank.get(`${consents}/${ending.consentId}`)).body;
    assert.deepEqual(
      [Data.Status, Data.StatusReason[0].StatusReasonCode, Data.StatusUpdateDateTime],
      ["CANC", "TKSP", "2027-03-05T10:00:00Z"],
    );
    assert.deepEqual(refused(await pay(ending)), [401, ["TKSP", "Authorization"]]);
    assert.equal((await bank.get(`/domestic-vrps/${order}`)).status, 200);
    for (const [consentId, status, after] of [
      [ending.consentId, "AUTH", "CANC"],
      [waiting, "AWAU", "AWAU"],
      [stopped.consentId, "CANC", "CANC"],
    ] as const) {
      const last = present((await listChanges(bank.database, consentId)).at(-1), "a change");
      assert.deepEqual(
        [last.cause, last.before?.status, last.before?.contractEnded, last.after.status],
        ["bank", status, undefined, after],
      );
      assert.equal(last.after.contractEnded, true);
      assert.equal(last.occurredAt.toString(), "2027-03-05T10:00:00Z");
    }
    const decision = { consentId: waiting, course: usedWithinLimits, debtor: null, loaded };
    assert.equal(
      await authoriseConsent(bank.database, {
        ...decision,
        customerId: "customer-ann",
        accountIds: [accounts.current],
        grantId: "late",
        evidence,
        now: bank.clock.now(),
      }),
      false,
      "a decision that was loaded before the contract ended",
    );
    assert.deepEqual(await verifyInvariants(bank.database, { hasOwnCore: true }), []);
    assert.equal((await bank.get(`${consents}/${waiting}`)).body.Data.Status, "AWAU");
    assert.deepEqual(
      [await whyNotNow(ending.consentId), await whyNotNow(waiting)],
      ["U042", "U042"],
    );
    assert.equal((await bank.get(`${consents}/${staying.consentId}`)).body.Data.Status, "AUTH");
    assert.equal(await whyNotNow(staying.consentId), null);
  });
});

test("B-188, CV-75: the bank counts the consents of a contract that lack each of the seven risk indicators", async () => {
  await grant({ contractId: "counted" });
  const risks = [
    {
      MerchantCustomerIdentification: "customer-1",
      ContractPresentIndicator: false,
      BeneficiaryPrepopulatedIndicator: true,
      CategoryPurposeCode: "SUPP",
    },
    { PaymentContextCode: "BillingGoodsAndServicesInArrears" },
    { PaymentContextCode: "TransferToThirdParty", PaymentPurposeCode: "ELEC" },
    { PaymentPurposeCode: "ELEC", MerchantCategoryCode: "4900" },
  ];
  for (const risk of risks) {
    await expectConsent(
      commercial([other], (body) => {
        body.Risk = risk;
      }),
    );
  }
  const of = { clientId: bank.tpp.clientId, contractId: "counted" };
  assert.deepEqual(await countContractConsents(bank.database, of), {
    consents: 4,
    without: {
      PaymentContextCode: 2,
      PaymentPurposeCode: 2,
      MerchantCategoryCode: 3,
      MerchantCustomerIdentification: 3,
      ContractPresentIndicator: 3,
      BeneficiaryPrepopulatedIndicator: 3,
      CategoryPurposeCode: 3,
    },
  });
});
