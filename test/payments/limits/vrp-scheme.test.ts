import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import type { VrpContract } from "#src/clients/vrp-contracts.ts";
import { sql } from "#src/storage/sql.ts";
import type { Json } from "#test/payments/answer-check.ts";
import { openPayments, type PaymentsFixture } from "#test/payments/fixture.ts";
import {
  type Change,
  commercial,
  grantTo,
  refused,
  scheme,
  withoutInteraction,
} from "./contract-bed.ts";
import { agree, consents, vrpConsent } from "./vrp-bed.ts";

// Consents and payments of the commercial scheme.

const at = (member: string) => `Data.ControlParameters.${member}`;

let bank: PaymentsFixture;
before(async () => {
  bank = await openPayments();
});
after(() => bank?.close());
beforeEach(async () => {
  bank.clock.set("2027-03-01T10:00:00Z");
  await bank.database.query(sql`update client_setting set vrp_contracts = '[]'`);
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
