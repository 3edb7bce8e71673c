import type { AccountApiId, AccountEndpoint, KeyColumn } from "#src/accounts/resource.ts";
import { ApiError, type Fault } from "#src/http/api-error.ts";
import type { OperationRequest } from "#src/http/operation.ts";
import { parseDateTime, withinCalendar } from "#src/lib/date-time.ts";

/** The page that the query parameters request. */
export type PageRequest = {
  from: Temporal.Instant | null;
  to: Temporal.Instant | null;
  start: PagePosition | null;
};

/** The parameters that a resource knows; all others are ignored. Source. */
export const knownParameters = ({ window, paged }: AccountEndpoint): string[] => [
  ...(window?.parameters ? [window.parameters.from, window.parameters.to] : []),
  ...(paged ? [pageParameter] : []),
];

/**
 * Reads the query parameters. Returns a refusal instead of throwing it, because the checks of
 * token, permission and account come first. Source: A-177….
 */
export function parsePageRequest(
  resource: AccountEndpoint,
  query: OperationRequest["query"],
): PageRequest | ApiError {
  const faults: Fault[] = [];
  const fault = (code: Fault["code"], path: string, message: string) =>
    void faults.push({ code, path, message });
  for (const name of knownParameters(resource)) {
    if (Array.isArray(query[name]))
      fault("U002", name, `${name} must not be given more than once.`);
  }
  const names = resource.window?.parameters;
  const from = names ? readTime(query, names.from, fault) : null;
  const to = names ? readTime(query, names.to, fault) : null;
  if (names && from && to && Temporal.Instant.compare(from, to) > 0) {
    fault("U003", names.from, `${names.from} must not be after ${names.to}.`);
  }
  const cursor = resource.paged ? query[pageParameter] : undefined;
  const start =
    typeof cursor === "string" ? parseCursor(cursor, resource.version, resource.key.columns) : null;
  if (typeof cursor === "string" && start === null) {
    fault(
      "U002",
      pageParameter,
      "pg must be copied from a link of this resource in this version. Without pg, you get " +
        "the first page.",
    );
  }
  return faults.length > 0 ? new ApiError(400, faults) : { from, to, start };
}

type AddFault = (code: Fault["code"], path: string, message: string) => void;

// A time zone is ignored, not converted: the local time is used. Source: Read/Write profile,
// Filtering; A-178.
function readTime(
  query: OperationRequest["query"],
  name: string,
  fault: AddFault,
): Temporal.Instant | null {
  const value = query[name];
  if (typeof value !== "string") return null;
  const parsed = parseDateTime(value);
  if (parsed) return withinCalendar(parsed.local.toZonedDateTime("UTC").toInstant());
  fault("U003", name, `${name} must be a date or a date-time, such as 2026-11-21.`);
  return null;
}

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
function parseCursor(
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
