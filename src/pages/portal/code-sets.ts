import { countOf, textOf } from "#src/lib/plain-text.ts";
import type { Block, PortalPage } from "./blocks.ts";
import { code } from "./inline.ts";

/** The code sets of all documents. Each has one page, however many properties use it. */
export type CodeSets = {
  /** The address of the page of these values, which the property `name` of `where` uses. */
  addressOf(name: string, values: readonly unknown[], words: ValueMeanings, where: Place): string;
  pages(): PortalPage[];
};

/** What values mean, as far as that is known. */
type ValueMeanings = Readonly<Record<string, string>>;

/** A page whose properties use a code set. */
type Place = { path: string; title: string };

type CodeSet = {
  id: string;
  name: string;
  values: string[];
  words: ValueMeanings;
  places: Map<string, string>;
};

/** Makes the collection, which is filled while the pages of the documents are made. */
export function createCodeSets(): CodeSets {
  const byValues = new Map<string, CodeSet>();
  const ids = new Set<string>();
  function find(name: string, given: readonly unknown[], words: ValueMeanings): CodeSet {
    const values = given.map(textOf);
    // the same code may mean one thing of a consent and another of an order
    const key = values.map((value) => `${value} ${words[value] ?? ""}`).join("\n");
    const known = byValues.get(key);
    if (known) return known;
    let id = name;
    for (let number = 2; ids.has(id); number += 1) id = `${name}-${number}`;
    ids.add(id);
    const made = { id, name, values, words, places: new Map<string, string>() };
    byValues.set(key, made);
    return made;
  }
  return {
    addressOf(name, values, words, where) {
      const found = find(name, values, words);
      found.places.set(where.path, where.title);
      return pathOf(found);
    },
    pages: () => [...byValues.values()].map(codePage),
  };
}

const pathOf = ({ id }: CodeSet): string => `/docs/codes/${id}`;

function codePage(set: CodeSet): PortalPage {
  const { name, values, places } = set;
  return {
    path: pathOf(set),
    title: `${name}: ${countOf(values.length, "code", "codes")}`,
    about: `The values of the property \`${name}\`.`,
    part: "Codes",
    isListed: false,
    hasForms: false,
    blocks: () => [
      {
        is: "lead",
        text: `\`${name}\` has one of these ${countOf(values.length, "value", "values")}.`,
      },
      ...valueBlocks(set),
      { is: "heading", level: 2, id: "used-by", text: "Used by" },
      {
        is: "list",
        ordered: false,
        items: [...places].map(([path, title]) => [{ is: "text", text: `[${title}](${path})` }]),
      },
    ],
  };
}

// a table of more rows would make the page too large
const longestTable = 200;

function valueBlocks({ values, words }: CodeSet): Block[] {
  const explained = values.filter((value) => words[value]);
  const others = values.filter((value) => !words[value]);
  const blocks: Block[] = [];
  if (explained.length > longestTable) blocks.push(listOf(explained, words));
  else if (explained.length > 0) blocks.push(tableOf(explained, words));
  if (others.length > 0) blocks.push({ is: "text", text: others.map(code).join(" ") });
  return blocks;
}

const tableOf = (values: readonly string[], words: ValueMeanings): Block => ({
  is: "table",
  head: ["Code", "Meaning"],
  rows: values.map((value) => [
    `{#${value.replaceAll(/[^\w.-]/g, "_")}}${code(value)}`,
    words[value] ?? "",
  ]),
});

const listOf = (values: readonly string[], words: ValueMeanings): Block => ({
  is: "list",
  ordered: false,
  items: values.map((value) => [{ is: "text", text: `${code(value)} ${words[value]}` }]),
});
