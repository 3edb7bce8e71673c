import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { interactionHeader, takeInteractionId } from "#src/http/headers/interaction-id.ts";
import { isOrdinary, outageAnswer } from "#src/http/refusal/unavailable-answer.ts";
import { type Part, unavailableOf } from "#src/lib/unavailable.ts";
import { errorPage } from "#src/pages/journey.ts";
import { pageHeaders } from "#src/pages/page-headers.ts";

const causes: Record<Part, string> = {
  database: "One of our systems is not responding.",
  core: "One of our systems is not responding.",
  login: "Too many people are logging in right now.",
  disk: "One of our systems is not responding.",
  signer: "One of our systems is not responding.",
  limit: "There were too many requests from your network.",
};
const advice =
  "Please try again in a minute. If you have just confirmed a payment or a change, check " +
  "whether it has been made before you repeat it.";

const unreadable =
  "We could not read the request. Nothing was done. Go back to the previous page and try again.";

/**
 * Answers 4xx for a request that was refused before it reached its page. Answers 503 with
 * Retry-After if a page or an interface outside the APIs fails because a part of the bank is out of
 * service. Browsers get a page, everyone else gets JSON. The reference is in the log. Error
 * handlers of inner scopes throw these errors again so that they are handled here.
 */
export function answerOutages(scope: FastifyInstance, bankName: string): void {
  const refusedLogins = countRefusedLogins();
  scope.setErrorHandler((error, request, reply) => {
    const unavailable = unavailableOf(error);
    const reference = referenceOf(request, reply);
    const { statusCode = 500 } = error as { statusCode?: number };
    if (statusCode >= 400 && statusCode < 500) {
      reply.code(statusCode).header(interactionHeader, reference);
      const title = "We cannot read this request";
      const page = { bankName, title, message: unreadable, reference };
      return answer(request, reply, page, (error as Error).message);
    }
    if (!unavailable) throw error;
    const { part } = unavailable;
    if (part === "login") refusedLogins.report(request.log);
    else if (!isOrdinary(unavailable)) {
      request.log.error({ err: error, part, reference }, "a part of the bank is out of service");
    }
    const { status, headers } = outageAnswer(unavailable);
    reply.code(status).headers({ ...headers, [interactionHeader]: reference });
    const title = "We cannot do this at the moment";
    const message = causes[part];
    const page = { bankName, title, message, reference, advice };
    return answer(request, reply, page, `${message} The reference in the log is ${reference}.`);
  });
}

const warnEveryMs = 60_000;

/** Logs refused logins at most once a minute, because anyone can cause any number of them. */
function countRefusedLogins() {
  let refused = 0;
  let lastAt = Number.NEGATIVE_INFINITY;
  return {
    report(log: FastifyRequest["log"]): void {
      refused += 1;
      const now = performance.now();
      if (now - lastAt < warnEveryMs) return;
      log.warn({ refused }, "logins are refused, because too many are in progress");
      [refused, lastAt] = [0, now];
    },
  };
}

// The journey names its requests before they fail, and its pages show that name.
function referenceOf(request: FastifyRequest, reply: FastifyReply): string {
  const named = reply.getHeader(interactionHeader);
  if (typeof named === "string") return named;
  return takeInteractionId(request.headers[interactionHeader]).value;
}

function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  page: Parameters<typeof errorPage>[0],
  message: string,
): FastifyReply {
  // the customer's own pages set their headers before they fail
  const isPage = String(reply.getHeader("content-type")).startsWith("text/html");
  if (isPage || request.headers.accept?.includes("text/html")) {
    return reply.headers(pageHeaders).send(errorPage(page));
  }
  return reply
    .header("cache-control", "no-store")
    .header("content-type", "application/json; charset=utf-8")
    .send(JSON.stringify({ message, faults: [] }));
}
