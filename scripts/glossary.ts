// A word names one thing: the glossary in docs/architecture.md and the names of types. tidy.ts runs
// this rule.
import { readFileSync } from "node:fs";
import type { Finding, SourceFile } from "./source-files.ts";

/** Folders of published versions, which have the published names of the same thing. */
const ofVersion = /^src\/standard\/[a-z]+-v\d\.\d\//;

/** The rows of the glossary: each term with what it means. */
export function readGlossary(page: string): { term: string; meaning: string }[] {
  const from = page.indexOf("## Glossary");
  const glossary = page.slice(from, page.indexOf("\n## ", from));
  return [...glossary.matchAll(/^\| ([^|]+) \| (.+) \|$/gm)]
    .map(([, term = "", meaning = ""]) => ({ term, meaning }))
    .filter(({ term }) => term !== "Word" && !term.startsWith("-"));
}

const asType = (term: string): string =>
  term
    .split(/[ -]/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("");

const architecture = new URL("../docs/architecture.md", import.meta.url);
const glossary = readGlossary(readFileSync(architecture, "utf8"));
/** The types that the glossary names, and those that are called like one of its terms. */
const reserved = new Set(
  glossary.flatMap(({ term, meaning }) => [
    asType(term),
    ...[...meaning.matchAll(/`([A-Z]\w+)`/g)].map(([, name = ""]) => name),
  ]),
);

/**
 * An exported type has a name of its own, and a type that is not exported is not called like a word
 * of the glossary: a reader would take it for the thing that the word names.
 */
export function checkTypeNames(files: readonly SourceFile[]): Finding[] {
  const first = new Map<string, string>();
  return files
    .filter(({ path }) => path.startsWith("src/"))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/^ *(export )?(?:type|class|interface) (\w+)(?= ?[=<{]| extends)/gm)]
        .filter(([, isExported]) => !isExported || !ofVersion.test(path))
        .flatMap(({ index, 1: isExported, 2: name = "" }) => {
          const line = text.slice(0, index).split("\n").length;
          if (!isExported) {
            if (!reserved.has(name)) return [];
            const message = `${name} is a word of the glossary: name what differs (docs/architecture.md)`;
            return [{ path, line, message }];
          }
          const other = first.get(name) ?? path;
          first.set(name, other);
          if (other === path) return [];
          return [{ path, line, message: `${name} is also a type of ${other}: name what differs` }];
        }),
    );
}
