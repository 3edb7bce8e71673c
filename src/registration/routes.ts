import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type ClientRecord, loadClient } from "#src/clients/client-record.ts";
import { byTpp } from "#src/history/change.ts";
import { noteReason } from "#src/http/connection/observe.ts";
import { passedBy } from "#src/http/connection/passed-checks.ts";
import { judgedCertificateOf } from "#src/http/connection/peers.ts";
import { answerFailures, type Failure, type RenderFailure } from "#src/http/failure.ts";
import { interactionIdOf } from "#src/http/headers/request-headers.ts";
import { present } from "#src/lib/assert.ts";
import type { Database } from "#src/storage/database.ts";
import { type AdmissionDeps, arrivalSteps, type OwnClient, ownClientSteps } from "./admit.ts";
import { subjectOf } from "./certificate-subject.ts";
import { DirectoryUnreachable, fault, RegistrationRefusal, refuseFault } from "./fault.ts";
import type { RegistrationSettings } from "./registration-settings.ts";
import {
  type Attempt,
  type CloseAccess,
  recordAttempt,
  removeClient,
  renderClient,
  type StoredClient,
  storeRegistration,
} from "./store-registration.ts";
import {
  registrationStepNames,
  type VerificationDeps,
  verifyRegistration,
} from "./verify-registration.ts";

type RegistrationDeps = VerificationDeps &
  AdmissionDeps & { database: Database; closeAccess: CloseAccess };

type Request = FastifyRequest<{ Params: { clientId?: string } }>;

/** A request in progress, with the facts for its record. */
type Attempted = { request: Request; attempt: Attempt };

type Answer = { body: object | null; isRecorded: boolean };

/** An operation on registrations. */
type RegistrationOperation = {
  operationId: string;
  method: "POST" | "GET" | "PUT" | "DELETE";
  url: string;
  /** The status of its success. */
  status: number;
  /** The checks of its requests, by name and in order. */
  steps: readonly string[];
  handle(deps: RegistrationDeps, attempted: Attempted): Promise<Answer>;
};

/** Makes the handler of an operation on one client, which runs after the step `token`. */
const ofOwn =
  (
    handle: (deps: RegistrationDeps, client: OwnClient, attempted: Attempted) => Promise<Answer>,
  ): RegistrationOperation["handle"] =>
  async (deps, attempted) => {
    const { request } = attempted;
    const { clientId = "" } = request.params;
    const { client } = await ownClientSteps.run({ deps, request, clientId }, passedBy(request.raw));
    return handle(deps, client, attempted);
  };

const common = { url: "/register/:clientId", status: 200 };
const ownSteps = [...arrivalSteps.names, ...ownClientSteps.names];

/** Every operation on registrations. */
export const registrationOperations: readonly RegistrationOperation[] = [
  {
    operationId: "CreateClient",
    method: "POST",
    url: "/register",
    status: 201,
    steps: [...arrivalSteps.names, ...registrationStepNames],
    handle: create,
  },
  { ...common, operationId: "GetClient", method: "GET", steps: ownSteps, handle: ofOwn(read) },
  {
    ...common,
    operationId: "ReplaceClient",
    method: "PUT",
    steps: [...ownSteps, ...registrationStepNames],
    handle: ofOwn(replace),
  },
  {
    ...common,
    operationId: "DeleteClient",
    method: "DELETE",
    status: 204,
    steps: ownSteps,
    handle: ofOwn(remove),
  },
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
    for (const operation of registrationOperations) {
      scope.route({
        method: operation.method,
        url: operation.url,
        exposeHeadRoute: false,
        onRequest: async (request, reply) => {
          interactionIdOf(request, reply);
          reply.header("cache-control", "no-store");
          arrivalSteps.run({ deps, request }, passedBy(request.raw));
        },
        handler: (request, reply) => answer(deps, operation, request as Request, reply),
      });
    }
    const others = ["POST", "GET", "PUT", "DELETE", "PATCH"] as const;
    for (const url of new Set(registrationOperations.map((one) => one.url))) {
      const allowed = registrationOperations
        .filter((one) => one.url === url)
        .map(({ method }) => method);
      scope.route({
        method: others.filter((method) => !allowed.includes(method as "GET")),
        url,
        config: { onlyRefuses: true }, // in the form of this endpoint's errors
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

async function answer(
  deps: RegistrationDeps,
  { handle, status }: RegistrationOperation,
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
    status,
    rule: null,
    description: null,
  };
  try {
    const { body, isRecorded } = await handle(deps, { request, attempt });
    if (!isRecorded) await recordAttempt(deps.database, attempt);
    if (body === null) return reply.code(status).send();
    return sendJson(reply.code(status), body);
  } catch (error) {
    const refusal = refusalOf(error);
    if (!refusal) throw error;
    const { statusCode, rule, message: description } = refusal;
    await recordAttempt(deps.database, { ...attempt, status: statusCode, rule, description });
    return sendRefusal(reply, refusal);
  }
}

async function create(deps: RegistrationDeps, attempted: Attempted): Promise<Answer> {
  const createdAt = deps.clock.now();
  const stored = await verifyAndStore(deps, attempted, { client: null, at: createdAt });
  return { body: renderClient({ ...stored, createdAt }), isRecorded: true };
}

async function read(deps: RegistrationDeps, { clientId }: OwnClient): Promise<Answer> {
  return { body: renderClient(await ownRecord(deps, clientId)), isRecorded: false };
}

async function replace(
  deps: RegistrationDeps,
  { clientId }: OwnClient,
  attempted: Attempted,
): Promise<Answer> {
  const client = await ownRecord(deps, clientId);
  const stored = await verifyAndStore(deps, attempted, { client, at: deps.clock.now() });
  return { body: renderClient({ ...client, ...stored }), isRecorded: true };
}

async function remove(
  deps: RegistrationDeps,
  { clientId }: OwnClient,
  { attempt: { interactionId } }: Attempted,
): Promise<Answer> {
  await removeClient(deps, clientId, byTpp({ now: deps.clock.now(), interactionId }));
  return { body: null, isRecorded: false };
}

/** Stores the registration of a new client, or changes that of `client`, at a time of the bank. */
async function verifyAndStore(
  deps: RegistrationDeps,
  { request, attempt }: Attempted,
  { client, at }: { client: ClientRecord | null; at: Temporal.Instant },
): Promise<StoredClient> {
  const text = takeJws(request.headers["content-type"], request.body, deps.settings);
  const { interactionId } = attempt;
  const { certificate } = judgedCertificateOf(request.raw);
  const subject = certificate && subjectOf(certificate);
  const clientId = client?.clientId ?? null;
  const { softwareId, verified, faults } = await verifyRegistration(deps, {
    text,
    subject,
    clientId,
    passed: passedBy(request.raw),
  });
  attempt.softwareId = softwareId;
  if (verified === null) throw refuseFault(faults[0]);
  const { statement } = verified;
  if (client && client.softwareId !== statement.softwareId) {
    const description =
      `software_id of the software statement is ${statement.softwareId}; it must be ` +
      `${client.softwareId}, the software of this client. Register other software with POST.`;
    throw refuseFault(fault("R-090", "invalid_client_metadata", description));
  }
  const why = byTpp({ now: at, interactionId });
  const outcome = await storeRegistration(deps, { verified, clientId, why, attempt });
  if ("fault" in outcome) throw refuseFault(outcome.fault);
  return outcome;
}

async function ownRecord({ database }: RegistrationDeps, clientId: string): Promise<ClientRecord> {
  return present(await loadClient(database, clientId), "the client whose token was shown");
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

function sendRefusal(reply: FastifyReply, refusal: RegistrationRefusal): FastifyReply {
  const { statusCode, rule, error, message, headers } = refusal;
  noteReason(reply.request.raw, rule);
  return sendJson(reply.code(statusCode).headers(headers), { error, error_description: message });
}

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
  const code = unread[status] || status === 408 ? status : 400;
  return refuse(code, "R-069", "invalid_client_metadata", unread[status] ?? error.message);
}

const temporarilyOut = "The bank cannot serve this request at the moment. Send it again later.";
const failed = "The bank failed. Quote the interaction id when you report it.";

/** Largest request in bytes. Source: R-069. */
const longestRequest = 65_536;

/** The refusals of bodies that are not read, by status. */
const unread: Readonly<Record<number, string>> = {
  413: `The request must not be larger than ${longestRequest} bytes.`,
  415: "Content-Type must be application/jose or application/jwt.",
};

const josePattern = /^application\/(jose|jwt)\s*(;|$)/i;
const jsonPattern = /^application\/json\s*(;|$)/i;

/** Makes the routes of a scope read bodies of any type as bytes. */
function readBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  const options = { parseAs: "buffer", bodyLimit: longestRequest } as const;
  scope.addContentTypeParser("*", options, (_request, body, done) => done(null, body));
}

/**
 * Returns the JWS in a body. Its type must be application/jose or application/jwt or, by a setting,
 * application/json with the JWS as a string. Throws RegistrationRefusal. Source.
 */
function takeJws(
  contentType: string | undefined,
  body: unknown,
  { acceptsJson }: Pick<RegistrationSettings, "acceptsJson">,
): string {
  const text = Buffer.isBuffer(body) ? body.toString("latin1") : "";
  if (josePattern.test(contentType ?? "")) return text;
  if (acceptsJson && jsonPattern.test(contentType ?? "")) {
    const value = parse(text);
    if (typeof value === "string") return value;
    throw refuse(400, "R-016", "The body must be the request JWS as a JSON string.");
  }
  const types = `application/jose or application/jwt${acceptsJson ? " or application/json" : ""}`;
  throw refuse(415, "R-015", `Content-Type is ${contentType ?? "absent"}; it must be ${types}.`);
}

const refuse = (status: number, rule: string, description: string): RegistrationRefusal =>
  new RegistrationRefusal(status, { rule, error: "invalid_client_metadata", description });

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
