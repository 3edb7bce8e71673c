import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import {
  type Citation,
  checkConformance,
  checkProject,
  findCitations,
  renderConformance,
} from "#scripts/conformance.ts";
import type { RuleSet } from "./rules.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

const rules: RuleSet[] = [
  {
    title: "A standard",
    rules: [
      { id: "P-001", summary: "one", inScope: true },
      { id: "P-002", summary: "two | pipes", inScope: true },
      { id: "P-003", summary: "three", inScope: "files only" },
    ],
  },
];
const citing = (text: string): Citation[] => findCitations({ path: "test/a.test.ts", text });
const proof = 'test("P-001, P-002: both hold", () => {});\n';
const faultsOf = (sets: RuleSet[], text: string, page?: string): string[] =>
  checkConformance(sets, citing(text), page ?? renderConformance(sets, citing(text)));

test("every rule in scope has a test, no title names an unknown rule, and the page is current", () => {
  assert.deepEqual(checkProject(root), []);
});

test("a table in which every rule has a test has no faults", () => {
  assert.deepEqual(faultsOf(rules, proof), []);
});

const titles: [title: string, text: string, ids: string[]][] = [
  ["a test's title", 'test("P-001: it holds", () => {', ["P-001"]],
  [
    "several ids of one title",
    'test("P-001, A-010, D-401-09: it holds"',
    ["P-001", "A-010", "D-401-09"],
  ],
  ["the title of a row", '  ["P-002: a row", 1],', ["P-002"]],
  ["two rows of one line", '["P-001: a", 1], ["P-002: b", 2]', ["P-001", "P-002"]],
  ["the start of a template", "test(`P-001: $" + "{name}`)", ["P-001"]],
  ["a title in single quotes", "test('P-001: says \"no\"')", ["P-001"]],
];
for (const [title, text, ids] of titles) {
  test(`a test is found in ${title}`, () => {
    assert.deepEqual(
      citing(text).flatMap((one) => one.ids),
      ids,
    );
  });
}

const claims: [title: string, text: string, claims: string[]][] = [
  [
    "a row's title is completed with the title of the test that runs the table",
    'const rows = [["P-001: a", [1]]];\ntest(`#{name} is refused`, () => {',
    ["a is refused"],
  ],
  [
    "a row without a fault is accepted, and one with a fault is refused",
    '["P-001: a", [1], null],\n["P-002: b", [null], "U002"],\n' +
      'test(`#{fact} is #{fault === null ? "accepted" : "refused"} (#{path})`, () => {',
    ["a is accepted", "b is refused"],
  ],
  [
    "a row whose test has only the row's title is its own claim",
    '["P-001: a is refused"]\ntest(title, () => {',
    ["a is refused"],
  ],
  [
    "a test's title is not completed",
    'test("P-001: a holds", f);\ntest(`#{name} is refused`, f);',
    ["a holds"],
  ],
  [
    "a value that a test varies is an ellipsis, or is left out in brackets at the end",
    "test(`P-001: #{row.path} holds`, f)\ntest(`P-001: it holds (#{kind}, #{id})`, f)",
    ["… holds", "it holds"],
  ],
];
for (const [title, text, expected] of claims) {
  test(title, () => {
    assert.deepEqual(
      citing(text.replaceAll("#{", "$" + "{")).map((one) => one.fact),
      expected,
    );
  });
}

const noProof: [title: string, text: string][] = [
  ["a range", 'test("P-001…P-002: both hold")'],
  ["a comment", '// test("P-001: it holds")'],
  ["a docstring", ' * "P-001: it holds"'],
  ["a text that names the id later", 'test("it holds: P-001: so")'],
  ["an id without a colon", 'test("P-001 holds")'],
  ["an id without a claim", '  ["P-001", false, []], ["P-002, A-010", true]'],
  ["a curve that is named like a rule", 'generate({ namedCurve: "P-256" })'],
  ["an id in another format", 'test("P-0011: it holds")'],
];
for (const [title, text] of noProof) {
  test(`${title} does not count as a test`, () => {
    assert.deepEqual(
      citing(text).flatMap((one) => one.ids),
      [],
    );
  });
}

test("a rule in scope without a test is a fault", () => {
  assert.deepEqual(faultsOf(rules, 'test("P-001: it holds")'), ["P-002 has no test: two | pipes"]);
});

test("a title that names an unknown rule is a fault, with its location", () => {
  assert.deepEqual(faultsOf(rules, `${proof}test("P-999: it holds")`), [
    "test/a.test.ts:2: P-999 is not a rule",
  ]);
});

test("a rule that is listed twice is a fault", () => {
  assert.deepEqual(
    faultsOf(
      [...rules, { title: "Another", rules: [{ id: "P-001", summary: "again", inScope: true }] }],
      proof,
    ),
    ["P-001 is listed twice among the rules"],
  );
});

test("a conformance page that does not match the tests is a fault", () => {
  const [fault, ...more] = faultsOf(rules, proof, "# Conformance\n");
  assert.match(fault ?? "", /docs\/conformance\.md does not match the tests/);
  assert.deepEqual(more, []);
});

test("the page names each rule's tests, and the reason why a rule is out of scope", () => {
  const page = renderConformance(rules, citing(proof));
  assert.match(page, /\| P-002 \| two \\\| pipes \| `test\/a\.test\.ts`: both hold \|/);
  assert.match(page, /\| P-003 \| three \| files only \|/);
});
