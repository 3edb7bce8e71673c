import type { KeyColumn } from "./resource.ts";

/** The query parameter that names a page. Source: digest 3.15. */
export const pageParameter = "pg";

/** Text that names the page which starts at a key: a place in the order, not a right to see it. */
export const renderCursor = (key: readonly string[]): string =>
  Buffer.from(JSON.stringify(key)).toString("base64url");

/** The key that a cursor stands for; null when it is none of ours. */
export function parseCursor(cursor: string, columns: readonly KeyColumn[]): string[] | null {
  if (!/^[\w-]{1,600}$/.test(cursor)) return null;
  try {
    const key: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    return Array.isArray(key) && key.length === columns.length && columns.every(fits(key))
      ? key
      : null;
  } catch {
    return null;
  }
}

// Whatever passes must be a value that the database can read.
const fits =
  (key: unknown[]) =>
  ({ type }: KeyColumn, index: number): boolean => {
    const value = key[index];
    if (typeof value !== "string" || !/^[\x20-\x7e]{1,210}$/.test(value)) return false;
    if (type === "text") return true;
    return /^\d{4}-/.test(value) && Temporal.Instant.from(value.replace(" ", "T")) !== null;
  };
