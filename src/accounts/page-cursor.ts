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
    if (!Array.isArray(key) || key.length !== columns.length) return null;
    const values = columns.map(({ type }, index) => readValue(key[index], type));
    return values.every((value) => value !== null) ? values : null;
  } catch {
    return null;
  }
}

// Whatever passes must be a value that the database can read: of the many spellings of an instant
// that Temporal takes, it takes some.
function readValue(value: unknown, type: KeyColumn["type"]): string | null {
  if (typeof value !== "string" || !/^[\x20-\x7e]{1,210}$/.test(value)) return null;
  if (type === "text") return value;
  const instant = Temporal.Instant.from(value.replace(" ", "T")).toString();
  return /^(?!0000)\d{4}-/.test(instant) ? instant : null;
}
