import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { prefix, type SuiteModule, suiteModules } from "./fapi-ciba-modules.ts";
import { Suite, type Variant } from "./fapi-ciba-suite.ts";

// The official FAPI-CIBA plan, played module by module with our own client, without the suite's
// waits. Each test does what a module does, with the checks that it makes.

// each has a customer of its own, as several plans at once would
const variants: [variant: Variant, modules: number, customer: string][] = [
  [{ auth: "private_key_jwt", mode: "poll" }, 35, "amara"],
  [{ auth: "mtls", mode: "poll" }, 33, "dev"],
  [{ auth: "private_key_jwt", mode: "ping" }, 40, "elin"],
  [{ auth: "mtls", mode: "ping" }, 38, "test_app"],
];

const nameOf = ({ name }: SuiteModule): string => [prefix, name].filter(Boolean).join("-");
const modulesOf = (variant: Variant): SuiteModule[] =>
  suiteModules.filter(({ only = {} }) =>
    Object.entries(only).every(([member, value]) => variant[member as keyof Variant] === value),
  );

let bank: TestBank;
const suites: Suite[] = [];
before(async () => {
  bank = await openBank();
  for (const [variant, , customer] of variants) {
    const suite = new Suite(bank, variant, customer);
    suites.push(suite);
    await suite.open();
  }
});
after(async () => {
  for (const suite of suites) suite.close();
  await bank?.close();
});

for (const [index, [variant, count]] of variants.entries()) {
  const title = `${variant.auth}, ${variant.mode}`;
  test(`the plan has ${count} modules (${title})`, () => {
    assert.equal(modulesOf(variant).length, count);
  });
  for (const module of modulesOf(variant)) {
    test(`CB-150, CB-151, CB-152, CB-153, CB-155: the bank does what ${nameOf(module)} expects (${title})`, () =>
      module.play(present(suites[index], "the suite")));
  }
}

test("the page on the official tools names every module", () => {
  const page = readFileSync(new URL("../../docs/official-tools.md", import.meta.url), "utf8");
  for (const module of suiteModules) {
    const name = nameOf(module);
    assert.ok(page.includes(`\`${name}\``), `${name} is on the page`);
  }
});
