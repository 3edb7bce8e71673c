import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { loadClient } from "#src/clients/client-record.ts";
import { byTpp } from "#src/history/change.ts";
import { networkOf } from "#src/http/connection/connections.ts";
import { credentialsOf } from "#src/http/connection/listeners.ts";
import { judgedCertificateOf } from "#src/http/connection/peers.ts";
import { answerFailures, type Failure, type RenderFailure } from "#src/http/failure.ts";
import { interactionIdOf } from "#src/http/headers/interaction-id.ts";
import type { RateBuckets } from "#src/http/refusal/rate-limit.ts";
import { describe, type Profile } from "#src/http/refusal/refusals.ts";
import type { Clock } from "#src/lib/clock.ts";
import type { Database } from "#src/storage/database.ts";
import { type Attempt, recordAttempt } from "./attempts.ts";
import { DirectoryUnreachable, fault } from "./fault.ts";
import type { ManagementToken } from "./management-token.ts";
import { subjectOf } from "./presented-subject.ts";
import { longestRequest, readBodies, takeJws } from "./read-body.ts";
import { RegistrationRefusal, refuseFault } from "./refusal.ts";
import { renderClient } from "./registered-metadata.ts";
import { type CloseAccess, removeClient } from "./remove-client.ts";
import { storeRegistration } from "./store-registration.ts";
import { type VerificationDeps, verifyRegistration } from "./verify-registration.ts";

/** The dependencies of the registration endpoint. */
export type RegistrationDeps = VerificationDeps & {
  database: Database;
  /** The bank's clock. */
  clock: Clock;
  profile: Profile;
  checkToken: ManagementToken;
  closeAccess: CloseAccess;
  /** Limits the requests of a certificate subject or an address; null for no limit. */
  limit: RateBuckets | null;
  /** Counts a request without a valid client certificate. Such requests are not recorded. */
  onUnidentified(): void;
};

type Request = FastifyRequest<{ Params: { clientId?: string } }>;

/** A request in progress, with the facts for its record. */
type Exchange = {
  request: Request;
  attempt: Attempt;
};

type Answer = { status: number; body: object | null; isRecorded: boolean };
type Act = (deps: RegistrationDeps, exchange: Exchange) => Promise<Answer>;

const path = "/register";
const acts: readonly { method: "POST" | "GET" | "PUT" | "DELETE"; url: string; act: Act }[] = [
  { method: "POST", url: path, act: create },
  { method: "GET", url: `${path}/:clientId`, act: read },
  { method: "PUT", url: `${path}/:clientId`, act: replace },
  { method: "DELETE", url: `${path}/:clientId`, act: remove },
];

/**
 * Serves the registration endpoint. Every answer is JSON. Every attempt with a valid client
 * certificate is recorded. The others are counted: anyone can make them, and a record of each would
 * fill the disk. Source: R-010….
 */
export function registerRegistration(app: FastifyInstance, deps: RegistrationDeps): void {
  app.register(async (scope) => {
    readBodies(scope);
    answerFailures(scope, renderFailure);
    for (const { method, url, act } of acts) {
      scope.route({
        method,
        url,
        exposeHeadRoute: false,
        onRequest: async (request, reply) => {
          interactionIdOf(request, reply);
          reply.header("cache-control", "no-store");
          limitRate(deps, request, method);
          judgeConnection(deps, request);
        },
        handler: (request, reply) => handle(deps, act, request as Request, reply),
      });
    }
    const others = ["POST", "GET", "PUT", "DELETE", "PATCH"] as const;
    for (const url of new Set(acts.map((one) => one.url))) {
      const allowed = acts.filter((one) => one.url === url).map(({ method }) => method);
      scope.route({
        method: others.filter((method) => !allowed.includes(method as "GET")),
        url,
        exposeHeadRoute: false,
        handler: async () => {
          const allow = allowed.join(", ");
          const description = `The registration endpoint serves ${allow} at this address.`;
          throw new RegistrationRefusal(
            405,
            { rule: "R-022", error: "invalid_request", description },
            { allow },
          );
        },
      });
    }
  });
}

async function handle(
  deps: RegistrationDeps,
  act: Act,
  request: Request,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { certificate } = judgedCertificateOf(request.raw);
  const attempt: Attempt = {
    at: deps.machineClock.now(),
    interactionId: interactionIdOf(request, reply).value,
    method: request.method,
    certificateSubject: certificate && subjectOf(certificate).text,
    softwareId: null,
    clientId: request.params.clientId?.slice(0, 64) ?? null,
    status: 0,
    rule: null,
    description: null,
  };
  try {
    const { status, body, isRecorded } = await act(deps, { request, attempt });
    if (!isRecorded) await recordAttempt(deps.database, { ...attempt, status });
    if (body === null) return reply.code(status).send();
    return sendJson(reply.code(status), body);
  } catch (error) {
    const refusal = refusalOf(error);
    if (!refusal) throw error;
    const { statusCode: status, rule, message } = refusal;
    await recordAttempt(deps.database, { ...attempt, status, rule, description: message });
    return sendRefusal(reply, refusal);
  }
}

/** Refuses a request without a valid client certificate. Source: R-012. */
function judgeConnection(deps: RegistrationDeps, request: FastifyRequest): void {
  const { fault: found } = judgedCertificateOf(request.raw);
  if (found === null) return;
  deps.onUnidentified();
  const description = describe(found.reason, deps.profile, found.facts);
  throw new RegistrationRefusal(
    401,
    { rule: "R-012", error: "invalid_client", description },
    { "www-authenticate": 'Bearer error="invalid_token"' },
  );
}

/**
 * Throws 429 for more requests with one method than the limit allows, before anything is read or
 * stored. Source: R-026.
 */
function limitRate(
  { limit, machineClock }: RegistrationDeps,
  request: FastifyRequest,
  method: string,
) {
  if (!limit) return;
  const now = machineClock.now().epochMilliseconds;
  const { certificate } = judgedCertificateOf(request.raw);
  const names = [`${method} address ${networkOf(request.socket.remoteAddress ?? "")}`];
  if (certificate) names.push(`${method} subject ${certificate.subject}`);
  const refused = names.map((name) => limit.take(name, now)).find(({ allowed }) => !allowed);
  if (!refused) return;
  const wait = refused.seconds === 1 ? "1 second" : `${refused.seconds} seconds`;
  const description =
    `There were too many ${method} requests with this certificate or from this address. Wait for ` +
    `${wait}.`;
  throw new RegistrationRefusal(
    429,
    { rule: "R-026", error: "slow_down", description },
    { "retry-after": String(refused.seconds) },
  );
}

async function create(deps: RegistrationDeps, exchange: Exchange): Promise<Answer> {
  const clientId = await verifyAndStore(deps, exchange, null);
  return { status: 201, body: await describeClient(deps, clientId), isRecorded: true };
}

async function read(deps: RegistrationDeps, { request }: Exchange): Promise<Answer> {
  const clientId = await admit(deps, request);
  return { status: 200, body: await describeClient(deps, clientId), isRecorded: false };
}

async function replace(deps: RegistrationDeps, exchange: Exchange): Promise<Answer> {
  const clientId = await admit(deps, exchange.request);
  await verifyAndStore(deps, exchange, clientId);
  return { status: 200, body: await describeClient(deps, clientId), isRecorded: true };
}

async function remove(deps: RegistrationDeps, { request, attempt }: Exchange): Promise<Answer> {
  const clientId = await admit(deps, request);
  const { interactionId } = attempt;
  await removeClient(deps, clientId, byTpp({ now: deps.clock.now(), interactionId }));
  return { status: 204, body: null, isRecorded: false };
}

async function admit(deps: RegistrationDeps, request: Request): Promise<string> {
  const { clientId = "" } = request.params;
  await deps.checkToken(credentialsOf(request.raw), clientId);
  return clientId;
}

async function verifyAndStore(
  deps: RegistrationDeps,
  { request, attempt }: Exchange,
  clientId: string | null,
): Promise<string> {
  const text = takeJws(request.headers["content-type"], request.body, deps.settings);
  const { interactionId } = attempt;
  const { certificate } = judgedCertificateOf(request.raw);
  const subject = certificate && subjectOf(certificate);
  const verdict = await verifyRegistration(deps, { text, subject, clientId });
  attempt.softwareId = verdict.softwareId;
  const { verified } = verdict;
  if (!verified)
    throw refuseFault(verdict.faults[0] ?? fault("R-138", "invalid_client_metadata", ""));
  if (clientId !== null) await checkSameSoftware(deps, clientId, verified.statement.softwareId);
  const outcome = await storeRegistration(deps, {
    verified,
    clientId,
    why: byTpp({ now: deps.clock.now(), interactionId }),
    attempt: { ...attempt, status: clientId === null ? 201 : 200 },
  });
  if ("fault" in outcome) throw refuseFault(outcome.fault);
  return outcome.clientId;
}

async function checkSameSoftware(
  { database }: RegistrationDeps,
  clientId: string,
  softwareId: string,
): Promise<void> {
  const client = await loadClient(database, clientId);
  if (client?.softwareId === softwareId) return;
  const description =
    `software_id of the software statement is ${softwareId}; it must be ${client?.softwareId}, ` +
    "the software of this client. Register other software with POST.";
  throw refuseFault(fault("R-090", "invalid_client_metadata", description));
}

async function describeClient({ database }: RegistrationDeps, clientId: string): Promise<object> {
  const client = await loadClient(database, clientId);
  if (!client) throw new Error(`the client ${clientId} is stored`);
  return renderClient(client);
}

/** Returns the refusal for an error; null if the error is a bug or an outage of the bank. */
function refusalOf(error: unknown): RegistrationRefusal | null {
  if (error instanceof RegistrationRefusal) return error;
  if (!(error instanceof DirectoryUnreachable)) return null;
  const description =
    "The directory that publishes the keys of the software does not respond. Send the same " +
    "request again after the number of seconds in Retry-After.";
  return new RegistrationRefusal(
    503,
    { rule: "R-141", error: "temporarily_unavailable", description },
    { "retry-after": String(error.retryAfterSeconds) },
  );
}

const sendRefusal = (
  reply: FastifyReply,
  { statusCode, error, message, headers }: RegistrationRefusal,
) => sendJson(reply.code(statusCode).headers(headers), { error, error_description: message });

// sent as bytes: Fastify adds a charset to text, which this media type does not have
const sendJson = (reply: FastifyReply, body: object): FastifyReply =>
  reply.type("application/json").send(Buffer.from(JSON.stringify(body)));

/** Answers requests that are refused before their handler runs, outages and bugs. */
const renderFailure: RenderFailure = (failure, request, reply) => {
  interactionIdOf(request, reply);
  const refusal = refusalOf(failure.error) ?? refusalOfFailure(failure);
  return sendRefusal(reply.header("cache-control", "no-store"), refusal);
};

function refusalOfFailure({ error, status, outage, headers }: Failure): RegistrationRefusal {
  const refuse = (code: number, rule: string, name: string, description: string) =>
    new RegistrationRefusal(code, { rule, error: name, description }, headers);
  if (outage?.part === "limit") return refuse(status, "R-026", "slow_down", outage.message);
  if (outage) return refuse(status, "R-141", "temporarily_unavailable", temporarilyOut);
  if (status === 500) return refuse(status, "R-141", "server_error", failed);
  const code = unread[status] ? status : 400;
  return refuse(code, "R-069", "invalid_client_metadata", unread[status] ?? error.message);
}

const temporarilyOut = "The bank cannot serve this request at the moment. Send it again later.";
const failed = "The bank failed. Quote the interaction id when you report it.";

/** The refusals of bodies that are not read, by status. */
const unread: Readonly<Record<number, string>> = {
  413: `The request must not be larger than ${longestRequest} bytes.`,
  415: "Content-Type must be application/jose or application/jwt.",
};
