// Checks that a reader can look up each `Source:` of a comment: it names a rule of
// docs/conformance.md, or a choice, a publication and its section, a schema or a decision, as
// docs/sources.md explains. Each publication and section that docs/sources.md lists must be cited.
// sections.ts checks the numbers of sections, also outside a `Source:`. Run by `npm run check`.
// test/tidy/sources.test.ts and test/tidy/sections.test.ts have a failing case for each rule.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkSections } from "./sections.ts";
import { type Finding, readSourceFiles, report, root, type SourceFile } from "./source-files.ts";
import {
  formOf,
  id,
  isId,
  type Publication,
  readPublications,
  rowsOf,
  sourcesPage,
} from "./sources-page.ts";

/** Everything that a source may name. */
export type Known = {
  /** Ids of rules and choices: `P-013`, `D-401-16`, `PC-02`. */
  ids: ReadonlySet<string>;
  /** Publications by name: `PISP profile`, `RFC 8705`. */
  publications: ReadonlyMap<string, Publication>;
  /** Names of published schemas and code sets, and the paths of the published APIs. */
  published: ReadonlySet<string>;
  /** Numbers of decision records: `0011`. */
  decisions: ReadonlySet<string>;
};

/** The problem of a citation, or the entries of docs/sources.md that it uses. */
type Reading = { problem: string } | { uses: readonly string[]; within: string | null };

const idItem = new RegExp(`^(${id})(?:(?:…| to )(${id}))?$`);
const component = /^(?:OB|External)\w+$/;
const bySchemaOrPath = "by schema or path";
const isForm = (section: string): boolean =>
  formOf(section) !== undefined || section === bySchemaOrPath;

/** Returns the findings of the files, and of the page that lists the publications. */
export function checkSources(files: readonly SourceFile[], known: Known): Finding[] {
  const used = new Set<string>();
  const findings: Finding[] = [];
  for (const { path, text } of files) {
    for (const { index } of text.matchAll(/\bSource:\s/g)) {
      const line = text.slice(0, index).split("\n").length;
      for (const reading of readItems(readSource(text, index + "Source:".length), known)) {
        if ("problem" in reading) findings.push({ path, line, message: reading.problem });
        else for (const one of reading.uses) used.add(one);
      }
    }
  }
  return [...findings, ...findUnused(known, used)];
}

/** Returns the text of a source, up to the end of its sentence or comment. */
function readSource(text: string, from: number): string {
  const paragraph = text.slice(from, from + 600).split(/\n\s*(?:\*|\/\/|--)?[ \t]*\n/, 1)[0] ?? "";
  const unwrapped = paragraph.replace(/\n\s*(\*(?!\/)|\/\/|--)\s?/g, " ");
  return (
    unwrapped
      .split(/\*\/|\n|\.\s+[A-Z`]|\.\s*$/, 1)[0]
      ?.trim()
      .replace(/\.$/, "") ?? ""
  );
}

// "P-013, A-004; RFC 8705 section 3: an explanation"
function readItems(source: string, known: Known): Reading[] {
  return source.split(/;\s*/).flatMap((part) => {
    const cited = part.split(/:\s/, 1)[0] ?? "";
    let within: string | null = null;
    return cited.split(/, (?:and )?| and (?=[A-Z]{1,2}-\d)/).map((item, index, all) => {
      const reading = read(item, all[index + 1], within, known);
      within = "within" in reading ? reading.within : null;
      return reading;
    });
  });
}

function read(
  item: string,
  next: string | undefined,
  within: string | null,
  known: Known,
): Reading {
  if (within !== null && isSectionOf(within, item, known)) {
    return { uses: [`${within}, ${item}`], within };
  }
  const elsewhere = { uses: [], within: null };
  const unknown = { problem: `"${item}" is neither in docs/conformance.md nor in ${sourcesPage}` };
  const ids = idItem.exec(item);
  if (ids) {
    return [ids[1], ids[2] ?? ids[1]].every((one) => known.ids.has(one ?? ""))
      ? elsewhere
      : unknown;
  }
  const decision = /^decision (\d{4})$/.exec(item)?.[1];
  if (decision !== undefined) return known.decisions.has(decision) ? elsewhere : unknown;
  if (component.test(item)) return known.published.has(item) ? elsewhere : unknown;
  return readPublication(item, next, known) ?? unknown;
}

// "RFC 8705 section 3", or "PISP profile" before its section
function readPublication(item: string, next: string | undefined, known: Known): Reading | null {
  for (const name of known.publications.keys()) {
    if (item === name) {
      return next !== undefined && isSectionOf(name, next, known)
        ? { uses: [name], within: name }
        : { problem: `"${name}" needs a section that ${sourcesPage} allows` };
    }
    if (!item.startsWith(`${name} `)) continue;
    const section = item.slice(name.length + 1);
    return isSectionOf(name, section, known)
      ? { uses: [name, `${name}, ${section}`], within: name }
      : { problem: `"${section}" is not a section of ${name} that ${sourcesPage} allows` };
  }
  return null;
}

function isSectionOf(name: string, section: string, known: Known): boolean {
  const sections = known.publications.get(name)?.sections ?? [];
  return sections.some((one) => {
    if (one === bySchemaOrPath) return known.published.has(section);
    return formOf(one)?.test(section) ?? one === section;
  });
}

function findUnused({ publications }: Known, used: ReadonlySet<string>): Finding[] {
  return [...publications].flatMap(([name, { line, sections }]) =>
    [name, ...sections.filter((one) => !isForm(one)).map((one) => `${name}, ${one}`)]
      .filter((one) => !used.has(one))
      .map((one) => ({ path: sourcesPage, line, message: `no "Source:" cites "${one}"` })),
  );
}

// some schemas are published in variants, such as OBCashAccount5_0 and OBCashAccount5_1
const withoutVariant = (name: string): string => name.replace(/_(\d+|SimpleType)$/, "");

/** Reads everything that a source may name from the pages and the published facts. */
export function readKnown(root: string): Known {
  const text = (path: string): string => readFileSync(join(root, path), "utf8");
  const sources = text(sourcesPage);
  const ids = [...rowsOf(text("docs/conformance.md")), ...rowsOf(sources)]
    .map(({ cells }) => cells[0] ?? "")
    .filter((cell) => isId.test(cell));
  const folder = "test/standard/published";
  const facts = readdirSync(join(root, folder)).map((file) => text(`${folder}/${file}`));
  return {
    ids: new Set(ids),
    publications: readPublications(sources),
    published: new Set(
      facts.flatMap((one) => [
        ...(one.match(/\b(?:OB|External)\w+/g) ?? []).map(withoutVariant),
        ...Object.keys((JSON.parse(one) as { paths?: object }).paths ?? {}),
      ]),
    ),
    decisions: new Set(
      readdirSync(join(root, "docs/decisions")).map((file) => file.slice(0, "0000".length)),
    ),
  };
}

function main(): number {
  const code = ["src/*.ts", "test/*.ts", "bench/*.ts", "migrations/*.sql"];
  const ignored = [sourcesPage, "test/tidy/sources.test.ts", "test/tidy/sections.test.ts"];
  const files = readSourceFiles(...code, "*.md", "docs/*.md").filter(
    ({ path }) => !ignored.includes(path),
  );
  const comments = files.filter(({ path }) => !path.endsWith(".md"));
  const page = readFileSync(join(root, sourcesPage), "utf8");
  const findings = [...checkSources(comments, readKnown(root)), ...checkSections(files, page)];
  return report("sources", files.length, findings);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main();
