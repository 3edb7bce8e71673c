import assert from "node:assert/strict";
import { test } from "node:test";
import { meterPayments } from "#src/payments/limits/metering.ts";
import { clearContracts } from "#test/clients/stored-settings.ts";
import { commercial, grantTo, other, withoutPayee } from "./contract-bed.ts";
import { inEachVersion, payee, vrpConsent } from "./vrp-bed.ts";

// Contracts apply to consents and payments of every version.

inEachVersion((bed) => {
  test("V-007, V-009, V-102, B-183: under a contract, a payment that is not for sweeping names its payee and is metered", async () => {
    const { bank } = bed;
    await clearContracts(bank.database);
    const change = commercial([other], withoutPayee);
    assert.deepEqual(bed.refused(await bank.post(bed.consents, { body: vrpConsent(change) })), [
      400,
      ["U002", "Data.ControlParameters.VRPType[0]"],
      ["U004", "Data.Initiation.CreditorAccount"],
    ]);
    await grantTo(bank, { payeePerPayment: true });
    const agreement = await bed.agree(change);
    const pay = (VRPType: string) =>
      agreement.pay("3.00", {
        change({ Data }) {
          Data.VRPType = VRPType;
          Data.Instruction.CreditorAccount = payee;
        },
      });
    const refusal = await pay("UK.OBIE.VRPType.Sweeping");
    assert.deepEqual(bed.refused(refusal), [400, ["U014", "Data.VRPType"]]);
    const { status, body } = await pay(other);
    assert.equal(status, 201, JSON.stringify(body));
    assert.deepEqual(body.Data.Initiation, {});
    assert.deepEqual(body.Data.Instruction.CreditorAccount, payee);

    const now = bank.clock.now();
    const today = now.toZonedDateTimeISO("Europe/London").toPlainDate();
    const period = { from: today, until: today, asOf: now };
    const metered = await Array.fromAsync(meterPayments(bank.database, period));
    const { consentId } = agreement;
    assert.deepEqual(
      metered.filter((payment) => payment.consentId === consentId).map(({ orderId }) => orderId),
      [body.Data.DomesticVRPId],
    );
  });
});
