import type { Change, ChangeSql } from "#src/history/change.ts";
import type { ApiVersion, ApiVersionId } from "#src/standard/api-version.ts";
import type { KindId } from "#src/standard/kind-id.ts";
import type { EventName } from "#src/standard/shared/events/event-types.ts";
import type { Sql } from "#src/storage/sql.ts";

/**
 * What happened to an account that a consent covers. `withdrawn`: the customer stopped sharing it.
 * Source: EV-07, EV-13.
 */
export type AccountChange = "closed" | "switched" | "blocked" | "open" | "withdrawn";

/** A kind of resource that TPPs can be notified of: how events name it and link to it. */
export type EventResource = {
  /** The kind of object in the history. */
  objectKind: "consent" | "order";
  /** The value of `consent.kind` or `payment_order.kind`. */
  kind: KindId;
  /** The `rty` of a SET's subject, which is also the segment of its path. Source: EV-29. */
  type: string;
  /** How events describe a change to a covered account. Absent if there are no such events. */
  account?: {
    /** The `rty`, if such an event names the account. Absent if it names the consent. */
    word?: string;
    /** The `reason` of each change that has one. */
    reasons: Readonly<Partial<Record<AccountChange, string>>>;
  };
  /** Returns the versions that can read a resource created on `apiVersion`, oldest first. */
  readableOn(apiVersion: ApiVersionId): readonly ApiVersion[];
};

/**
 * The TPPs that are notified of changes to one kind of object. `rows` makes a query for a change,
 * with the columns `object_id`, `client_id`, `kind`, `resource_id` and `api_version`. An index must
 * find the query's rows by `object_id`. The resource is the one that the TPP knows: the object
 * itself or, for an account, each consent that covered it at the time of the change.
 */
export type EventSubjects = {
  objectKind: Change["objectKind"];
  rows(change: ChangeSql): Sql;
  /** By kind of resource: the type of event that only this kind has for changes of the object. */
  ownEvents?: Readonly<Partial<Record<KindId, EventName>>>;
};

/** Returns how events name a kind of consent. Each version declares whose consents it serves. */
export const consentResource = (
  { kind, type }: Pick<EventResource, "kind" | "type">,
  versions: readonly ApiVersion[],
): EventResource => ({
  objectKind: "consent",
  kind,
  type,
  readableOn: (apiVersion) => versions.filter(({ consents }) => consents.serves.has(apiVersion)),
});
