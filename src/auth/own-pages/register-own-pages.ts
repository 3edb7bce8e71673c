import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import {
  answerWait,
  formOf,
  type PageScope,
  preparePages,
  refusePage,
} from "#src/auth/login/page-scope.ts";
import { loadAgain } from "#src/auth/login/waiting-page.ts";
import { listWithFunds } from "#src/bank/list-with-funds.ts";
import { hasPart, offersKind } from "#src/bank/parts.ts";
import { approvalPage, declinePage, overviewPage, upcomingPage } from "#src/pages/own-bank.ts";
import { idleMinutes } from "#src/pages/own-frame.ts";
import { moneyText } from "#src/pages/wording.ts";
import { decideMultiAuthorisation } from "#src/payments/execution/multi-authorisation.ts";
import { confirmAct, registerConfirm } from "./confirm.ts";
import { registerConnections } from "./connection-pages.ts";
import { listConnections } from "./connections.ts";
import type { OwnPagesDeps } from "./deps.ts";
import { registerLoginThere } from "./hand-over.ts";
import { registerLogin, registerLogout } from "./login.ts";
import { cancellationGone, signatureGone } from "./order-gone.ts";
import { changedText } from "./own-act.ts";
import { afterSigning, ownActs } from "./own-acts.ts";
import { loginFor, ownPath } from "./own-path.ts";
import { accountText, listApprovals, listOwnUpcoming, loadApproval } from "./own-payments.ts";
import { registerPasskeys } from "./passkeys.ts";
import { listPermissions, registerPermissions } from "./permissions.ts";
import { registerRegularPayments } from "./regular-payments.ts";
import { createSessions, holdsToken, type Session, type Sessions } from "./session.ts";
import { showApproval, shownBefore } from "./shown-approval.ts";
import { type Download, depsOfVisit, type Handle, type PageAnswer, type Visit } from "./visit.ts";

/**
 * The customer's own channel under `/bank`: accounts, payments that wait for a signature, future
 * payments, and Open Banking connections with the way to stop them.
 */
export function registerOwnPages(app: FastifyInstance, deps: OwnPagesDeps): void {
  const { database, clock, cookieSecret: secret, publicUrl } = deps;
  const sessions = createSessions({ database, clock, secret, publicUrl });
  app.register(
    async (scope) => {
      const pages = { bankName: deps.bankName, wayBack: () => back };
      preparePages(scope, pages);
      registerLogin(scope, deps, sessions);
      if (deps.bankLogin) registerLoginThere(scope, deps, sessions, deps.bankLogin);
      registerLogout(scope, sessions);
      const { get, post } = visits(scope, deps, sessions, pages);
      get("/", overview);
      get("/approvals/:id", approval);
      post("/approvals/:id", decideApproval);
      get("/approvals/:id/decline", declining);
      post("/approvals/:id/decline", decline);
      get("/upcoming/:id", upcoming);
      post("/upcoming/:id", decideUpcoming);
      registerRegularPayments({ get, post }, deps);
      registerPasskeys({ get, post }, deps);
      registerConnections({ get, post });
      registerPermissions({ get, post });
      registerConfirm({ get, post }, ownActs);
    },
    { prefix: "/bank" },
  );
}

// Registers handlers for logged-in customers only; forms must contain the session's token.
function visits(scope: FastifyInstance, deps: OwnPagesDeps, sessions: Sessions, pages: PageScope) {
  const visit =
    (handle: Handle, isForm: boolean, isByItself = false) =>
    async (request: FastifyRequest, reply: FastifyReply) => {
      const session = await sessions.read(request, { isByItself });
      if (session?.state !== "in") return reply.redirect(loginFor(request.url), 303);
      const form = formOf(request);
      if (isForm && !holdsToken(session, form)) return refusePage(pages, request, reply, 403);
      const answer = await handle(depsOfVisit(deps), { ...visitOf(deps, session, request), form });
      if (answer === null) return refusePage(pages, request, reply, 404);
      if ("goTo" in answer) {
        if (answer.message !== undefined) await sessions.setMessage(request, answer.message);
        return reply.redirect(answer.goTo, 303);
      }
      if ("download" in answer) return sendDownload(reply, answer.download);
      if (session.message !== null) await sessions.setMessage(request, null);
      if (answer.waitUntil) answerWait(reply, answer.waitUntil, deps.clock.now());
      if (answer.checksItself) loadAgain(reply);
      return reply.send(answer.page);
    };
  return {
    get: (path: string, handle: Handle, given = { isByItself: false }) =>
      scope.get(path, visit(handle, false, given.isByItself)),
    post: (path: string, handle: Handle) => scope.post(path, visit(handle, true)),
  };
}

const sendDownload = (reply: FastifyReply, { name, contentType, pieces }: Download) =>
  reply
    .header("content-type", contentType)
    .header("content-disposition", `attachment; filename="${name}"`)
    .send(Readable.from(pieces, { objectMode: false }));

const visitOf = (deps: OwnPagesDeps, session: Session, request: FastifyRequest) => ({
  customerId: session.customer.customerId,
  name: session.customer.name,
  loginAmr: session.loginAmr,
  frame: {
    bankName: deps.bankName,
    csrf: session.formToken,
    message: session.message,
    path: ownPath(request.url),
    lastMinutes: lastMinutes(session.endsAt, deps.clock.now()),
  },
  // Fastify parses both by the route's path and the query string
  params: request.params as Visit["params"],
  query: request.query as Visit["query"],
});

/** The minutes until a session ends; null if it ends earlier without activity. */
function lastMinutes(endsAt: Temporal.Instant, now: Temporal.Instant): number | null {
  const left = Math.floor(endsAt.since(now).total("minutes"));
  return left < idleMinutes ? left : null;
}

async function overview(deps: OwnPagesDeps, visit: Visit): Promise<PageAnswer> {
  const { bank } = deps;
  const { customerId } = visit;
  const [accounts, waiting, upcomingPayments, permissions, connections] = await Promise.all([
    listWithFunds(bank, customerId),
    listApprovals(deps, customerId),
    listOwnUpcoming(deps, customerId),
    listPermissions(deps, customerId),
    listConnections(deps, customerId),
  ]);
  const open = accounts.filter((account) => account.status !== "Deleted");
  const page = overviewPage({
    ...visit.frame,
    customerName: visit.name,
    accounts: open.map((account) => {
      const { funds: known } = account;
      return {
        ...accountText(account),
        funds: known
          ? {
              balance: moneyText(known.bookedMinor, account.currency),
              available: moneyText(known.availableMinor, account.currency),
            }
          : null,
      };
    }),
    waiting,
    upcoming: upcomingPayments,
    permissions,
    hasMandates: hasPart(bank, "mandates"),
    hasPayees: hasPart(bank, "payees"),
    hasAccess: deps.accessKinds.some((kind) => offersKind(bank, kind)),
    hasPasskeys: deps.passkeys !== null,
    connections: connections.map((each) => each.connection),
  });
  return { page };
}

async function approval(deps: OwnPagesDeps, visit: Visit): Promise<PageAnswer> {
  const found = await loadApproval(deps, visit.params.id, visit.customerId);
  if (!found) return signatureGone(deps, visit.customerId, visit.params.id);
  const { shown, field } = showApproval(formFor(deps, visit), found, deps.clock.now());
  const { orderId } = found;
  return { page: approvalPage({ ...visit.frame, ...shown, orderId, field }) };
}

const formFor = ({ cookieSecret }: OwnPagesDeps, { frame: { csrf } }: Visit) => ({
  cookieSecret,
  csrf,
});

async function decideApproval(deps: OwnPagesDeps, visit: Visit): Promise<PageAnswer> {
  const decision = visit.form.get("decision");
  if (decision !== "approve" && decision !== "decline") return null;
  const path = `/bank/approvals/${visit.params.id}`;
  if (decision === "decline") return { goTo: `${path}/decline` };
  const found = await loadApproval(deps, visit.params.id, visit.customerId);
  if (!found) return signatureGone(deps, visit.customerId, visit.params.id);
  const before = shownBefore(formFor(deps, visit), found, visit.form.get("shown") ?? "");
  if (!before) return { goTo: path, message: changedText };
  return confirmAct(deps, ownActs.signature, visit, before);
}

async function declining(deps: OwnPagesDeps, visit: Visit): Promise<PageAnswer> {
  const found = await loadApproval(deps, visit.params.id, visit.customerId);
  if (!found) return signatureGone(deps, visit.customerId, visit.params.id);
  return { page: declinePage({ ...visit.frame, ...found }) };
}

async function decline(deps: OwnPagesDeps, visit: Visit): Promise<PageAnswer> {
  const { customerId, params, form } = visit;
  if (form.get("decision") !== "stop") return { goTo: `/bank/approvals/${params.id}` };
  const found = await loadApproval(deps, params.id, customerId);
  if (!found) return signatureGone(deps, visit.customerId, visit.params.id);
  const given = { orderId: params.id, customerId, decision: "reject" as const };
  const result = await decideMultiAuthorisation(deps, given);
  return afterSigning(deps, result, { customerId, id: params.id, signed: found });
}

async function upcoming(deps: OwnPagesDeps, visit: Visit): Promise<PageAnswer> {
  const payments = await listOwnUpcoming(deps, visit.customerId);
  const payment = payments.find((each) => each.id === visit.params.id);
  if (!payment || payment.fixed) return cancellationGone(deps, visit.customerId, visit.params.id);
  return { page: upcomingPage({ ...visit.frame, orderId: payment.id, payment }) };
}

async function decideUpcoming(deps: OwnPagesDeps, visit: Visit): Promise<PageAnswer> {
  if (visit.form.get("decision") !== "stop") return { goTo: "/bank" };
  return confirmAct(deps, ownActs["cancel order"], visit);
}

const back = { url: "/bank", text: "Back to your accounts" };
