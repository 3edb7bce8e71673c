import type { TSchema } from "typebox";
import type { Cluster } from "#src/account-store/feed.ts";
import type { BankPart } from "#src/bank/parts.ts";
import type { Bank } from "#src/bank/port.ts";
import type { OutgoingFile } from "#src/http/operation.ts";
import type { Permission } from "#src/standard/shared/accounts/account-access-consent.ts";
import type { Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";

/**
 * The permissions for a resource: one code of each list. Source: AISP resource pages, Account
 * Access Consents.
 */
export type PermissionRule = readonly (readonly Permission[])[];

/** A column of the paging order; its values make the cursor. */
export type KeyColumn = { column: Sql; type: "timestamptz" | "text" };

/** Where a page is, relative to the item with its key: `onwards` from the item, or `before` it. */
export type Side = "onwards" | "before";

/** The place of a page: the key of an item, and the side on which the page lies. */
export type PagePosition = { side: Side; key: readonly string[] };

/** An API version that serves account information. */
export type AccountApiId = "aisp-v3.1" | "aisp-v4.0";

/**
 * The context of rendering. `baseUrl` is the API's base URL without a trailing slash; `cardNumbers`
 * is whether ReadPAN shows card numbers in full.
 */
export type ViewContext = {
  now: Temporal.Instant;
  baseUrl: string;
  cardNumbers: boolean;
  /** Whether the consent has the Detail permission. */
  detail: boolean;
};

/** The context of rendering as text. */
type TextContext = ViewContext & {
  /** Returns a text as a JSON string. For most pages, it is faster than JSON.stringify. */
  quote(text: string): string;
};

/** The account that the path names and the key of an item: its facts do not repeat them. */
type ItemKey = {
  /** null if the path names no account. */
  accountId: string | null;
  /** The values of the key's columns as JSON has them: `2026-11-22T09:30:00+00:00`. */
  key: readonly string[];
};

/**
 * The source of a resource's facts and its permissions, the same for every API version. The
 * fragments are put into one statement in which `r` is a readable account: `r.account_id`,
 * `r.customer_id`, `r.now`, `r.history_from` (of its first entry, or null), `r.permissions`, and
 * `r.detail`, which is true with the Detail permission. Below a part of the account, `r` also has
 * the part's columns.
 */
export type ResourceSource = {
  /** The facts of which the bank reports the age, and to which the items belong. */
  cluster: Cluster;
  permissions: PermissionRule;
  /** The permission that shows the Detail fields; null if there is no such distinction. */
  detailPermission: Permission | null;
  /** Tables of the items, as after `from`. */
  from: Sql;
  /** The condition that an item belongs to account `r`. */
  where: Sql;
  /** Unique within the whole response. Pages follow this order. */
  key: { columns: readonly KeyColumn[]; descending: boolean };
  /** An SQL expression: the facts of one item as JSON text, independent of versions. */
  facts: Sql;
  /** Whether the response has pages. */
  paged: boolean;
  /** The time by which query parameters and the consent's window filter. */
  window?: ItemWindow;
  /** Columns that `r` gains, calculated once per page from the token's row `access`. */
  columns?: Sql;
  /** True if items belong to the customer and not to an account: then `r.account_id` is null. */
  perCustomer?: boolean;
  /** True when an account that was switched to another bank is still shown, as switched. */
  showsSwitched?: boolean;
  /** The element of the path below the account. */
  part?: AccountPart;
};

/** The view of a resource in one API version. */
export type ResourceView<Facts = unknown> = {
  /** Schema of the body of a 200. */
  schema: TSchema;
  /** Members of a rendered item that are shown only with the Detail permission. */
  detailMembers?: readonly string[];
  /** The condition for items that this version shows; absent for all items. */
  shows?: Sql;
  /**
   * Renders one item as JSON text, for pages with so many items that objects would cost too much.
   */
  renderText?: (facts: Facts, context: TextContext, item: ItemKey) => string;
  /** Renders the facts of an item; null if another member does it. */
  render: ((facts: Facts, context: ViewContext) => object[]) | null;
  /** Sends one item as a file instead of JSON; Accept selects the media type. */
  file?: AccountFile<Facts>;
  /** They replace the resource's names in a version with different names. */
  path?: string;
  operationId?: string;
};

/** What a resource of account information is in every API version: one row. */
export type AccountRow<Facts = unknown> = ResourceNames & {
  source: ResourceSource;
  /** The endpoint for all consented accounts together. */
  bulk?: BulkEndpoint;
  /** The type of its facts, for the compiler: no row has this member. */
  readonly factsType?: Facts;
};

/**
 * A resource that a bank serves, from which the operations of every API version are compiled. A
 * version without a view does not serve the resource.
 */
export type AccountResource<Facts = unknown> = AccountRow<Facts> & {
  views: Readonly<Partial<Record<AccountApiId, ResourceView<Facts>>>>;
};

/** A view of a resource, as its version lists it. */
export type AccountView = { row: AccountRow; view: ResourceView };

/** Gives a resource a view, which gets the facts of the resource's own source. */
export const viewOf = <Facts>(row: AccountRow<Facts>, view: ResourceView<Facts>): AccountView => ({
  row,
  // safe: a view gets only facts of its row's own `facts` expression
  view: view as ResourceView,
});

type ResourceNames = {
  /**
   * Below the API's base path: with `:AccountId` for one account, without it for all consented
   * accounts.
   */
  path: string;
  operationId: string;
  summary: string;
  tag: string;
  /** The member of `Data` that contains the items. */
  arrayName: string;
  /** True if that member is a single object, absent if there is none, instead of an array. */
  isSingle?: boolean;
};

/**
 * The differences when all accounts are read together. The response always has pages, so its length
 * is limited for any number of accounts. Source: A-219.
 */
type BulkEndpoint = Pick<ResourceNames, "path" | "operationId" | "summary"> & {
  source?: Partial<Pick<ResourceSource, "from" | "where" | "key" | "facts" | "perCustomer">>;
};

/** The input from which a page statement is compiled: the same in every API version. */
export type ReadableSource = ResourceSource & Pick<ResourceNames, "path">;

/** One endpoint of a resource in one API version. */
export type AccountEndpoint = ResourceNames &
  ResourceSource &
  ResourceView & { version: AccountApiId };

/** An element of an account in a path: `/accounts/:AccountId/statements/:StatementId`. */
export type AccountPart = {
  /** The path's parameter. */
  parameter: string;
  /** Its name in an error message. */
  noun: string;
  /** The part of the core without which the element does not exist. */
  belongsTo: BankPart;
  /** Its table with an alias, as after `from`. */
  table: Sql;
  /** The columns of account and id in it. */
  accountColumn: Sql;
  idColumn: Sql;
  /** The columns that it adds to `r`. */
  columns: Sql;
  /**
   * A further condition, in which `access` is the token's row. An element that does not meet it
   * does not exist for the caller.
   */
  seenWhen?: Sql;
};

/** The sources of a file: the facts, and the bank's own documents. */
export type FileSource = {
  database: Queryable;
  bank: Pick<Bank, "loadStatementDocument">;
};

/** Sends an item as a file. */
export type AccountFile<Item = unknown> = {
  /** The media types that the bank has, without parameters and the default first. */
  contentTypes(source: FileSource): readonly string[];
  /** Throws 406 if `accept` asks for another type. */
  open(source: FileSource, item: Item, accept: string | undefined): Promise<OutgoingFile>;
};

/** A filter by time. Source: Read/Write profile, Filtering. */
type ItemWindow = {
  /** Query parameters that filter by it; null when only the consent's window does. */
  parameters: { from: string; to: string } | null;
  column: Sql;
  /**
   * The end of an item, for items with a duration that must be within the window; by default,
   * `column`.
   */
  endColumn?: Sql;
  /** An SQL expression: when the history of account `r` starts; null when it has none. */
  historyStart: Sql;
  /**
   * The number of days that any authentication gives access to; older items may need a fresh
   * authentication.
   */
  openDays: number;
};

/** Checks a row's types and hides the type of its facts, which only its own views need. */
export function defineAccountResource<Facts>(row: AccountResource<Facts>): AccountResource {
  // safe: a view gets only facts of its row's own `facts` expression
  return row as AccountResource;
}

/**
 * The endpoints of a resource in one API version: its own, and its bulk endpoint if any. Empty when
 * that version does not serve the resource.
 */
export function endpointsOf(resource: AccountResource, version: AccountApiId): AccountEndpoint[] {
  const { source, views, bulk, ...names } = resource;
  const view = views[version];
  if (!view) return [];
  const shown = ({ where }: ResourceSource) =>
    view.shows ? { where: sql`${where} and ${view.shows}` } : {};
  const own = { ...names, ...source, ...view, ...shown(source), version };
  if (!bulk) return [own];
  const { source: bulkSource, ...bulkNames } = bulk;
  const all = { ...source, ...bulkSource };
  return [own, { ...own, ...all, ...shown(all), ...bulkNames, paged: true }];
}

/** Whether the path names one account. */
export const isOfOneAccount = ({ path }: Pick<ResourceNames, "path">): boolean =>
  path.includes("/:AccountId");

/** Whether permissions give access to a resource. */
export const isPermitted = (rule: PermissionRule, permissions: readonly string[]): boolean =>
  rule.every((anyOf) => anyOf.some((code) => permissions.includes(code)));
