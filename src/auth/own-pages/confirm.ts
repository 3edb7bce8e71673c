import { loadChallenge, type StoredChallenge, spendChallenge } from "#src/auth/login/challenges.ts";
import { confirmingRows } from "#src/auth/login/confirming.ts";
import { loginTexts, type Refusal } from "#src/auth/login/login.ts";
import type { ChallengeSubject } from "#src/bank/challenge.ts";
import { factorPage } from "#src/pages/login.ts";
import { logout } from "#src/pages/own-bank.ts";
import type { OwnPagesDeps } from "./deps.ts";
import type { Answer, Visit, VisitRoutes } from "./visit.ts";

/** An act for which a logged-in customer needs a factor that is linked to it. */
export type ActName = Exclude<
  ChallengeSubject["act"],
  | "login"
  | "payment"
  | "standing order"
  | "file"
  | "payment permission"
  | "access"
  | "funds confirmation"
>;

/** An act that moves money or trust. */
export type OwnAct = {
  /**
   * The subject to confirm now. `gone` if there is no longer anything to confirm; null if the
   * customer does not have such a thing.
   */
  subjectOf(
    deps: OwnPagesDeps,
    customerId: string,
    id: string,
  ): Promise<ChallengeSubject | "gone" | null>;
  /** Performs the act; returns the next page, or null if the act is not possible. */
  perform(deps: OwnPagesDeps, customerId: string, id: string): Promise<string | null>;
  /** The page after the customer has declined. */
  back: string;
  /** The page if there is nothing to confirm, or if the subject has changed. */
  gone: string;
};

/** Every act that needs a second factor after the login. */
export type OwnActs = Record<ActName, OwnAct>;

/** The page of the factor for every act. Posts `code` and `decision` to `/bank/confirm/…`. */
export function registerConfirm({ get, post }: VisitRoutes, acts: OwnActs): void {
  get("/confirm/:id", (deps, visit) => showConfirm(deps, acts, visit));
  post("/confirm/:id", (deps, visit) => decideConfirm(deps, acts, visit));
}

/** Asks the customer to confirm an act; nothing has been done yet. */
export async function confirmAct(
  deps: OwnPagesDeps,
  act: OwnAct,
  { customerId, params }: Visit,
): Promise<Answer> {
  const subject = await act.subjectOf(deps, customerId, params.id);
  if (subject === null) return null;
  if (subject === "gone") return { goTo: act.gone };
  return { goTo: `/bank/confirm/${await deps.login.challenge(customerId, subject)}` };
}

async function find({ database, clock }: OwnPagesDeps, acts: OwnActs, visit: Visit) {
  const stored = await loadChallenge(database, visit.params.id, clock.now());
  if (stored?.customerId !== visit.customerId) return null;
  const { subject } = stored;
  // the customer's other challenges belong to a login or to a journey
  if (!(subject.act in acts) || !("id" in subject)) return null;
  return { stored, id: subject.id, act: acts[subject.act as ActName] };
}

async function showConfirm(deps: OwnPagesDeps, acts: OwnActs, visit: Visit): Promise<Answer> {
  const found = await find(deps, acts, visit);
  if (!found) return null;
  if (found.stored.isVerified) return { goTo: found.act.back };
  return pageOf(deps, visit, found.stored, null);
}

async function decideConfirm(deps: OwnPagesDeps, acts: OwnActs, visit: Visit): Promise<Answer> {
  const found = await find(deps, acts, visit);
  if (!found) return null;
  const { stored, act, id } = found;
  if (visit.form.get("decision") === "cancel" || stored.isVerified) return { goTo: act.back };
  const { challengeId } = stored;
  const verified = await deps.login.verify(stored, visit.form.get("code") ?? "");
  if (verified !== "verified") {
    // a wrong code uses up a try of the challenge
    const used = await loadChallenge(deps.database, challengeId, deps.clock.now());
    const refusal = verified === "over" ? { error: loginTexts.newCode } : verified;
    return pageOf(deps, visit, used ?? stored, refusal);
  }
  const { customerId } = visit;
  // what is done must be what the code confirmed
  const subject = await act.subjectOf(deps, customerId, id);
  const now = deps.clock.now();
  const isConfirmed =
    subject !== null &&
    subject !== "gone" &&
    (await spendChallenge(deps.database, { challengeId, customerId, subject, now }));
  if (!isConfirmed) return { goTo: act.gone };
  const goTo = await act.perform(deps, customerId, id);
  return goTo === null ? null : { goTo };
}

async function pageOf(
  deps: OwnPagesDeps,
  { csrf }: Visit,
  challenge: StoredChallenge,
  refusal: ({ error: string } & Partial<Refusal>) | null,
): Promise<Answer> {
  const challengeId = await deps.login.keepOpen(challenge);
  const { bankName } = deps;
  const page = factorPage({
    bankName,
    clientName: null,
    action: `/bank/confirm/${challengeId}`,
    csrf,
    error: refusal?.error ?? null,
    customerName: null,
    confirming: confirmingRows(challenge.subject),
    sandboxCode: (await deps.sandbox?.codeOf(challengeId)) ?? null,
    corner: logout({ bankName, csrf }),
  });
  return { page, waitUntil: refusal?.waitUntil ?? null };
}
