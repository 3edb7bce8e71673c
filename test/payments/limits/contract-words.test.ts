import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { loadConfig } from "#src/config/config.ts";
import { loadConsent } from "#src/consents/consent.ts";
import { present } from "#src/lib/assert.ts";
import { paymentConsentKinds } from "#src/payments/consent/journey-kinds.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { openPayments, type PaymentsFixture } from "#test/payments/fixture.ts";
import {
  authenticated,
  byTpp,
  type Change,
  commercial,
  grantTo,
  other,
  withoutPayee,
} from "./contract-bed.ts";
import { byBank, consents, sweeping, vrpConsent } from "./vrp-bed.ts";

let bank: PaymentsFixture;
before(async () => {
  bank = await openPayments();
});
after(() => bank?.close());

describe("the words for the customer", () => {
  const summaryOf = async (change: Change) => {
    const answer = await bank.post(consents, { body: vrpConsent(change) });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    const { ConsentId } = answer.body.Data;
    const consent = present(await loadConsent(bank.database, ConsentId), "the consent");
    const kinds = paymentConsentKinds(paymentKinds, { bank: bank.bank, config: loadConfig({}) });
    const kind = present(
      kinds.find(({ id }) => id === "domestic-vrp"),
      "the kind",
    );
    const summary = kind.summarise(consent, bank.clock.now());
    assert(summary.type === "payment");
    const rows = Object.fromEntries(summary.rows.map(({ label, value }) => [label, value]));
    return { ...summary, rows };
  };

  test("B-187: the page says in plain words what the payments are for", async () => {
    await grantTo(bank, { purpose: "subscriptions" });
    assert.equal((await summaryOf(commercial())).rows.For, "Paying for subscriptions");
    assert.equal(
      (await summaryOf(commercial([other, sweeping]))).rows.For,
      "Paying for subscriptions. Moving money between your own accounts (sweeping)",
    );
    const plain = await summaryOf(() => undefined);
    assert.equal(plain.rows.For, "Moving money between your own accounts (sweeping)");
  });

  test("V-052: the page says that each payment names its payee", async () => {
    await grantTo(bank, { payeePerPayment: true });
    const { payeeName, payeeAccount, notes } = await summaryOf(commercial([other], withoutPayee));
    assert.deepEqual([payeeName, payeeAccount], ["Named with each payment", "Any UK account"]);
    assert.ok(notes.some((note) => note.includes("It may pay any UK account.")));
  });

  test("V-052: the page says whether the TPP asks the customer to confirm payments", async () => {
    await grantTo(bank, { tppAuthenticates: true });
    const always = await summaryOf(commercial([other], authenticated));
    assert.equal(always.rows.How, "The app or website asks you to confirm each payment");
    assert.ok(always.notes[0]?.includes("made each time you confirm one in the app or website."));
    const sometimes = await summaryOf(
      commercial([other], ({ Data }) => {
        Data.ControlParameters.PSUAuthenticationMethods = [byTpp, byBank];
      }),
    );
    assert.equal(
      sometimes.rows.How,
      "The app or website asks you to confirm some payments, but not all",
    );
    const { notes } = await summaryOf(commercial());
    assert.ok(notes[0]?.includes("made without asking you again."));
  });
});
