import { allBlocks, allProperties, type PortalPage } from "./blocks.ts";
import { plainInline } from "./inline.ts";

/** Something that a search can find: a page, a part of one, a property or a code. */
export type SearchEntry = {
  title: string;
  url: string;
  about: string;
  /** Where it is, if it may be the same thing as an entry of another page. */
  where?: string;
  /** What is the same for the entries of one thing, such as a property of many resources. */
  group?: string;
};

/** What a search found, with the other places of the same thing. */
export type SearchResult = SearchEntry & { also: readonly { title: string; url: string }[] };

/** What can be found on these pages. */
export function searchEntries(pages: readonly PortalPage[]): SearchEntry[] {
  return pages.flatMap((page) => {
    const { path, title, part, about } = page;
    const where = `${title} · ${part}`;
    const entries: SearchEntry[] = [{ title, url: path, about: `${part} · ${plainInline(about)}` }];
    for (const block of allBlocks(page.blocks())) {
      if (block.is === "heading" && block.level < 4) {
        entries.push({ title: plainInline(block.text), url: `${path}#${block.id}`, about: where });
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

/** What has every word of a query, the best first, and a thing of many pages once. */
export function search(entries: readonly SearchEntry[], query: string): SearchResult[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  if (words.length === 0) return [];
  const found = entries
    .map((entry, place) => ({ entry, place, rank: rankOf(entry, words, query.toLowerCase()) }))
    .filter(({ rank }) => rank > 0)
    .sort((a, b) => b.rank - a.rank || a.place - b.place)
    .map(({ entry }) => entry);
  return grouped(found).slice(0, mostResults);
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
function rankOf({ title, about }: SearchEntry, words: readonly string[], query: string): number {
  const name = title.toLowerCase();
  const last = name.split(".").at(-1) ?? name;
  const rest = about.toLowerCase();
  let rank = name === query ? 30 : 0;
  for (const word of words) {
    if (last === word) rank += 8;
    else if (last.startsWith(word)) rank += 4;
    else if (name.includes(word)) rank += 2;
    else if (rest.includes(word)) rank += 1;
    else return 0;
  }
  return rank;
}
