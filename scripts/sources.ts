// Checks that each `Source:` in a comment names something that a reader can look up: a rule of
// docs/conformance.md, or a choice or publication of docs/sources.md. Run by `npm run check`.
// test/tidy/sources.test.ts has a case for each rule that must fail.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Finding, readSourceFiles, report, root, type SourceFile } from "./source-files.ts";

/** Everything that a source may name. */
export type Known = {
  /** Ids of rules and choices: `P-013`, `D-401-16`, `PC-02`. */
  ids: ReadonlySet<string>;
  /** Names of publications: `PISP profile`, `RFC`. */
  publications: readonly string[];
  /** Names of published schemas and code sets. */
  components: ReadonlySet<string>;
  /** Numbers of decision records: `0011`. */
  decisions: ReadonlySet<string>;
};

const id = "[A-Z]{1,2}-(?:\\d+-)?\\d+";
const idItem = new RegExp(`^(${id})(?:(?:…| to )(${id}))?(?= |:|$)`);
const component = /^(?:OB|External)\w+/;

/** Returns the findings of one file: the sources that a reader cannot look up. */
export function checkSources({ path, text }: SourceFile, known: Known): Finding[] {
  const findings: Finding[] = [];
  for (const { index } of text.matchAll(/\bSource:\s/g)) {
    const line = text.slice(0, index).split("\n").length;
    for (const item of unknownItems(readSource(text, index + "Source:".length), known)) {
      const message = `"${item}" is neither in docs/conformance.md nor in docs/sources.md`;
      findings.push({ path, line, message });
    }
  }
  return findings;
}

/** Returns the text of a source, up to the end of its sentence or comment. */
function readSource(text: string, from: number): string {
  const unwrapped = text.slice(from, from + 600).replace(/\n\s*(\*(?!\/)|\/\/|--)\s?/g, " ");
  return (
    unwrapped
      .split(/\*\/|\n|\.\s+[A-Z`]|\.\s*$/, 1)[0]
      ?.trim()
      .replace(/\.$/, "") ?? ""
  );
}

function unknownItems(source: string, known: Known): string[] {
  const unknown: string[] = [];
  for (const part of source.split(/;\s*/)) {
    let inPublication = false;
    for (const item of part.split(/, (?:and )?| and (?=[A-Z]-\d)/)) {
      const kind = judge(item, known);
      if (kind === "publication") inPublication = true;
      else if (kind === "unknown" && !inPublication) unknown.push(item);
    }
  }
  return unknown;
}

function judge(item: string, known: Known): "id" | "publication" | "unknown" {
  const ids = idItem.exec(item);
  if (ids)
    return [ids[1], ids[2] ?? ids[1]].every((one) => known.ids.has(one ?? "")) ? "id" : "unknown";
  const decision = /^decisions? (\d{4})/.exec(item)?.[1];
  if (decision !== undefined) return known.decisions.has(decision) ? "publication" : "unknown";
  const name = component.exec(item)?.[0];
  if (name !== undefined) return known.components.has(name) ? "publication" : "unknown";
  if (/^https:\/\/\S+/.test(item)) return "publication";
  return known.publications.some((one) => item.startsWith(one)) ? "publication" : "unknown";
}

// some schemas are published in variants, such as OBCashAccount5_0 and OBCashAccount5_1
const withoutVariant = (name: string): string => name.replace(/_(\d+|SimpleType)$/, "");

/** Reads everything that a source may name from the pages and the published facts. */
export function readKnown(root: string): Known {
  const read = (path: string): string => readFileSync(join(root, path), "utf8");
  const sources = read("docs/sources.md");
  const firstCells = (text: string): string[] =>
    [...text.matchAll(/^\| ([^|]+?) \|/gm)].map(([, cell]) => cell ?? "");
  const ids = [...firstCells(read("docs/conformance.md")), ...firstCells(sources)].filter((cell) =>
    new RegExp(`^${id}$`).test(cell),
  );
  const published = "test/standard/published";
  const facts = readdirSync(join(root, published)).map((file) => read(`${published}/${file}`));
  return {
    ids: new Set(ids),
    publications: firstCells(sources).filter(
      (cell) => /^[\w/ .-]+$/.test(cell) && !ids.includes(cell),
    ),
    components: new Set(
      facts.flatMap((text) => (text.match(/\b(?:OB|External)\w+/g) ?? []).map(withoutVariant)),
    ),
    decisions: new Set(
      readdirSync(join(root, "docs/decisions")).map((file) => file.slice(0, "0000".length)),
    ),
  };
}

function main(): number {
  const files = readSourceFiles("src/**/*.ts", "test/**/*.ts", "bench/**/*.ts", "migrations/*.sql");
  const checked = files.filter(({ path }) => path !== "test/tidy/sources.test.ts");
  const known = readKnown(root);
  return report(
    "sources",
    checked.length,
    checked.flatMap((file) => checkSources(file, known)),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main();
