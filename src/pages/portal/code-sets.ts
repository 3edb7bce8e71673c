import { textOf } from "#src/lib/plain-text.ts";
import type { PortalPage } from "./blocks.ts";
import { code } from "./inline.ts";

/** The code sets of all documents. Each has one page, however many properties use it. */
export type CodeSets = {
  /** The address of the page of these values, which the property `name` of `where` uses. */
  addressOf(name: string, values: readonly unknown[], where: Place): string;
  pages(): PortalPage[];
};

/** A page whose properties use a code set. */
type Place = { path: string; title: string };

type CodeSet = { id: string; name: string; values: string[]; places: Map<string, string> };

/** Makes the collection, which is filled while the pages of the documents are made. */
export function createCodeSets(): CodeSets {
  const byValues = new Map<string, CodeSet>();
  const ids = new Set<string>();
  function find(name: string, given: readonly unknown[]): CodeSet {
    const values = given.map(textOf);
    const key = values.join("\n");
    const known = byValues.get(key);
    if (known) return known;
    let id = name;
    for (let number = 2; ids.has(id); number += 1) id = `${name}-${number}`;
    ids.add(id);
    const made = { id, name, values, places: new Map<string, string>() };
    byValues.set(key, made);
    return made;
  }
  return {
    addressOf(name, values, where) {
      const found = find(name, values);
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
    title: `${name}: ${values.length} codes`,
    about: `The values of the property \`${name}\`.`,
    part: "Codes",
    isListed: false,
    hasForms: false,
    blocks: () => [
      { is: "lead", text: `\`${name}\` has one of these ${values.length} values.` },
      { is: "text", text: values.map(code).join(" ") },
      { is: "heading", level: 2, id: "used-by", text: "Used by" },
      {
        is: "list",
        ordered: false,
        items: [...places].map(([path, title]) => [{ is: "text", text: `[${title}](${path})` }]),
      },
    ],
  };
}
