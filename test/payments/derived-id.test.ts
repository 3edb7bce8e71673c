import assert from "node:assert/strict";
import { test } from "node:test";
import { derivedId, type Origin } from "#src/payments/order/payment-order.ts";
import { requestFingerprint } from "#src/payments/request/match.ts";

// A core knows payments for ever. A version that derives other ids would pay again what an earlier
// version has paid, if the database is restored from a backup of the earlier version.
const consentId = "dpc-00000000000000000000000000";
const operation = "POST /api/open-banking/v4.0/pisp/domestic-vrps";
const request = { of: "request", consentId, operation, key: "key-1", fingerprint: "abc" } as const;
const ids: [string, Origin, string][] = [
  ["pay", { of: "consent", consentId }, "pay-p4pacyjbbfwqme3j441effmeh4"],
  ["dp", { of: "consent", consentId }, "dp-8r3x41mwkvpsgn5rndfatnvpq8"],
  ["pay", { ...request, earlier: 0 }, "pay-6p81jz7ve8qj2qkea6x6v0nwh0"],
  ["pay", { ...request, earlier: 1 }, "pay-4xvnh0zbvgagt872p8hdvqmnwh"],
  [
    "pay",
    { of: "payment", paymentId: "pay-00000000000000000000000000" },
    "pay-6fryqkgx88hnzmh6j4da4djnr9",
  ],
  ["pay", { of: "file", consentId, line: 1 }, "pay-p91bq538gw5h4878zvbt73ybgy"],
];

test("the ids of orders and payments never change: each has the value of version 0.2.0", () => {
  for (const [prefix, origin, id] of ids) {
    assert.equal(derivedId(prefix, origin), id, JSON.stringify(origin));
  }
});

test("an id has the form that every id has: a prefix and 26 characters of base 32", () => {
  for (const [prefix, origin] of ids) {
    const id = derivedId(prefix, origin);
    assert.ok(id.startsWith(`${prefix}-`));
    assert.match(id.slice(prefix.length + 1), /^[0-9a-hjkmnp-tv-z]{26}$/);
  }
});

test("ids of different origins differ, also if a text moves from one member to the next", () => {
  const others: Origin[] = [
    { ...request, key: "key-", fingerprint: "1abc", earlier: 0 },
    { ...request, earlier: 10 },
    { of: "file", consentId, line: 11 },
    { of: "payment", paymentId: consentId },
  ];
  const all = [...ids.map(([, origin]) => origin), ...others].map((origin) =>
    derivedId("pay", origin),
  );
  // two of the origins are the same, with two prefixes
  assert.equal(new Set(all).size, all.length - 1);
});

test("the fingerprint of a request, from which ids follow, never changes", () => {
  const body = {
    Risk: { PaymentContextCode: "TransferToSelf" },
    Data: {
      ConsentId: consentId,
      Instruction: {
        InstructedAmount: { Currency: "GBP", Amount: "10.50" },
        RequestedExecutionDateTime: "2027-03-09T01:00:00+01:00",
        SupplementaryData: { Amount: "0.000", list: [1, "Ünïcode", null, true] },
      },
    },
  };
  assert.equal(requestFingerprint(body), "x1h8FZuaVUtT9u80M7a1_w6md2_QpMyGxJg8UjtNKPE");
});
