import type {
  AccountApiId,
  AccountEndpoint,
  KeyColumn,
  PagePosition,
} from "#src/accounts/resource.ts";
import type { AccessConsent } from "#src/http/access/access.ts";
import { ApiError, type Fault } from "#src/http/api-error.ts";
import type { OperationRequest } from "#src/http/operation.ts";
import { present } from "#src/lib/assert.ts";
import {
  earlierOf,
  formatInstant,
  isBefore,
  laterOf,
  parseDateTime,
  withinCalendar,
} from "#src/lib/date-time.ts";
import { itemSeparator, type PageRow } from "./page-statement.ts";

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
  if (names && from && to && isBefore(to, from)) {
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

/** Assembles the body of a response as text around its items. */
export function renderPage(
  resource: AccountEndpoint,
  request: OperationRequest,
  row: PageRow,
  consent: AccessConsent,
  start: PagePosition | null,
): string {
  const items = row.items === null ? "" : renderItems(resource, row, row.items, request, consent);
  const links = JSON.stringify(renderLinks(resource, request, row, start));
  const meta = JSON.stringify(renderMeta(resource, request, row, consent));
  return `{"Data":{${member(resource, items)}},"Links":${links},"Meta":${meta}}`;
}

function member({ arrayName, isSingle }: AccountEndpoint, items: string): string {
  if (!isSingle) return `"${arrayName}":[${items}]`;
  return items === "" ? "" : `"${arrayName}":${items}`;
}

function renderItems(
  { render, renderText, detailPermission, detailMembers = [] }: AccountEndpoint,
  { has_next, keys }: PageRow,
  items: string,
  { now, baseUrl, params }: OperationRequest,
  consent: AccessConsent,
): string {
  const shown = has_next ? items.slice(0, items.lastIndexOf(itemSeparator)) : items;
  const detail = detailPermission !== null && consent.permissions.includes(detailPermission);
  const cardNumbers = consent.permissions.includes("ReadPAN");
  const view = { now, baseUrl, cardNumbers, detail };
  const accountId = params.AccountId ?? null;
  // the row's own expression made this text
  const stored = JSON.parse(`[${shown}]`) as unknown[];
  if (renderText) {
    // joining an array would copy the text of each item once more
    let text = "";
    const textView = { ...view, quote: quoteOf(shown) };
    for (const [index, item] of stored.entries()) {
      if (index > 0) text += ",";
      text += renderText(item, textView, { accountId, key: keyAt(keys, index) });
    }
    return text;
  }
  const rendered = stored.flatMap((item) => render?.(item, view) ?? []);
  if (detail || detailMembers.length === 0) return JSON.stringify(rendered).slice(1, -1);
  const basic = rendered.map((item) =>
    Object.fromEntries(Object.entries(item).filter(([name]) => !detailMembers.includes(name))),
  );
  return JSON.stringify(basic).slice(1, -1);
}

// if JSON has no backslash, none of its texts needs an escape
const quoteOf = (json: string): ((text: string) => string) =>
  json.includes("\\") ? JSON.stringify : (text) => `"${text}"`;

type Links = { Self: string; First?: string; Prev?: string; Next?: string };

const keyAt = (keys: PageRow["keys"], index: number): string[] =>
  (keys ?? []).map((column) => present(column?.at(index), "the key of each item"));

// a page whose items are all gone still has its start
const firstKey = (keys: PageRow["keys"], start: PagePosition | null): readonly string[] =>
  keys?.[0] ? keyAt(keys, 0) : present(start, "the start of a later page").key;

// Next and Prev are present if and only if there is such a page, and they keep the filter. Prev
// names the page that ends before this one, so its start is looked up only if it is requested.
// Source: A-195…A-197.
function renderLinks(
  resource: AccountEndpoint,
  { selfUrl, query }: OperationRequest,
  { has_next, keys, has_previous }: PageRow,
  start: PagePosition | null,
): Links {
  const links: Links = { Self: selfUrl };
  if (!has_next && !has_previous) return links;
  const filter = knownParameters(resource)
    .filter((name) => name !== pageParameter && typeof query[name] === "string")
    .map((name) => `${name}=${encodeURIComponent(String(query[name]))}`);
  const path = selfUrl.split("?", 1)[0];
  const page = (position: PagePosition | null) => {
    const parameters = position
      ? [...filter, `${pageParameter}=${renderCursor(resource.version, position)}`]
      : filter;
    return parameters.length > 0 ? `${path}?${parameters.join("&")}` : `${path}`;
  };
  links.First = page(null);
  if (has_previous) links.Prev = page({ side: "before", key: firstKey(keys, start) });
  if (has_next) links.Next = page({ side: "onwards", key: keyAt(keys, -1) });
  return links;
}

type Meta = {
  TotalPages?: number;
  FirstAvailableDateTime?: string;
  LastAvailableDateTime?: string;
};

function renderMeta(
  { window }: AccountEndpoint,
  { now }: OperationRequest,
  { has_next, has_previous, history_start }: PageRow,
  { transactionsFrom, transactionsTo }: AccessConsent,
): Meta {
  // counting the pages would need a count of all rows
  const meta: Meta = has_next || has_previous ? {} : { TotalPages: 1 };
  if (!window?.parameters || history_start === null) return meta;
  const first = laterOf(history_start, transactionsFrom);
  const last = earlierOf(now, transactionsTo);
  if (isBefore(last, first)) return meta;
  meta.FirstAvailableDateTime = formatInstant(first);
  meta.LastAvailableDateTime = formatInstant(last);
  return meta;
}
