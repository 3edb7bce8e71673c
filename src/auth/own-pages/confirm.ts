import { afterLogin, isTooWeak } from "#src/auth/login/authentication.ts";
import {
  cancelChallenge,
  isHandedOver,
  loadChallenge,
  type StoredChallenge,
  spendChallenge,
  storeChallenge,
  unanswered,
} from "#src/auth/login/challenges.ts";
import { confirmingRows } from "#src/auth/login/confirming.ts";
import { isTakenByPage, methodOf, pageLockEnd } from "#src/auth/login/methods/methods.ts";
import { declinedText, isRefusal, lockEndOf, loginTexts } from "#src/auth/login/refusal.ts";
import { addressOf } from "#src/auth/login/waiting-page.ts";
import { confirmPage } from "#src/pages/own-confirm.ts";
import type { OwnPagesDeps } from "./deps.ts";
import { goThere, handOver, showHandedOver } from "./hand-over.ts";
import { lockedPageOf } from "./locked.ts";
import {
  type ActName,
  type Found,
  notDone,
  type OwnAct,
  type OwnActs,
  textsFor,
} from "./own-act.ts";
import { confirmedShowings, showingsOf } from "./showings.ts";
import type { PageAnswer, Visit, VisitRoutes } from "./visit.ts";

/** The second-factor page for every action. Posts `code` and `decision` to `/bank/confirm/…`. */
export function registerConfirm({ get, post }: VisitRoutes, acts: OwnActs): void {
  get("/confirm/:id", (deps, visit) => showConfirm(deps, acts, visit), {
    isByItself: true,
  });
  get("/confirm/:id/there", async (deps, visit) => {
    const found = await find(deps, acts, visit);
    return found && isHandedOver(found.stored) ? goThere(deps, found) : null;
  });
  post("/confirm/:id", (deps, visit) => decideConfirm(deps, acts, visit));
}

/**
 * Asks the customer to confirm an act; nothing has been done yet. `before` is what the act's own
 * page has shown, and when, if its evidence is kept.
 */
export async function confirmAct(
  deps: OwnPagesDeps,
  own: Pick<OwnAct, "actOf" | "gone" | "back">,
  { customerId, params }: Visit,
  before?: { shown: object; at: Temporal.Instant },
): Promise<PageAnswer> {
  const act = await own.actOf(deps, customerId, params.id);
  if (act === null) return null;
  if (act === "gone") return own.gone(deps, customerId, params.id);
  const isThere = deps.bankLogin?.confirms === "approval";
  const now = deps.clock.now();
  const showings = before ? showingsOf({ act, before, isThere, now }) : null;
  const asked = { ...act, customerId, showings };
  if (isThere) return { goTo: pathOf(await handOver(deps, asked)) };
  const refusal = await deps.login.whyNotAsk(customerId);
  if (refusal) return { goTo: own.back, message: refusal.error };
  const { challengeId } = await deps.login.challenge(asked);
  return { goTo: pathOf(challengeId) };
}

const pathOf = (challengeId: string): string => `/bank/confirm/${challengeId}`;

async function find(
  { database, clock }: OwnPagesDeps,
  acts: OwnActs,
  visit: Visit,
): Promise<Found | null> {
  const stored = await loadChallenge(database, visit.params.id, clock.now());
  if (stored === null || stored.customerId !== visit.customerId) return null;
  const { subject } = stored;
  // the customer's other challenges belong to a login or to a journey
  if (!(subject.act in acts) || !("id" in subject)) return null;
  // the subject's `act` chooses the row, whose subjects have that `act`
  return { stored, id: subject.id, act: acts[subject.act as ActName] as unknown as OwnAct };
}

async function showConfirm(deps: OwnPagesDeps, acts: OwnActs, visit: Visit): Promise<PageAnswer> {
  const found = await find(deps, acts, visit);
  if (!found) return null;
  if (isHandedOver(found.stored)) return showHandedOver(deps, visit, found);
  if (isTakenByPage(found.stored)) return judgeConfirm(deps, visit, found, "");
  if (found.stored.isVerified) return { goTo: found.act.back };
  return pageOf(deps, visit, found, null);
}

async function decideConfirm(deps: OwnPagesDeps, acts: OwnActs, visit: Visit): Promise<PageAnswer> {
  const found = await find(deps, acts, visit);
  if (!found) return null;
  const { stored, act } = found;
  const decision = visit.form.get("decision");
  if (isHandedOver(stored)) return { goTo: act.back };
  if (decision === "cancel") {
    // an answer that comes later, such as in the bank's app, does nothing
    await cancelChallenge(deps.database, stored.challengeId, deps.clock.now());
    return { goTo: act.back };
  }
  if (stored.isVerified && !isTakenByPage(stored)) return { goTo: act.back };
  if (decision === "renew" || decision === "code") {
    const wanted = decision === "code" ? decision : undefined;
    const { renewed, note, lockedUntil } = await deps.login.renew(stored, wanted);
    if (lockedUntil) return lockedPageOf(deps, visit, found, lockedUntil);
    if (renewed) await storeChallenge(deps.database, renewed);
    const goTo = pathOf(renewed?.challengeId ?? stored.challengeId);
    return note === null ? { goTo } : { goTo, message: note };
  }
  return judgeConfirm(deps, visit, found, visit.form.get("code") ?? "");
}

async function judgeConfirm(
  deps: OwnPagesDeps,
  visit: Visit,
  { stored, act, id }: Found,
  answer: string,
): Promise<PageAnswer> {
  const { challengeId } = stored;
  const verified = await deps.login.verify(stored, answer);
  if (verified === "waiting") return pageOf(deps, visit, { stored, act }, null);
  if (verified === "unreachable") {
    return pageOf(deps, visit, { stored, act }, { error: loginTexts.unreachable });
  }
  if (typeof verified === "object" && "declined" in verified) {
    const message = declinedText(verified.declined, deps.clock.now());
    return message === null ? { goTo: act.back } : { goTo: act.back, message };
  }
  const { customerId } = visit;
  if (verified === "altered") return notDone(deps, { stored, act, id }, true);
  const end = isRefusal(verified) ? lockEndOf(verified) : null;
  if (end) return lockedPageOf(deps, visit, { stored, act }, end);
  if (verified === "over" || isRefusal(verified)) {
    // a wrong code uses up a try of the challenge
    const used = (await loadChallenge(deps.database, challengeId, deps.clock.now())) ?? stored;
    const { renewsItself, texts } = methodOf(stored);
    const over = renewsItself ? { error: texts.over } : null;
    return pageOf(deps, visit, { stored: used, act }, verified === "over" ? over : verified);
  }
  const authentication = afterLogin(visit.loginAmr, verified.verified);
  const { amr } = authentication;
  if (isTooWeak(visit.loginAmr, amr)) {
    deps.log.warn({ amr }, "an act does not have two factors");
    await cancelChallenge(deps.database, challengeId, deps.clock.now());
    return { goTo: act.back, message: loginTexts.weakAct };
  }
  // what is done must be what the answer confirmed
  const current = await act.actOf(deps, customerId, id);
  const now = deps.clock.now();
  const isConfirmed =
    current !== null &&
    current !== "gone" &&
    (await spendChallenge(deps.database, { challengeId, customerId, act: current, now }));
  if (!isConfirmed) return notDone(deps, { stored, act, id });
  const showings = confirmedShowings(stored, authentication);
  return act.perform(deps, customerId, current.subject, { authentication, showings });
}

async function pageOf(
  deps: OwnPagesDeps,
  visit: Visit,
  { stored, act }: { stored: StoredChallenge; act: OwnAct },
  refusal: { error: string } | null,
): Promise<PageAnswer> {
  const lockEnd = pageLockEnd(stored);
  if (lockEnd) return lockedPageOf(deps, visit, { stored, act }, lockEnd);
  const { frame, query } = visit;
  const renewed = await deps.login.goOnWith(stored);
  if (renewed) await storeChallenge(deps.database, renewed);
  const challenge = renewed ? unanswered(renewed) : stored;
  const path = pathOf(challenge.challengeId);
  const isWaiting = isTakenByPage(challenge);
  const { action, checksUntil } = addressOf(path, isWaiting, query);
  const page = confirmPage({
    ...frame,
    path: action,
    texts: textsFor({ act, stored }),
    confirming: confirmingRows(stored.subject),
    error: refusal?.error ?? null,
    asked: await methodOf(challenge).asks(challenge, {
      now: deps.clock.now(),
      hints: deps.sandbox ?? undefined,
    }),
    checksUntil,
  });
  return { page, checksItself: checksUntil !== null };
}
