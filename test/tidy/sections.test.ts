import assert from "node:assert/strict";
import { test } from "node:test";
import { checkSections } from "#scripts/sections.ts";

const page = `# Sources

| Name | Sections | Where |
| --- | --- | --- |
| PISP profile | Identifier Fields | a page |
| FAPI 2.0 Security Profile | by section | a page |
| SCA-RTS | by article | a law |
| WCAG 2.2 | by criterion | a page |

| RFC | Title |
| --- | --- |
| 8705 | Mutual TLS |

| Section | Title |
| --- | --- |
| FAPI 2.0 Security Profile section 5.3.2.1 | General requirements |
| SCA-RTS article 4(3)(b) | Authentication code |
| SCA-RTS article 5(1)(b) | Dynamic linking |
| SCA-RTS article 5(1)(c) | Dynamic linking |
| SCA-RTS article 5(1)(d) | Dynamic linking |
| WCAG 2.2 criterion 2.2.1 | Timing Adjustable |
| RFC 8705 section 3.1 | JWT Certificate Thumbprint Confirmation Method |
| RFC 8705 section 4 | Public Clients and Certificate-Bound Tokens |
| RFC 8705 appendix A | Example "cnf" Claim, Certificate and JWK |
`;

/** Returns the findings in a text, without those about docs/sources.md itself. */
const messagesOf = (text: string): string[] =>
  checkSections([{ path: "src/a.ts", text }], page)
    .filter(({ path }) => path === "src/a.ts")
    .map(({ line, message }) => `${line}: ${message}`);

const sound = [
  "// Source: RFC 8705 section 3.1",
  "// Source: P-013; RFC 8705 section 3.1, P-014: the bound token",
  "// Source: RFC 8705 sections 3.1 and 4",
  "// Source: RFC 8705 section 3.1, section 4 and appendix A",
  "The token is bound (RFC 8705 section 3.1). It is short.",
  "A line of a page ends here (RFC\n8705 section\n3.1 and appendix A).",
  "/**\n * Source: FAPI 2.0\n * Security Profile section 5.3.2.1.\n */",
  "-- RFC 8705 sections 3.1\n-- and 4",
  "// Source: SCA-RTS article 4(3)(b): five attempts",
  "// Source: SCA-RTS articles 5(1)(b) to (d)",
  "// Source: SCA-RTS articles 4(3)(b) and 5(1)(c) and (d)",
  "// Source: WCAG 2.2 criterion 2.2.1.",
  "// RFC 8705 binds tokens. A section of the page shows an article.",
];

for (const text of sound) {
  test(`the check of sections accepts ${JSON.stringify(text)}`, () => {
    assert.deepEqual(messagesOf(text), []);
  });
}

const unlisted = (name: string): string =>
  `docs/sources.md does not list "${name}": correct the number, or list it with its title`;
const nameless = (section: string): string =>
  `put the name of a publication that docs/sources.md lists before "${section}"`;

const bad: [text: string, line: number, ...messages: string[]][] = [
  ["// Source: RFC 8705 section 77", 1, unlisted("RFC 8705 section 77")],
  ["// Source: RFC 8705 section 3", 1, unlisted("RFC 8705 section 3")],
  ["// Source: RFC 8705 section 3.1.1", 1, unlisted("RFC 8705 section 3.1.1")],
  ["// Source: RFC 8705 article 4", 1, unlisted("RFC 8705 article 4")],
  ["// Source: RFC 8705 appendix B", 1, unlisted("RFC 8705 appendix B")],
  ["// Source: RFC 99999 section 1", 1, unlisted("RFC 99999 section 1")],
  ["\n// Source: RFC 8705 sections 3.1 and 77", 2, unlisted("RFC 8705 section 77")],
  [
    "// Source: RFC 8705 sections 77 and 78",
    1,
    unlisted("RFC 8705 section 77"),
    unlisted("RFC 8705 section 78"),
  ],
  ["// Source: RFC 8705 section 4, section 77", 1, unlisted("RFC 8705 section 77")],
  ["// Source: RFC 8705 sections 4 to 77", 1, unlisted("RFC 8705 section 77")],
  ["a page (RFC\n8705 section 77)", 1, unlisted("RFC 8705 section 77")],
  ["// Source: SCA-RTS article 4(9)(z)", 1, unlisted("SCA-RTS article 4(9)(z)")],
  ["// Source: SCA-RTS article 4", 1, unlisted("SCA-RTS article 4")],
  ["// Source: SCA-RTS articles 5(1)(a) to (c)", 1, unlisted("SCA-RTS article 5(1)(a)")],
  ["// Source: SCA-RTS articles 5(1)(b) to (e)", 1, unlisted("SCA-RTS article 5(1)(e)")],
  ["// Source: WCAG 2.2 criterion 9.9.9", 1, unlisted("WCAG 2.2 criterion 9.9.9")],
  ["// section 1.2 of some digest", 1, nameless("section 1.2")],
  ["// Source: PISP profile, Nonsense section 77", 1, nameless("section 77")],
  ["// It is bound. Section 7.1: it still works.", 1, nameless("Section 7.1")],
];

for (const [text, line, ...messages] of bad) {
  test(`the check of sections refuses ${JSON.stringify(text)}`, () => {
    assert.deepEqual(
      messagesOf(text),
      messages.map((message) => `${line}: ${message}`),
    );
  });
}

/** The findings about a page whose last table has these rows. */
const aboutRows = (...rows: string[]): string[] => {
  const [head = ""] = page.split("| FAPI 2.0 Security Profile section");
  const text = "Source: RFC 8705 section 3.1 and RFC 99 section 1";
  return checkSections([{ path: "docs/a.md", text }], `${head}${rows.join("\n")}\n`)
    .filter(({ path }) => path === "docs/sources.md")
    .map(({ line, message }) => `${line}: ${message}`);
};

test("the check of sections refuses a listed section that nothing cites", () => {
  assert.deepEqual(aboutRows("| RFC 8705 section 3.1 | A |", "| RFC 8705 section 4 | B |"), [
    '17: nothing cites "RFC 8705 section 4": delete the line, or correct its number',
  ]);
});

test("the check of sections refuses a section whose publication is not listed", () => {
  assert.deepEqual(aboutRows("| RFC 99 section 1 | A |"), [
    '16: the publication of "RFC 99 section 1" is not listed',
  ]);
});

test("the check of sections refuses a section without a title, and one that is listed twice", () => {
  assert.deepEqual(aboutRows("| RFC 8705 section 3.1 |  |", "| RFC 8705 section 3.1 | A |"), [
    '16: "RFC 8705 section 3.1" needs its published title',
    '17: "RFC 8705 section 3.1" is listed twice',
  ]);
});
