import type { TSchema } from "typebox";
import type { OutgoingFile } from "#src/http/operation.ts";
import type { Permission } from "#src/standard/aisp-v3.1/account-access-consent.ts";
import type { Queryable } from "#src/storage/database.ts";
import type { Sql } from "#src/storage/sql.ts";

/** What opens a resource: one code of each list. Source: digest section 1. */
export type PermissionRule = readonly (readonly Permission[])[];

/** A column of the order that pages follow; its values make the cursor. */
export type KeyColumn = { column: Sql; type: "timestamptz" | "text" };

/**
 * What is known when items are rendered; `baseUrl` is the API's, without a slash at its end,
 * `cardNumbers` whether ReadPAN shows them in full.
 */
export type View = {
  now: Temporal.Instant;
  baseUrl: string;
  cardNumbers: boolean;
};

/**
 * One resource of an account: a row from which its operations are compiled. The fragments are put
 * into one statement in which `r` is a readable account: `r.account_id`, `r.customer_id`, `r.now`,
 * `r.history_from` (of its first entry, or null), `r.permissions`, and `r.detail`, which is true
 * when the Detail permission is there; below a part of the account also that part's columns.
 */
export type AccountResource<Item = unknown> = {
  /** Below the API's base path: with `:AccountId` of one account, without it of all consented. */
  path: string;
  operationId: string;
  summary: string;
  tag: string;
  permissions: PermissionRule;
  /** The code that shows the Detail fields; null when there is no such split. */
  detailPermission: Permission | null;
  /** Members of a rendered item that nobody sees without the Detail code. */
  detailMembers?: readonly string[];
  /** Member of `Data` that holds the items. */
  arrayName: string;
  /** True when that member is one object, or left out when there is none, and no array. */
  isSingle?: boolean;
  /** Schema of the body of a 200. */
  schema: TSchema;
  /** Tables of the items, as after `from`. */
  from: Sql;
  /** Which of them belong to account `r`. */
  where: Sql;
  /** Unique within the whole answer; pages and their order follow it. */
  key: { columns: readonly KeyColumn[]; descending: boolean };
  /** An SQL expression: JSON of one item, finished text unless there is `render`. */
  item: Sql;
  /** Makes the items that the TPP sees out of one stored item. */
  render?: (item: Item, view: View) => object[];
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
  /** Sends one item as a file, of a media type that Accept decides, in place of JSON. */
  file?: AccountFile<Item>;
  /** The endpoint that gives the same of all consented accounts at once. */
  bulk?: BulkEndpoint<Item>;
};

/**
 * What of a row is other when all accounts are read at once; the rest is the row's own. It always
 * comes in pages, so that no number of accounts makes an answer long. Source: digest 3.14.
 */
export type BulkEndpoint<Item = unknown> = Pick<
  AccountResource,
  "path" | "operationId" | "summary"
> &
  Partial<
    Pick<AccountResource<Item>, "from" | "where" | "key" | "item" | "render" | "perCustomer">
  >;

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

/** A filter by time. Source: digest 3.5. */
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

/** Checks a row's types and forgets the type of its items, which only its own `render` needs. */
export function defineAccountResource<Item>(row: AccountResource<Item>): AccountResource {
  // safe: items reach `render` from the row's own `item` expression and from nowhere else
  return row as AccountResource;
}

/** The endpoints of a row, each as a row of its own: its path, and its bulk endpoint if any. */
export function endpointsOf({ bulk, ...resource }: AccountResource): AccountResource[] {
  return bulk ? [resource, { ...resource, ...bulk, paged: true }] : [resource];
}

/** Whether the answer is about one account that the path names. */
export const isOfOneAccount = ({ path }: Pick<AccountResource, "path">): boolean =>
  path.includes("/:AccountId");

/** Whether permissions open a resource. */
export const isPermitted = (rule: PermissionRule, permissions: readonly string[]): boolean =>
  rule.every((anyOf) => anyOf.some((code) => permissions.includes(code)));
