// Finds the regular expressions of the product: the literals in its text, and those that it makes
// when it runs, which are recorded while its modules are loaded.
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseSync } from "@swc/core";
import { root, type SourceFile } from "./source-files.ts";

/** An expression, and the line of the text that has or makes it. */
export type FoundExpression = { path: string; line: number; source: string; flags: string };

/** A place that makes expressions: `new RegExp(…)`, or the `pattern` of a schema. */
export type Making = { path: string; line: number; start: number; end: number; code: string };

/** The expressions of a file, as its text shows them. */
export type ReadExpressions = { literals: FoundExpression[]; makings: Making[] };

type Node = { type: string; span: { start: number; end: number } };
type Read = Record<string, Node & string>;

/** Lists the literals of a file, and the places that make expressions. */
export function readExpressions({ path, text }: SourceFile): ReadExpressions {
  const bytes = Buffer.from(text);
  const literals: FoundExpression[] = [];
  const makings: Making[] = [];
  const placeOf = ({ span }: Node): Making => {
    // spans count bytes, the first of which is 1
    const [start, end] = [span.start - 1, span.end - 1];
    const line = bytes.subarray(0, start).toString().split("\n").length;
    return { path, line, start, end, code: bytes.subarray(start, end).toString() };
  };
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const { type, callee, key, value, pattern = "", flags = "" } = node as Read;
    if (type === "RegExpLiteral") {
      literals.push({ path, line: placeOf(node as Node).line, source: pattern, flags });
    } else if (isRegExp(callee)) {
      makings.push(placeOf(node as Node));
    } else if (type === "KeyValueProperty" && nameOf(key) === "pattern" && isMade(value)) {
      makings.push(placeOf(value));
    }
    for (const member of Object.values(node)) visit(member);
  };
  visit(parseSync(text, { syntax: "typescript" }).body);
  return { literals, makings };
}

const nameOf = (node: Node | undefined): string | null =>
  node && "value" in node && typeof node.value === "string" ? node.value : null;

const isRegExp = (node: Node | undefined): boolean =>
  node?.type === "Identifier" && nameOf(node) === "RegExp";

/** Whether a `pattern` has a value that is no expression already. */
const isMade = (node: Node | undefined): node is Node =>
  node !== undefined &&
  node.type !== "RegExpLiteral" &&
  !isRegExp((node as unknown as { callee?: Node }).callee);

const recorder = "__recordExpression";
const patternFlags = "u";

/**
 * Records what places make. Modules of these files, loaded by `load`, pass each expression to the
 * recorder.
 */
export async function recordExpressions(
  files: readonly { file: SourceFile; makings: readonly Making[] }[],
  load: () => Promise<void>,
): Promise<Map<Making, FoundExpression[]>> {
  const recorded = new Map<Making, FoundExpression[]>();
  const all = files.flatMap(({ makings }) => makings);
  const texts = new Map(
    files.map(({ file, makings }) => [
      pathToFileURL(join(root, file.path)).href,
      record(file.text, makings, (making) => all.indexOf(making)),
    ]),
  );
  const keep = (index: number, made: unknown): unknown => {
    const making = all[index];
    if (!making) return made;
    const { path, line } = making;
    const kept = recorded.get(making) ?? [];
    recorded.set(making, kept);
    if (made instanceof RegExp) kept.push({ path, line, source: made.source, flags: made.flags });
    if (typeof made === "string") kept.push({ path, line, source: made, flags: patternFlags });
    return made;
  };
  Object.defineProperty(globalThis, recorder, { value: keep, configurable: true });
  const hooks = registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      return { ...loaded, source: texts.get(url) ?? loaded.source };
    },
  });
  await load();
  hooks.deregister();
  Reflect.deleteProperty(globalThis, recorder);
  return recorded;
}

/** Passes what each place makes to the recorder. */
function record(text: string, makings: readonly Making[], indexOf: (making: Making) => number) {
  const bytes = Buffer.from(text);
  const pieces: string[] = [];
  let from = 0;
  for (const making of makings.toSorted((one, other) => one.start - other.start)) {
    const code = `globalThis.${recorder}(${indexOf(making)}, ${making.code})`;
    pieces.push(bytes.subarray(from, making.start).toString(), code);
    from = making.end;
  }
  return pieces.join("") + bytes.subarray(from).toString();
}
