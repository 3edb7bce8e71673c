import assert from "node:assert/strict";
import { test } from "node:test";
import type { TSchema } from "typebox";
import { formatIn } from "#src/payments/definitions/payment-kind.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { explanationCodes, refusalCodes } from "#src/standard/error-codes.ts";
import { kindNamed } from "#src/standard/kind-id.ts";
import { permissions } from "#src/standard/shared/accounts/account-access-consent.ts";
import { currencyCodes } from "#src/standard/shared/currency-codes.ts";
import { findEventType } from "#src/standard/shared/events/event-types.ts";
import { everyStatus } from "#src/standard/shared/payments/statuses.ts";
import { categoryPurposeCodes, purposeCodes } from "#src/standard/shared/purpose-codes.ts";
import { loadCodeSets } from "./published.ts";

test("code sets have the published codes, each once", () => {
  const iso = loadCodeSets("iso-external-codeset.json");
  const openBanking = loadCodeSets("ob-internal-codeset.json");
  const sets: [ours: readonly string[], published: readonly string[] | undefined][] = [
    [permissions, openBanking.OBInternalPermissions1Code],
    // the published OpenAPI files list CRYP, the published CSV does not
    [purposeCodes, [...(iso.ExternalPurpose1Code ?? []), "CRYP"]],
    [categoryPurposeCodes, iso.ExternalCategoryPurpose1Code],
    [everyStatus, openBanking.ExternalPaymentTransactionStatus1Code],
  ];
  for (const [ours, published = []] of sets) {
    assert.deepEqual([...ours].sort(), [...published].sort());
    assert(published.length > 10);
  }
});

test("every error code is in the published set", () => {
  const published = loadCodeSets("ob-internal-codeset.json").OBExternalStatusReason1Code ?? [];
  for (const code of Object.keys({ ...refusalCodes, ...explanationCodes }))
    assert(published.includes(code), code);
});

test("EV-26: every published event type can be named in a subscription", () => {
  const published = loadCodeSets("ob-internal-codeset.json").OBEventType1Code ?? [];
  assert(published.length > 0);
  for (const code of published) assert(findEventType(code), code);
});

test("P-078: currencies are the current ISO 4217 codes", () => {
  for (const code of ["GBP", "EUR", "USD", "JPY", "ZWG", "XCG", "SLE"]) {
    assert(currencyCodes.has(code), code);
  }
  for (const code of ["ZZZ", "HRK", "BGN", "DEM", "XDR", "XAU", "XTS", "gbp", ""]) {
    assert(!currencyCodes.has(code), code);
  }
  for (const code of currencyCodes) assert.match(code, /^[A-Z]{3}$/);
});

const enumOf = (schema: TSchema): string[] => {
  const { properties } = schema as unknown as {
    properties: { Data: { properties: { Status: { enum: string[] } } } };
  };
  return properties.Data.properties.Status.enum;
};

test("the statuses that a kind emits are in the published schema of its orders", () => {
  const kinds = [
    ["domestic-payment", "exact"],
    ["domestic-scheduled-payment", "exact"],
    // the page of standing orders lists only eight of the statuses in the schema. Source: D-401-51
    ["domestic-standing-order", "some"],
    ["international-standing-order", "some"],
  ] as const;
  for (const [id, extent] of kinds) {
    const { schemas, statuses } = formatIn(kindNamed(id, paymentKinds), "pisp-v4.0");
    const published = enumOf(schemas.orderResponse);
    assert(
      statuses.order.every((status) => published.includes(status)),
      id,
    );
    assert(
      statuses.details.every((status) => everyStatus.includes(status)),
      id,
    );
    if (extent === "exact") assert.deepEqual(new Set(statuses.order), new Set(published));
  }
});
