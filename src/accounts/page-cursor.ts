import type { AccountApiId, KeyColumn } from "./resource.ts";

/** The query parameter that names a page. Source: A-195. */
export const pageParameter = "pg";

/**
 * Text that names the page of a version which starts at a key: a place in the order, not a right to
 * see it.
 */
export const renderCursor = (version: AccountApiId, key: readonly string[]): string =>
  Buffer.from(JSON.stringify([version, ...key])).toString("base64url");

/** The key that a cursor stands for; null for any other text and another version's cursor. */
export function parseCursor(
  cursor: string,
  version: AccountApiId,
  columns: readonly KeyColumn[],
): string[] | null {
  if (!/^[\w-]{1,600}$/.test(cursor)) return null;
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    // Source: E-069
    if (!Array.isArray(parsed) || parsed[0] !== version) return null;
    const key = parsed.slice(1);
    if (key.length !== columns.length) return null;
    const values = columns.map(({ type }, index) => readValue(key[index], type));
    return values.every((value) => value !== null) ? values : null;
  } catch {
    return null;
  }
}

// A value that passes must be one that the database can read. It reads fewer notations of an
// instant than Temporal does.
function readValue(value: unknown, type: KeyColumn["type"]): string | null {
  if (typeof value !== "string" || !/^[\x20-\x7e]{1,210}$/.test(value)) return null;
  if (type === "text") return value;
  const instant = Temporal.Instant.from(value.replace(" ", "T")).toString();
  return /^(?!0000)\d{4}-/.test(instant) ? instant : null;
}
