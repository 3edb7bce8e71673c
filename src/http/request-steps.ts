import type { FastifyReply } from "fastify";
import { assert, present } from "#src/lib/assert.ts";
import type { StepName } from "#src/standard/api-version.ts";
import {
  type Access,
  type AccessCheck,
  checkConsentVersion,
  checkGrant,
  checkScope,
} from "./access/access.ts";
import { bareRefusal, refusal } from "./api-error.ts";
import { type BodyState, receiveBody } from "./body/receive-body.ts";
import { idempotencyHeader, takeIdempotencyKey } from "./headers/idempotency.ts";
import { interactionHeader } from "./headers/interaction-id.ts";
import { checkAccept, checkContentType, checkHeaderForm } from "./headers/request-headers.ts";
import type { Operation } from "./operation.ts";
import type { RateBuckets } from "./refusal/rate-limit.ts";

/** A request between two steps. */
export type StepState = AccessCheck &
  BodyState & {
    /** Null without a rate limit. */
    buckets: RateBuckets | null;
    reply: FastifyReply;
    /** Whether the request's interaction id does not have the version's format. */
    isIdMalformed: boolean;
    /** The caller, once the token is checked. */
    access: Access | null;
  };

/** A synchronous check. */
type Check = (state: StepState) => void;

/**
 * Every check except `token`, which reads the row for the other checks, and `body`, which is
 * asynchronous.
 */
const checks: Record<Exclude<StepName, "token" | "body">, Check> = {
  "interaction-id"({ isIdMalformed, operation }) {
    if (!isIdMalformed) return;
    throw refusal("U006", interactionHeader, operation.api.headers.interactionId.advice);
  },
  grant: checkGrant,
  scope: checkScope,
  "consent-version": checkConsentVersion,
  "rate-limit"({ buckets, access, now, reply }) {
    if (buckets === null) return;
    const { clientId } = present(access, "the caller of a request whose token is checked");
    const decision = buckets.take(clientId, now.epochMilliseconds);
    reply.headers(buckets.headers(decision));
    if (!decision.allowed) throw bareRefusal(429, { "retry-after": String(decision.seconds) });
  },
  accept({ input, operation }) {
    const { contentTypes } = operation.success;
    checkAccept(input.headers.accept as string | undefined, contentTypes);
  },
  "content-type"({ input, operation }) {
    const contentType = input.headers["content-type"] as string | undefined;
    checkContentType(contentType, operation.upload?.contentTypes);
  },
  "auth-date"({ input, operation }) {
    checkHeaderForm(input.headers, "x-fapi-auth-date", operation.api.headers.authDate);
  },
  "idempotency-key"({ input, operation }) {
    const given = input.headers[idempotencyHeader];
    input.idempotencyKey = takeIdempotencyKey(given, operation.api.headers.idempotencyKey);
  },
};

/** The steps of an operation's requests: those of its version that concern it, in order. */
export const stepsOf = ({ api, grant, request, idempotent }: Operation): StepName[] =>
  api.steps.filter((name) => {
    if (name === "consent-version") return grant === "authorization_code";
    if (name === "body" || name === "content-type") return request !== null;
    return name !== "idempotency-key" || idempotent;
  });

/** An operation's steps, compiled. */
export type CompiledSteps = {
  /** The steps before the token is read. */
  before: readonly Check[];
  /** The steps after the token is read. */
  after: readonly Check[];
  /** Receives the body, if the operation has one; always last. */
  body: typeof receiveBody | null;
};

/** Compiles an operation's steps. */
export function compileSteps(operation: Operation): CompiledSteps {
  const names = stepsOf(operation);
  const token = names.indexOf("token");
  assert(token >= 0, `the steps of ${operation.api.id} check the token`);
  const body = names.indexOf("body");
  assert(body < 0 || body === names.length - 1, `the body is the last step of ${operation.api.id}`);
  const isCheck = (name: StepName) => name !== "token" && name !== "body";
  const compile = (some: StepName[]): Check[] =>
    some.filter(isCheck).map((name) => checks[name as keyof typeof checks]); // no other is left
  return {
    before: compile(names.slice(0, token)),
    after: compile(names.slice(token)),
    body: body < 0 ? null : receiveBody,
  };
}
