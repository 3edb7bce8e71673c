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
};

/** What a search found, with the other places of the same thing. */
export type SearchResult = SearchEntry & { also: readonly { title: string; url: string }[] };

/** What can be found on these pages. */
export function searchEntries(pages: readonly PortalPage[]): SearchEntry[] {
  return pages.flatMap((page) => {
    const { path, title, part, about } = page;
    const where = `${title} · ${part}`;
    let section: SearchEntry = { title, url: path, about: `${part} · ${plainInline(about)}` };
    const entries: SearchEntry[] = [section];
    const isGuide = path.startsWith("/docs/guides/");
    for (const block of allBlocks(page.blocks())) {
      if (isGuide) section.text = [section.text ?? "", ...textsOf(block)].join(" ").trimStart();
      if (block.is === "heading" && block.level < 4) {
        section = { title: plainInline(block.text), url: `${path}#${block.id}`, about: where };
        entries.push(section);
      } else if (block.is === "properties") {
        for (const { property, fullName } of allProperties(block.rows)) {
          const sentence = plainInline(property.about);
          const words = [where, sentence].filter((text) => text !== "");
          const url = `${path}#${property.id}`;
          const group = `${fullName}\n${sentence}`;
          entries.push({ title: fullName, url, about: words.join(" · "), where, group });
        }
      } else if (block.is === "table") {
        entries.push(...anchoredRows(block.rows, path, where));
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
): SearchEntry[] {
  return rows.flatMap(([first = "", ...rest]) => {
    const found = /^\{#([\w.-]+)\}(.*)$/s.exec(first);
    if (!found) return [];
    const about = `${where} · ${plainInline(rest.join(" · "))}`;
    return [{ title: plainInline(found[2] ?? ""), url: `${path}#${found[1]}`, about }];
  });
}

const mostResults = 40;

/**
 * What has every word of a query, the best first, and a thing of many pages once. Before them stand
 * the pages about what the query calls by another name.
 */
export function search(entries: readonly SearchEntry[], query: string): SearchResult[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  if (words.length === 0) return [];
  const places = placesOf(query);
  const meant = places.flatMap((place) => entries.filter(({ url }) => url === place));
  const found = entries
    .filter(({ url }) => !places.includes(url))
    .map((entry, place) => ({ entry, place, rank: rankOf(entry, words, query.toLowerCase()) }))
    .filter(({ rank }) => rank > 0)
    .sort((a, b) => b.rank - a.rank || a.place - b.place)
    .map(({ entry }) => entry);
  return grouped([...meant, ...found])
    .slice(0, mostResults)
    .map((result) => withExcerpt(result, words, query.toLowerCase()));
}

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

/** How well an entry fits: 0 if a word is missing. A property counts by its own name. */
function rankOf(
  { title, about, text = "" }: SearchEntry,
  words: readonly string[],
  query: string,
): number {
  const name = title.toLowerCase();
  const last = name.split(".").at(-1) ?? name;
  const rest = about.toLowerCase();
  const said = text.toLowerCase();
  let rank = name === query ? 30 : 0;
  if (said.includes(query)) rank += 0.5;
  for (const word of words) {
    if (last === word) rank += 8;
    else if (last.startsWith(word)) rank += 4;
    else if (name.includes(word)) rank += 2;
    else if (rest.includes(word)) rank += 1;
    else if (said.includes(word)) rank += 0.25;
    else return 0;
  }
  return rank;
}
