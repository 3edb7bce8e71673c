import type { TSchema } from "typebox";
import type { OutgoingFile } from "#src/http/operation.ts";
import type { Permission } from "#src/standard/shared/accounts/account-access-consent.ts";
import type { Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";

/**
 * What opens a resource: one code of each list. Source: AISP resource pages, Account Access
 * Consents.
 */
export type PermissionRule = readonly (readonly Permission[])[];

/** A column of the order that pages follow; its values make the cursor. */
export type KeyColumn = { column: Sql; type: "timestamptz" | "text" };

/** An API version that serves account information. */
export type AccountApiId = "aisp-v3.1" | "aisp-v4.0";

/**
 * What is known when items are rendered; `baseUrl` is the API's, without a slash at its end,
 * `cardNumbers` whether ReadPAN shows them in full.
 */
export type ViewContext = {
  now: Temporal.Instant;
  baseUrl: string;
  cardNumbers: boolean;
  /** Whether the Detail code is there. */
  detail: boolean;
};

/**
 * Where the facts of a resource are and what opens them: the same for every API version. The
 * fragments are put into one statement in which `r` is a readable account: `r.account_id`,
 * `r.customer_id`, `r.now`, `r.history_from` (of its first entry, or null), `r.permissions`, and
 * `r.detail`, which is true when the Detail permission is there; below a part of the account also
 * that part's columns.
 */
export type ResourceSource = {
  permissions: PermissionRule;
  /** The code that shows the Detail fields; null when there is no such split. */
  detailPermission: Permission | null;
  /** Tables of the items, as after `from`. */
  from: Sql;
  /** Which of them belong to account `r`. */
  where: Sql;
  /** Unique within the whole answer; pages and their order follow it. */
  key: { columns: readonly KeyColumn[]; descending: boolean };
  /** An SQL expression: the facts of one item as JSON text, in no version's words. */
  facts: Sql;
  /** Whether the answer comes in pages. */
  paged: boolean;
  /** The time that query parameters and the consent's window filter by. */
  window?: ItemWindow;
  /** True when items are the customer's and no account's: then `r.account_id` is null. */
  perCustomer?: boolean;
  /** True when an account that was switched to another bank is still shown, as switched. */
  showsSwitched?: boolean;
  /** What the path names below the account. */
  part?: AccountPart;
};

/** How one API version shows the facts of a resource. */
export type ResourceView<Facts = unknown> = {
  /** Schema of the body of a 200. */
  schema: TSchema;
  /** Members of a rendered item that nobody sees without the Detail code. */
  detailMembers?: readonly string[];
  /** Which of the source's items this version shows; absent: all of them. */
  shows?: Sql;
  /** Makes the JSON text of one item, where a page has so many that objects would cost too much. */
  renderText?: (facts: Facts, context: ViewContext) => string;
  /** Makes the items that the TPP sees out of the facts of one; null: another member does. */
  render: ((facts: Facts, context: ViewContext) => object[]) | null;
  /** Sends one item as a file, of a media type that Accept decides, in place of JSON. */
  file?: AccountFile<Facts>;
  /** Replace those of the resource in a version that names them differently. */
  path?: string;
  operationId?: string;
};

/**
 * One resource of account information: a row from which the operations of every API version are
 * compiled. A version without a view does not serve the resource.
 */
export type AccountResource<Facts = unknown> = ResourceNames & {
  source: ResourceSource;
  views: Readonly<Partial<Record<AccountApiId, ResourceView<Facts>>>>;
  /** The endpoint that gives the same of all consented accounts at once. */
  bulk?: BulkEndpoint;
};

/** How a resource is named to those who call it. */
export type ResourceNames = {
  /** Below the API's base path: with `:AccountId` of one account, without it of all consented. */
  path: string;
  operationId: string;
  summary: string;
  tag: string;
  /** Member of `Data` that holds the items. */
  arrayName: string;
  /** True when that member is one object, or left out when there is none, and no array. */
  isSingle?: boolean;
};

/**
 * What differs when all accounts are read at once. The answer always comes in pages, so that no
 * number of accounts makes it long. Source: A-219.
 */
export type BulkEndpoint = Pick<ResourceNames, "path" | "operationId" | "summary"> & {
  source?: Partial<Pick<ResourceSource, "from" | "where" | "key" | "facts" | "perCustomer">>;
};

/** What a page statement is compiled from: the same in every API version. */
export type ReadableSource = ResourceSource & Pick<ResourceNames, "path">;

/** One endpoint of a resource in one API version. */
export type AccountEndpoint = ResourceNames &
  ResourceSource &
  ResourceView & { version: AccountApiId };

/** Something of an account that a path names: `/accounts/:AccountId/statements/:StatementId`. */
export type AccountPart = {
  /** The path's parameter. */
  parameter: string;
  /** What it is called in an error. */
  noun: string;
  /** Its table with an alias, as after `from`. */
  table: Sql;
  /** The columns of account and id in it. */
  accountColumn: Sql;
  idColumn: Sql;
  /** What `r` gains. */
  columns: Sql;
  /** A further condition, in which `access` is the token's row; what fails it is not there. */
  seenWhen?: Sql;
};

/** What a file is made from, and whose bank it is of. */
export type FileSource = {
  database: Queryable;
  bankName: string;
  /** Whether neither the bank nor its money exists, which the file then says. */
  isSandbox: boolean;
};

/** How an item is sent as a file. */
export type AccountFile<Item = unknown> = {
  /** Media types without parameters, that which is sent by default first. */
  contentTypes: readonly string[];
  open(source: FileSource, item: Item, contentType: string): OutgoingFile;
};

/** A filter by time. Source: AISP profile, Filtering. */
export type ItemWindow = {
  /** Query parameters that filter by it; null when only the consent's window does. */
  parameters: { from: string; to: string } | null;
  column: Sql;
  /** When the item ends, for items that last and must lie within the window; `column` otherwise. */
  endColumn?: Sql;
  /** An SQL expression: when the history of account `r` starts; null when it has none. */
  historyStart: Sql;
  /** Days back that an authentication of any age opens; what is older may need a fresh one. */
  openDays: number;
};

/** Checks a row's types and forgets the type of its facts, which only its own views need. */
export function defineAccountResource<Facts>(row: AccountResource<Facts>): AccountResource {
  // safe: facts reach a view from the row's own `facts` expression and from nowhere else
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

/** Whether the answer is about one account that the path names. */
export const isOfOneAccount = ({ path }: Pick<ResourceNames, "path">): boolean =>
  path.includes("/:AccountId");

/** Whether permissions open a resource. */
export const isPermitted = (rule: PermissionRule, permissions: readonly string[]): boolean =>
  rule.every((anyOf) => anyOf.some((code) => permissions.includes(code)));
