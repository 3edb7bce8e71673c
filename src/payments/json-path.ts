/**
 * The string at a dotted path (`Data.Initiation.LocalInstrument`), or undefined when there is none
 * or it is something else: for bodies that no schema has judged yet. Never throws.
 */
export function textAt(root: unknown, path: string): string | undefined {
  let value = root;
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return;
    value = (value as Record<string, unknown>)[name]; // an object that has the member
  }
  return typeof value === "string" ? value : undefined;
}
