import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import Type, { type TSchema } from "typebox";
import { whyInvalid } from "#src/bank/checked-answer.ts";
import { bankParts } from "#src/bank/parts.ts";
import { type Bank, BankError, bankErrorOutcome } from "#src/bank/port.ts";
import type { CallName } from "#src/bank/port-answers.ts";
import { portCalls } from "#src/bank/port-calls.ts";
import type { TariffRow } from "#src/bank/tariff.ts";
import { answerFailures } from "#src/http/failure.ts";
import { readJsonBodies } from "#src/http/interface-row.ts";
import { textOf } from "#src/lib/plain-text.ts";
import { unavailableOf } from "#src/lib/unavailable.ts";
import { toJson } from "./json-values.ts";
import { callRows, contractVersion, otherRows } from "./operations.ts";
import { type BodyCheck, compileBody } from "./read-body.ts";

/** A core that is served over HTTP. */
export type ServedCore = {
  bank: Bank;
  /** What the core calls itself. */
  name: string;
  tariff: readonly TariffRow[];
  /** Returns the changes after a cursor; null for a cursor that the core has not given. */
  readChanges?(after: string | null, limit: number): Promise<object | null>;
  listTestCustomers?(): Promise<readonly object[]>;
  readTestCode?(challengeId: string): Promise<string | null>;
};

/** Where it is served. Without `tls`, it uses plain HTTP. */
type ServeOptions = {
  bodyLimit?: number;
  /** The certificate of the server, its key, and the roots of the clients; PEM texts. */
  tls?: { cert: string; key: string; ca: string | null };
};

const mostBytes = 16 * 1024 * 1024;
const mostFacts = 1000;

/** A request that does not fit the contract. */
class ContractFault extends Error {
  readonly statusCode = 400;
}

/**
 * Serves a core with the operations of the contract, which also check what Aldgate sends. The
 * caller listens and closes.
 */
export function serveCore(core: ServedCore, { tls, bodyLimit = mostBytes }: ServeOptions = {}) {
  const app = Fastify({
    bodyLimit,
    logger: false,
    ...(tls
      ? {
          https: {
            cert: tls.cert,
            key: tls.key,
            ...(tls.ca ? { ca: tls.ca, requestCert: true, rejectUnauthorized: true } : {}),
          },
        }
      : {}),
  }) as unknown as FastifyInstance;
  readJsonBodies(app);
  app.addHook("onRequest", async (request) => checkVersion(request));
  answerFailures(app, ({ error, status }, _request, reply) => sendProblem(reply, error, status));
  app.setNotFoundHandler((request, reply) =>
    problem(reply, 404, "retry", `there is no ${request.method} ${request.url}`),
  );
  for (const name of Object.keys(callRows) as CallName[]) serveCall(app, core, name);
  serveOthers(app, core);
  return app;
}

function checkVersion({ headers }: FastifyRequest): void {
  const version = headers["aldgate-contract"];
  if (version === String(contractVersion)) return;
  const found = version === undefined ? "there is none" : `it is ${JSON.stringify(version)}`;
  throw new ContractFault(`the header Aldgate-Contract must be ${contractVersion}, but ${found}`);
}

/** Serves a call of the port, unless the core omits it. */
function serveCall(app: FastifyInstance, { bank }: ServedCore, name: CallName): void {
  const call = bank[name] as ((...given: unknown[]) => Promise<unknown>) | undefined;
  if (!call) return;
  const { path, arguments: schemas, answer } = callRows[name];
  const names = Object.keys(schemas);
  const read = bodyReader(schemas);
  app.post(path, async (request) => {
    const body = read(request.body);
    const given = names.map((one) => body[one]);
    const result = await call.apply(bank, given);
    return toJson(answer.write(result as never, given));
  });
}

function serveOthers(app: FastifyInstance, core: ServedCore): void {
  app.get(otherRows.readAbout.path, async () => toJson(aboutOf(core)));
  const { readChanges, listTestCustomers, readTestCode } = core;
  if (readChanges) {
    type Query = { after?: string; limit?: string };
    app.get<{ Querystring: Query }>(otherRows.readChanges.path, async ({ query }) => {
      const limit = Number(query.limit ?? mostFacts);
      if (!Number.isInteger(limit) || limit < 1) throw new ContractFault("limit must be a number");
      const changes = await readChanges(query.after ?? null, Math.min(limit, mostFacts));
      if (!changes) throw new ContractFault("after is not a cursor of this core");
      return changes;
    });
  }
  if (listTestCustomers) {
    app.post(otherRows.listTestCustomers.path, async () => ({
      customers: await listTestCustomers(),
    }));
  }
  if (readTestCode) {
    const read = bodyReader(otherRows.readTestCode.arguments);
    app.post(otherRows.readTestCode.path, async (request) => ({
      code: await readTestCode(textOf(read(request.body).challengeId)),
    }));
  }
}

function aboutOf(core: ServedCore): object {
  const { bank, name, tariff } = core;
  const optional = (Object.keys(callRows) as CallName[]).filter(
    (call) => portCalls[call].isOptional && bank[call],
  );
  const others = (["readChanges", "listTestCustomers", "readTestCode"] as const).filter(
    (one) => core[one],
  );
  return {
    contract: contractVersion,
    name,
    parts: bank.about?.parts ?? bankParts,
    operations: [...optional, ...others],
    exchangeCurrencies: bank.exchangeCurrencies,
    readsContext: bank.readsContext ?? false,
    attachesData: bank.attachesData ?? false,
    tariff,
  };
}

/** Returns the reader of a body with these members, which is compiled when it is first used. */
function bodyReader(
  members: Readonly<Record<string, TSchema>>,
): (body: unknown) => Record<string, unknown> {
  let check: BodyCheck | undefined;
  return (body) => {
    check ??= compileBody(Type.Object({ ...members }));
    if (!check.validator.Check(body)) throw new ContractFault(whyInvalid(check.validator, body));
    return check.decode(body) as Record<string, unknown>; // it has just been checked
  };
}

const statuses = { refused: 422, retry: 503, unknown: 500 } as const;

function sendProblem(reply: FastifyReply, error: Error, status: number): FastifyReply {
  // the request does not fit the contract, is not JSON, or is too large
  if (status < 500 && bankErrorOutcome(error) === null) {
    return problem(reply, status, "refused", error.message);
  }
  const outcome = bankErrorOutcome(error) ?? (unavailableOf(error) ? "retry" : "unknown");
  // the words of other errors may contain a customer's data
  const title = error instanceof BankError ? error.message : "the core failed";
  return problem(reply, statuses[outcome], outcome, title);
}

const problem = (
  reply: FastifyReply,
  status: number,
  outcome: keyof typeof statuses,
  title: string,
): FastifyReply =>
  reply.code(status).type("application/problem+json").send({ title, status, outcome });
