import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { interactionIdOf } from "#src/http/headers/request-headers.ts";
import { type Unavailable, unavailableOf } from "#src/lib/unavailable.ts";
import { countRefusals } from "./refusal/count-refusals.ts";
import { outageAnswer } from "./refusal/unavailable-answer.ts";

/** A request that failed outside its handler's answer. */
export type Failure = {
  error: Error;
  /** 503 for an outage, 429 for a limit of the caller, and 500 for a bug. */
  status: number;
  /** The part of the bank that is out of service; null for other failures. */
  outage: Unavailable | null;
  /** Retry-After in an outage. */
  headers: Readonly<Record<string, string>>;
};

/** Renders the failures of a surface; null leaves one to the surface around it. */
export type RenderFailure = (
  failure: Failure,
  request: FastifyRequest,
  reply: FastifyReply,
) => FastifyReply | Promise<FastifyReply> | null;

/**
 * Answers the failures of a surface with its one renderer. A surface is the APIs, the registration,
 * the authorization server, the pages, a sandbox's controls or the bank's own channels. Outages and
 * bugs are logged here with the interaction id; a caller over a limit is not, because anyone can
 * cause as many as they like.
 */
export function answerFailures(scope: FastifyInstance, render: RenderFailure): void {
  const reportLogin = countRefusals(60_000, "logins are refused, because too many are in progress");
  scope.setErrorHandler((thrown, request, reply) => {
    const failure = failureOf(thrown as Error);
    const answer = render(failure, request, reply);
    if (answer === null) throw thrown;
    const { error, status, outage } = failure;
    if (outage?.part === "login") reportLogin(request.log);
    else if (status >= 500) {
      const reference = interactionIdOf(request, reply).value;
      const text = outage ? "a part of the bank is out of service" : "a request failed";
      request.log.error({ err: error, part: outage?.part, reference }, text);
    }
    return answer;
  });
}

function failureOf(error: Error & { statusCode?: number }): Failure {
  const outage = unavailableOf(error);
  if (outage) return { error, outage, ...outageAnswer(outage) };
  const { statusCode = 500 } = error;
  const status = statusCode >= 400 && statusCode < 500 ? statusCode : 500;
  return { error, outage, status, headers: {} };
}
