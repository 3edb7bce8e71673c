import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { loadClient } from "#src/clients/client-record.ts";
import { byTpp } from "#src/history/change.ts";
import { judgedCertificateOf } from "#src/http/connection/peers.ts";
import { answerFailures, type Failure, type RenderFailure } from "#src/http/failure.ts";
import { interactionIdOf } from "#src/http/headers/interaction-id.ts";
import type { Database } from "#src/storage/database.ts";
import { type AdmissionDeps, arrivalSteps, type OwnClient, ownClientSteps } from "./admit.ts";
import { type Attempt, recordAttempt } from "./attempts.ts";
import { DirectoryUnreachable, fault } from "./fault.ts";
import { subjectOf } from "./presented-subject.ts";
import { longestRequest, readBodies, takeJws } from "./read-body.ts";
import { RegistrationRefusal, refuseFault } from "./refusal.ts";
import { renderClient } from "./registered-metadata.ts";
import { type CloseAccess, removeClient } from "./remove-client.ts";
import { storeRegistration } from "./store-registration.ts";
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
    const { client } = await ownClientSteps.run({ deps, request, clientId });
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
          arrivalSteps.run({ deps, request });
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
  const clientId = await verifyAndStore(deps, attempted, null);
  return { body: await describeClient(deps, clientId), isRecorded: true };
}

async function read(deps: RegistrationDeps, { clientId }: OwnClient): Promise<Answer> {
  return { body: await describeClient(deps, clientId), isRecorded: false };
}

async function replace(
  deps: RegistrationDeps,
  { clientId }: OwnClient,
  attempted: Attempted,
): Promise<Answer> {
  await verifyAndStore(deps, attempted, clientId);
  return { body: await describeClient(deps, clientId), isRecorded: true };
}

async function remove(
  deps: RegistrationDeps,
  { clientId }: OwnClient,
  { attempt: { interactionId } }: Attempted,
): Promise<Answer> {
  await removeClient(deps, clientId, byTpp({ now: deps.clock.now(), interactionId }));
  return { body: null, isRecorded: false };
}

async function verifyAndStore(
  deps: RegistrationDeps,
  { request, attempt }: Attempted,
  clientId: string | null,
): Promise<string> {
  const text = takeJws(request.headers["content-type"], request.body, deps.settings);
  const { interactionId } = attempt;
  const { certificate } = judgedCertificateOf(request.raw);
  const subject = certificate && subjectOf(certificate);
  const { softwareId, verified, faults } = await verifyRegistration(deps, {
    text,
    subject,
    clientId,
  });
  attempt.softwareId = softwareId;
  if (verified === null) throw refuseFault(faults[0]);
  if (clientId !== null) await checkSameSoftware(deps, clientId, verified.statement.softwareId);
  const why = byTpp({ now: deps.clock.now(), interactionId });
  const outcome = await storeRegistration(deps, { verified, clientId, why, attempt });
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
