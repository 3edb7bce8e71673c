import type { Html } from "#src/pages/html.ts";
import { plainInline } from "./inline.ts";

// A page of the portal is a list of blocks. block-html.ts shows them in a browser, and
// block-markdown.ts writes the same page as Markdown, so that neither can say more than the other.
// Texts are Markdown inside a line: `code`, **bold**, *emphasis*, [links](/docs).

/** A property of a body, with the properties below it. */
export type Property = {
  name: string;
  /** The anchor on its page. */
  id: string;
  /** `list of string`, or a link to an object's page. */
  type: string;
  required: boolean;
  /** A sentence; empty if there is none. */
  about: string;
  /** Limits, values and an example, each one short text. */
  facts: readonly string[];
  children: readonly Property[];
};

/** A part of a page. */
export type Block =
  | { is: "heading"; level: 2 | 3 | 4; text: string; id: string }
  | { is: "text"; text: string }
  | { is: "lead"; text: string }
  | { is: "code"; language: string; text: string; title?: string }
  | { is: "list"; ordered: boolean; items: readonly (readonly Block[])[] }
  | { is: "table"; head: readonly string[]; rows: readonly (readonly string[])[] }
  | { is: "properties"; rows: readonly Property[] }
  | { is: "fold"; title: string; blocks: readonly Block[] }
  /** A text with its code at the right. */
  | { is: "beside"; id: string; blocks: readonly Block[]; code: readonly Block[] }
  /** Only a browser shows it: a form. */
  | { is: "form"; html: Html };

/** A page of the portal. */
export type PortalPage = {
  /** `/docs/api/pisp-v4.0/domestic-payments` */
  path: string;
  title: string;
  /** What it is about, in one or two sentences. */
  about: string;
  /** The part of the portal that it belongs to, for the navigation and for search. */
  part: string;
  /** Whether the navigation lists it. */
  isListed: boolean;
  /** Whether calls can be tried on it, which needs our script. */
  hasForms: boolean;
  blocks(): readonly Block[];
};

/** Every block of a page, with those inside others. */
export function* allBlocks(blocks: readonly Block[]): Generator<Block> {
  for (const block of blocks) {
    yield block;
    if (block.is === "fold") yield* allBlocks(block.blocks);
    if (block.is === "beside") yield* allBlocks([...block.blocks, ...block.code]);
    if (block.is === "list") yield* allBlocks(block.items.flat());
  }
}

/** Every property of these, with those below others, and its full name. */
export function* allProperties(
  rows: readonly Property[],
  above = "",
): Generator<{ property: Property; fullName: string }> {
  for (const property of rows) {
    const fullName = `${above}${property.name}`;
    yield { property, fullName };
    yield* allProperties(property.children, `${fullName}.`);
  }
}

/** The anchor of a heading, as GitHub makes it. */
export const slugOf = (text: string): string =>
  plainInline(text)
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
