import type { AccountApiId, KeyColumn } from "#src/accounts/resource.ts";

/** The query parameter that names a page. Source: A-195. */
export const pageParameter = "pg";

/** Where a page is, relative to the item with its key: `onwards` from the item, or `before` it. */
export type Side = "onwards" | "before";

/** The place of a page: the key of an item, and the side on which the page lies. */
export type PagePosition = { side: Side; key: readonly string[] };

/** Text that names a page of a version by its place. It is not a right of access. */
export function renderCursor(version: AccountApiId, { side, key }: PagePosition): string {
  const marked = side === "before" ? [...key, side] : key;
  return Buffer.from(JSON.stringify([version, ...marked])).toString("base64url");
}

/** Returns the place in a cursor; null for any other text and for another version's cursor. */
export function parseCursor(
  cursor: string,
  version: AccountApiId,
  columns: readonly KeyColumn[],
): PagePosition | null {
  if (!/^[\w-]{1,600}$/.test(cursor)) return null;
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    // Source: E-069
    if (!Array.isArray(parsed) || parsed[0] !== version) return null;
    const [key, rest] = [parsed.slice(1, columns.length + 1), parsed.slice(columns.length + 1)];
    if (key.length < columns.length) return null;
    if (rest.length > 1 || (rest.length === 1 && rest[0] !== "before")) return null;
    const values = columns.map(({ type }, index) => readValue(key[index], type));
    if (!values.every((value) => value !== null)) return null;
    return { side: rest.length === 1 ? "before" : "onwards", key: values };
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
