import { present } from "#src/lib/assert.ts";
import {
  type ApiVersion,
  type ApiVersionId,
  versionName,
  versionNumber,
} from "#src/standard/api-version.ts";
import type { KindId } from "#src/standard/kind-id.ts";
import { type EventName, eventTypeOf } from "#src/standard/shared/events/event-types.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import type { AccountChange, EventResource } from "./event-resource.ts";
import { lockedEvents } from "./lock-events.ts";

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
type StoredEvent = {
  jti: string;
  clientId: string;
  facts: EventFacts;
  occurredAt: Temporal.Instant;
};

/** How the bank names itself and its resources in SETs. */
type SetContext = {
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
function claimsOf(
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

/** The dependencies of signing events. */
export type SigningDeps = SetContext & {
  database: Queryable;
  /** Signs the claims of a SET. */
  sign(claims: string): Promise<string>;
  /** Whether TPPs can verify signatures made with the key that has this id. */
  isPublished(kid: string): boolean;
};

/** An event with its signed form, which is null if the event was never sent. */
export type UnsentEvent = StoredEvent & { token: string | null };

/**
 * Returns the signed form of events, by `jti`. An event is signed when it is first sent, and again
 * if that key is no longer published. If two processes sign an event at the same time, both use the
 * first signature, so that all deliveries have the same bytes. Source: EV-16, EV-22.
 */
export async function signEvents(
  deps: SigningDeps,
  events: readonly UnsentEvent[],
  now: Temporal.Instant,
): Promise<ReadonlyMap<string, string>> {
  const tokens = new Map<string, string>();
  const unsigned: UnsentEvent[] = [];
  for (const event of events) {
    // fixes the order of the map: a poll's response lists the events in the given order
    tokens.set(event.jti, event.token ?? "");
    if (event.token === null || !deps.isPublished(keyOf(event.token))) unsigned.push(event);
  }
  if (unsigned.length === 0) return tokens;
  const signed = await Promise.all(
    unsigned.map(async (event) => ({
      jti: event.jti,
      replaced: event.token,
      token: await deps.sign(JSON.stringify(claimsOf(event, deps, now))),
    })),
  );
  const ids = signed.map(({ jti }) => jti);
  const rows = await deps.database.query<{ jti: string; token: string }>(sql`
    with unsigned as materialized (${lockedEvents(sql`e.jti = any(${ids}::text[])`)})
    update event e
    set token = case when e.token is not distinct from s.replaced then s.token else e.token end
    from json_to_recordset(${JSON.stringify(signed)}::json)
      as s(jti text, replaced text, token text)
    join unsigned u on u.jti = s.jti
    where e.jti = s.jti
    returning e.jti, e.token`);
  for (const { jti, token } of rows) tokens.set(jti, token);
  return tokens;
}

/** Returns the id of the key that signed a token. */
function keyOf(token: string): string {
  const header = Buffer.from(token.slice(0, token.indexOf(".")), "base64url").toString();
  return (JSON.parse(header) as { kid: string }).kid; // the bank's own token
}
