import assert from "node:assert/strict";
import { test } from "node:test";
import { moveConsent } from "#src/consents/consent.ts";
import { setPaused } from "#src/consents/pause-consent.ts";
import { usedWithinLimits } from "#src/consents/states.ts";
import { byCustomer, listChanges } from "#src/history/change.ts";
import { inLimits } from "#src/payments/shapes/within-limits/within-limits.ts";
import { verifyInvariants } from "#src/server/health/verify-invariants.ts";
import type { ApiVersionId } from "#src/standard/api-version.ts";
import { draftWithinLimits } from "./drafts.ts";
import { type Agreement, inEachVersion } from "./vrp-bed.ts";

// The customer pauses the payments of a consent at the bank, and resumes them.

/** The code of a denial. v3.1 has none, so that it is in the bank's own namespace. */
const deniedBy: Partial<Record<ApiVersionId, string>> = {
  "pisp-v3.1": "GB.Aldgate.AccessDenied",
  "pisp-v4.0": "AG08",
};

inEachVersion((bed) => {
  const { consents, orders } = bed;
  const customer = () => byCustomer(bed.bank.clock.now());

  const set = (agreement: Agreement, isPaused: boolean): Promise<boolean> =>
    setPaused(bed.bank.database, agreement, isPaused, customer());

  const confirmFunds = async ({ consentId, token }: Agreement) =>
    bed.refused(
      await bed.bank.post(`${consents}/${consentId}/funds-confirmation`, {
        token,
        body: {
          Data: { ConsentId: consentId, InstructedAmount: { Amount: "1.00", Currency: "GBP" } },
        },
      }),
    );

  const read = async ({ consentId }: Agreement) =>
    (await bed.bank.get(`${consents}/${consentId}`)).body.Data;

  const denied = [403, [deniedBy[bed.id], "Data.ConsentId"]];

  test("CV-88: a paused consent accepts no payment and no funds confirmation until the customer resumes it, and nothing else changes", async () => {
    const agreement = await bed.agree();
    const { consentId, pay } = agreement;
    const first = await pay("2.00", { key: "before-the-pause" });
    assert.equal(first.status, 201);
    const before = await read(agreement);

    assert.equal(await set(agreement, true), true);
    assert.equal(await set(agreement, true), false, "it is paused already");
    const refusal = await pay("5.00");
    assert.deepEqual(bed.refused(refusal), denied);
    assert.match(
      refusal.body.Errors[0].Message,
      /The customer has paused the payments of this consent, which stays authorised\./,
    );
    assert.deepEqual(await confirmFunds(agreement), denied);
    assert.deepEqual(await read(agreement), before);
    const order = await bed.bank.get(`${orders}/${first.body.Data.DomesticVRPId}`);
    assert.equal(order.status, 200);
    const repeated = await pay("2.00", { key: "before-the-pause" });
    assert.equal(repeated.body.Data.DomesticVRPId, first.body.Data.DomesticVRPId);

    assert.equal(await set(agreement, false), true);
    assert.deepEqual(await read(agreement), before);
    assert.deepEqual(await confirmFunds(agreement), [201]);
    for (const amount of ["5.00", "5.00"]) {
      assert.equal((await pay(amount)).status, 201, "a refused payment counts towards no limit");
    }
    const changes = await listChanges(bed.bank.database, consentId);
    assert.deepEqual(
      changes.slice(-2).map(({ cause, after }) => [cause, after.status, after.paused]),
      [
        ["customer", "AUTH", true],
        ["customer", "AUTH", undefined],
      ],
    );
    assert.deepEqual(await verifyInvariants(bed.bank.database, { hasOwnCore: true }), []);
  });

  test("CV-88: the statement that creates an order does not create it if the consent was paused after it was read", async () => {
    const { consentId } = await bed.agree();
    const at = bed.bank.clock.now().toString();
    const given = { key: "just-before", amountMinor: 100n, limits: [], at };
    const order = await draftWithinLimits(bed.bank, consentId, given);
    await setPaused(bed.bank.database, { consentId }, true, customer());
    assert.deepEqual(await inLimits(order.course)(bed.bank.database, [order]), [
      { isCreated: false, exceeded: [] },
    ]);
  });

  test("CV-88: a paused consent can be deleted by its TPP and cancelled by the customer", async () => {
    const [deleted, cancelled] = [await bed.agree(), await bed.agree()];
    for (const each of [deleted, cancelled]) await set(each, true);
    assert.equal((await bed.bank.send("DELETE", `${consents}/${deleted.consentId}`)).status, 204);
    assert.equal(await set(deleted, false), false);
    const { database } = bed.bank;
    assert.ok(await moveConsent(database, cancelled, usedWithinLimits, "revoke", [], customer()));
    assert.deepEqual(bed.refused(await cancelled.pay("1.00")), bed.unauthorised("TKSP"));
  });
});
