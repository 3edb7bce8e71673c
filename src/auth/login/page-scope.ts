import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { answerFailures } from "#src/http/failure.ts";
import { interactionIdOf } from "#src/http/headers/request-headers.ts";
import { HostileText } from "#src/http/hostile-text.ts";
import { errorPage } from "#src/pages/journey.ts";
import { outageTexts } from "#src/pages/outage-texts.ts";
import { pageHeaders, passkeyPolicy } from "#src/pages/page-headers.ts";
import { asksForPasskey } from "#src/pages/passkey.ts";

const formLimitBytes = 16_384;

/** The link that a customer can follow after an error. */
type WayBack = { url: string; text: string };

/** The common parts of a channel's pages. */
export type PageScope = {
  bankName: string;
  /** Further headers, besides those of every page. */
  headers?: Record<string, string>;
  /** The largest form; 16 kB by default. */
  formBytes?: number;
  /** The link that the customer of this request can follow after an error. */
  wayBack(request: FastifyRequest): WayBack;
};

/** Where the options of a channel's pages stand in their scope. */
const decoration = "channel of pages";

/** Prepares a scope for customers' pages: their headers, and forms of limited size. */
export function preparePages(scope: FastifyInstance, options: PageScope): void {
  scope.removeContentTypeParser("application/x-www-form-urlencoded");
  scope.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "string", bodyLimit: options.formBytes ?? formLimitBytes },
    (_request, body, done) => done(null, new URLSearchParams(String(body))),
  );
  const headers = { ...pageHeaders, ...options.headers };
  scope.decorate(decoration, { ...options, headers });
  scope.addHook("onRequest", async (_request, reply) => void reply.headers(headers));
  // the page itself says that it has our script, so no other page may run one
  scope.addHook("onSend", (_request, reply, page, done) => {
    if (typeof page === "string" && asksForPasskey(page)) {
      reply.header("content-security-policy", passkeyPolicy);
    }
    done(null, page);
  });
}

/** The form of a request; empty if it has none. */
export const formOf = (request: FastifyRequest): URLSearchParams =>
  request.body instanceof URLSearchParams ? request.body : new URLSearchParams();

/** The reference that the answer carries in its header. */
export const referenceOf = (reply: FastifyReply): string =>
  interactionIdOf(reply.request, reply).value;

/** Answers with 429 for a customer who has to wait. */
export function answerWait(
  reply: FastifyReply,
  until: Temporal.Instant,
  now: Temporal.Instant,
): void {
  const seconds = Math.max(1, Math.ceil(until.since(now).total("seconds")));
  reply.code(429).header("retry-after", String(seconds));
}

const texts = {
  403: {
    title: "Please try that again",
    message: "The form was too old or did not come from this page. Nothing was done.",
  },
  404: {
    title: "We cannot find this page",
    message: "It may have been removed, or it may belong to someone else.",
  },
  408: {
    title: "Please try that again",
    message: "The form did not arrive in time. Nothing was done.",
  },
  500: {
    title: "Something went wrong",
    message:
      "We could not show this page. If you have just confirmed a payment or a change, check " +
      "whether it has been made before you repeat it.",
  },
};

/** Answers with an error in words. */
export function refusePage(
  { bankName, wayBack }: PageScope,
  request: FastifyRequest,
  reply: FastifyReply,
  status: keyof typeof texts,
): FastifyReply {
  const page = { bankName, ...texts[status], back: wayBack(request) };
  return sendPage(request, reply.code(status), page);
}

const advice =
  "Please try again in a minute. If you have just confirmed a payment or a change, check " +
  "whether it has been made before you repeat it.";
const unreadable =
  "We could not read the request. Nothing was done. Go back to the previous page and try again.";

/**
 * Answers the failures of all pages and of all else that is neither an API nor another surface:
 * browsers get a page, everyone else gets JSON. Each response has a reference, which is logged if
 * the request fails. No page shows the error itself.
 */
export function answerPageFailures(scope: FastifyInstance, bankName: string): void {
  // without a promise, because the hook runs for every request
  scope.addHook("onRequest", (request, reply, done) => {
    interactionIdOf(request, reply);
    done();
  });
  answerFailures(scope, ({ error, status, outage, headers }, request, reply) => {
    const channel = channelOf(request);
    reply.code(status).headers(headers);
    if (outage) {
      const title = "We cannot do this at the moment";
      const back = channel ? { back: channel.wayBack(request) } : {};
      const page = { bankName, title, message: outageTexts[outage.part], advice, ...back };
      const reference = referenceOf(reply);
      const text = `${page.message} The reference in the log is ${reference}.`;
      return sendPage(request, reply, page, text);
    }
    if (channel && !(error instanceof HostileText)) {
      return refusePage(channel, request, reply, status === 408 ? 408 : status < 500 ? 403 : 500);
    }
    if (status === 500) return sendPage(request, reply, { bankName, ...texts[500] });
    const title = "We cannot read this request";
    return sendPage(request, reply, { bankName, title, message: unreadable }, error.message);
  });
}

const channelOf = ({ server }: FastifyRequest): PageScope | null =>
  server.hasDecorator(decoration) ? server.getDecorator<PageScope>(decoration) : null;

type Page = Omit<Parameters<typeof errorPage>[0], "reference">;

/** Sends an error to a browser as a page, and to everyone else as JSON. */
export function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  page: Page,
  message = page.message,
): FastifyReply {
  const reference = referenceOf(reply);
  const channel = channelOf(request);
  if (channel || request.headers.accept?.includes("text/html")) {
    // the framework removes the content type of a failed response
    reply.headers({ ...pageHeaders, ...channel?.headers });
    return reply.send(errorPage({ ...page, reference }));
  }
  return reply
    .header("cache-control", "no-store")
    .type("application/json; charset=utf-8")
    .send(JSON.stringify({ message, faults: [] }));
}
