import { type Block, slugOf } from "./blocks.ts";
import { withLinks } from "./inline.ts";

/** A page that was written as Markdown; `about` is its first paragraph, without links. */
type ReadPage = { title: string; about: string; blocks: Block[] };

/** Reads the Markdown of our own pages: what they use of it, which a test holds against each. */
export function readMarkdown(text: string): ReadPage {
  const blocks = readBlocks(text.split("\n"));
  const [title, ...rest] = blocks;
  if (title?.is !== "heading") throw new Error(`the page begins with ${title?.is ?? "nothing"}`);
  const [first] = rest;
  const introduction = rest.find((block) => block.is === "text");
  const about = introduction?.is === "text" ? withLinks(introduction.text, () => null) : "";
  const shown: Block[] = first?.is === "text" ? [{ ...first, is: "lead" }, ...rest.slice(1)] : rest;
  return { title: title.text, about, blocks: withOwnIds(shown) };
}

type Reader = { begins: RegExp; read(lines: string[]): Block | null };

// Each takes its lines from the front of the list. The first that fits reads; the last fits always.
const readers: readonly Reader[] = [
  { begins: /^(?:\s*|<!--.*-->)$/, read: skipLine },
  { begins: /^```/, read: readCode },
  { begins: /^#{1,4} /, read: readHeading },
  { begins: /^\|/, read: readTable },
  { begins: /^[-*] /, read: (lines) => readList(lines, /^[-*] /) },
  { begins: /^\d+\. /, read: (lines) => readList(lines, /^\d+\. /) },
  { begins: /^/, read: readText },
];

function readBlocks(lines: string[]): Block[] {
  const blocks: Block[] = [];
  while (lines.length > 0) {
    const reader = readers.find(({ begins }) => begins.test(lines[0] ?? ""));
    const block = reader?.read(lines);
    if (block) blocks.push(block);
  }
  return blocks;
}

function skipLine(lines: string[]): null {
  lines.shift();
  return null;
}

function readCode(lines: string[]): Block {
  const language = (lines.shift() ?? "").slice(3).trim();
  const text = takeWhile(lines, (line) => !line.startsWith("```"));
  lines.shift();
  return { is: "code", language, text: text.join("\n") };
}

function readHeading(lines: string[]): Block {
  const [, signs = "", text = ""] = /^(#+) (.*)$/.exec(lines.shift() ?? "") ?? [];
  const level = signs.length < 3 ? 2 : signs.length > 3 ? 4 : 3;
  return { is: "heading", level, text, id: slugOf(text) };
}

function readTable(lines: string[]): Block {
  const [head = [], , ...rows] = takeWhile(lines, (line) => line.startsWith("|")).map(cellsOf);
  return { is: "table", head, rows };
}

/** The cells of a line of a table; a bar within a cell is written as `\|`. */
const cellsOf = (line: string): string[] =>
  line
    .replace(/^\||\|\s*$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));

/** The items of a list; the lines below an item are indented. */
function readList(lines: string[], sign: RegExp): Block {
  const ordered = sign.source.includes("d");
  const items: Block[][] = [];
  while (sign.test(lines[0] ?? "")) {
    const first = (lines.shift() ?? "").replace(sign, "");
    const more = takeWhile(lines, (line, next) =>
      line === "" ? /^ {2,}\S/.test(next) : /^ {2,}/.test(line),
    );
    const indent = Math.min(...more.filter((line) => line !== "").map((line) => line.search(/\S/)));
    items.push(readBlocks([first, ...more.map((line) => line.slice(indent))]));
  }
  return { is: "list", ordered, items };
}

function readText(lines: string[]): Block {
  const text = takeWhile(
    lines,
    (line, _next, index) =>
      index === 0 || !readers.slice(0, -1).some(({ begins }) => begins.test(line)),
  );
  return { is: "text", text: text.map((line) => line.trim()).join(" ") };
}

function takeWhile(
  lines: string[],
  fits: (line: string, next: string, index: number) => boolean,
): string[] {
  const end = lines.findIndex((line, index) => !fits(line, lines[index + 1] ?? "", index));
  return lines.splice(0, end < 0 ? lines.length : end);
}

/** GitHub numbers the headings of a page that have the same words. */
function withOwnIds(blocks: Block[]): Block[] {
  const used = new Map<string, number>();
  return blocks.map((block) => {
    if (block.is !== "heading") return block;
    const times = used.get(block.id) ?? 0;
    used.set(block.id, times + 1);
    return times === 0 ? block : { ...block, id: `${block.id}-${times}` };
  });
}
