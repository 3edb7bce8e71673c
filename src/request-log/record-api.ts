import { TokenRefusal } from "#src/http/access/token-refusal.ts";
import { ApiError } from "#src/http/api-error.ts";
import { idempotencyHeader } from "#src/http/headers/request-headers.ts";
import type { Operation } from "#src/http/operation.ts";
import type { AnsweredRequest, Recorder } from "#src/http/recorder.ts";
import { unavailableOf } from "#src/lib/unavailable.ts";
import {
  heldBytes,
  hundredths,
  idOrNull,
  type LogEntry,
  type LoggedBodies,
  longestId,
  splitUrl,
} from "./entry.ts";
import { apiText, keptOf, maskQuery, maskServed, maskUnserved } from "./mask.ts";
import type { RequestLog } from "./request-log.ts";

/** Records the requests to these operations. */
export function recordApis(log: RequestLog, operations: readonly Operation[]): Recorder {
  const idMembers = new Map(operations.map((one) => [one, idMemberOf(one, operations)]));
  return (answered) => {
    const entry = entryOf(answered, idMembers);
    log.add({
      entry,
      isAnonymous: answered.access === null,
      bodies: log.keepsBodies ? bodiesOf(answered) : null,
      bytes: heldBytes(log.keepsBodies ? [answered.input?.bytes, answerOf(answered)] : null),
    });
  };
}

function entryOf(
  answered: AnsweredRequest,
  idMembers: ReadonlyMap<Operation, string | null>,
): LogEntry {
  const { request, operation, input, access, startedAt, refusedAt, status } = answered;
  const at = Date.now();
  const { path } = splitUrl(request.originalUrl);
  const data = dataOf(answered);
  const params = (request.params ?? {}) as Record<string, string | undefined>;
  const named = (member: string) => params[member] && maskServed(params[member], status);
  const idMember = operation === null ? null : (idMembers.get(operation) ?? null);
  const resourceId = idMember === null ? null : (named(idMember) ?? data?.[idMember]);
  const key = request.headers[idempotencyHeader];
  return {
    at,
    bankTime: input?.now.epochMilliseconds ?? at,
    milliseconds: hundredths(answered.milliseconds),
    interactionId: answered.interactionId.slice(0, longestId),
    method: request.method,
    path: request.is404 ? maskUnserved(path) : maskServed(path, status),
    api: operation?.api.id ?? null,
    operation: operation?.operationId ?? null,
    status,
    clientId: access?.clientId ?? null,
    consentId: idOrNull(access?.consent?.consentId ?? named("ConsentId") ?? data?.ConsentId),
    resourceId: idOrNull(resourceId),
    codes: codesOf(answered.error),
    idempotencyKey: idOrNull(key),
    isReplay: answered.answer?.isReplay ?? false,
    passed: input?.passed.map((time) => hundredths(time - startedAt)) ?? null,
    ...(refusedAt === null ? {} : { refusedAfter: hundredths(refusedAt - startedAt) }),
  };
}

/** The `Data` of an answer that is still an object. */
function dataOf({ answer }: AnsweredRequest): Record<string, unknown> | null {
  const { Data } = (typeof answer?.body === "object" ? (answer.body ?? {}) : {}) as {
    Data?: Record<string, unknown>;
  };
  return Data ?? null;
}

/**
 * The name of the id of the resource that an operation reads or creates: the last parameter of its
 * path, or of the path below it; null if it has none, or if it is a consent.
 */
function idMemberOf(operation: Operation, all: readonly Operation[]): string | null {
  const own = [...operation.path.matchAll(/:(\w+)/g)].at(-1)?.[1];
  const below = all.find(
    ({ api, path }) => api === operation.api && path.startsWith(`${operation.path}/:`),
  );
  const member = own ?? below?.path.slice(operation.path.length + 2).split("/", 1)[0];
  return member === undefined || member === "ConsentId" ? null : member;
}

/** The codes of a refusal, or the reason why there is no code. */
function codesOf(error: unknown): string[] {
  if (error === null) return [];
  if (error instanceof ApiError) {
    const codes = [...new Set(error.faults.map(({ code }) => code as string))];
    return error instanceof TokenRefusal ? [...codes, error.reason] : codes;
  }
  const outage = unavailableOf(error);
  return outage ? [`unavailable ${outage.part}`] : ["U000"];
}

/** The bytes of an answer, if they are in memory. */
const answerOf = ({ payload }: AnsweredRequest): Uint8Array | null =>
  payload instanceof Uint8Array ? payload : null;

/** Makes the bodies when they are written. */
function bodiesOf(answered: AnsweredRequest): () => LoggedBodies {
  const { request, reply, input } = answered;
  const { headers, originalUrl } = request;
  const answerHeaders = reply.getHeaders();
  const own = new Set(Object.keys(answered.operation?.query ?? {}));
  const bytes = input?.bytes ?? null;
  const payload = answerOf(answered);
  return () => ({
    query: maskQuery(splitUrl(originalUrl).query, own),
    requestHeaders: keptOf(headers),
    request: apiText(bytes),
    requestBytes: bytes?.length ?? Number(headers["content-length"] ?? 0),
    answerHeaders: keptOf(answerHeaders),
    answer: apiText(payload),
    answerBytes: payload?.length ?? 0,
  });
}
