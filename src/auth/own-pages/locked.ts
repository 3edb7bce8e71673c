import { lockedTexts } from "#src/auth/login/refusal.ts";
import { lockedActPage } from "#src/pages/own-locked.ts";
import type { OwnPagesDeps } from "./deps.ts";
import type { Found, OwnAct } from "./own-act.ts";
import type { PageAnswer, Visit } from "./visit.ts";

/** The page of an act whose confirmation is not checked before then. */
export function lockedPageOf(
  { clock }: OwnPagesDeps,
  { frame }: Visit,
  { stored, act }: Pick<Found, "stored"> & { act: Pick<OwnAct, "back"> },
  end: Temporal.Instant,
): PageAnswer {
  const page = lockedActPage({
    ...frame,
    ...lockedTexts(end, clock.now()),
    method: stored.method,
    // staying logged in does not lead to the form again
    path: act.back,
  });
  return { page, waitUntil: end };
}
