import type { Draw } from "./draw.ts";
import {
  hostileAmounts,
  hostileDates,
  hostileNumbers,
  hostileTexts,
  hostileThings,
} from "./hostile-values.ts";

type Container = Record<string, unknown> | unknown[];
type Spot = { parent: Container; key: string | number; value: unknown };

/** Makes one or more changes to a body's structure, in place. Returns what was done. */
export function mutateStructure(body: object, draw: Draw): string[] {
  const done: string[] = [];
  for (let left = 1 + draw.below(3); left > 0; left--) {
    const spots = listSpots(body);
    if (spots.length === 0) return done;
    const spot = draw.pick(spots);
    const [name, change] = draw.pick(structural);
    change(spot, draw);
    done.push(`${name} ${spot.key}`);
  }
  return done;
}

function listSpots(node: unknown): Spot[] {
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) => [
    { parent: node as Container, key, value },
    ...listSpots(value),
  ]);
}

const put = ({ parent, key }: Spot, value: unknown): void => {
  define(parent, key, value);
};

// also works for `__proto__`, which an assignment would treat as the prototype
const define = (parent: Container, key: string | number, value: unknown): void =>
  void Object.defineProperty(parent, key, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });

type Change = [name: string, change: (spot: Spot, draw: Draw) => void];

const structural: readonly Change[] = [
  ["remove", ({ parent, key }) => void delete (parent as Record<string | number, unknown>)[key]],
  ["text", (spot, draw) => put(spot, draw.pick(hostileTexts))],
  ["text", (spot, draw) => put(spot, draw.pick(hostileTexts))],
  ["date", (spot, draw) => put(spot, draw.pick(hostileDates))],
  ["amount", (spot, draw) => put(spot, draw.pick(hostileAmounts))],
  ["type", (spot, draw) => put(spot, structuredClone(draw.pick(hostileThings)))],
  ["number", (spot, draw) => put(spot, `@number@${draw.pick(hostileNumbers)}@`)],
  ["wrap", (spot) => put(spot, [spot.value])],
  ["nest", (spot, draw) => put(spot, nest(draw.pick([2, 30, 500])))],
  ["case", (spot) => put(spot, swapCase(spot.value))],
  ["lengthen", (spot, draw) => put(spot, lengthen(spot.value, draw))],
  ["infuse", (spot, draw) => put(spot, infuse(spot.value, draw))],
  ["add member to", ({ parent }, draw) => addMember(parent, draw)],
  ["misplace", (spot, draw) => put(spot, draw.pick(Object.values(spot.parent)))],
];

function nest(depth: number): unknown {
  let value: unknown = "x";
  for (let level = 0; level < depth; level++) value = level % 2 ? { a: value } : [value];
  return value;
}

const swapCase = (value: unknown): unknown =>
  typeof value === "string"
    ? value === value.toLowerCase()
      ? value.toUpperCase()
      : value.toLowerCase()
    : value;

const lengthen = (value: unknown, draw: Draw): unknown =>
  typeof value === "string" ? value + value.repeat(draw.pick([1, 5, 50])) : [value, value];

/**
 * Inserts something hostile into the middle of a valid text, which passes patterns without anchors.
 */
function infuse(value: unknown, draw: Draw): unknown {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const at = draw.below(text.length + 1);
  return text.slice(0, at) + draw.pick(hostileTexts).slice(0, 20) + text.slice(at);
}

function addMember(parent: Container, draw: Draw): void {
  const value = structuredClone(draw.pick([...hostileThings, ...hostileTexts]));
  if (Array.isArray(parent)) parent.push(value);
  else {
    const name = draw.pick(["Extra", "SupplementaryData", "", "__proto__", "toString", "data"]);
    define(parent, name, value);
  }
}

/** Formats a body as JSON, including numbers that only text can represent. */
export const toJson = (body: unknown): string =>
  JSON.stringify(body).replaceAll(/"@number@([^"@]*)@"/g, "$1");

/** Changes the text or the bytes of a finished body. */
export const textual: readonly [name: string, change: (text: string, draw: Draw) => Buffer][] = [
  ["cut off", (text, draw) => Buffer.from(text.slice(0, draw.below(text.length)))],
  ["trailing", (text, draw) => Buffer.from(text + draw.pick(["}", "\u0000", "x", text, " \n"]))],
  ["byte order mark", (text) => Buffer.from(`\ufeff${text}`)],
  ["other value", (_text, draw) => Buffer.from(draw.pick(wholeValues))],
  ["duplicate member", (text) => Buffer.from(text.replace("{", '{"Data":null,'))],
  ["duplicate last", (text) => Buffer.from(text.replace(/\}\s*$/, ',"Data":{}}'))],
  ["single quotes", (text) => Buffer.from(text.replaceAll('"', "'"))],
  ["comment", (text) => Buffer.from(text.replace("{", "{/* */"))],
  ["UTF-16", (text) => Buffer.from(text, "utf16le")],
  ["escaped", (text) => Buffer.from(text.replaceAll("a", "\\u0061"))],
  ["raw control", (text) => Buffer.from(text.replace(/:"/, ':"\u0001\n'))],
  ["flipped bytes", flipBytes],
  ["invalid UTF-8", (text, draw) => splice(text, draw, [0xc0, 0x80, 0xed, 0xa0, 0x80, 0xff])],
];

const wholeValues = [
  "",
  " ",
  "null",
  "[]",
  "{}",
  '""',
  "0",
  "true",
  "[[[",
  "{".repeat(2000),
  "[".repeat(20_000) + "]".repeat(20_000),
  `${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`,
  '{"Data":null}',
  '{"Data":[]}',
  '{"Data":{"Initiation":null},"Risk":null}',
  '{"__proto__":{"Data":{}}}',
];

function flipBytes(text: string, draw: Draw): Buffer {
  const bytes = Buffer.from(text);
  for (let left = 1 + draw.below(4); left > 0 && bytes.length > 0; left--) {
    bytes[draw.below(bytes.length)] = draw.below(256);
  }
  return bytes;
}

function splice(text: string, draw: Draw, bytes: number[]): Buffer {
  const at = draw.below(text.length + 1);
  return Buffer.concat([
    Buffer.from(text.slice(0, at)),
    Buffer.from(bytes),
    Buffer.from(text.slice(at)),
  ]);
}
