import type { AccountApiId, KeyColumn } from "#src/accounts/resource.ts";

/** The query parameter that names a page. Source: A-195. */
export const pageParameter = "pg";

/**
 * Text that names the page of a version that starts at a key. It is a position, not a right of
 * access.
 */
export const renderCursor = (version: AccountApiId, key: readonly string[]): string =>
  Buffer.from(JSON.stringify([version, ...key])).toString("base64url");

/** Returns the key of a cursor; null for any other text and for another version's cursor. */
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

// The database must be able to read every accepted value, and it accepts fewer notations of an
// instant than Temporal.
function readValue(value: unknown, type: KeyColumn["type"]): string | null {
  if (typeof value !== "string" || !/^[\x20-\x7e]{1,210}$/.test(value)) return null;
  if (type === "text") return value;
  const instant = Temporal.Instant.from(value.replace(" ", "T")).toString();
  return /^(?!0000)\d{4}-/.test(instant) ? instant : null;
}
