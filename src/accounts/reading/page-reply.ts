import type { AccountEndpoint } from "#src/accounts/resource.ts";
import type { AccessConsent } from "#src/http/access/access.ts";
import type { OperationRequest } from "#src/http/operation.ts";
import { present } from "#src/lib/assert.ts";
import { formatInstant } from "#src/lib/date-time.ts";
import { knownParameters, type PagePosition, pageParameter, renderCursor } from "./page-request.ts";
import { itemSeparator, type PageRow } from "./page-statement.ts";

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
  const first = later(history_start, transactionsFrom);
  const last = earlier(now, transactionsTo);
  if (Temporal.Instant.compare(first, last) > 0) return meta;
  meta.FirstAvailableDateTime = formatInstant(first);
  meta.LastAvailableDateTime = formatInstant(last);
  return meta;
}

const later = (one: Temporal.Instant, other: Temporal.Instant | null): Temporal.Instant =>
  other !== null && Temporal.Instant.compare(other, one) > 0 ? other : one;

const earlier = (one: Temporal.Instant, other: Temporal.Instant | null): Temporal.Instant =>
  other !== null && Temporal.Instant.compare(other, one) < 0 ? other : one;
