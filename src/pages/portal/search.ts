import { allBlocks, allProperties, type Block, type PortalPage } from "./blocks.ts";
import { plainInline } from "./inline.ts";
import { placesOf } from "./synonyms.ts";

/** Something that a search can find: a page, a part of one, a property or a code. */
export type SearchEntry = {
  title: string;
  url: string;
  about: string;
  /** Where it is, if it may be the same thing as an entry of another page. */
  where?: string;
  /** What is the same for the entries of one thing, such as a property of many resources. */
  group?: string;
  /** What the section of a guide says. A result shows only the words around the first match. */
  text?: string;
  /** How much a match counts. */
  weight: number;
};

/** What a search found, with the other places of the same thing. */
export type SearchResult = SearchEntry & { also: readonly { title: string; url: string }[] };

// who asks in words wants to read about it; an interface of the sandbox alone is rarely meant
const weights = { guide: 1.2, page: 1, row: 0.8, property: 0.5 };
const sandboxWeight = 0.4;

/** What can be found on these pages. */
export function searchEntries(pages: readonly PortalPage[]): SearchEntry[] {
  return pages.flatMap((page) => {
    const { path, title, part, about } = page;
    const where = `${title} · ${part}`;
    const isGuide = path.startsWith("/docs/guides/");
    const factor = path.startsWith("/docs/api/sandbox-") ? sandboxWeight : 1;
    const weight = factor * (isGuide ? weights.guide : weights.page);
    const ofRow = path === "/docs/errors" ? weights.row : weights.property;
    const ofProperty = factor * weights.property;
    let section: SearchEntry = {
      title,
      url: path,
      about: `${part} · ${plainInline(about)}`,
      weight,
    };
    const entries: SearchEntry[] = [section];
    for (const block of allBlocks(page.blocks())) {
      if (isGuide) section.text = [section.text ?? "", ...textsOf(block)].join(" ").trimStart();
      if (block.is === "heading" && block.level < 4) {
        const url = `${path}#${block.id}`;
        section = { title: plainInline(block.text), url, about: where, weight };
        entries.push(section);
      } else if (block.is === "properties") {
        for (const { property, fullName } of allProperties(block.rows)) {
          const sentence = plainInline(property.about);
          const words = [where, sentence].filter((text) => text !== "");
          const url = `${path}#${property.id}`;
          const group = `${fullName}\n${sentence}`;
          const about = words.join(" · ");
          entries.push({ title: fullName, url, about, where, group, weight: ofProperty });
        }
      } else if (block.is === "table") {
        const rows = anchoredRows(block.rows, path, where);
        entries.push(...rows.map((row) => ({ ...row, weight: ofRow })));
      }
    }
    return entries;
  });
}

/** The texts of a block itself, without those of the blocks in it. */
function textsOf(block: Block): string[] {
  if (block.is === "text" || block.is === "lead") return [plainInline(block.text)];
  if (block.is === "code") return [block.text.replaceAll(/\s+/g, " ")];
  if (block.is === "fold") return [block.title];
  if (block.is !== "table") return [];
  return [block.head, ...block.rows].flat().map((cell) => plainInline(cell));
}

function anchoredRows(
  rows: readonly (readonly string[])[],
  path: string,
  where: string,
): Omit<SearchEntry, "weight">[] {
  return rows.flatMap(([first = "", ...rest]) => {
    const found = /^\{#([\w.-]+)\}(.*)$/s.exec(first);
    if (!found) return [];
    const about = `${where} · ${plainInline(rest.join(" · "))}`;
    return [{ title: plainInline(found[2] ?? ""), url: `${path}#${found[1]}`, about }];
  });
}

const mostResults = 40;

// without what makes it a question; otherwise "how do I sign" finds only what has all four words
const stopWords = new Set(
  (
    "a an and are at be by can could do does for from get how i if in is it me my of on or our " +
    "should that the their there this to use we what when where which who why will with you your"
  ).split(" "),
);

/** The words that must be found: the singular of each, and none that only makes it a question. */
function wordsOf(query: string): string[] {
  const all = query
    .toLowerCase()
    .split(/[\s?!,;]+/)
    .filter((word) => word !== "");
  const telling = all.filter((word) => !stopWords.has(word));
  return (telling.length > 0 ? telling : all).map(singular);
}

const singular = (word: string): string => (/[^aiosu]s$/.test(word) ? word.slice(0, -1) : word);

/**
 * What has every word of a query, the best first, and a thing of many pages once. Before them stand
 * the pages about what the query calls by another name.
 */
export function search(entries: readonly SearchEntry[], query: string): SearchResult[] {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  const places = placesOf(query);
  const meant = places.flatMap((place) => entries.filter(({ url }) => url === place));
  const found = entries
    .filter(({ url }) => !places.includes(url))
    .map((entry, place) => ({ entry, place, rank: rankOf(entry, words, query) }))
    .filter(({ rank }) => rank > 0)
    .sort((a, b) => b.rank - a.rank || a.place - b.place)
    .map(({ entry }) => entry);
  return grouped([...meant, ...found])
    .slice(0, mostResults)
    .map((result) => withExcerpt(result, words, query.toLowerCase()));
}

/**
 * A query that found nothing, with the nearest known word in place of each unknown one; null if
 * there is none. `edits` counts the letters in which two words differ, or is infinite.
 */
export function suggestion(
  entries: readonly SearchEntry[],
  query: string,
  edits: (word: string, known: string) => number,
): string | null {
  const counts = new Map<string, number>();
  for (const part of entries.flatMap(({ title }) => partsOf(title))) {
    counts.set(part, (counts.get(part) ?? 0) + 1);
  }
  const all = entries.map(({ title, about, text = "" }) => `${title}\n${about}\n${text}`);
  const known = all.join("\n").toLowerCase();
  const isKnown = (word: string): boolean => stopWords.has(word) || known.includes(singular(word));
  const words = query.toLowerCase().split(/\s+/);
  const mended = words.map((word) => {
    if (word.length < shortestMended || isKnown(word)) return word;
    const [best] = [...counts]
      .filter(([other]) => other.length >= shortestMended)
      .map(([other, count]) => ({ other, count, differ: edits(word, other) }))
      .filter(({ differ }) => differ < Infinity)
      .sort((a, b) => a.differ - b.differ || b.count - a.count);
    return best?.other ?? word;
  });
  const suggested = mended.join(" ");
  return suggested === words.join(" ") || search(entries, suggested).length === 0
    ? null
    : suggested;
}

const shortestMended = 4;

const excerptBefore = 60;
const excerptAfter = 120;

const longestAbout = 200;

const shortened = (text: string): string =>
  text.length <= longestAbout ? text : `${text.slice(0, text.lastIndexOf(" ", longestAbout))} …`;

/** Shows where a section has what neither its title nor its place says. */
function withExcerpt(
  { text, ...result }: SearchResult,
  words: readonly string[],
  query: string,
): SearchResult {
  const about = shortened(result.about);
  const shown = `${result.title} ${about}`.toLowerCase();
  const missing = words.find((word) => !shown.includes(word));
  if (text === undefined || missing === undefined) return { ...result, about };
  const low = text.toLowerCase();
  if (!low.includes(missing)) return { ...result, about };
  const at = low.includes(query) ? low.indexOf(query) : low.indexOf(missing);
  const from = at <= excerptBefore ? 0 : text.indexOf(" ", at - excerptBefore) + 1;
  const end = text.lastIndexOf(" ", at + excerptAfter);
  const to = at + excerptAfter >= text.length || end <= at ? at + excerptAfter : end;
  // a long word, such as a token, may have no space before the match
  const excerpt = text.slice(Math.min(from, at), to);
  const more = to < text.length ? " …" : "";
  return { ...result, about: `${about} · ${from > 0 ? "… " : ""}${excerpt}${more}` };
}

/** One result for each thing, at its best place. */
function grouped(entries: readonly SearchEntry[]): SearchResult[] {
  const results = new Map<string, SearchEntry[]>();
  for (const entry of entries) {
    const key = entry.group ?? entry.url;
    results.set(key, [...(results.get(key) ?? []), entry]);
  }
  return [...results.values()].flatMap(([first, ...others]) =>
    first ? [{ ...first, also: others.map(({ where = "", url }) => ({ title: where, url })) }] : [],
  );
}

/**
 * How well an entry fits: 0 if a word is missing. A property counts by its own name. A query that
 * is written as a property is, with a dot or a capital inside, means one.
 */
function rankOf(
  { title, about, text = "", weight, group }: SearchEntry,
  words: readonly string[],
  query: string,
): number {
  const name = title.toLowerCase();
  const rest = about.toLowerCase();
  const said = text.toLowerCase();
  if (!words.every((word) => [name, rest, said].some((one) => one.includes(word)))) return 0;
  const own = group === undefined ? title : (title.split(".").at(-1) ?? title);
  const parts = wordsOf(partsOf(own).join(" "));
  const asked = query.toLowerCase();
  let rank = said.includes(asked) ? 0.5 : 0;
  // "sort code" is in SortCodeAccountNumber
  if (parts.join("") === words.join("")) rank += 15;
  else if (parts.join("").includes(words.join(""))) rank += 3;
  for (const word of words) {
    if (parts.includes(word)) rank += 6 + 4 / parts.length;
    else if (parts.some((part) => part.startsWith(word))) rank += 4;
    else if (name.includes(word)) rank += 2;
    else if (rest.includes(word)) rank += 1;
    else rank += 0.25;
  }
  const isNamed = (title === query || own === query) && /[a-z.][A-Z]/.test(query);
  return isNamed ? 30 + rank : rank * weight;
}

/** The words of a title, in which a capital may begin one. */
const partsOf = (title: string): string[] =>
  title
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}_]+/u)
    .filter((part) => part !== "");
