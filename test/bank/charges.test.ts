import assert from "node:assert/strict";
import { test } from "node:test";
import { guardBank } from "#src/bank/guarded-bank.ts";
import type { Bank, BankCharge } from "#src/bank/port.ts";
import { Unavailable } from "#src/lib/unavailable.ts";
import { paperBank } from "#test/auth/paper-bank.ts";

const options = {
  callsAtOnce: 10,
  failures: 5,
  retryMs: 1000,
  deadlinesMs: {
    identify: 1000,
    read: 1000,
    document: 1000,
    quote: 1000,
    execute: 1000,
    tell: 1000,
  },
  log: { error() {}, warn() {} },
};

const payment: Parameters<Bank["chargesOf"]>[0] = {
  kind: "domestic-payment",
  localInstrument: null,
  network: null,
  chargeBearer: null,
  isUrgent: false,
  amount: { amountMinor: 1000n, currency: "GBP" },
};

const chargesOf = (...amounts: unknown[]): BankCharge[] => {
  const charge = { chargeBearer: "BorneByDebtor", type: "GB.Second.CHAPS" };
  const charges = amounts.map((amount) => ({ ...charge, amount })) as BankCharge[];
  return guardBank({ ...paperBank, chargesOf: () => charges }, options).bank.chargesOf(payment);
};

test("the amounts of a core's charges are in minor units, not negative, and in one currency", () => {
  const pounds = { amountMinor: 350n, currency: "GBP" };
  assert.deepEqual(
    chargesOf(pounds, { ...pounds, amountMinor: 0n }).map(({ amount }) => amount.amountMinor),
    [350n, 0n],
  );
  for (const wrong of [
    [{ ...pounds, amountMinor: -1n }],
    [{ ...pounds, amountMinor: 350 }],
    [{ amount: "3.50", currency: "GBP" }],
    [pounds, { ...pounds, currency: "EUR" }],
    [undefined],
  ]) {
    assert.throws(() => chargesOf(...wrong), Unavailable);
  }
});
