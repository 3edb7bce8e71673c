import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { reasonsOf } from "#src/http/connection/observe.ts";
import { passedBy } from "#src/http/connection/passed-checks.ts";
import { judgedCertificateOf } from "#src/http/connection/peers.ts";
import { interactionHeader } from "#src/http/headers/request-headers.ts";
import { unverifiedClaims } from "#src/http/signature/unverified-claims.ts";
import type { Clock } from "#src/lib/clock.ts";
import {
  heldBytes,
  hundredths,
  idOrNull,
  type LogEntry,
  type LoggedBodies,
  splitUrl,
} from "./entry.ts";
import { answerText, keptOf, maskForm, maskRequest } from "./mask.ts";
import type { RequestLog } from "./request-log.ts";

/** The endpoints for TPPs outside the APIs, as routes. */
const endpoints: ReadonlySet<string> = new Set([
  "/auth",
  "/me",
  "/register",
  "/register/:clientId",
  "/request",
  "/backchannel",
  "/token",
  "/token/introspection",
  "/token/revocation",
]);

const mostKept = 65_536;

/** Records the requests to the authorization server's and the registration's endpoints. */
export function recordScope(app: FastifyInstance, log: RequestLog, clock: Clock): void {
  const seen = new WeakMap<FastifyRequest, Seen>();
  // without promises, because the hooks run for every request
  app.addHook("onRequest", (request, reply, done) => {
    if (endpoints.has(request.routeOptions.url ?? "")) seen.set(request, see(reply));
    done();
  });
  app.addHook("onResponse", (request, reply, done) => {
    const kept = seen.get(request);
    if (kept) log.add(waitingOf(request, reply, { log, clock, ...kept }));
    done();
  });
}

/** When a request arrived, and the bytes of its answer. */
type Seen = { startedAt: number; answer: Uint8Array | null };

/** Keeps the bytes of an answer, which the library may write itself. */
function see({ raw }: FastifyReply): Seen {
  const kept: Seen = { startedAt: performance.now(), answer: null };
  const end = raw.end.bind(raw) as (...given: unknown[]) => typeof raw;
  raw.end = ((...given: unknown[]) => {
    const [body] = given;
    const bytes = typeof body === "string" ? Buffer.from(body) : body;
    if (bytes instanceof Uint8Array && bytes.length <= mostKept) kept.answer = bytes;
    return end(...given);
  }) as typeof raw.end;
  return kept;
}

type Kept = Seen & { log: RequestLog; clock: Clock };

function waitingOf(
  request: FastifyRequest,
  reply: FastifyReply,
  { log, clock, answer, startedAt }: Kept,
) {
  const { clientId, consentId, bytes } = namedBy(request);
  const status = reply.raw.statusCode;
  const params = request.params as { clientId?: string };
  const at = Date.now();
  const entry: LogEntry = {
    at,
    bankTime: clock.now().epochMilliseconds,
    milliseconds: hundredths(reply.elapsedTime),
    interactionId: String(reply.raw.getHeader(interactionHeader) ?? ""),
    method: request.method,
    path: splitUrl(request.originalUrl).path,
    api: null,
    operation: request.routeOptions.url ?? null,
    status,
    clientId: (params.clientId ?? clientId)?.slice(0, 64) ?? null,
    consentId,
    resourceId: null,
    codes: status < 400 && reasonsOf(request.raw).length === 0 ? [] : codesOf(request, answer),
    idempotencyKey: null,
    isReplay: false,
    passed: passedBy(request.raw).map((time) => time && hundredths(time - startedAt)),
  };
  // only a success shows that the client is the one that the request names
  const isAnonymous =
    request.routeOptions.url === "/auth" ||
    (status >= 300 && judgedCertificateOf(request.raw).certificate === null);
  const sizes = { requestBytes: bytes?.length ?? 0, answerBytes: answer?.length ?? 0 };
  return {
    entry,
    isAnonymous,
    bodies: log.keepsBodies ? bodiesOf(request, reply, { answer, bytes, ...sizes }) : null,
    bytes: heldBytes(log.keepsBodies ? sizes : null),
  };
}

/** The `error` of an answer, and the reasons that the endpoint has noted. */
function codesOf(request: FastifyRequest, answer: Uint8Array | null): string[] {
  const error =
    answer && /"error"\s{0,4}:\s{0,4}"([a-z_]{1,60})"/.exec(Buffer.from(answer).toString());
  return [...(error?.[1] ? [error[1]] : []), ...reasonsOf(request.raw)];
}

type Named = { clientId: string | null; consentId: string | null; bytes: Buffer | null };

/** The client and the consent that a request names, verified or not. */
function namedBy({ body, query }: FastifyRequest): Named {
  const fields =
    body instanceof URLSearchParams
      ? Object.fromEntries(body)
      : ((query ?? {}) as Record<string, unknown>);
  const bytes =
    body instanceof URLSearchParams
      ? Buffer.from(body.toString())
      : typeof body === "string" || body instanceof Uint8Array
        ? Buffer.from(body)
        : null;
  const assertion = unverifiedClaims(fields.client_assertion);
  const asked = unverifiedClaims(fields.request);
  const clientId = fields.client_id ?? assertion?.sub ?? asked?.client_id ?? asked?.iss;
  return { clientId: idOrNull(clientId), consentId: intentOf(asked), bytes };
}

/** The consent that a request object names. */
function intentOf(claims: Record<string, unknown> | null): string | null {
  const asked = claims?.claims as Record<string, Record<string, { value?: unknown }>> | undefined;
  const intent = asked?.id_token?.openbanking_intent_id ?? asked?.userinfo?.openbanking_intent_id;
  // a request without a browser has a member of its own
  return idOrNull(intent?.value ?? claims?.["openbanking-intent-id"]);
}

type Sent = Pick<LoggedBodies, "requestBytes" | "answerBytes"> & {
  answer: Uint8Array | null;
  bytes: Buffer | null;
};

function bodiesOf(request: FastifyRequest, reply: FastifyReply, sent: Sent): () => LoggedBodies {
  const { headers, originalUrl } = request;
  const answerHeaders = reply.raw.getHeaders();
  const isPage = String(answerHeaders["content-type"] ?? "").startsWith("text/html");
  return () => ({
    query: maskForm(splitUrl(originalUrl).query),
    requestHeaders: keptOf(headers),
    request: maskRequest(headers["content-type"] ?? "", sent.bytes),
    requestBytes: sent.requestBytes,
    answerHeaders: keptOf(answerHeaders),
    // a page has fields that only its reader may know
    answer: isPage ? null : answerText(sent.answer),
    answerBytes: sent.answerBytes,
  });
}
