import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { brokenHistories } from "./broken-histories.ts";
import { correctHistories } from "./correct-histories.ts";
import { describe as inWords, judge, rules } from "./judge.ts";
import { Scene } from "./scene.ts";

const findings = (write: (scene: Scene) => Scene): string[] =>
  judge(write(new Scene()).calls).map(inWords);

describe("each broken history breaks its own rule and no other", () => {
  for (const { rule, name, write } of brokenHistories) {
    test(`${rule}: ${name}`, () => {
      const found = judge(write(new Scene()).calls);
      const text = found.map(inWords).join("\n");
      assert.deepEqual([...new Set(found.map((one) => one.rule))], [rule], text);
    });
  }
});

test("every rule has a broken history, and no two rules have one claim", () => {
  const claims = rules.map(({ claim }) => claim);
  assert.deepEqual([...new Set(brokenHistories.map(({ rule }) => rule))].sort(), claims.sort());
});

describe("what a correct bank may answer is no finding", () => {
  for (const { name, write } of correctHistories) {
    test(name, () => assert.deepEqual(findings(write), []));
  }
});

test("a finding names its rule and the lines of the history that show it", () => {
  const [finding = ""] = findings((scene) => scene.approved("c1").order("c1").kept());
  assert.match(
    finding,
    /^order of c1 was acknowledged and is lost \(broken: an acknowledged order/,
  );
  assert.match(finding, /\n {4}lines 3, .* tpp: order .*"consentId":"c1"/);
});
