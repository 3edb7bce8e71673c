import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { HostileText } from "#src/http/body/hostile-text.ts";
import { interactionHeader, takeInteractionId } from "#src/http/headers/interaction-id.ts";
import { unavailableOf } from "#src/lib/unavailable.ts";
import { errorPage } from "#src/pages/journey.ts";
import { pageHeaders } from "#src/pages/page-headers.ts";

const formLimitBytes = 16_384;

/** The link that a customer can follow after an error. */
export type WayBack = { url: string; text: string };

/** The common parts of a channel's pages. */
export type PageScope = {
  bankName: string;
  /** Further headers, besides those of every page. */
  headers?: Record<string, string>;
  /** The link that the customer of this request can follow after an error. */
  wayBack(request: FastifyRequest): WayBack;
};

/**
 * Prepares a scope for customers' pages: their headers, forms of limited size, and errors as
 * readable pages. Each response has a reference, which is logged if the request fails. The page
 * never shows the error itself.
 */
export function preparePages(scope: FastifyInstance, options: PageScope): void {
  scope.removeContentTypeParser("application/x-www-form-urlencoded");
  scope.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "string", bodyLimit: formLimitBytes },
    (_request, body, done) => done(null, new URLSearchParams(String(body))),
  );
  const headers = { ...pageHeaders, ...options.headers };
  scope.addHook("onRequest", async (request, reply) => {
    const given = request.headers[interactionHeader];
    reply.headers(headers).header(interactionHeader, takeInteractionId(given).value);
  });
  scope.setErrorHandler((error, request, reply) => answerFailure(options, error, request, reply));
}

/** The form of a request; empty if it has none. */
export const formOf = (request: FastifyRequest): URLSearchParams =>
  request.body instanceof URLSearchParams ? request.body : new URLSearchParams();

/** The reference that the answer carries in its header. */
export const referenceOf = (reply: FastifyReply): string =>
  String(reply.getHeader(interactionHeader));

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
  500: {
    title: "Something went wrong",
    message: "We could not show this page. Unless you saw a confirmation, nothing was done.",
  },
};

/** Answers with an error in words. */
export function refusePage(
  { bankName, headers, wayBack }: PageScope,
  request: FastifyRequest,
  reply: FastifyReply,
  status: keyof typeof texts,
): FastifyReply {
  const { title, message } = texts[status];
  const page = { bankName, title, message, reference: referenceOf(reply), back: wayBack(request) };
  // the framework removes the content type of a failed response
  return reply
    .code(status)
    .headers({ ...pageHeaders, ...headers })
    .send(errorPage(page));
}

function answerFailure(
  options: PageScope,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  // handled in one place for all pages
  if (unavailableOf(error) || error instanceof HostileText) throw error;
  const { statusCode } = error as { statusCode?: number };
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return refusePage(options, request, reply, 403);
  }
  const reference = referenceOf(reply);
  request.log.error({ err: error, reference }, "a customer's page failed");
  return refusePage(options, request, reply, 500);
}
