// Paths are constants of the code, so there are few, and reading a file of payments uses each very
// often.
const split = new Map<string, readonly string[]>();

function namesOf(path: string): readonly string[] {
  const known = split.get(path);
  if (known) return known;
  const names = path.split(".");
  split.set(path, names);
  return names;
}

/**
 * Returns the string at a dotted path (`Data.Initiation.LocalInstrument`), or undefined if there is
 * none or it is not a string. For bodies that no schema has checked yet; never throws.
 */
export function textAt(root: unknown, path: string): string | undefined {
  const value = valueAt(root, path);
  return typeof value === "string" ? value : undefined;
}

/** Returns the number at a dotted path in the same way. */
export function numberAt(root: unknown, path: string): number | undefined {
  const value = valueAt(root, path);
  return typeof value === "number" ? value : undefined;
}

/** The name below `Data` of the part that has the member at a path: `Initiation`. */
export const partOf = (path: string): string => namesOf(path)[1] ?? "";

/** The values at a dotted path in which `[]` is each item of a list: none if there is no list. */
export function valuesAt(root: unknown, path: string): unknown[] {
  const end = path.indexOf("[]");
  if (end < 0) return [valueAt(root, path)].filter((value) => value !== undefined);
  const list = valueAt(root, path.slice(0, end));
  const items: unknown[] = Array.isArray(list) ? list : [];
  const rest = path.slice(end + "[].".length);
  return rest === "" ? items : items.flatMap((item) => valuesAt(item, rest));
}

/** The texts among the values at such a path. */
export const textsAt = (root: unknown, path: string): string[] =>
  valuesAt(root, path).filter((value) => typeof value === "string");

/** The first text at one of these paths, in their order; null if there is none. */
export function firstTextAt(root: unknown, paths: readonly string[]): string | null {
  for (const path of paths) {
    const [text] = textsAt(root, path);
    if (text !== undefined) return text;
  }
  return null;
}

/** Whether there is a value at a dotted path. */
export const hasMember = (root: unknown, path: string): boolean =>
  valueAt(root, path) !== undefined;

/** The value at a dotted path, or undefined if there is none. */
export function valueAt(root: unknown, path: string): unknown {
  let value = root;
  for (const name of namesOf(path)) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return;
    value = (value as Record<string, unknown>)[name]; // an object that has the member
  }
  return value;
}
