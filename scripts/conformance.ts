// Writes docs/conformance.md: the table of rules and of the tests that prove them.
//
// A test cites the rules that it proves at the start of its title, or of its row's title in a table
// of cases: ids separated by commas, then a colon ("P-067, P-066: …"). A range of ids does not
// count as proof, nor does anything in a comment. A row's title is completed with the title of the
// test that runs the table. Usage: npm run conformance -- [--check | --missing]. Without an option,
// the script writes the page.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Rule } from "#test/conformance/rule.ts";
import { type RuleSet, ruleSets } from "#test/conformance/rules.ts";

/** A test file as the scan reads it. */
export type TestFile = { path: string; text: string };

/** A title that cites rules: the rules that it proves, and ranges, which do not count as proof. */
export type Citation = {
  path: string;
  line: number;
  ids: string[];
  ranges: string[];
  fact: string;
};

const id = String.raw`(?:[PABCEFKRSV]-\d{3}|C[BV]-\d{2,3}|D-401-\d{2}|EV-\d{2})`;
const titlePattern = new RegExp(
  String.raw`(["'\`])(${id}(?:(?:, |…)${id})*): ((?:(?!\1)[^\\\n]|\\.)*)`,
  "g",
);
// The test that runs a table: its title is a row's title, alone or at the start of a template.
const tableTest = /\btest\(\s*(?:[a-z]\w*|`\$\{\w+\}((?:[^\\`$]|\$\{(?:[^`{}]|`[^`]*`)*\})*)`),/g;
const page = "docs/conformance.md";

/** Finds the titles of a test file that cite rules. */
export function findCitations({ path, text }: TestFile): Citation[] {
  return [...text.matchAll(titlePattern)].flatMap((match) => {
    const [whole, quote = "", cited = "", title = ""] = match;
    const before = text.slice(0, match.index);
    if (/^[ \t]*(\/\/|\/?\*)/.test(before.slice(before.lastIndexOf("\n") + 1))) return [];
    const parts = cited.split(", ");
    const after = text.slice(match.index + whole.length + 1);
    const claim = /\b(?:test|describe)\(\s*$/.test(before) ? title : title + restOfTitle(after);
    return {
      path,
      line: before.split("\n").length,
      ids: parts.filter((part) => !part.includes("…")),
      ranges: parts.filter((part) => part.includes("…")),
      fact: nameValues(claim.replaceAll(`\\${quote}`, quote)),
    };
  });
}

/** What the test that runs a row's table adds to the row's title. `after` is the text after it. */
function restOfTitle(after: string): string {
  const [test] = after.matchAll(tableTest);
  const accepted = /\bnull,?\s*$/.test(restOfRow(after));
  return (test?.[1] ?? "").replace(
    /\$\{\w+ === null \? "([^"]*)" : "([^"]*)"\}/g,
    (_, ifNull, otherwise) => (accepted ? ifNull : otherwise),
  );
}

/** The cells of a row after its title, up to the bracket that closes the row. */
function restOfRow(after: string): string {
  let depth = 0;
  for (const { 0: bracket, index } of after.matchAll(/[[\]]/g)) {
    depth += bracket === "[" ? 1 : -1;
    if (depth < 0) return after.slice(0, index);
  }
  return "";
}

/** Writes each value that the test varies as an ellipsis, or leaves it out at the end. */
const nameValues = (title: string): string =>
  title.replace(/ \((?:\$\{[^{}]*\}(?:, )?)+\)$/, "").replace(/\$\{[^{}]*\}/g, "…");

/** Lists the rules in scope that no title cites. */
export function findUnproven(sets: readonly RuleSet[], citations: readonly Citation[]): Rule[] {
  const proven = new Set(citations.flatMap(({ ids }) => ids));
  return sets.flatMap(({ rules }) =>
    rules.filter((rule) => rule.inScope === true && !proven.has(rule.id)),
  );
}

/** Lists everything that is wrong, one line each. `committed` is the text of the page. */
export function checkConformance(
  sets: readonly RuleSet[],
  citations: readonly Citation[],
  committed: string,
): string[] {
  const rules = sets.flatMap((set) => set.rules);
  const known = new Set(rules.map((rule) => rule.id));
  return [
    ...rules
      .filter((rule, index) => rules.findIndex((other) => other.id === rule.id) < index)
      .map((rule) => `${rule.id} is listed twice among the rules`),
    ...citations.flatMap(({ path, line, ids }) =>
      ids.filter((one) => !known.has(one)).map((one) => `${path}:${line}: ${one} is not a rule`),
    ),
    ...findUnproven(sets, citations).map((rule) => `${rule.id} has no test: ${rule.summary}`),
    ...(committed === renderConformance(sets, citations)
      ? []
      : [`${page} does not match the tests: run npm run conformance`]),
  ];
}

/** Renders the page as Markdown. */
export function renderConformance(
  sets: readonly RuleSet[],
  citations: readonly Citation[],
): string {
  const tests = new Map<string, string[]>();
  for (const { path, ids, fact } of citations) {
    for (const one of ids) {
      const line = `\`${path}\`: ${cell(fact)}`;
      tests.set(one, [...new Set([...(tests.get(one) ?? []), line])]);
    }
  }
  const lines = [
    "# Conformance",
    "",
    "This page lists every rule of the standard that applies to this bank, with its tests. The rules",
    "are in our own words, and so are their ids. If a rule says that something *is* a code, such as",
    "“an unknown currency is U002”, the bank refuses the request with this error code or HTTP status.",
    "*Basic* and *Detail* are the two levels of a permission: `ReadAccountsBasic`, for example, shows",
    "fewer members than `ReadAccountsDetail`. A *kind* is a payment type of the standard, such as",
    "domestic scheduled payments. A *SET* (security event token) is the signed form of an event.",
    "",
    "The last column has the title of each test, after the file that contains it. If a title contains",
    "“…”, the test tries several values in this place.",
    "",
    "`npm run conformance` writes this page. The tests fail if a rule in scope has no test.",
    "[Official test tools](official-tools.md) gives the results of the tools that Open Banking Limited",
    "and the OpenID Foundation publish.",
    ...sets.flatMap((set) => renderSet(set, tests)),
    "",
  ];
  return lines.join("\n");
}

function renderSet({ title, rules }: RuleSet, tests: Map<string, string[]>): string[] {
  const row = (...cells: string[]): string => `| ${cells.join(" | ")} |`;
  const inScope = rules.filter((rule) => rule.inScope === true);
  const rest = rules.filter((rule) => rule.inScope !== true);
  return [
    "",
    `## ${title}`,
    "",
    row("Rule", "Requirement", "Tests"),
    "| --- | --- | --- |",
    ...inScope.map((rule) =>
      row(rule.id, cell(rule.summary), (tests.get(rule.id) ?? ["nothing yet"]).join("<br>")),
    ),
    "",
    "Out of scope:",
    "",
    row("Rule", "Requirement", "Reason"),
    "| --- | --- | --- |",
    ...rest.map((rule) => row(rule.id, cell(rule.summary), cell(String(rule.inScope)))),
  ];
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("<", "&lt;");

/** Reads the project's test files, except the test of this script, whose titles are examples. */
export function readTestFiles(root: string): TestFile[] {
  return globSync("test/**/*.test.ts", { cwd: root })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => !path.startsWith("test/conformance/"))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

/** Lists what is wrong with the project's own page. */
export function checkProject(root: string): string[] {
  const citations = readTestFiles(root).flatMap(findCitations);
  return checkConformance(ruleSets, citations, readPage(root));
}

function readPage(root: string): string {
  try {
    return readFileSync(join(root, page), "utf8");
  } catch {
    return ""; // the page is missing, which counts as a difference
  }
}

/** Lists the rules without a test, with the titles that cite them only in a range. */
function listMissing(citations: readonly Citation[]): string[] {
  return findUnproven(ruleSets, citations).map((rule) => {
    const near = citations.filter(({ ranges }) => ranges.some((range) => covers(range, rule.id)));
    const where = near.map(({ path, line }) => `${path}:${line}`).join(", ");
    return `${rule.id}  ${rule.summary}${where && `  [in a range only: ${where}]`}`;
  });
}

function covers(range: string, one: string): boolean {
  const [from = "", to = ""] = range.split("…");
  return one.slice(0, 2) === from.slice(0, 2) && from <= one && one <= to;
}

function main(option: string | undefined): number {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  if (option === "--check") {
    const faults = checkProject(root);
    for (const fault of faults) console.error(fault);
    return faults.length === 0 ? 0 : 1;
  }
  const citations = readTestFiles(root).flatMap(findCitations);
  if (option === "--missing") console.log(listMissing(citations).join("\n"));
  else writeFileSync(join(root, page), renderConformance(ruleSets, citations));
  return 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main(process.argv[2]);
