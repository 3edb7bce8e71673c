import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createDraw } from "#test/attacks/fuzz/draw.ts";
import { describe as inWords, judge } from "./judge.ts";
import { randomHistory } from "./random-history.ts";
import { plantedFaults } from "./reference-bank.ts";

const seeds = Array.from({ length: 40 }, (_, seed) => seed);

test("random concurrent histories of a correct bank break no rule", () => {
  let orders = 0;
  for (const seed of seeds) {
    const calls = randomHistory(createDraw(seed));
    orders += calls.filter(({ operation }) => operation === "order").length;
    assert.deepEqual(judge(calls).map(inWords), [], `seed ${seed}`);
  }
  assert.ok(orders > 1000, `${orders} orders`);
});

/** The rules that find a fault. Some faults also break others, as a lost order has no status. */
const foundBy: Record<(typeof plantedFaults)[number], string> = {
  "limits are read before the order is written": "no period's payments exceed its limit",
  "keys are not stored": "a key stands for one order",
  "consents are not used up": "a consent to one payment has one order",
  "revocations are not checked by reads": "nothing is read after a revocation",
  "revocations are not checked by orders": "nothing is ordered after a revocation",
  "codes are exchanged again": "a code is exchanged once",
  "orders are acknowledged and not stored": "an acknowledged order is kept",
  "payments are made again": "money leaves once for a payment",
  "payments get a drawn id": "only orders move money",
  "statuses go back": "the status of an order only moves forward",
  "events are lost": "each status of an order that was seen has an event",
  "events overtake each other": "the events of a resource arrive in order",
  "events return after they were settled": "a settled event does not return",
  "balances are rounded": "a balance is the sum of its entries",
};

describe("a fault that is planted in a bank is found in its random histories", () => {
  for (const fault of plantedFaults) {
    test(fault, () => {
      const found = seeds
        .slice(0, 5)
        .flatMap((seed) => judge(randomHistory(createDraw(seed), fault)));
      const broken = new Set(found.map(({ rule }) => rule));
      assert.ok(broken.has(foundBy[fault]), [...broken].join(", "));
    });
  }
});
