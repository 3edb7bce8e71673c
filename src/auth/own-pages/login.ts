import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { afterLogin, isTooWeak, type LoginMethods } from "#src/auth/login/authentication.ts";
import {
  cancelChallenge,
  type StoredChallenge,
  spendChallenge,
  storeChallenge,
  unanswered,
} from "#src/auth/login/challenges.ts";
import { confirmingRows } from "#src/auth/login/confirming.ts";
import { isTakenByPage, methodOf, pageLockEnd } from "#src/auth/login/methods/methods.ts";
import { answerWait, formOf } from "#src/auth/login/page-scope.ts";
import {
  declinedText,
  isRefusal,
  type LoginRefusal,
  lockEndOf,
  lockedTexts,
  loginTexts,
} from "#src/auth/login/refusal.ts";
import { waitingPage } from "#src/auth/login/waiting-page.ts";
import { moveText } from "#src/auth/provider/clock-note.ts";
import type { BankCustomer } from "#src/bank/port.ts";
import { actToConfirm } from "#src/consents/approved-facts.ts";
import { present } from "#src/lib/assert.ts";
import { loginTherePage } from "#src/pages/hand-over.ts";
import { type Beside, moreTime } from "#src/pages/journey-parts.ts";
import { factorPage, loginPage } from "#src/pages/login.ts";
import { cancelledLoginPage, idleMinutes } from "#src/pages/own-frame.ts";
import { lockedLoginPage } from "#src/pages/own-locked.ts";
import { momentText } from "#src/pages/wording.ts";
import type { OwnPagesDeps } from "./deps.ts";
import { loginFor, ownPath } from "./own-path.ts";
import { holdsToken, type Session, type Sessions } from "./session.ts";

const act = actToConfirm({ act: "login" }, {});

const timedOut =
  `We logged you out, as we do after ${idleMinutes} minutes without activity or an hour after you ` +
  "logged in. Log in to go on.";

/** What a customer reads whose session has ended by time, or by a sandbox's clock. */
function timedOutText({ clock, sandbox }: Pick<OwnPagesDeps, "clock" | "sandbox">): string {
  const move = sandbox?.moves().at(-1);
  // no session that began after the move has ended before this
  const last = move?.to.add({ minutes: idleMinutes });
  if (!move || !last || Temporal.Instant.compare(clock.now(), last) >= 0) return timedOut;
  return `${moveText(move)}, so you are logged out. Log in to go on.`;
}

/** A request to log in. */
type Call = {
  deps: OwnPagesDeps;
  sessions: Sessions;
  request: FastifyRequest;
  reply: FastifyReply;
  /** The page that the customer wants to see after the login. */
  target: string;
};

/** Logging in with both factors at `/login`, or with the second one after the bank's provider. */
export function registerLogin(scope: FastifyInstance, deps: OwnPagesDeps, sessions: Sessions) {
  const callOf = (request: FastifyRequest, reply: FastifyReply): Call => {
    const { to } = request.query as { to?: string };
    return { deps, sessions, request, reply, target: ownPath(to) };
  };
  scope.get("/login", async (request, reply) => {
    const call = callOf(request, reply);
    const session = await sessions.read(request);
    if (session?.state === "in") return reply.redirect(call.target, 303);
    if (!session) return showLogin(call, null, "");
    if (!waits(session)) return showFactor(call, session, null);
    return judgeFactor(call, session, "");
  });
  scope.post("/login", async (request, reply) => {
    const call = callOf(request, reply);
    const form = formOf(request);
    const session = await sessions.read(request);
    const isOwn = session
      ? holdsToken(session, form)
      : sessions.holdsAnonymousToken(request, form.get("csrf"));
    // an old form starts again from an empty one
    if (!isOwn) return reply.redirect(loginFor(call.target), 303);
    if (form.get("decision") === "cancel") {
      const challengeId = session?.challenge?.challengeId;
      // an answer that comes later, such as in the bank's app, logs nobody in
      if (challengeId) await cancelChallenge(deps.database, challengeId, deps.clock.now());
      await sessions.end(request, reply);
      const { bankName, homeUrl } = deps;
      if (homeUrl === null) return reply.redirect("/bank/login", 303);
      return reply.send(cancelledLoginPage({ bankName, homeUrl }));
    }
    if (session?.state === "in") return reply.redirect(call.target, 303);
    if (session) return checkFactor(call, session, form);
    // no password is entered here
    if (deps.bankLogin) return reply.redirect(loginFor(call.target), 303);
    return checkLogin(call, form);
  });
}

/** Logging out at `/logout`. */
export function registerLogout(scope: FastifyInstance, sessions: Sessions): void {
  scope.post("/logout", async (request, reply) => {
    const session = await sessions.read(request);
    if (session && holdsToken(session, formOf(request))) await sessions.end(request, reply);
    return reply.redirect("/bank/login", 303);
  });
}

async function checkLogin(call: Call, form: URLSearchParams): Promise<FastifyReply> {
  const { deps, request } = call;
  const given = { login: form.get("login") ?? "", password: form.get("password") ?? "" };
  const customer = await deps.login.checkPassword(deps.devices.browserOf(request), given);
  if (isRefusal(customer)) return showLogin(call, customer, given.login);
  return askForFactor(call, customer, null, given.login);
}

/** Asks a customer who has logged in for the second factor. */
export async function askForFactor(
  call: Call,
  customer: BankCustomer,
  loginAmr: LoginMethods,
  login = customer.login,
): Promise<FastifyReply> {
  const { deps, sessions, request, reply } = call;
  const { customerId } = customer;
  const refusal = await deps.login.whyNotAsk(customerId);
  if (refusal) return showLogin(call, refusal, login);
  const { challengeId } = await deps.login.challenge({ customerId, ...act });
  await sessions.start(request, reply, { state: "factor", customer, loginAmr, challengeId });
  return reply.redirect(loginFor(call.target), 303);
}

async function checkFactor(
  call: Call,
  session: Session,
  form: URLSearchParams,
): Promise<FastifyReply> {
  const { deps, sessions, request, reply } = call;
  // reading the session has restarted its time
  if (form.get("decision") === "extend") {
    const { until } = timeOf(session, deps.clock.now());
    return showFactor(call, session, null, moreTime(until));
  }
  const decision = form.get("decision");
  const isRenewal = decision === "renew" || decision === "code";
  const { challengeId, ...challenge } = challengeOf(session);
  // another window has replaced the challenge of this page
  if ((form.get("challenge") ?? challengeId) !== challengeId) {
    const { renewsItself, texts } = methodOf(challenge);
    const over = renewsItself && !isRenewal ? { error: loginTexts.newCode } : null;
    return showFactor(call, session, over, isRenewal ? texts.sent : null);
  }
  if (isRenewal) {
    const wanted = decision === "code" ? decision : undefined;
    const { renewed, note, lockedUntil } = await deps.login.renew(challengeOf(session), wanted);
    if (lockedUntil) return showLocked(call, session, lockedUntil);
    // the page goes on with the answer
    if (note === null) return reply.redirect(loginFor(call.target), 303);
    if (renewed) {
      await storeChallenge(deps.database, renewed);
      await sessions.replaceChallenge(request, renewed.challengeId);
    }
    return showFactor(call, await reload(call, session), null, note);
  }
  return judgeFactor(call, session, form.get("code") ?? "");
}

const challengeOf = ({ challenge }: Session): StoredChallenge =>
  present(challenge, "the challenge");

/** Whether the page of a session waits for an answer in the bank's app. */
const waits = ({ challenge }: Session): boolean => challenge !== null && isTakenByPage(challenge);

async function judgeFactor(call: Call, session: Session, answer: string): Promise<FastifyReply> {
  const { deps, sessions, request, reply } = call;
  const { customer, loginAmr } = session;
  const challenge = challengeOf(session);
  const { challengeId } = challenge;
  const verified = await deps.login.verify(challenge, answer);
  const isDeclined = typeof verified === "object" && "declined" in verified;
  if (verified === "altered" || isDeclined) {
    const error = isDeclined ? declinedText(verified.declined, deps.clock.now()) : null;
    await sessions.end(request, reply);
    if (error !== null) return showLogin(call, { error }, customer.login);
    return reply.redirect(loginFor(call.target), 303);
  }
  if (verified === "waiting") return showFactor(call, session, null);
  if (verified === "unreachable") return showFactor(call, session, null, loginTexts.unreachable);
  if (isRefusal(verified)) {
    const end = lockEndOf(verified);
    if (end) return showLocked(call, session, end);
  }
  if (verified === "over" || isRefusal(verified)) {
    const { renewsItself, texts } = methodOf(challenge);
    const over = renewsItself ? { error: texts.over } : null;
    return showFactor(call, await reload(call, session), verified === "over" ? over : verified);
  }
  const { amr } = afterLogin(loginAmr, verified.verified);
  if (isTooWeak(loginAmr, amr)) {
    deps.log.warn({ amr }, "a login does not have two factors");
    await sessions.end(request, reply);
    return showLogin(call, { error: loginTexts.weak }, customer.login);
  }
  const now = deps.clock.now();
  const { customerId } = customer;
  if (!(await spendChallenge(deps.database, { challengeId, customerId, act, now }))) {
    return reply.redirect(loginFor(call.target), 303);
  }
  deps.devices.remember(request, reply, customer.login);
  await sessions.start(request, reply, { state: "in", customer, loginAmr, challengeId: null });
  return reply.redirect(call.target, 303);
}

// a wrong code uses up a try of the challenge, and a new code replaces it
async function reload({ sessions, request }: Call, session: Session): Promise<Session> {
  return (await sessions.read(request)) ?? session;
}

type Shown = { error: string } & Partial<LoginRefusal>;

/** Shows the login: the form, or the way to the bank's provider. */
export async function showLogin(
  { deps, sessions, request, reply, target }: Call,
  refusal: Shown | null,
  login: string,
): Promise<FastifyReply> {
  if (refusal?.waitUntil) answerWait(reply, refusal.waitUntil, deps.clock.now());
  const { bankName } = deps;
  const error = refusal?.error ?? null;
  const notice = refusal === null && sessions.hasTimedOut(request) ? timedOutText(deps) : null;
  if (deps.bankLogin) {
    const action = `/bank/login/start?to=${encodeURIComponent(target)}`;
    return reply.send(loginTherePage({ bankName, action, error, notice }));
  }
  const page = loginPage({
    ...{ bankName, error, notice, login },
    clientName: null,
    action: loginFor(target),
    canLeave: deps.homeUrl !== null,
    csrf: sessions.anonymousToken(request, reply),
    sandboxLogins: (await deps.sandbox?.logins()) ?? [],
  });
  return reply.send(page);
}

/** Ends a login that cannot go on now. Its page asks for nothing that would not be checked. */
async function showLocked(
  { deps, sessions, request, reply, target }: Call,
  session: Session,
  end: Temporal.Instant,
): Promise<FastifyReply> {
  const now = deps.clock.now();
  await sessions.end(request, reply);
  answerWait(reply, end, now);
  const page = lockedLoginPage({
    ...lockedTexts(end, now),
    method: challengeOf(session).method,
    bankName: deps.bankName,
    loginUrl: loginFor(target),
  });
  return reply.send(page);
}

async function showFactor(
  call: Call,
  session: Session,
  refusal: { error: string } | null,
  note: string | null = null,
): Promise<FastifyReply> {
  const { deps, sessions, request, reply, target } = call;
  const before = challengeOf(session);
  const lockEnd = pageLockEnd(before);
  if (lockEnd) return showLocked(call, session, lockEnd);
  const renewed = await deps.login.goOnWith(before);
  const challenge = renewed ? unanswered(renewed) : before;
  const { challengeId } = challenge;
  if (renewed) {
    await storeChallenge(deps.database, renewed);
    await sessions.replaceChallenge(request, challengeId);
  }
  const isWaiting = waits({ ...session, challenge });
  const page = factorPage({
    ...waitingPage(request, reply, loginFor(target), isWaiting),
    bankName: deps.bankName,
    clientName: null,
    csrf: session.formToken,
    error: refusal?.error ?? null,
    note,
    time: timeOf(session, deps.clock.now()),
    customerName: session.customer.name,
    challenge: challengeId,
    confirming: confirmingRows(act.subject),
    asked: await methodOf(challenge).asks(challenge, {
      now: deps.clock.now(),
      hints: deps.sandbox ?? undefined,
    }),
  });
  return reply.send(page);
}

/** Until when the code page can be used. Its time can be extended within the session's. */
function timeOf({ endsAt }: Session, now: Temporal.Instant): NonNullable<Beside["time"]> {
  const idleEnd = now.add({ minutes: idleMinutes });
  const canExtend = Temporal.Instant.compare(idleEnd, endsAt) < 0;
  return { until: momentText(canExtend ? idleEnd : endsAt, now), canExtend };
}
