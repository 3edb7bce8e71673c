import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { HostileText } from "#src/http/hostile-text.ts";
import { newUuid } from "#src/lib/ids.ts";
import { unavailableOf } from "#src/lib/unavailable.ts";
import { errorPage } from "#src/pages/journey.ts";
import { approvalPage, overviewPage, upcomingPage } from "#src/pages/own-bank.ts";
import { pageHeaders } from "#src/pages/page-headers.ts";
import { moneyText } from "#src/pages/wording.ts";
import { cancelOrder } from "#src/payments/execution/cancellation.ts";
import { decideMultiAuthorisation } from "#src/payments/execution/multi-authorisation.ts";
import { connectionMessages, registerConnections } from "./connection-pages.ts";
import { listConnections } from "./connections.ts";
import type { OwnPagesDeps } from "./deps.ts";
import { registerLogin } from "./login.ts";
import { accountText, listApprovals, listOwnUpcoming, loadApproval } from "./own-payments.ts";
import { registerRegularPayments, regularPaymentMessages } from "./regular-payments.ts";
import { createSessions, type Session, type Sessions } from "./session.ts";

/** What a page of a logged-in customer is given. */
export type Visit = {
  customerId: string;
  name: string;
  csrf: string;
  form: URLSearchParams;
  params: { id: string; accountId?: string };
  query: { done?: string };
};

/** Where the browser goes after a form, or the page to show. */
export type Answer = { goTo: string } | { page: string } | null;
/** Answers a logged-in customer. */
export type Handle = (visit: Visit) => Promise<Answer>;

/** What was done, said once on the overview. */
const messages: Record<string, string> = {
  complete: "The payment is approved and on its way.",
  signed: "You have signed the payment. It waits for another signature.",
  rejected: "The payment is declined. It will not be made.",
  notWaiting: "The payment no longer waits for a signature.",
  alreadySigned: "You have signed this payment before.",
  cancelled: "The payment is cancelled.",
  tooLate: "It is too late to cancel this payment.",
  ...connectionMessages,
  ...regularPaymentMessages,
};

/**
 * The customer's own channel under `/bank`: accounts, payments that wait for a signature, payments
 * of a later day, and Open Banking connections with the way to stop them.
 */
export function registerOwnPages(app: FastifyInstance, deps: OwnPagesDeps): void {
  const sessions = createSessions(deps.cookieSecret, deps.clock, deps.secure);
  app.register(
    async (scope) => {
      scope.addHook("onRequest", async (_request, reply) => {
        reply.headers(pageHeaders);
      });
      scope.removeContentTypeParser("application/x-www-form-urlencoded");
      scope.addContentTypeParser(
        "application/x-www-form-urlencoded",
        { parseAs: "string", bodyLimit: 16_384 },
        (_request, body, done) => done(null, new URLSearchParams(String(body))),
      );
      scope.setErrorHandler((error, request, reply) => answerFailure(deps, error, request, reply));
      registerLogin(scope, deps, sessions);
      const { get, post } = visits(scope, deps, sessions);
      get("/", (visit) => overview(deps, visit));
      get("/approvals/:id", (visit) => approval(deps, visit));
      post("/approvals/:id", (visit) => decideApproval(deps, visit));
      get("/upcoming/:id", (visit) => upcoming(deps, visit));
      post("/upcoming/:id", (visit) => decideUpcoming(deps, visit));
      registerRegularPayments({ get, post }, deps);
      registerConnections({ get, post }, deps);
    },
    { prefix: "/bank" },
  );
}

// Registers handlers that a logged-in customer reaches only; forms must hold the session's token.
function visits(scope: FastifyInstance, deps: OwnPagesDeps, sessions: Sessions) {
  const visit =
    (handle: Handle, isForm: boolean) => async (request: FastifyRequest, reply: FastifyReply) => {
      const session = sessions.read(request);
      if (session?.state !== "in" || !session.customer) return reply.redirect("/bank/login", 303);
      const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
      if (isForm && !sessions.holdsToken(session, form.get("csrf")))
        return refuse(deps, reply, 403);
      sessions.keep(reply, session);
      const answer = await handle({ ...visitOf(session, sessions, request), form });
      if (answer === null) return refuse(deps, reply, 404);
      return "goTo" in answer ? reply.redirect(answer.goTo, 303) : reply.send(answer.page);
    };
  return {
    get: (path: string, handle: Handle) => scope.get(path, visit(handle, false)),
    post: (path: string, handle: Handle) => scope.post(path, visit(handle, true)),
  };
}

function visitOf(session: Session, sessions: Sessions, request: FastifyRequest) {
  return {
    customerId: session.customer?.customerId ?? "",
    name: session.customer?.name ?? "",
    csrf: sessions.formToken(session),
    // Fastify parses both by the route's path and the query string
    params: request.params as Visit["params"],
    query: request.query as { done?: string },
  };
}

async function overview(deps: OwnPagesDeps, visit: Visit): Promise<Answer> {
  const { bank } = deps;
  const { customerId } = visit;
  const [accounts, waiting, upcomingPayments, connections] = await Promise.all([
    bank.listAccounts(customerId),
    listApprovals(deps, customerId),
    listOwnUpcoming(deps, customerId),
    listConnections(deps, customerId),
  ]);
  const open = accounts.filter((account) => account.status !== "Deleted");
  const funds = await bank.loadFunds(open.map((account) => account.accountId));
  const page = overviewPage({
    bankName: deps.bankName,
    csrf: visit.csrf,
    customerName: visit.name,
    message: messages[visit.query.done ?? ""] ?? null,
    accounts: open.map((account) => {
      const { bookedMinor = 0n, availableMinor = 0n } = funds.get(account.accountId) ?? {};
      return {
        ...accountText(account),
        balance: moneyText(bookedMinor, account.currency),
        available: moneyText(availableMinor, account.currency),
      };
    }),
    waiting,
    upcoming: upcomingPayments,
    connections: connections.map((each) => each.connection),
  });
  return { page };
}

async function approval(deps: OwnPagesDeps, visit: Visit): Promise<Answer> {
  const found = await loadApproval(deps, visit.params.id, visit.customerId);
  if (!found) return { goTo: "/bank?done=notWaiting" };
  return { page: approvalPage({ bankName: deps.bankName, csrf: visit.csrf, ...found }) };
}

async function decideApproval(deps: OwnPagesDeps, visit: Visit): Promise<Answer> {
  const decision = visit.form.get("decision");
  if (decision !== "approve" && decision !== "decline") return null;
  const result = await decideMultiAuthorisation(deps, {
    orderId: visit.params.id,
    customerId: visit.customerId,
    decision: decision === "approve" ? "approve" : "reject",
  });
  if (result === "notFound" || result === "notYours") return null;
  if (result === "complete") deps.wakeEngine();
  return { goTo: `/bank?done=${result}` };
}

async function upcoming(deps: OwnPagesDeps, visit: Visit): Promise<Answer> {
  const payments = await listOwnUpcoming(deps, visit.customerId);
  const payment = payments.find((each) => each.id === visit.params.id);
  if (!payment || payment.fixed) return { goTo: "/bank?done=tooLate" };
  const { csrf } = visit;
  return { page: upcomingPage({ bankName: deps.bankName, csrf, orderId: payment.id, payment }) };
}

async function decideUpcoming(deps: OwnPagesDeps, visit: Visit): Promise<Answer> {
  if (visit.form.get("decision") !== "stop") return { goTo: "/bank" };
  const { customerId, params } = visit;
  const result = await cancelOrder(deps, { orderId: params.id, customerId });
  if (result === "notFound" || result === "notYours") return null;
  return { goTo: `/bank?done=${result}` };
}

const back = { url: "/bank", text: "Back to your accounts" };

function refuse(deps: OwnPagesDeps, reply: FastifyReply, status: 403 | 404) {
  const title = status === 404 ? "This page is not there" : "Please try that again";
  const message =
    status === 404
      ? "It may have been there before, or it belongs to someone else."
      : "The form was too old or did not come from this page. Nothing was done.";
  return reply
    .code(status)
    .send(errorPage({ bankName: deps.bankName, title, message, reference: newUuid(), back }));
}

function answerFailure(
  deps: OwnPagesDeps,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  // answered for all pages in one place
  if (unavailableOf(error) || error instanceof HostileText) throw error;
  const { statusCode } = error as { statusCode?: number };
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return refuse(deps, reply, 403);
  }
  const reference = newUuid();
  request.log.error({ err: error, reference }, "a page of the bank failed");
  const title = "Something went wrong";
  const message = "We could not show this page. Nothing was done that you have not seen confirmed.";
  return reply
    .code(500)
    .send(errorPage({ bankName: deps.bankName, title, message, reference, back }));
}
