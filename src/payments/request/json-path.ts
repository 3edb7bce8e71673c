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
