import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { reasonsOf, refusalOf } from "#src/http/connection/observe.ts";
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
import { keptOf, maskAnswer, maskForm, maskRequest, maskServed, maskUnserved } from "./mask.ts";
import type { RequestLog } from "./request-log.ts";

/** The documents for TPPs, which anybody reads. */
const documents: ReadonlySet<string> = new Set([
  "/.well-known/oauth-authorization-server",
  "/.well-known/openid-configuration",
  "/jwks",
]);

/** The endpoints for TPPs outside the APIs, as routes. */
const endpoints: ReadonlySet<string> = new Set([
  "/auth",
  "/backchannel",
  "/me",
  "/register",
  "/register/:clientId",
  "/request",
  "/token",
  "/token/introspection",
  "/token/revocation",
  ...documents,
]);

/**
 * Whether the log has the requests to a route. A request that nothing serves may be that of a TPP
 * with a wrong address or method. The others are of browsers and of a sandbox's developer.
 */
const isOfTpps = (route: string | undefined): boolean =>
  route === undefined || endpoints.has(route);

const mostKept = 65_536;

/** When a request arrived, and the bytes of its answer. */
type Seen = { startedAt: number; answer: Uint8Array | null };

/** Records the requests of TPPs outside the APIs, under the id that each answer carries. */
export function recordScope(app: FastifyInstance, log: RequestLog, clock: Clock): void {
  const all = new WeakMap<FastifyRequest, Seen>();
  const see = (request: FastifyRequest, reply: FastifyReply): Seen => {
    const startedAt = performance.now() - reply.elapsedTime;
    const seen = all.get(request) ?? { startedAt, answer: null };
    all.set(request, seen);
    return seen;
  };
  // without promises, because the hooks run for every request
  app.addHook("onRequest", (request, reply, done) => {
    if (isOfTpps(request.routeOptions.url)) watchEnd(reply, see(request, reply));
    done();
  });
  // a request may be refused before the hook above
  app.addHook("onSend", (request, reply, body, done) => {
    if (isOfTpps(request.routeOptions.url)) keepAnswer(see(request, reply), body);
    done();
  });
  app.addHook("onResponse", (request, reply, done) => {
    const seen = all.get(request);
    if (seen) log.add(waitingOf(request, reply, { log, clock, ...seen }));
    done();
  });
}

function keepAnswer(seen: Seen, body: unknown): void {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  if (bytes instanceof Uint8Array && bytes.length <= mostKept) seen.answer = bytes;
}

/** Keeps the bytes of an answer, which the library may write itself. */
function watchEnd({ raw }: FastifyReply, seen: Seen): void {
  const end = raw.end.bind(raw) as (...given: unknown[]) => typeof raw;
  raw.end = ((...given: unknown[]) => {
    keepAnswer(seen, given[0]);
    return end(...given);
  }) as typeof raw.end;
}

type Kept = Seen & { log: RequestLog; clock: Clock };

function waitingOf(
  request: FastifyRequest,
  reply: FastifyReply,
  { log, clock, answer, startedAt }: Kept,
) {
  const { clientId, consentId, bytes } = namedBy(request);
  const route = request.routeOptions.url;
  const status = reply.raw.statusCode;
  const params = (request.params ?? {}) as { clientId?: string };
  const named = params.clientId && maskServed(params.clientId, status);
  const { path } = splitUrl(request.originalUrl);
  const at = Date.now();
  const entry: LogEntry = {
    at,
    bankTime: clock.now().epochMilliseconds,
    milliseconds: hundredths(reply.elapsedTime),
    // not of `raw`, which forgets the headers that Fastify has written
    interactionId: String(reply.getHeader(interactionHeader) ?? ""),
    method: request.method,
    path: route === undefined ? maskUnserved(path) : maskServed(path, status),
    api: null,
    operation: route ?? null,
    status,
    clientId: (named ?? clientId)?.slice(0, 64) ?? null,
    consentId,
    resourceId: null,
    codes: status < 400 && !isRefused(request) ? [] : codesOf(request, answer),
    idempotencyKey: null,
    isReplay: false,
    passed: passedBy(request.raw).map((time) => time && hundredths(time - startedAt)),
  };
  const announced = Number(request.headers["content-length"] ?? 0);
  const sizes = { requestBytes: bytes?.length ?? announced, answerBytes: answer?.length ?? 0 };
  return {
    entry,
    isAnonymous: isAnonymous(request, status),
    bodies: log.keepsBodies ? bodiesOf(request, reply, { answer, bytes, ...sizes }) : null,
    bytes: heldBytes(log.keepsBodies ? [bytes, answer] : null),
  };
}

/** Whether anybody could have sent a request, or as many as they like. */
function isAnonymous({ raw, routeOptions: { url } }: FastifyRequest, status: number): boolean {
  if (url === "/auth" || status === 429) return true;
  // only a success shows that the client is the one that the request names
  const isNamed = url !== undefined && !documents.has(url) && status < 300;
  return !isNamed && judgedCertificateOf(raw).certificate === null;
}

/** The `error` of an answer, and the reasons that the endpoint has noted. */
function codesOf(request: FastifyRequest, answer: Uint8Array | null): string[] {
  const error =
    answer && /"error"\s{0,4}:\s{0,4}"([a-z_]{1,60})"/.exec(Buffer.from(answer).toString());
  const codes = [...(error?.[1] ? [error[1]] : []), ...reasonsOf(request.raw)];
  return codes.length === 0 && isRefused(request) ? ["unexplained"] : codes;
}

/** Whether the endpoint has noted a refusal: some are redirects. */
const isRefused = ({ raw }: FastifyRequest): boolean =>
  reasonsOf(raw).length > 0 || refusalOf(raw) !== null;

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
  const answerHeaders = reply.getHeaders();
  const isDocument = documents.has(request.routeOptions.url ?? "");
  const refusal = refusalOf(request.raw);
  return () => ({
    query: maskForm(splitUrl(originalUrl).query),
    requestHeaders: keptOf(headers),
    request: maskRequest(headers["content-type"] ?? "", sent.bytes),
    requestBytes: sent.requestBytes,
    answerHeaders: keptOf(answerHeaders),
    // everybody can read a document
    answer: isDocument ? null : maskAnswer(sent.answer),
    answerBytes: sent.answerBytes,
    ...(refusal === null ? {} : { refusal }),
  });
}
