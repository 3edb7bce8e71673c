import type { FastifyInstance, FastifyReply } from "fastify";
import { factorSubject, forgetAttempts, loginSubject, takeAttempt } from "#src/auth/throttle.ts";
import { ownFactorPage, ownLoginPage } from "#src/pages/own-bank.ts";
import type { OwnPagesDeps } from "./deps.ts";
import type { Session, Sessions } from "./session.ts";

const wait = "There were too many attempts. Wait a while, then try again.";
const wrong = "That user ID and password do not match. Check them and try again.";
const wrongCode = "That code is not right. Codes change every 30 seconds: try the current one.";

/** Logging in with both factors at `/login`, and out at `/logout`. */
export function registerLogin(scope: FastifyInstance, deps: OwnPagesDeps, sessions: Sessions) {
  scope.get("/login", async (request, reply) => {
    const session = sessions.read(request);
    if (session?.state === "in") return reply.redirect("/bank", 303);
    if (session?.state === "factor") return showFactor(deps, sessions, reply, session, null);
    return showLogin(deps, reply, sessions, null, "");
  });
  scope.post("/login", async (request, reply) => {
    const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
    const session = sessions.read(request);
    // an old form starts again from an empty one
    if (!session || !sessions.holdsToken(session, form.get("csrf"))) {
      return reply.redirect("/bank/login", 303);
    }
    if (form.get("decision") === "cancel") {
      sessions.end(reply);
      return reply.redirect("/", 303);
    }
    if (session.state === "in") return reply.redirect("/bank", 303);
    return session.state === "factor"
      ? checkFactor(deps, sessions, reply, session, form)
      : checkLogin(deps, sessions, reply, form);
  });
  scope.post("/logout", async (request, reply) => {
    const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
    const session = sessions.read(request);
    if (session && sessions.holdsToken(session, form.get("csrf"))) sessions.end(reply);
    return reply.redirect("/bank/login", 303);
  });
}

async function checkLogin(
  deps: OwnPagesDeps,
  sessions: Sessions,
  reply: FastifyReply,
  form: URLSearchParams,
) {
  const login = (form.get("login") ?? "").trim().slice(0, 100);
  const now = deps.clock.now();
  if (!(await takeAttempt(deps.database, loginSubject(login), now))) {
    return showLogin(deps, reply.code(429), sessions, wait, login);
  }
  const customer = await deps.bank.authenticate(login, form.get("password") ?? "");
  if (!customer) return showLogin(deps, reply, sessions, wrong, login);
  await forgetAttempts(deps.database, loginSubject(login));
  const { customerId, name } = customer;
  sessions.start(reply, "factor", { customerId, name });
  return reply.redirect("/bank/login", 303);
}

async function checkFactor(
  deps: OwnPagesDeps,
  sessions: Sessions,
  reply: FastifyReply,
  session: Session,
  form: URLSearchParams,
) {
  const { customer } = session;
  if (!customer) return reply.redirect("/bank/login", 303);
  const key = factorSubject(customer.customerId);
  if (!(await takeAttempt(deps.database, key, deps.clock.now()))) {
    return showFactor(deps, sessions, reply.code(429), session, wait);
  }
  const code = (form.get("code") ?? "").replaceAll(" ", "");
  if (!(await deps.bank.checkSecondFactor(customer.customerId, code))) {
    return showFactor(deps, sessions, reply, session, wrongCode);
  }
  await forgetAttempts(deps.database, key);
  sessions.start(reply, "in", customer);
  return reply.redirect("/bank", 303);
}

async function showLogin(
  deps: OwnPagesDeps,
  reply: FastifyReply,
  sessions: Sessions,
  error: string | null,
  login: string,
) {
  const session = sessions.start(reply, "new", null);
  const page = ownLoginPage({
    bankName: deps.bankName,
    csrf: sessions.formToken(session),
    error,
    login,
    sandboxLogins: (await deps.sandbox?.logins()) ?? [],
  });
  return reply.send(page);
}

async function showFactor(
  deps: OwnPagesDeps,
  sessions: Sessions,
  reply: FastifyReply,
  session: Session,
  error: string | null,
) {
  const { customerId = "", name = "" } = session.customer ?? {};
  const page = ownFactorPage({
    bankName: deps.bankName,
    csrf: sessions.formToken(session),
    error,
    customerName: name,
    sandboxCode: (await deps.sandbox?.currentCode(customerId)) ?? null,
  });
  return reply.send(page);
}
