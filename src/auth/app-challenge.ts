import type { AppChallenge } from "#src/channels/app-journey-shapes.ts";
import { ChannelRefusal } from "#src/channels/consent-channel.ts";
import { textsOf } from "#src/pages/journey-endings.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { rowFilter } from "#src/storage/row-filter.ts";
import { sql } from "#src/storage/sql.ts";
import type { Journey } from "./journey/journey.ts";
import type { JourneyTools } from "./journey/journey-step.ts";
import { factsOf } from "./journey/render.ts";
import { loadChallenge } from "./login/challenges.ts";
import { isAwaited } from "./own-pages/session.ts";

const replaced = {
  title: "This request was replaced",
  text: "You have asked for a new one, or for a code, so this one has no effect.",
};

type Deps = Pick<JourneyTools, "database" | "clock"> & { journey: Pick<Journey, "find"> };

/**
 * Says whether an answer to a challenge counts, for the app in which it is given. A journey whose
 * time is up, or whose consent was withdrawn, ends with this look at it. Throws ChannelRefusal.
 */
export async function readAppChallenge(
  { database, clock, journey }: Deps,
  challengeId: string,
): Promise<AppChallenge> {
  const now = clock.now();
  const found = await loadChallenge(database, challengeId, now);
  if (!found) throw new ChannelRefusal(404, "Nothing waits for an answer under this id.");
  const { subject, isOpen, isVerified, isReplaced, unspent } = found;
  // the customer's own acts have an id too, but no journey
  const consentId = "id" in subject ? subject.id : "";
  const uid = await findJourneyAsking(database, { consentId, challengeId });
  const place = uid === null ? undefined : await journey.find(uid);
  const outcome = place?.row.outcome ?? null;
  if (!place || outcome === null) {
    const isUsed = isVerified && unspent === null;
    const isLost =
      subject.act === "login" && !isUsed && !(await isAwaited(database, challengeId, now));
    const state = isLost ? "ended" : isVerified ? "answered" : isOpen ? "open" : "ended";
    return { challengeId, state, ending: isReplaced ? replaced : null };
  }
  const { title, text } = textsOf(outcome, factsOf(place, []));
  const state = outcome === "approved" ? "answered" : "ended";
  return { challengeId, state, ending: { title, text } };
}

/** The journey of a consent whose customer is asked, or was asked last, by a challenge. */
async function findJourneyAsking(
  on: Queryable,
  { consentId, challengeId }: { consentId: string; challengeId: string },
): Promise<string | null> {
  const row = await first<{ uid: string }>(
    on,
    sql`select uid from journey
      where consent_id = ${consentId} and ${rowFilter(sql`challenge_id = ${challengeId}`)}`,
  );
  return row?.uid ?? null;
}
