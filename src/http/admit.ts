import type { FastifyReply } from "fastify";
import {
  type Access,
  type AccessFacts,
  type AccessRow,
  checkConsentVersion,
  checkGrant,
  checkScope,
  checkToken,
  readFacts,
} from "#src/http/access/access.ts";
import type { Credentials } from "#src/http/connection/credentials.ts";
import {
  checkAccept,
  checkContentType,
  checkHeaderForm,
  idempotencyHeader,
  interactionHeader,
  takeIdempotencyKey,
} from "#src/http/headers/request-headers.ts";
import type { RequestSteps, StepName } from "#src/standard/api-version.ts";
import { refusedToken } from "./access/token-refusal.ts";
import { bareRefusal, refusal } from "./api-error.ts";
import type { Operation, OperationRequest } from "./operation.ts";
import { type BodyState, receiveBody } from "./receive-body.ts";
import type { RateBuckets } from "./refusal/rate-limit.ts";
import { runSteps, type Step, type StepList } from "./steps.ts";

// How any request to an API is admitted. A request passes the steps of its API version, in that
// version's order: each step is an entry of the table below. No handler runs before them, because
// only `admit` makes a handler's input. Before the steps, the listeners have checked the client
// certificate (connection/) and refused callers over their limits (access/admission.ts).

/** A request before its steps. */
export type ArrivedState = BodyState & {
  credentials: Credentials;
  now: Temporal.Instant;
  /** Null without a rate limit. */
  buckets: RateBuckets | null;
  reply: FastifyReply;
  /** Whether the request's interaction id does not have the version's format. */
  isIdMalformed: boolean;
};

/** The result of the step `token`: the caller, and the row that was read with it. */
export type Admitted = {
  facts: AccessFacts;
  access: Access;
  /** Reads the row for the handler. */
  readLoaded: () => unknown;
};

/** What a step reads: more than the request only if it comes after `token`. */
type StateAt<Name extends StepName> = "token" extends RequestSteps[Name]
  ? ArrivedState & Admitted
  : ArrivedState;

/** Every step of a request. */
const requestSteps: {
  readonly [Name in StepName]: Omit<Step<StateAt<Name>, unknown, Operation>, "name">;
} = {
  "interaction-id": {
    check({ isIdMalformed, operation }) {
      if (!isIdMalformed) return;
      throw refusal("U006", interactionHeader, operation.api.headers.interactionId.advice);
    },
  },
  /** One statement reads the token with its client and consent, and the operation's data. */
  token: { check: readToken },
  grant: { check: checkGrant },
  scope: { check: checkScope },
  "consent-version": {
    applies: ({ grant }) => grant === "authorization_code",
    check: checkConsentVersion,
  },
  "rate-limit": {
    check({ buckets, access: { clientId }, now, reply }) {
      if (buckets === null) return;
      const decision = buckets.take(clientId, now.epochMilliseconds);
      reply.headers(buckets.headers(decision));
      if (!decision.allowed) throw bareRefusal(429, { "retry-after": String(decision.seconds) });
    },
  },
  accept: {
    check({ input, operation }) {
      const { contentTypes } = operation.success;
      checkAccept(input.headers.accept as string | undefined, contentTypes);
    },
  },
  "content-type": {
    applies: ({ request }) => request !== null,
    check({ input, operation }) {
      const contentType = input.headers["content-type"] as string | undefined;
      checkContentType(contentType, operation.upload?.contentTypes);
    },
  },
  "auth-date": {
    check({ input, operation }) {
      checkHeaderForm(input.headers, "x-fapi-auth-date", operation.api.headers.authDate);
    },
  },
  "idempotency-key": {
    applies: ({ idempotent }) => idempotent,
    check({ input, operation }) {
      const given = input.headers[idempotencyHeader];
      input.idempotencyKey = takeIdempotencyKey(given, operation.api.headers.idempotencyKey);
    },
  },
  /** Reads the body, verifies its signature if the operation is signed, and parses it. */
  body: {
    applies: ({ request }) => request !== null,
    check: receiveBody,
  },
};

/** The steps of an operation's requests: those of its version that concern it, in order. */
export const requestStepsOf = (operation: Operation): StepList<ArrivedState> =>
  operation.api.steps
    .map((name) => ({ name, ...requestSteps[name] }))
    // safe: the type of a version's steps has `token` before the steps that need it
    .filter(({ applies }) => applies?.(operation) ?? true) as Step<ArrivedState>[];

/** The names of an operation's checks, in order: those of the kit, then those of its handler. */
export const checkNamesOf = (operation: Operation): string[] => [
  ...requestStepsOf(operation).map(({ name }) => name),
  ...(operation.steps ?? []),
];

/** Admits a request, or throws an ApiError for the first step that refuses it. */
export async function admit(
  steps: StepList<ArrivedState>,
  state: ArrivedState & Partial<Admitted>,
): Promise<OperationRequest> {
  await runSteps(steps, state, state.input.passed);
  const { access, readLoaded } = state as ArrivedState & Admitted; // `token` is a step
  return Object.assign(state.input, { access, loaded: readLoaded() });
}

const loadsNothing = (): undefined => undefined;

async function readToken(state: ArrivedState): Promise<Admitted> {
  const { operation, kit, input, credentials, now, request } = state;
  if (credentials.tokenHash === null) {
    if (input.headers.authorization !== undefined)
      throw refusedToken("tokenMalformed", credentials);
    // Source: RFC 6750 section 3.1: a request without credentials gets no error code.
    const scope = operation.api.scopes.join(" ");
    throw bareRefusal(401, { "www-authenticate": `Bearer scope="${scope}"` });
  }
  const { statement, read } = operation.load?.(input) ?? {
    statement: kit.loadAccess(credentials),
    read: loadsNothing,
  };
  const [row] = operation.readsOnStandby
    ? await kit.database.readOnStandby<AccessRow>(statement)
    : await kit.database.read<AccessRow>(statement);
  kit.admission?.tokenRead(request.raw);
  if (!row) throw refusedToken("tokenUnknown", credentials);
  const facts = readFacts(row.access);
  const access = checkToken({ facts, credentials, now });
  return { facts, access, readLoaded: () => read(row) };
}
