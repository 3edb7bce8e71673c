import type { FastifyInstance } from "fastify";
import { judgeAttempt, lockedUntil, resetting } from "#src/auth/login/attempts.ts";
import { type BankLogin, journeyOfState } from "#src/auth/login/bank-login.ts";
import {
  markVerified,
  type StoredChallenge,
  spendChallenge,
  storeChallenge,
} from "#src/auth/login/challenges.ts";
import { confirmingRows } from "#src/auth/login/confirming.ts";
import { cookieOf, readCookie, writeCookie } from "#src/auth/login/cookies.ts";
import { customerOfLogin } from "#src/auth/login/customers.ts";
import { factorLimit } from "#src/auth/login/methods/method.ts";
import { handedOverPrefix } from "#src/auth/login/own-return.ts";
import { present } from "#src/lib/assert.ts";
import { newId } from "#src/lib/ids.ts";
import { confirmTherePage } from "#src/pages/hand-over.ts";
import type { OwnPagesDeps } from "./deps.ts";
import { lockedPageOf } from "./locked.ts";
import { askForFactor, showLogin } from "./login.ts";
import { type Found, notDone, textsFor } from "./own-act.ts";
import { ownPath } from "./own-path.ts";
import type { Sessions } from "./session.ts";
import { confirmedShowings } from "./showings.ts";
import type { PageAnswer, Visit } from "./visit.ts";

// The bank's own pages with a login at the bank's OpenID provider: customers log in there, and
// confirm each act there, unless the provider only logs them in.

const texts = {
  failed: "The login could not be completed. Try again.",
  unknown: "We do not know the customer who has logged in. Try again.",
  unconfirmed: "This could not be confirmed. Nothing has been done. Try again.",
  other: "Another customer has logged in there. Nothing has been done. Log in as yourself.",
  over: "The time to confirm this has run out. Nothing was done.",
};

const subject = { act: "login" } as const;
const minutes = 15;
const targetSeconds = minutes * 60;

/** The way to the bank's provider and back, for a customer who logs in. */
export function registerLoginThere(
  scope: FastifyInstance,
  deps: OwnPagesDeps,
  sessions: Sessions,
  bankLogin: BankLogin,
): void {
  const { bankName, bank, clock, publicUrl, log } = deps;
  const wanted = cookieOf("aldgate-bank-to", "Strict", publicUrl);
  const handOverOf = (uid: string, began: Temporal.Instant) => {
    return { uid, clientName: bankName, subject, age: clock.now().since(began) };
  };

  scope.get("/login/start", async (request, reply) => {
    const { to } = request.query as { to?: string };
    const id = sessions.handOverId(request, reply);
    const url = await bankLogin.urlFor(handOverOf(id, clock.now()));
    writeCookie(reply, wanted, ownPath(to), targetSeconds);
    return reply.redirect(url, 303);
  });

  scope.get("/login/returned", async (request, reply) => {
    const target = ownPath(readCookie(request, wanted));
    const call = { deps, sessions, request, reply, target };
    const refuse = (error: string) => showLogin(call, { error }, "");
    const answer = answerOf(request.query);
    const id = journeyOfState(answer.state) ?? "";
    const began = sessions.handOverBegan(request, id);
    if (began === null) return refuse(texts.failed);
    const handOver = handOverOf(id, began);
    if (handOver.age.total("minutes") > minutes) return refuse(texts.failed);
    const result = await bankLogin.judge(handOver, answer);
    if (result.state === "cancelled") return reply.redirect("/bank/login", 303);
    if (result.state !== "approved") {
      const reason = "reason" in result ? result.reason : result.state;
      log.warn({ reason }, "the bank's login has not logged a customer in");
      return refuse(texts.failed);
    }
    const customer = await customerOfLogin(bank, result.customerId);
    if (!customer) return refuse(texts.unknown);
    const { amr: loginAmr } = result.authentication;
    if (bankLogin.confirms === "login") return askForFactor(call, customer, loginAmr);
    const loggedIn = { state: "in", customer, loginAmr, challengeId: null } as const;
    await sessions.start(request, reply, loggedIn);
    return reply.redirect(target, 303);
  });
}

/** The members of a query that occur once. */
const answerOf = (query: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(query as object).filter(([, value]) => typeof value === "string"),
  );

/** Stores that an act waits for its confirmation at the bank's provider; returns its id. */
export async function handOver(
  { database, clock }: OwnPagesDeps,
  act: Pick<StoredChallenge, "customerId" | "subject" | "factsHash" | "showings">,
): Promise<string> {
  const challengeId = newId(handedOverPrefix);
  const expiresAt = clock.now().add({ minutes });
  await storeChallenge(database, {
    ...act,
    challengeId,
    newCodes: 0,
    expiresAt,
    method: "redirect",
  });
  return challengeId;
}

/** The page of an act that is confirmed at the bank's provider, or the act itself afterwards. */
export async function showHandedOver(
  deps: OwnPagesDeps,
  visit: Visit,
  found: Found,
): Promise<PageAnswer> {
  const { stored, act } = found;
  if (stored.isVerified) return { goTo: act.back };
  if (!stored.isOpen) return { goTo: act.back, message: texts.over };
  if (visit.query.state === undefined) return pageOf(visit, found, null);
  return judge(deps, visit, found);
}

async function judge(deps: OwnPagesDeps, visit: Visit, found: Found): Promise<PageAnswer> {
  const { database, clock, log } = deps;
  const { stored, act, id } = found;
  const { challengeId, customerId } = stored;
  const limit = factorLimit({ customerId });
  const until = await lockedUntil(database, [limit], clock.now());
  if (until) return lockedPageOf(deps, visit, found, until);
  const result = await loginOf(deps).judge(handOverOf(deps, found), answerOf(visit.query));
  if (result.state === "cancelled") return { goTo: act.back };
  const isOwn =
    result.state === "approved" &&
    (await customerOfLogin(deps.bank, result.customerId))?.customerId === customerId;
  if (!isOwn) {
    const reason = "reason" in result ? result.reason : result.state;
    log.warn({ reason }, "the bank's login has not confirmed an act");
    const isAttempt = result.state !== "unavailable";
    const judged = isAttempt ? await judgeAttempt(deps, [limit], async () => null) : null;
    if (result.state === "altered") return notDone(deps, found, true);
    if (judged && "until" in judged && judged.until) {
      return lockedPageOf(deps, visit, found, judged.until);
    }
    const error = result.state === "approved" ? texts.other : texts.unconfirmed;
    return pageOf(visit, found, error);
  }
  const { authentication } = result;
  const now = Temporal.Instant.from(authentication.at);
  await database.query(resetting([limit], clock.now()));
  const verified = { challengeId, amr: authentication.amr, now };
  if (!(await markVerified(database, verified))) return { goTo: act.back };
  // what is done must be what was confirmed
  const current = await act.actOf(deps, customerId, id);
  const spending = { challengeId, customerId, now: clock.now() };
  const isConfirmed =
    current !== null &&
    current !== "gone" &&
    (await spendChallenge(database, { ...spending, act: current }));
  if (!isConfirmed) return notDone(deps, found);
  const showings = confirmedShowings(stored, authentication);
  return act.perform(deps, customerId, current.subject, { authentication, showings });
}

const loginOf = ({ bankLogin }: OwnPagesDeps): BankLogin =>
  present(bankLogin, "the bank's own login");

function handOverOf({ bankName, clock }: OwnPagesDeps, { stored }: Found) {
  const began = Temporal.Instant.from(stored.expiresAt).subtract({ minutes });
  const age = clock.now().since(began);
  return { uid: stored.challengeId, clientName: bankName, subject: stored.subject, age };
}

/** Leads to the provider, by a request that is as new as the customer's click. */
export async function goThere(deps: OwnPagesDeps, found: Found): Promise<PageAnswer> {
  if (!found.stored.isOpen) return { goTo: found.act.back, message: texts.over };
  return { goTo: await loginOf(deps).urlFor(handOverOf(deps, found)) };
}

function pageOf({ frame }: Visit, found: Found, error: string | null): PageAnswer {
  const { challengeId, subject: confirmed } = found.stored;
  const page = confirmTherePage({
    ...frame,
    path: `/bank/confirm/${challengeId}`,
    texts: textsFor(found),
    confirming: confirmingRows(confirmed),
    error,
  });
  return { page };
}
