import {
  backchannelCreation,
  countOpen,
  countUnapproved,
  discardJourney,
  discardUnasked,
  endTime,
  findRequest,
  listBackchannelJourneys,
  lockRequests,
  type RequestRow,
} from "#src/auth/journey/backchannel-rows.ts";
import type { Journey } from "#src/auth/journey/journey.ts";
import type { JourneyTools } from "#src/auth/journey/journey-step.ts";
import { byHintStepName } from "#src/auth/journey/steps/by-hint-step.ts";
import { judgeAttempt, lockedUntil } from "#src/auth/login/attempts.ts";
import { appBrowser } from "#src/auth/login/browser.ts";
import { mayHaveAsked } from "#src/auth/login/may-have-asked.ts";
import { askedAllowed, failedLimit, unapprovedAllowed } from "#src/auth/login/methods/method.ts";
import {
  type ApprovalRequest,
  type BackchannelJourneys,
  pollSeconds,
} from "#src/auth/provider/backchannel.ts";
import { takeIdentifier } from "#src/auth/provider/backchannel-hints.ts";
import { clockNote } from "#src/auth/provider/clock-note.ts";
import { refused } from "#src/auth/provider/intent.ts";
import { errors } from "#src/auth/provider/library.ts";
import { because } from "#src/auth/provider/refused.ts";
import { TemporarilyUnavailable } from "#src/auth/provider/temporarily-unavailable.ts";
import { ChannelRefusal } from "#src/channels/consent-channel.ts";
import { present } from "#src/lib/assert.ts";
import { sha256 } from "#src/lib/hash.ts";
import { newId } from "#src/lib/ids.ts";
import { unavailableOf } from "#src/lib/unavailable.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import type { Pings } from "./pings.ts";
import type { PingSeal } from "./sealed-ping.ts";

type BackchannelDeps = { journey: Journey; tools: JourneyTools; seal: PingSeal; pings: Pings };

/** Journeys that TPPs begin without a browser. */
export type Backchannel = BackchannelJourneys & {
  /**
   * Joins the customer who has scanned a consent's id in the app; null if no TPP waits for this
   * customer. Throws ChannelRefusal if the customer cannot be asked now.
   */
  scan(given: { consentId: string; customerId: string }): Promise<string | null>;
  /** The journey that goes on after the answer to a challenge; null if a page goes on, or none. */
  journeyOf(challengeId: string): Promise<string | null>;
  /** The journey of a request; undefined if no client has its id. */
  findRequest(authReqId: string): Promise<RequestRow | undefined>;
  /** Ends the time of a journey that goes on, as if it had passed. */
  timeOut(uid: string): Promise<void>;
  /** Takes the answer of a journey's customer, if it is there. */
  take(uid: string): Promise<void>;
  /** Takes the answers that customers have given in the app, and tells the TPPs. */
  run(): Promise<void>;
  stop(): Promise<void>;
};

// The number of open requests of one client that nobody has scanned yet.
const unscannedAllowed = 1000;
const leftAlone =
  "This customer has left too many requests without an approval, and is not asked now. Let the " +
  "customer try again later, or use another way.";

/** A client, and the customer whom it wants to ask. */
type Pair = { clientId: string; customerId: string };

/** Whether a consent has been given by another customer. */
const isOfAnother = (consent: { customerId: string | null }, customerId: string): boolean =>
  consent.customerId !== null && consent.customerId !== customerId;

/** Makes the journeys without a browser. */
export function createBackchannel({ journey, tools, seal, pings }: BackchannelDeps): Backchannel {
  const { database, clock, login, log } = tools;

  async function take(uid: string): Promise<void> {
    const place = await journey.find(uid);
    if (place && journey.stepOf(place)?.waits?.(place)) await journey.check(place, appBrowser);
  }

  return {
    async begin(request) {
      const { consentId, clientId, customerId } = request;
      const now = clock.now();
      // ends a request of the same consent whose time is up
      for (const uid of await listBackchannelJourneys(database, { consentId })) {
        await journey.find(uid);
      }
      if (customerId !== null && (await login.whyNotAsk(customerId, true))) throw notAsked();
      const uid = newId("bcj");
      await database.transaction(async (on) => {
        // requests that come at once are counted one after the other
        if (customerId === null) await judgeUnscanned(on, clientId, now);
        else await judgeCount(on, { clientId, customerId }, now);
        await store(on, { uid, seal, now }, request);
      });
      if (customerId !== null) await ask({ journey, tools }, uid, { ...request, customerId });
    },

    async endOverdue(uid) {
      await journey.find(uid);
    },

    clockNote: (ended) => clockNote(ended, tools),

    async isBusy(consentId) {
      const open = () => listBackchannelJourneys(database, { consentId });
      // ends those whose time is up
      for (const uid of await open()) await journey.find(uid);
      return (await open()).length > 0;
    },

    findRequest: (authReqId) => findRequest(database, sha256(authReqId)),

    async timeOut(uid) {
      await endTime(database, uid, clock.now());
      await journey.find(uid);
    },

    async scan({ consentId, customerId }) {
      for (const uid of await listBackchannelJourneys(database, { consentId })) {
        const place = await journey.find(uid);
        if (place?.row.step !== byHintStepName) continue;
        // a hint has named the customer of a row that has one
        if (place.row.customerId !== null || isOfAnother(place.consent, customerId)) continue;
        const { clientId } = place.row;
        const isTooMany = await hasTooMany(database, { clientId, customerId }, clock.now());
        if (isTooMany || (await login.whyNotAsk(customerId, true))) {
          throw new ChannelRefusal(409, leftAlone);
        }
        await name(journey, uid, customerId);
        // another customer may have scanned it at the same time
        if ((await journey.find(uid))?.row.customerId === customerId) return uid;
      }
      return null;
    },

    async journeyOf(challengeId) {
      const [uid = null] = await listBackchannelJourneys(database, { challengeId });
      return uid;
    },

    take,

    async run() {
      await discardUnasked(database, byHintStepName, clock.now());
      for (const uid of await listBackchannelJourneys(database, null)) {
        await take(uid).catch((error) => {
          if (!unavailableOf(error)) log.warn({ err: error }, "a journey in the app cannot go on");
        });
      }
      await pings.send();
    },

    stop: () => pings.stop(),
  };
}

/** Names the customer of a journey, whom the core then asks. */
const name = (journey: Journey, uid: string, customerId: string) =>
  journey.post(
    uid,
    appBrowser,
    new URLSearchParams({ step: byHintStepName, decision: "continue", customerId }),
  );

/** Asks the named customer in the app. Discards the journey if that is not possible. */
async function ask(
  { journey, tools }: Pick<BackchannelDeps, "journey" | "tools">,
  uid: string,
  asked: Pair,
): Promise<void> {
  const { database } = tools;
  const countFailed = () => judgeAttempt(tools, [failedLimit(asked)], async () => null);
  try {
    const { consent } = present(await journey.find(uid), "the journey");
    if (isOfAnother(consent, asked.customerId)) throw notAsked();
    await name(journey, uid, asked.customerId);
    const place = await journey.find(uid);
    // the poller discards a journey whose customer is asked for too long
    if (!place) await countFailed();
    const isAsked = place?.row.method === "decoupled";
    if (!place || (place.row.outcome === null && !isAsked)) throw notAsked();
  } catch (error) {
    // the customer has answered before the error
    if (!(await discardJourney(database, uid, tools.clock.now()))) return;
    if (!(error instanceof errors.AccessDenied) && mayHaveAsked(error)) await countFailed();
    const unavailable = unavailableOf(error);
    throw unavailable ? new TemporarilyUnavailable(unavailable) : error;
  }
}

/**
 * Refuses a request of a customer who has too many of them. Holds others for the customer until
 * the end of the transaction. Throws the error for the client.
 */
async function judgeCount(on: Queryable, asked: Pair, now: Temporal.Instant): Promise<void> {
  await lockRequests(on, `customer ${asked.customerId}`);
  if ((await countOpen(on, asked, now)) >= askedAllowed) throw notAsked();
  if (await hasTooMany(on, asked, now)) throw notAsked();
}

/** Whether a client has asked a customer too often without an approval. */
async function hasTooMany(on: Queryable, asked: Pair, now: Temporal.Instant): Promise<boolean> {
  const unapproved = await countUnapproved(on, asked, now.subtract({ hours: 1 }));
  if (unapproved >= unapprovedAllowed) return true;
  return (await lockedUntil(on, [failedLimit(asked)], now)) !== null;
}

/** Refuses a request without a hint of a client that has too many. Throws as `judgeCount` does. */
async function judgeUnscanned(
  on: Queryable,
  clientId: string,
  now: Temporal.Instant,
): Promise<void> {
  await lockRequests(on, `client ${clientId}`);
  if ((await countOpen(on, { unscannedOf: clientId }, now)) < unscannedAllowed) return;
  throw refused("unscannedTooMany", { limit: String(unscannedAllowed) });
}

/** Stores a request with its journey. Throws the error for the client. */
async function store(
  on: Queryable,
  { uid, seal, now }: { uid: string; seal: PingSeal; now: Temporal.Instant },
  { consentId, clientId, customerId, identifierHash, expiresAt, ping, ...request }: ApprovalRequest,
): Promise<void> {
  const creation = backchannelCreation({
    ...{ uid, consentId, clientId, customerId, now, expiresAt, step: byHintStepName },
    interaction: JSON.stringify(request.interaction),
  });
  const stored = await first<{ isBegun: boolean; isNew: boolean }>(
    on,
    sql`with begun as (${creation}), stored as (
        insert into backchannel_request (uid, id_hash, request_hash, client_id, payload,
          expires_at, interval_seconds, ping)
        select uid, ${request.idHash}, ${request.requestHash}, ${clientId},
          ${JSON.stringify(request.payload)}::json, ${expiresAt}::timestamptz,
          ${pollSeconds}::integer, ${ping && seal.seal(uid, ping)}::text
        from begun on conflict do nothing returning uid)
      select exists (select from begun) as "isBegun", exists (select from stored) as "isNew"`,
  );
  if (!stored?.isBegun) throw refused("consentBusy", { found: consentId });
  if (!stored.isNew) throw refused("requestReplayed");
  if (identifierHash === null) return;
  await takeIdentifier(on, { idHash: identifierHash, journeyId: uid }, now);
}

/** Refuses to ask a customer, before the customer learns of it. Source: CB-44. */
const notAsked = () =>
  Object.assign(new errors.AccessDenied(undefined, because("customerNotAsked")), {
    status: 403,
    statusCode: 403,
  });
