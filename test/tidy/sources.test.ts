import assert from "node:assert/strict";
import { test } from "node:test";
import { checkSources, type Known } from "#scripts/sources.ts";
import { readPublications } from "#scripts/sources-page.ts";

const page = `# Sources

| Name | Sections | Where |
| --- | --- | --- |
| PISP profile | Identifier Fields; OBCharge2 | a page |
| PISP OpenAPI file | by schema or path | a file |
| SCA-RTS | by article | a law |
| ISO 4217 | list one | a list |

| RFC | Title |
| --- | --- |
| 8705 | Mutual TLS |

| Section | Title |
| --- | --- |
| RFC 8705 section 3 | a title |

| Choice | Question |
| --- | --- |
| PC-02 | What happens? |
`;

const known: Known = {
  ids: new Set("P-013, A-040, A-048, D-401-16, EV-10, PC-02".split(", ")),
  publications: readPublications(page),
  published: new Set(["OBReadTransaction6", "ExternalPurpose1Code", "/domestic-payments"]),
  decisions: new Set(["0011"]),
};

/** The findings of a text about its own sources, not about the page. */
const messagesOf = (text: string): string[] =>
  checkSources([{ path: "src/a.ts", text }], known)
    .filter(({ path }) => path === "src/a.ts")
    .map(({ line, message }) => `${line}: ${message}`);

const sound = [
  "/** A. Source: P-013. */",
  "// Source: P-013, A-040…A-048 and D-401-16",
  "// Source: A-040 to A-048 and EV-10",
  "/** A. Source: PC-02; PISP profile, Identifier Fields. */",
  "/**\n * A. Source: PISP profile,\n * Identifier Fields, OBCharge2, P-013.\n */",
  "// Source: RFC 8705 section 3, section 7.1, appendix A.2, P-013",
  "// Source: RFC 8705 sections 3.1 and 7.1",
  "// Source: OBReadTransaction6, A-040",
  "// Source: OBReadTransaction6: of v3.1",
  "// Source: PISP OpenAPI file, /domestic-payments, OBReadTransaction6",
  "// Source: decision 0011",
  "// Source: ISO 4217, list one: as of January 2026, with two more",
  "// Source: SCA-RTS article 4(3)(d): five minutes. Another sentence follows.",
  "// Source: SCA-RTS articles 5(1)(b) to (d)",
  "/**\n * A. Source: SCA-RTS article 5.\n *\n * Another paragraph follows.\n */",
];

for (const text of sound) {
  test(`the source check accepts ${JSON.stringify(text)}`, () => {
    assert.deepEqual(messagesOf(text), []);
  });
}

const unlisted = (item: string): string =>
  `"${item}" is neither in docs/conformance.md nor in docs/sources.md`;
const without = (name: string): string => `"${name}" needs a section that docs/sources.md allows`;
const noSection = (section: string, name: string): string =>
  `"${section}" is not a section of ${name} that docs/sources.md allows`;

const bad: [text: string, line: number, ...messages: string[]][] = [
  ["// Source: P-999", 1, unlisted("P-999")],
  ["// Source: P-013 somewhere", 1, unlisted("P-013 somewhere")],
  ["// Source: A-040…A-999", 1, unlisted("A-040…A-999")],
  ["\n/** A. Source: somebody said so. */", 2, unlisted("somebody said so")],
  ["// Source: section 1.2", 1, unlisted("section 1.2")],
  ["// Source: OBNothing1", 1, unlisted("OBNothing1")],
  ["// Source: OBReadTransaction6 of v7", 1, unlisted("OBReadTransaction6 of v7")],
  ["// Source: decision 9999", 1, unlisted("decision 9999")],
  ["// Source: P-013, somewhere", 1, unlisted("somewhere")],
  ["/**\n * A. Source: P-013,\n * X-001.\n */", 2, unlisted("X-001")],
  ["// Source: https://example.org/page", 1, unlisted("https://example.org/page")],
  ["// Source: RFC 99999 section 1", 1, unlisted("RFC 99999 section 1")],
  ["// Source: ISO 99", 1, unlisted("ISO 99")],
  ["// Source: JARM section 2.3", 1, unlisted("JARM section 2.3")],
  ["// Source: RFC 8705", 1, without("RFC 8705")],
  ["// Source: RFC 8705, P-013", 1, without("RFC 8705")],
  ["// Source: RFC 8705: the bound token", 1, without("RFC 8705")],
  ["// Source: RFC 8705 article 3", 1, noSection("article 3", "RFC 8705")],
  ["// Source: RFC 8705 section three", 1, noSection("section three", "RFC 8705")],
  ["// Source: RFC 8705 section 3, somewhere", 1, unlisted("somewhere")],
  ["// Source: PISP profile", 1, without("PISP profile")],
  ["// Source: PISP OpenAPI file", 1, without("PISP OpenAPI file")],
  [
    "// Source: PISP profile, Nonsense section 77",
    1,
    without("PISP profile"),
    unlisted("Nonsense section 77"),
  ],
  ["// Source: PISP profile, Identifier Fields, Nonsense", 1, unlisted("Nonsense")],
  ["// Source: PISP OpenAPI file, /nothing", 1, without("PISP OpenAPI file"), unlisted("/nothing")],
  ["// Source: ISO 4217, P-013, list one", 1, without("ISO 4217"), unlisted("list one")],
];

for (const [text, line, ...messages] of bad) {
  test(`the source check refuses ${JSON.stringify(text)}`, () => {
    assert.deepEqual(
      messagesOf(text),
      messages.map((message) => `${line}: ${message}`),
    );
  });
}

test("the source check refuses a listed publication or section that is not cited", () => {
  const text =
    "// Source: PISP profile, OBCharge2; PISP OpenAPI file, /domestic-payments; ISO 4217, list one";
  assert.deepEqual(checkSources([{ path: "src/a.ts", text }], known), [
    {
      path: "docs/sources.md",
      line: 5,
      message: 'no "Source:" cites "PISP profile, Identifier Fields"',
    },
    { path: "docs/sources.md", line: 7, message: 'no "Source:" cites "SCA-RTS"' },
    { path: "docs/sources.md", line: 12, message: 'no "Source:" cites "RFC 8705"' },
  ]);
});
