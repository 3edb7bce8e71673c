import assert from "node:assert/strict";
import { test } from "node:test";
import { checkSources, type Known } from "#scripts/sources.ts";

const known: Known = {
  ids: new Set("P-013, A-040, A-048, D-401-16, PC-02".split(", ")),
  publications: ["PISP profile", "RFC", "SCA-RTS"],
  components: new Set(["OBReadTransaction6", "ExternalPurpose1Code"]),
  decisions: new Set(["0011"]),
};

const messagesOf = (text: string): string[] =>
  checkSources({ path: "src/a.ts", text }, known).map(({ line, message }) => `${line}: ${message}`);

const sound = [
  "/** A. Source: P-013. */",
  "// Source: P-013, A-040…A-048 and D-401-16",
  "/** A. Source: PC-02; PISP profile, Identifier Fields. */",
  "/**\n * A. Source: PISP profile,\n * Identifier Fields, P-013.\n */",
  "// Source: RFC 8705 section 3, section 7.1",
  "// Source: OBReadTransaction6, A-040",
  "// Source: decision 0011",
  "// Source: https://example.org/page as far as known",
  "// Source: SCA-RTS article 4(3)(d): five minutes. Another sentence follows.",
];

for (const text of sound) {
  test(`the source check accepts ${JSON.stringify(text)}`, () => {
    assert.deepEqual(messagesOf(text), []);
  });
}

const bad: [text: string, item: string, line: number][] = [
  ["// Source: P-999", "P-999", 1],
  ["// Source: A-040…A-999", "A-040…A-999", 1],
  ["\n/** A. Source: somebody said so. */", "somebody said so", 2],
  ["// Source: section 1.2", "section 1.2", 1],
  ["// Source: OBNothing1", "OBNothing1", 1],
  ["// Source: decision 9999", "decision 9999", 1],
  ["// Source: P-013, somewhere", "somewhere", 1],
  ["/**\n * A. Source: P-013,\n * X-001.\n */", "X-001", 2],
];

for (const [text, item, line] of bad) {
  test(`the source check refuses ${JSON.stringify(text)}`, () => {
    const message = `"${item}" is neither in docs/conformance.md nor in docs/sources.md`;
    assert.deepEqual(messagesOf(text), [`${line}: ${message}`]);
  });
}
