// Checks that a reader can look up each section that code, tests and pages cite by its number:
// docs/sources.md lists the section with its title. Each section that it lists must be cited.
import type { Finding, SourceFile } from "./source-files.ts";
import {
  anyWord,
  formOf,
  numbersWith,
  readPublications,
  readSections,
  type Section,
  sourcesPage,
} from "./sources-page.ts";

// white space, or the start of the next line of a comment
const gap = "\\s+(?:(?:\\*|//|--)\\s+)?";
// the word may begin a sentence
const word = anyWord.replace(/\b[a-z]/g, (first) => `[${first.toUpperCase()}${first}]`);
const numbered = `(?:${word})${gap}${numbersWith(gap)}`;
// "section 3, section 7.1 and appendix A.2"
const list = `${numbered}(?:(?:,|,?${gap}and)${gap}${numbered})*`;

/** Returns the findings of the files, and of the page that lists the sections. */
export function checkSections(files: readonly SourceFile[], page: string): Finding[] {
  const publications = [...readPublications(page)]
    .filter(([, { sections }]) => sections.some((one) => formOf(one) !== undefined))
    .map(([name]) => name);
  const listed = readSections(page);
  const names = new Set(listed.map(({ name }) => name));
  const cited = new Set<string>();
  const citation = citationOf(publications);
  const findings = files.flatMap(({ path, text }) =>
    [...text.matchAll(citation)].flatMap(({ index, 1: publication, 2: sections = "" }) => {
      const messages: string[] = [];
      if (publication === undefined) {
        messages.push(
          `put the name of a publication that ${sourcesPage} lists before "${unwrapped(sections)}"`,
        );
      } else {
        for (const section of eachSection(unwrapped(sections))) {
          const name = `${unwrapped(publication)} ${section}`;
          cited.add(name);
          if (!names.has(name)) messages.push(unlisted(name));
        }
      }
      const line = text.slice(0, index).split("\n").length;
      return messages.map((message) => ({ path, line, message }));
    }),
  );
  return [...findings, ...listed.flatMap((one) => findFaults(one, listed, publications, cited))];
}

const unlisted = (name: string): string =>
  `${sourcesPage} does not list "${name}": correct the number, or list it with its title`;

// the gap between the words of a name may be the end of a line
function citationOf(publications: readonly string[]): RegExp {
  const names = publications.map((name) => name.split(" ").map(RegExp.escape).join(gap));
  const name = [`RFC${gap}\\d+`, ...names].join("|");
  return new RegExp(`\\b(?:(${name})${gap})?\\b(${list})`, "g");
}

const unwrapped = (text: string): string => text.replace(new RegExp(gap, "g"), " ");

const parts = new RegExp(`(${word}) (${numbersWith(" ")})`, "g");

/** Lists the sections of a citation: `sections 3.1 and 4` are `section 3.1` and `section 4`. */
const eachSection = (text: string): string[] =>
  [...text.matchAll(parts)].flatMap(([, found = "", numbers = ""]) => {
    const singular = found.toLowerCase().replace(/s$/, "");
    return numbersOf(numbers).map((one) => `${singular} ${one}`);
  });

/** Lists the numbers of `3.1 and 4`, or of `5(1)(b) to (d)` with the points between the two. */
function numbersOf(text: string): string[] {
  const numbers: string[] = [];
  for (const [, joint, token = ""] of ` and ${text}`.matchAll(/ (and|to) (\S+)/g)) {
    const last = numbers.at(-1) ?? "";
    const number = token.startsWith("(") ? last.replace(/\(\w\)$/, token) : token;
    if (joint === "to") numbers.push(...pointsBetween(last, number));
    numbers.push(number);
  }
  return numbers;
}

function pointsBetween(from: string, to: string): string[] {
  const [, stem, first, otherStem, last] =
    /^(.*)\((\w)\) (.*)\((\w)\)$/.exec(`${from} ${to}`) ?? [];
  if (!first || !last || stem !== otherStem) return [];
  const letters = "abcdefghijklmnopqrstuvwxyz";
  const between = letters.slice(letters.indexOf(first) + 1, letters.indexOf(last));
  return [...between].map((letter) => `${stem}(${letter})`);
}

function findFaults(
  { name, line, publication, title }: Section,
  listed: readonly Section[],
  publications: readonly string[],
  cited: ReadonlySet<string>,
): Finding[] {
  const faults = [
    cited.has(name) ? null : `nothing cites "${name}": delete the line, or correct its number`,
    publications.includes(publication) ? null : `the publication of "${name}" is not listed`,
    title === "" ? `"${name}" needs its published title` : null,
    listed.find((other) => other.name === name)?.line === line ? null : `"${name}" is listed twice`,
  ];
  return faults.flatMap((message) =>
    message === null ? [] : [{ path: sourcesPage, line, message }],
  );
}
