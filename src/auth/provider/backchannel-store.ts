import type { AdapterPayload } from "oidc-provider";
import type { Clock } from "#src/lib/clock.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import type { JourneyTimes } from "./clock-note.ts";
import type { InteractionResult } from "./interaction-store.ts";
import { errors } from "./library.ts";
import { because } from "./refused.ts";

/** What ends a journey whose customer was asked without a browser, and says why it has ended. */
export type EndedJourneys = {
  /** Ends a journey whose time is up, unless it has ended in another way. */
  endOverdue(uid: string): Promise<void>;
  /** Says that a sandbox's clock has ended a journey; null if it has not. */
  clockNote(ended: JourneyTimes): string | null;
};

type Deps = {
  on: Queryable;
  clock: Clock;
  journeys: EndedJourneys;
};
type Asked = { idHash: string; clientId: string; id: string };

type FoundRow = Answer & {
  uid: string;
  payload: AdapterPayload;
  expiresAt: Temporal.Instant;
  usedAt: Temporal.Instant | null;
  isTooEarly: boolean;
  createdAt: Temporal.Instant;
  /** The end of the journey's step. */
  closesAt: Temporal.Instant;
};

/** How the journey of a request has ended; null while it goes on. */
type Answer = { outcome: string | null; result: InteractionResult | null };

// the answer waits for the client: it may have been given in the last second
const keptSeconds = 300;
// each poll that comes too early makes the interval longer, up to this
const longestInterval = 60;

/**
 * Finds a request of a client for its poll, as the library needs it: the answer is how its journey
 * has ended. Throws the error for the client if the answer is a refusal, was given before, or was
 * asked for too early. Returns undefined for an unknown request and for one of another client.
 */
export async function findBackchannel(
  { on, clock, journeys }: Deps,
  { idHash, clientId, id }: Asked,
): Promise<AdapterPayload | undefined> {
  const now = clock.now();
  const row = await first<FoundRow>(
    on,
    sql`with found as (
        select r.uid, j.outcome, j.interaction->'result' as result,
          j.created_at, j.expires_at as closes_at,
          j.outcome is null and coalesce(r.polled_at
            + make_interval(secs => r.interval_seconds - 1) > ${now}, false) as is_too_early
        from backchannel_request r join journey j on j.uid = r.uid
        where r.id_hash = ${idHash} and r.client_id = ${clientId} for update of r
      )
      update backchannel_request r set polled_at = ${now},
        interval_seconds = case when f.is_too_early
          then least(r.interval_seconds + 5, ${longestInterval}::integer)
          else r.interval_seconds end
      from found f where r.uid = f.uid
      returning r.uid, r.payload, r.expires_at as "expiresAt", r.used_at as "usedAt",
        f.is_too_early as "isTooEarly", f.outcome, f.result,
        f.created_at as "createdAt", f.closes_at as "closesAt"`,
  );
  if (!row) return undefined;
  if (row.usedAt !== null) {
    throw new errors.InvalidGrant("backchannel authentication request already consumed");
  }
  if (row.isTooEarly) throw new errors.SlowDown(undefined, because("pollTooEarly"));
  const isOver = row.outcome === null && Temporal.Instant.compare(row.expiresAt, now) <= 0;
  const ended = isOver ? { ...row, ...(await endedAnswer({ on, journeys }, row.uid)) } : row;
  const { createdAt, closesAt } = row;
  const note = journeys.clockNote({ ...ended, createdAt, expiresAt: closesAt });
  return { ...ended.payload, ...answerIn(ended, note), jti: id, exp: endOf(ended, now) };
}

/**
 * Ends the journey before the client is told that the time is over, so that the customer's approval
 * cannot follow. If the approval was first, its answer is returned.
 */
async function endedAnswer(
  { on, journeys }: Pick<Deps, "on" | "journeys">,
  uid: string,
): Promise<Answer | undefined> {
  await journeys.endOverdue(uid);
  return first<Answer>(
    on,
    sql`select outcome, interaction->'result' as result from journey where uid = ${uid}`,
  );
}

/**
 * The members that an approval adds; none while the journey goes on. Throws for a refusal, whose
 * description ends with the note.
 */
function answerIn({ outcome, result }: FoundRow, note: string | null): Partial<AdapterPayload> {
  const clock = note?.replaceAll("’", "'") ?? null;
  if (outcome === "timed_out" && clock !== null) {
    throw new errors.ExpiredToken(undefined, because("pollExpiredByClock", { detail: clock }));
  }
  if (outcome === null || outcome === "timed_out" || result === null) return {};
  if ("error" in result) {
    const said = [result.error_description, clock].filter(Boolean).join(" ");
    throw new errors.AccessDenied(said);
  }
  const { accountId, acr, amr, at } = result.login;
  // a sandbox's clock may be ahead of the client's
  const answeredAt = Math.min(Temporal.Instant.from(at).epochMilliseconds, Date.now());
  return {
    ...{ accountId, acr, amr: [...amr] },
    authTime: Math.floor(answeredAt / 1000),
    grantId: result.consent.grantId,
  };
}

/** The end of the request, in seconds by the library's own clock. */
function endOf({ outcome, expiresAt }: FoundRow, now: Temporal.Instant): number {
  const machineNow = Math.floor(Date.now() / 1000); // the library compares with it
  if (outcome === "timed_out") return machineNow - 1;
  const left = Math.ceil(expiresAt.since(now).total("seconds"));
  return machineNow + left + (outcome === null ? 0 : keptSeconds);
}
