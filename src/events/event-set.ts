import { present } from "#src/lib/assert.ts";
import {
  type ApiVersion,
  type ApiVersionId,
  versionName,
  versionNumber,
} from "#src/standard/api-version.ts";
import type { KindId } from "#src/standard/kind-id.ts";
import { type EventName, eventTypeOf } from "#src/standard/shared/events/event-types.ts";
import type { AccountChange, EventResource } from "./event-resource.ts";

/** The facts from which the SET of an event is built when the event is first sent. */
export type EventFacts = {
  objectKind: EventResource["objectKind"];
  kind: KindId;
  objectId: string;
  apiVersion: ApiVersionId;
  /** The version that the registration asked for. */
  version: string;
  types: readonly EventName[];
  /** The account that the event is about. Absent if the event is not about an account. */
  account?: { accountId: string; change: AccountChange };
  /** The interaction id of the call that caused the change; null if there was no call. */
  txn: string | null;
};

/** A stored event, from which a SET is built. */
export type StoredEvent = {
  jti: string;
  clientId: string;
  facts: EventFacts;
  occurredAt: Temporal.Instant;
};

/** How the bank names itself and its resources in SETs. */
export type SetContext = {
  resources: readonly EventResource[];
  issuer: string;
  /** The base URL of the links. */
  base: string;
};

const subjectType = "http://openbanking.org.uk/rid_http://openbanking.org.uk/rty";

/**
 * Returns the claims of an event's SET. `sub` links to the resource in the version that the TPP
 * asked for. If that version does not serve the resource, it links to the newest earlier version,
 * or else to the oldest version. Source: EV-04, EV-06, EV-29; event resource pages, Event
 * Notifications.
 */
export function claimsOf(
  { jti, clientId, facts, occurredAt }: StoredEvent,
  { resources, issuer, base }: SetContext,
  now: Temporal.Instant,
): object {
  const resource = present(
    resources.find(
      ({ objectKind, kind }) => objectKind === facts.objectKind && kind === facts.kind,
    ),
    `how events name ${facts.kind}`,
  );
  const linkOn = ({ basePath }: ApiVersion) =>
    `${base}${basePath}/${resource.type}/${facts.objectId}`;
  const versions = resource.readableOn(facts.apiVersion);
  const wantedNumber = versionNumber(facts.version);
  const notNewer = versions.filter(({ release }) => versionNumber(release) <= wantedNumber);
  const wanted = present(notNewer.at(-1) ?? versions[0], "a version that serves the resource");
  const { account } = facts;
  const named = resource.account?.word === undefined ? undefined : account;
  const reason = account && resource.account?.reasons[account.change];
  const subject = {
    subject_type: subjectType,
    "http://openbanking.org.uk/rid": named?.accountId ?? facts.objectId,
    "http://openbanking.org.uk/rty": named ? resource.account?.word : resource.type,
    "http://openbanking.org.uk/rlk": versions.map((api) => ({
      version: versionName(api),
      link: linkOn(api),
    })),
  };
  return {
    iss: issuer,
    iat: secondsOf(now),
    jti,
    aud: clientId,
    sub: linkOn(wanted),
    txn: facts.txn ?? jti,
    toe: secondsOf(occurredAt),
    events: Object.fromEntries(
      facts.types.map((name) => [
        eventTypeOf(name).urn,
        // with a resource update, only it has a subject. Source: event resource pages, Events
        name === "resource-update" || !facts.types.includes("resource-update")
          ? { ...(reason ? { reason } : {}), subject }
          : {},
      ]),
    ),
  };
}

const secondsOf = (instant: Temporal.Instant): number =>
  Math.floor(instant.epochMilliseconds / 1000);
