import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { rules } from "#test/model/judge.ts";
import { ending } from "#test/simulation/simulation.ts";
import { replaceOnce } from "./copy-source.ts";
import { plantedFaults } from "./faults.ts";
import { foundTable, readFound, shownTable } from "./found.ts";

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

test("the page shows how planted faults were found, each by who is meant to find it", () => {
  const found = readFound();
  for (const [name, by] of Object.entries(found)) {
    const fault = plantedFaults.find((one) => one.name === name);
    for (const finder of Object.keys(by)) assert.ok(finder in (fault?.rules ?? {}), name);
  }
  assert.equal(shownTable(), foundTable(found));
});
