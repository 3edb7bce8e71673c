// Reads docs/sources.md: the publications, and the sections that comments and pages cite by number.

/** The page that lists the publications. */
export const sourcesPage = "docs/sources.md";

/** The form of the id of a rule or of a choice. */
export const id = "[A-Z]{1,2}-(?:\\d+-)?\\d+";
export const isId = new RegExp(`^${id}$`);

/** A publication: its line in docs/sources.md, and its sections as that page gives them. */
export type Publication = { line: number; sections: readonly string[] };

/** The number of a section: `3.1`, `B.2.1` or, with a point of an article, `4(3)(b)`. */
export const number = "(?:[A-Z]\\b|\\d+)(?:\\.\\d+)*(?:\\(\\w\\))*";
/** Matches several numbers, with `gap` around `and` and `to`: `3.1 and 4`, `5(1)(b) to (d)`. */
export const numbersWith = (gap: string): string =>
  `${number}(?:${gap}(?:and|to)${gap}(?:${number}|\\(\\w\\)))*`;

/** The words before the numbers of the sections that a publication may have. */
const words: Readonly<Record<string, string>> = {
  "by section": "sections?|appendix|annex",
  "by article": "articles?",
  "by criterion": "criterion",
};
/** Any word before the number of a section. */
export const anyWord = Object.values(words).join("|");

/**
 * Returns the pattern of citations for a form of sections, such as `by section`; undefined if the
 * publication lists the titles of its sections instead.
 */
export const formOf = (section: string): RegExp | undefined =>
  words[section] === undefined
    ? undefined
    : new RegExp(`^(?:${words[section]}) ${numbersWith(" ")}$`);

/** A row of a table: its line, from 1, and its cells. */
export type Row = { line: number; cells: readonly string[] };

/** The rows of the tables of a page, without their headings. */
export const rowsOf = (text: string): Row[] =>
  text.split("\n").flatMap((content, index, all) => {
    const isRow = content.startsWith("| ") && !all[index + 1]?.startsWith("| ---");
    if (!isRow || content.startsWith("| ---")) return [];
    return [{ line: index + 1, cells: content.slice(2, -2).split(" | ") }];
  });

const section = new RegExp(`^(.+) (?:${anyWord}) ${number}$`);

/** Reads the publications of docs/sources.md: name and sections, or number and title of an RFC. */
export function readPublications(page: string): Map<string, Publication> {
  const publications = new Map<string, Publication>();
  for (const { line, cells } of rowsOf(page)) {
    const [name = "", sections = ""] = cells;
    if (/^\d+$/.test(name)) publications.set(`RFC ${name}`, { line, sections: ["by section"] });
    else if (!isId.test(name) && !section.test(name)) {
      publications.set(name, { line, sections: sections.split("; ") });
    }
  }
  return publications;
}

/** A section that docs/sources.md lists: `RFC 8705 section 3.1`, with its publication and title. */
export type Section = { name: string; line: number; publication: string; title: string };

/** Reads the sections of docs/sources.md, in the order of the page. */
export const readSections = (page: string): Section[] =>
  rowsOf(page).flatMap(({ line, cells: [name = "", title = ""] }) => {
    const publication = section.exec(name)?.[1];
    return publication === undefined ? [] : [{ name, line, publication, title }];
  });
