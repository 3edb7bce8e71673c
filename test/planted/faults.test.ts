import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { rules } from "#test/model/judge.ts";
import { ending } from "#test/simulation/simulation.ts";
import { replaceOnce } from "./copy-source.ts";
import { plantedFaults } from "./faults.ts";
import { foundTable, readFound, table } from "./found.ts";

// `npm run soak -- planted` plants these faults in a copy of the source and looks for them.

const claims: ReadonlySet<string> = new Set([ending, ...rules.map(({ claim }) => claim)]);
const schema = readFileSync(new URL("../../docs/schema.sql", import.meta.url), "utf8");

/** Returns the text of a function of the database. */
function functionNamed(name: string): string {
  const start = schema.indexOf(`FUNCTION public.${name}(`);
  return start < 0 ? "" : schema.slice(start, schema.indexOf("$function$;", start));
}

describe("each planted fault replaces a text that its file contains once, and names a rule", () => {
  for (const { name, patches, rules } of plantedFaults) {
    test(name, () => {
      assert.ok(Object.keys(rules).length > 0, "somebody must find it");
      for (const rule of Object.values(rules)) assert.ok(claims.has(rule), rule);
      for (const patch of patches) {
        // a statement that cannot run fails the soak
        if ("statement" in patch) continue;
        const text =
          "file" in patch
            ? readFileSync(new URL(`../../${patch.file}`, import.meta.url), "utf8")
            : functionNamed(patch.function);
        assert.notEqual(replaceOnce(text, patch.find, patch.replace), null, patch.find);
      }
    });
  }
});

/** Rules for which no fault is planted, and why. Each has broken histories. */
const notPlanted: Record<string, string> = {
  "a balance is the sum of its entries": "the attacks read no balances; random histories show it",
  "a page shows what was delivered before it": "only reads of standbys can break it",
  "a revoked token opens nothing": "the TPP of the attacks revokes no tokens",
  "a token is issued before it opens anything": "the TPP of the attacks invents no tokens",
  "an event is about a resource of its client": "the attacks have one TPP",
  "an order follows its customer's approval": "without an approval, their TPP has no token",
  "an order has a consent that its own client lodged": "the attacks have one TPP",
  "an order has a payment of its own": "nothing but an order stores a payment",
  "every kept order was sent, once for each key": "nothing but a request stores an order",
  "no page is older than one that was shown before": "only reads of standbys can break it",
  "nothing is read before an approval": "without an approval, the TPP has no token",
  "the status of an order only moves forward": "the kept history shows it first",
};

test("each rule has a planted fault, or a reason why not", () => {
  const named = new Set(plantedFaults.flatMap(({ rules }) => Object.values(rules)));
  const left = rules.map(({ claim }) => claim).filter((claim) => !named.has(claim));
  assert.deepEqual(left.sort(), Object.keys(notPlanted));
});

test("the page shows how planted faults were found, each by who is meant to find it", () => {
  const found = readFound();
  for (const [name, by] of Object.entries(found)) {
    const fault = plantedFaults.find((one) => one.name === name);
    for (const finder of Object.keys(by)) assert.ok(finder in (fault?.rules ?? {}), name);
  }
  assert.equal(table.shown(), foundTable(found));
});
