import { isDeliveredBefore } from "#src/account-store/freshness.ts";
import {
  isOfOneAccount,
  type KeyColumn,
  type PagePosition,
  type ReadableSource,
  type Side,
} from "#src/accounts/resource.ts";
import { coveredAccounts, coveredSince } from "#src/consents/consent-account.ts";
import { type AccessRow, type AccessSql, accessFacts } from "#src/http/access/access.ts";
import type { Credentials } from "#src/http/connection/credentials.ts";
import { activeStatuses } from "#src/standard/api-version.ts";
import { integer, prepare, words } from "#src/storage/prepared.ts";
import { type Sql, sql } from "#src/storage/sql.ts";

// How a request for data is answered. page.ts reads the query. The statement of this file reads
// both the caller's access and the page, before anything is checked. Then read-steps.ts makes the
// checks in the standard's order. page.ts assembles the body, with links to other pages.

/** The parameters of a page statement. */
export type PageQuery = {
  credentials: Credentials;
  /** null if the path has no account id, or an invalid one. */
  accountId: string | null;
  /** The same for a part of the account. */
  partId: string | null;
  from: Temporal.Instant | null;
  to: Temporal.Instant | null;
  /** Where the page is; null for the first page. */
  start: PagePosition | null;
  /** False if the request is refused anyway: then only the access is read. */
  wanted: boolean;
  now: Temporal.Instant;
};

/** The one row of a page statement; none for an unknown token. */
export type PageRow = AccessRow & {
  account_known: boolean;
  account_readable: boolean;
  /** Whether the account has the part in the path; true if the path has no part. */
  part_known: boolean;
  /** Whether the data of the accounts is older than the bank shows. */
  too_old: boolean;
  /**
   * JSON of the items and of the item after the page, joined by `itemSeparator`; null if there are
   * none.
   */
  items: string | null;
  /**
   * The keys of these items, an array per column of the key, or null per column if there are no
   * items; null if the resource has no pages.
   */
  keys: (string[] | null)[] | null;
  /** Whether an item follows the page: then the last of `items` and `keys` belongs to it. */
  has_next: boolean;
  has_previous: boolean;
  history_start: Temporal.Instant | null;
};

/**
 * Separates items in such a way that the whole is the inside of a JSON array. Items contain no
 * empty line: strings cannot, and neither the database nor our code writes one.
 */
export const itemSeparator = ",\n\n";

type Values = Omit<PageQuery, "credentials" | "start"> & {
  tokenHash: string | null;
  thumbprint: string | null;
  loopback: boolean;
  key0: string | undefined;
  key1: string | undefined;
};

/** The statement's fixed parts. */
type PageOptions = {
  pageSize: number;
  accessRow: AccessSql;
  /** The age from which data is not shown, in seconds; null for data of any age. */
  maxAgeSeconds: number | null;
};

/**
 * `side` states whether the page starts at the statement's key or ends before it; null for the
 * first page.
 */
type PageSource = PageOptions & { resource: ReadableSource; side: Side | null };

/**
 * Compiles the one statement of a resource. It checks the token, finds the account and reads the
 * page, all in one snapshot. It computes items only for callers that may see them, but refuses
 * nobody: `judgeAccess` and the operation do that. An account is readable if the consent names it,
 * it is enabled (or switched, where that is shown) and the customer still holds it. Source:
 * A-122…A-124, A-146.
 */
export function compilePageStatement(
  resource: ReadableSource,
  options: PageOptions,
): (query: PageQuery) => Sql {
  const isMerged = !isOfOneAccount(resource) && !resource.perCustomer;
  const statement = isMerged ? statementOfAll : statementOfOne;
  const compile = (side: Side | null) =>
    prepare<Values>((slots) => statement({ ...options, resource, side }, slots));
  const firstPage = compile(null);
  const pages = { onwards: compile("onwards"), before: compile("before") };
  return ({ credentials, start, ...rest }) =>
    (start === null ? firstPage : pages[start.side])({
      ...rest,
      tokenHash: credentials.tokenHash,
      thumbprint: credentials.certificateThumbprint,
      loopback: credentials.loopback,
      key0: start?.key[0],
      key1: start?.key[1],
    });
}

const nothing = sql``;

// `r` is the access and the account (of a customer's own items, no account) in one row, so that the
// page is one index scan below it. The fence `offset 0` has what the items ask of `r` worked out
// once and not for each of them.
function statementOfOne(source: PageSource, slots: Values): Sql {
  const { resource, side } = source;
  const { window } = resource;
  const readable = sql`
    select access.*, ${readableColumns(source, slots)}, ${isOpen(resource, slots)} as is_open,
      ${tooOld(source, slots)} as too_old,
      ${resource.perCustomer ? ofCustomer(source, slots) : ofAccount(source, slots)}
    offset 0`;
  const before = (names: KeyNames, range: Sql) => keysBefore(source, slots, names, range);
  return sql`
    select ${accessFacts} as access, r.account_known, r.account_readable, r.part_known, r.too_old,
      page.items, page.keys, page.has_next,
      ${window ? sql`case when ${isShown} then ${window.historyStart} end` : sql`null`}
        as history_start,
      ${side ? sql`exists (${before(startNames, sql`limit 1`)})` : sql`false`} as has_previous
    from (
      ${side === "before" ? withStart(source, sql`(${readable})`, before) : readable}
    ) r
    cross join lateral (${pageOf(resource, source, itemsOf(source, slots))}) page`;
}

function ofAccount({ resource, accessRow }: PageSource, slots: Values): Sql {
  const { tokenHash, accountId, partId } = slots;
  const { part } = resource;
  return sql`
    a.account_id, a.history_from, a.account_id is not null as account_known,
    coalesce(${isVisible(resource)} and exists (
        select from ${coveredAccounts(sql`access.consent_id`)} ca
          join account_holder h on h.account_id = ca.account_id
        where ca.account_id = a.account_id and h.customer_id = access.consent_customer_id
      ), false) as account_readable,
    ${part ? sql`${part.idColumn} is not null as part_known, ${part.columns}` : sql`true as part_known`}
    from (${accessRow(tokenHash)}) access left join account a on a.account_id = ${accountId}
    ${
      part
        ? sql`left join ${part.table} on ${part.accountColumn} = a.account_id
            and ${part.idColumn} = ${partId} ${part.seenWhen ? sql`and ${part.seenWhen}` : nothing}`
        : nothing
    }`;
}

const ofCustomer = ({ accessRow }: PageSource, { tokenHash }: Values): Sql => sql`
  null::text as account_id, null::timestamptz as history_from, true as account_known,
  true as account_readable, true as part_known
  from (${accessRow(tokenHash)}) access`;

// Each account contributes at most one page of items before they are merged.
function statementOfAll(source: PageSource, slots: Values): Sql {
  const { resource, side, pageSize, accessRow } = source;
  const { window, paged, key } = resource;
  const names = keyNames(resource);
  const merged = (from: Sql, items: Sql, descending: boolean, range: Sql): Sql => sql`
    select i.* from ${from} r cross join lateral (${items}) i
    order by ${orderBy(names, descending)} ${range}`;
  const limit = paged ? sql`limit ${integer(pageSize + 1)}` : nothing;
  const items = merged(sql`readable`, itemsOf(source, slots), key.descending, limit);
  const before = (from: Sql) => (keys: KeyNames, range: Sql) =>
    merged(from, keysBefore(source, slots, keys, range), !key.descending, range);
  const found = side === "before" ? sql`covered` : sql`readable`;
  const started = () => withStart(source, found, before(found));
  const hasPrevious = () => sql`exists (${before(sql`readable`)(startNames, sql`limit 1`)})`;
  return sql`
    with access as (${accessRow(slots.tokenHash)}),
    ${found} as (
      select a.account_id, a.history_from, ${readableColumns(source, slots)},
        true as account_readable,
        ${isOpen(resource, slots)} as is_open
      from access cross join lateral ${coveredAccounts(sql`access.consent_id`)} ca
        join account_holder h on h.account_id = ca.account_id
          and h.customer_id = access.consent_customer_id
        join account a on a.account_id = ca.account_id
      where ${isVisible(resource)}
    )
    ${side === "before" ? sql`, readable as (${started()})` : nothing}
    select ${accessFacts} as access, true as account_known, true as account_readable,
      true as part_known, ${tooOld(source, slots)} as too_old, page.items, page.keys, page.has_next,
      ${window ? sql`(select min(${window.historyStart}) ${fromShown})` : sql`null`}
        as history_start,
      ${side ? hasPrevious() : sql`false`} as has_previous
    from access
    cross join (${pageOf(resource, source, items)}) page`;
}

// Of one account if the path names it, or else of every account of the consent.
function tooOld({ resource, maxAgeSeconds }: PageSource, { now, accountId }: Values): Sql {
  if (maxAgeSeconds === null) return sql`false`;
  const limit = sql`${now}::timestamptz - interval '1 second' * ${integer(maxAgeSeconds)}`;
  const covered = coveredAccounts(sql`access.consent_id`);
  const accounts = isOfOneAccount(resource)
    ? sql`(select ca.account_id from ${covered} ca where ca.account_id = ${accountId})`
    : covered;
  const sharedSince = (id: Sql) => coveredSince(sql`access.consent_id`, id);
  return isDeliveredBefore(accounts, resource.cluster, { limit, sharedSince });
}

const isShown = sql`r.is_open and r.account_readable`;

const fromShown = sql`from readable r where ${isShown}`;

const isVisible = ({ showsSwitched }: ReadableSource): Sql =>
  showsSwitched ? sql`(a.status = 'Enabled' or a.is_switched)` : sql`a.status = 'Enabled'`;

const readableColumns = ({ resource, side }: PageSource, slots: Values): Sql => sql`
  ${slots.now}::timestamptz as now, ${side ? sql`${startOf(resource, slots, side)},` : nothing}
  access.consent_customer_id as customer_id, access.consent_permissions as permissions,
  access.consent_transactions_from as transactions_from,
  access.consent_transactions_to as transactions_to,
  ${
    resource.detailPermission
      ? sql`access.consent_permissions && ${words([resource.detailPermission])}`
      : sql`false`
  } as detail${resource.columns ? sql`, ${resource.columns}` : nothing}`;

/**
 * The statement's key as columns of `r`: the requested page starts at this key, or ends before it.
 * With a parameter, the server would plan each page again, because a plan for a known position
 * looks cheaper to it than a generic plan.
 */
function startOf({ key }: ReadableSource, { key0, key1 }: Values, side: Side): Sql {
  const names = side === "before" ? endNames : startNames;
  return list(
    key.columns.map(
      ({ type }, index) => sql`${index === 0 ? key0 : key1}::${keyTypes[type]} as ${names[index]}`,
    ),
  );
}

/** The names of the columns of `r` that hold a key. */
type KeyNames = readonly [Sql, Sql];

const startNames: KeyNames = [sql`start_0`, sql`start_1`];
const endNames: KeyNames = [sql`end_0`, sql`end_1`];

/**
 * Adds the columns of the page's start to `readable`, for a page that ends before the statement's
 * key. The start is the furthest of the keys that `before` finds. If `before` finds none, the page
 * starts at the statement's key, because no item precedes it any more.
 */
function withStart(
  { resource, pageSize }: PageSource,
  readable: Sql,
  before: (names: KeyNames, range: Sql) => Sql,
): Sql {
  const names = keyNames(resource);
  const starts = list(
    names.map(
      ({ column }, index) =>
        sql`coalesce(k.${column}, r.${endNames[index]}) as ${startNames[index]}`,
    ),
  );
  return sql`
    select r.*, ${starts} from ${readable} r
    left join lateral (
      select i.* from (${before(endNames, sql`limit ${integer(pageSize)}`)}) i
      order by ${orderBy(names, resource.key.descending)} limit 1
    ) k on true
    offset 0`;
}

// The checks of judgeAccess that can be made here. For a caller who fails them, nothing is
// computed.
const isOpen = (
  { permissions }: ReadableSource,
  { wanted, thumbprint, loopback, now }: Values,
): Sql => sql`
  ${wanted}::boolean
  and access.token_kind = 'authorization_code' and access.client_status = 'active'
  and coalesce(access.token_thumbprint = ${thumbprint},
    not access.client_certificate_bound and ${loopback}::boolean)
  and access.token_expires_at > ${now} 
  and access.consent_status = any(${words(activeStatuses)})
  and coalesce(access.consent_expires_at > ${now}, true)
  ${permissions.reduce(
    (left, anyOf) => sql`${left} and access.consent_permissions && ${words(anyOf)}`,
    nothing,
  )}`;

/** The items of account `r`: one page and one more. */
function itemsOf({ resource, pageSize, side }: PageSource, slots: Values): Sql {
  const { from, where, facts, key, paged } = resource;
  const start = side ? sql`and ${keyCompares(resource, "onwards", startNames)}` : nothing;
  return sql`
    select ${facts} as json, ${keySelection(resource)}
    from ${from} where ${isShown} and ${where}
      ${inWindow(resource, slots, side && "onwards", startNames)} ${start}
    order by ${orderBy(key.columns, key.descending)}
    ${paged ? sql`limit ${integer(pageSize + 1)}` : nothing}`;
}

/**
 * Keys of the items of account `r` before the key in the columns `names`, the nearest first.
 * `range` limits them.
 */
const keysBefore = (
  { resource }: PageSource,
  slots: Values,
  names: KeyNames,
  range: Sql,
): Sql => sql`
  select ${keySelection(resource)}
  from ${resource.from} where ${isShown} and ${resource.where}
    ${inWindow(resource, slots, "before", names)}
    and ${keyCompares(resource, "before", names)}
  order by ${orderBy(resource.key.columns, !resource.key.descending)}
  ${range}`;

// An aggregate keeps the order of a sorted subquery; ordering it again would cost time.
const pageOf = (resource: ReadableSource, { pageSize }: PageSource, items: Sql): Sql => sql`
  select string_agg(i.json, E',\\n\\n') as items,
    ${resource.paged ? keysOf(resource) : sql`null::json`} as keys,
    ${resource.paged ? sql`count(*) > ${integer(pageSize)}` : sql`false`} as has_next
  from (${items}) i`;

/**
 * The consent's window and the query's, with their bounds and the start of the page in them. The
 * server enters an index by the bounds of its columns. With only the comparison of whole keys, it
 * would read down to the page. Source: Read/Write profile, Pagination.
 */
function inWindow(
  { window, key }: ReadableSource,
  { from, to }: Values,
  side: Side | null,
  [name]: KeyNames,
): Sql {
  if (!window) return nothing;
  const isKey = side !== null && key.columns[0]?.column.text === window.column.text;
  const endsThere = (side === "onwards") === key.descending;
  const start = sql`, r.${name}`;
  const lower = isKey && !endsThere ? start : nothing;
  const upper = isKey && endsThere && !window.endColumn ? start : nothing;
  return sql`
    and ${window.column}
      >= greatest(${from}::timestamptz, r.transactions_from, '-infinity'::timestamptz${lower})
    and ${window.endColumn ?? window.column}
      <= least(${to}::timestamptz, r.transactions_to, 'infinity'::timestamptz${upper})`;
}

function keyCompares(
  { key: { columns, descending } }: ReadableSource,
  side: Side,
  names: KeyNames,
): Sql {
  const left = list(columns.map(({ column }) => column));
  const right = list(columns.map((_, index) => sql`r.${names[index]}`));
  if (side === "onwards") {
    return descending ? sql`(${left}) <= (${right})` : sql`(${left}) >= (${right})`;
  }
  return descending ? sql`(${left}) > (${right})` : sql`(${left}) < (${right})`;
}

const keyTypes = { timestamptz: sql`timestamptz`, text: sql`text` } as const;

// Names of the key's columns outside the query that knows their tables.
const keyAliases = [sql`key_0`, sql`key_1`] as const;

const keyNames = ({ key }: ReadableSource): KeyColumn[] =>
  key.columns.map(({ type }, index) => ({ column: keyAliases[index] ?? nothing, type }));

const keySelection = ({ key }: ReadableSource): Sql =>
  list(key.columns.map(({ column }, index) => sql`${column} as ${keyAliases[index]}`));

const keysOf = (resource: ReadableSource): Sql =>
  sql`json_build_array(${list(
    keyNames(resource).map(({ column }) => sql`array_agg(i.${column})`),
  )})`;

const orderBy = (columns: readonly KeyColumn[], descending: boolean): Sql =>
  list(columns.map(({ column }) => (descending ? sql`${column} desc` : sql`${column}`)));

const list = (parts: readonly Sql[]): Sql => parts.reduce((left, right) => sql`${left}, ${right}`);
