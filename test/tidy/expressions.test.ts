import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { test } from "node:test";
import { checkExpressions, type ExpressionException } from "#scripts/expressions.ts";
import { readExpressions, recordExpressions } from "#scripts/find-expressions.ts";
import { createProver } from "#scripts/prove-linear.ts";
import { root } from "#scripts/source-files.ts";

const prover = createProver();
const path = "src/http/a.ts";
const check = (text: string, allowed: ExpressionException[] = []): string[] => {
  const { literals } = readExpressions({ path, text });
  return checkExpressions(literals, [], prover, allowed).map(
    ({ line, message }) => `${line}: ${message.slice(0, message.indexOf(" ("))}`,
  );
};

const linear = [
  "const trimmed = text.trim();",
  String.raw`/^\d+\.\d+$/.test(text);`,
  String.raw`text.replace(/\s+/g, " ");`,
  '/"[^"]*"/g.exec(text);',
];

for (const text of linear) {
  test(`the check of expressions passes ${text}`, () => assert.deepEqual(check(text), []));
}

// the first two have stopped a process: of an amount, and of a distinguished name
const bad: [text: string, expression: string][] = [
  [String.raw`text.replace(/\.?0+$/, "");`, String.raw`/\.?0+$/`],
  [String.raw`text.replace(/^\s+|(?<!\\)\s+$/g, "");`, String.raw`/^\s+|(?<!\\)\s+$/g`],
  ["/^(a+)+$/.test(text);", "/^(a+)+$/"],
  ["/b(?:b*c)?/.test(text);", "/b(?:b*c)?/"],
  ["/a(?=.*b)/.test(text);", "/a(?=.*b)/"],
];

for (const [text, expression] of bad) {
  test(`the check of expressions finds ${text}`, () => {
    assert.deepEqual(check(`\n${text}`), [`2: ${expression} is not proved to be linear`]);
  });
}

const exception = { path, code: "/^(a+)+$/", reason: "a test", bound: "10 characters" };

test("an exception allows an expression, and is a finding if its expression is gone", () => {
  assert.deepEqual(check("/^(a+)+$/.test(text);", [exception]), []);
  const unused = checkExpressions([], [], prover, [exception]).map(({ message }) => message);
  assert.deepEqual(unused, ["/^(a+)+$/ needs no exception: remove it"]);
});

test("expressions that a module makes are found as it makes them, and others are findings", async () => {
  const folder = mkdtempSync(join(tmpdir(), "aldgate-expressions-"));
  const text = `// in bytes: é
const part: string = "0+";
export const trim = new RegExp(\`\${part}$\`, "g");
export const schema = { pattern: \`^\${part}\` };
export const later = () => RegExp(part);
`;
  const file = { path: relative(root, join(folder, "made.ts")), text };
  writeFileSync(join(folder, "made.ts"), text);
  const { literals, makings } = readExpressions(file);
  assert.deepEqual(literals, []);
  const recorded = await recordExpressions([{ file, makings }], async () => {
    await import(join(folder, "made.ts"));
  });
  rmSync(folder, { recursive: true });
  const made = [...recorded.values()].flat();
  assert.deepEqual(
    made.map(({ line, source, flags }) => `${line}: /${source}/${flags}`),
    ["3: /0+$/g", "4: /^0+/u"],
  );
  const unseen = makings.filter((making) => !recorded.has(making));
  const findings = checkExpressions(made, unseen, prover, []);
  assert.deepEqual(
    findings.map(({ line }) => line),
    [3, 5],
  );
});
