import assert from "node:assert/strict";
import { test } from "node:test";
import type { Consent } from "#src/consents/consent.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { checkKind, isKindId, kindNamed, publishedKindIds } from "#src/standard/kind-id.ts";

const stored = (kind: string) => ({ consentId: "c-1", kind }) as Consent;

test("every published kind, and every added kind with its prefix, is accepted", () => {
  for (const kind of [...publishedKindIds, "x-allowance", "x-pocket-money"]) {
    assert.equal(checkKind<Consent>(stored(kind)).kind, kind);
  }
});

test("an unpublished kind without a prefix is refused with a list of the known kinds", () => {
  for (const kind of ["domestic-pigeon", "allowance", "x-", "x-Allowance", "", "toString"]) {
    assert.equal(isKindId(kind), false, kind);
    assert.throws(() => checkKind<Consent>(stored(kind)), {
      message:
        `The database names the kind "${kind}", which this release does not know. It knows ` +
        `${publishedKindIds.join(", ")}; kinds that a bank adds begin with x-. Start the release ` +
        "that stored this kind.",
    });
  }
});

test("a kind that the bank was opened without is refused with a list of its kinds", () => {
  const [first] = paymentKinds;
  assert.equal(kindNamed("domestic-payment", paymentKinds), first);
  assert.throws(() => kindNamed("x-allowance", paymentKinds.slice(0, 2)), {
    message:
      'The database names the kind "x-allowance", but the bank was opened without it (it has ' +
      "domestic-payment, domestic-scheduled-payment). Open the bank with this kind.",
  });
});
