import type { Change } from "#src/history/change.ts";
import type { ApiVersion, ApiVersionId } from "#src/standard/api-version.ts";
import type { EventName } from "#src/standard/events-v4.0/event-types.ts";
import type { Sql } from "#src/storage/sql.ts";

/** A resource of an API of which TPPs can be notified: how events name it and link to it. */
export type EventResource = {
  /** The kind of object in the history. */
  objectKind: "consent" | "order";
  /** As in `consent.kind` and `payment_order.kind`. */
  kind: string;
  /** The `rty` of a SET's subject, which is also the segment of its path. Source: EV-29. */
  type: string;
  /**
   * The word by which an event of an account names the account; absent if such an event names the
   * consent. Source: EV-07, EV-13.
   */
  accountWord?: string;
  /** The versions on which a resource that was made on `apiVersion` can be read, oldest first. */
  readableOn(apiVersion: ApiVersionId): readonly ApiVersion[];
};

/**
 * The TPPs of one kind of object in the history: a query with the columns `object_id`, `client_id`,
 * `kind`, `resource_id` and `api_version` of all of them. The resource is the one that the TPP has:
 * the object itself or, for an account, each consent that covers it.
 */
export type EventSubjects = {
  objectKind: Change["objectKind"];
  rows: Sql;
  /** The event of an account that these consents cover. */
  accountEvent?: EventName;
};

/** A kind of consent that every version of its API serves as that version declares. */
export const consentResource = (
  { kind, type }: Pick<EventResource, "kind" | "type">,
  versions: readonly ApiVersion[],
): EventResource => ({
  objectKind: "consent",
  kind,
  type,
  readableOn: (apiVersion) => versions.filter(({ consents }) => consents.serves.has(apiVersion)),
});
