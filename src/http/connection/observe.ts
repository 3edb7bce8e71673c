import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyServerOptions } from "fastify";
import { Counter, Registry } from "prom-client";
import { interactionHeader } from "#src/http/headers/request-headers.ts";
import type { Database } from "#src/storage/database.ts";
import { measureProcess } from "./process-metrics.ts";
import { measureRequests } from "./request-durations.ts";

/** Why a request is refused: the reasons, and the sentence that the answer may not have. */
type Noted = { reasons: string[]; sentence: string | null };

const noted = new WeakMap<IncomingMessage, Noted>();

function notedOf(request: IncomingMessage): Noted {
  const found = noted.get(request) ?? { reasons: [], sentence: null };
  noted.set(request, found);
  return found;
}

/** Notes why a request is refused, for the log of requests: a reason or the id of a rule. */
export function noteReason(request: IncomingMessage, reason: string): void {
  const { reasons } = notedOf(request);
  if (!reasons.includes(reason)) reasons.push(reason);
}

/** The reasons that were noted about a request. */
export const reasonsOf = (request: IncomingMessage): readonly string[] =>
  noted.get(request)?.reasons ?? [];

/** Notes the sentence of a refusal, for the log of requests. */
export function noteRefusal(request: IncomingMessage, sentence: string): void {
  notedOf(request).sentence = sentence;
}

/** The sentence that was noted about a request; null if there is none. */
export const refusalOf = (request: IncomingMessage): string | null =>
  noted.get(request)?.sentence ?? null;

/** Counts one response, with its status and duration in seconds. */
export type AnswerObserver = (status: number, seconds: number) => void;

/** The process's measurements. Callers register gauges of their own on `registry`. */
export type Metrics = {
  registry: Registry;
  /** Everything in the text format of Prometheus. */
  render(): Promise<string>;
  /** Called once per operation; `api` is `pages` for routes outside the APIs. */
  answers(api: string, operation: string): AnswerObserver;
  /** A token was refused with 401. */
  tokenFailed(api: string): void;
  /** A signature was refused with this code. */
  signatureFailed(code: string): void;
  /** A request was refused before anything was read for it. */
  refused(cause: string): void;
  /** A registration was refused because the connection has no valid client certificate. */
  unidentified(): void;
};

/** Makes the measurements of one process, with Node's own (memory, event loop) beside them. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  measureProcess(registry);
  const durations = measureRequests();
  const tokens = new Counter({
    name: "aldgate_token_failures_total",
    help: "Requests refused with 401.",
    labelNames: ["api"] as const,
    registers,
  });
  const signatures = new Counter({
    name: "aldgate_signature_failures_total",
    help: "Requests refused because of their message signature, by code.",
    labelNames: ["code"] as const,
    registers,
  });
  const refusals = new Counter({
    name: "aldgate_refused_requests_total",
    help: "Requests refused before anything was read: by a limit of the caller, or by load.",
    labelNames: ["cause"] as const,
    registers,
  });
  const unidentified = new Counter({
    name: "aldgate_registration_unidentified_total",
    help: "Requests to the registration endpoint without a valid client certificate.",
    registers,
  });
  return {
    registry,
    answers: durations.answers,
    async render() {
      return (await registry.metrics()) + (await durations.render());
    },
    tokenFailed: (api) => tokens.inc({ api }),
    signatureFailed: (code) => signatures.inc({ code }),
    refused: (cause) => refusals.inc({ cause }),
    unidentified: () => unidentified.inc(),
  };
}

/** The checks on which readiness depends. */
type ReadinessOptions = {
  database: Pick<Database, "probe">;
  /** Why this version cannot serve the schema; null if it can, as it can by default. */
  refuseSchema?(): Promise<string | null>;
  /** Seconds that the oldest due payment has waited; null when nothing waits. */
  engineLagSeconds(): Promise<number | null>;
  /** Lag above which the engine counts as behind. */
  maximumLagSeconds: number;
  /** Parts of the bank that are failing although the process serves; empty by default. */
  listDegraded?(): string[];
  /** How long callers share a result; a second by default. */
  sharedMilliseconds?: number;
  onFailure(error: unknown): void;
};

/**
 * Whether the process can serve, in words; the lag is null if it is not known. An engine that is
 * behind does not make the process unready: it can serve account information, and the lag is the
 * same on every process.
 */
export type Readiness = {
  ready: boolean;
  status: "ready" | "engine behind" | "schema not served" | "database unreachable";
  engineLagSeconds: number | null;
  degraded: string[];
  /** Why the schema cannot be served. */
  schema?: string;
};

/**
 * Makes a function whose callers share a result for some time after it is there, so that its cost
 * does not grow with their number. `make` must not reject.
 */
export function shareResult<T>(milliseconds: number, make: () => Promise<T>): () => Promise<T> {
  let latest: { result: Promise<T>; until: number } | null = null;
  return () => {
    if (latest && performance.now() < latest.until) return latest.result;
    const shared = { result: make(), until: Number.POSITIVE_INFINITY };
    latest = shared;
    void shared.result.then(() => {
      shared.until = performance.now() + milliseconds;
    });
    return shared.result;
  };
}

/** Makes the check of readiness. Callers share it, so its cost does not grow with their number. */
export function createReadiness(options: ReadinessOptions): () => Promise<Readiness> {
  const { database, engineLagSeconds, maximumLagSeconds, sharedMilliseconds = 1000 } = options;

  async function check(): Promise<Readiness> {
    try {
      await database.probe();
      const schema = (await options.refuseSchema?.()) ?? null;
      if (schema !== null) return { ...unready("schema"), status: "schema not served", schema };
      const lag = (await engineLagSeconds()) ?? 0;
      const status = lag <= maximumLagSeconds ? "ready" : "engine behind";
      return {
        ready: true,
        status,
        engineLagSeconds: lag,
        degraded: options.listDegraded?.() ?? [],
      };
    } catch (error) {
      options.onFailure(error);
      return { ...unready("database"), status: "database unreachable" };
    }
  }

  return shareResult(sharedMilliseconds, check);
}

const unready = (part: string): Pick<Readiness, "ready" | "engineLagSeconds" | "degraded"> => ({
  ready: false,
  engineLagSeconds: null,
  degraded: [part],
});

/**
 * Serves /health/live and /health/ready, which is 503 with the reason if the process is not ready.
 * `figures` adds the engine's lag and the parts that do not work: not for strangers.
 */
export function registerHealth(
  app: FastifyInstance,
  readiness: () => Promise<Readiness>,
  { figures }: { figures: boolean },
): void {
  app.get("/health/live", async () => ({ status: "live" }));
  app.get("/health/ready", async (_request, reply) => {
    const { ready, ...facts } = await readiness();
    reply.code(ready ? 200 : 503);
    // callers without access to figures learn only whether requests are served
    return figures ? facts : { status: ready ? "ready" : facts.status };
  });
}

/**
 * Counts and logs the responses of a scope outside the APIs. It uses route templates, because URLs
 * and queries contain ids and codes.
 */
export function observeScope(scope: FastifyInstance, metrics: Metrics): void {
  const observers = new Map<string, AnswerObserver>();
  scope.addHook("onResponse", async (request, reply) => {
    const route = request.routeOptions.url ?? "unknown";
    const operation = `${request.method} ${route}`;
    let observe = observers.get(operation);
    if (!observe) {
      observe = metrics.answers("pages", operation);
      observers.set(operation, observe);
    }
    observe(reply.statusCode, reply.elapsedTime / 1000);
    const { method } = request;
    const { statusCode: status } = reply;
    const interactionId = reply.getHeader(interactionHeader); // as pages and answers show it
    const milliseconds = round(reply);
    request.log.info({ method, route, status, milliseconds, interactionId }, "answered");
  });
}

const round = (reply: { elapsedTime: number }): number => Math.round(reply.elapsedTime * 10) / 10;

/**
 * Fastify's logger options: one JSON line per event, to standard output. An error shows only its
 * type, message and stack, because the driver's additions may contain a customer's data.
 * Each line names the world, if the bank is one.
 */
export function loggerOptions(
  level: string,
  world?: { name: string },
): FastifyServerOptions["logger"] {
  if (level === "silent") return false;
  return {
    level,
    base: world ? { world: world.name } : null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: {
      err: (error: Error & { code?: string }) => ({
        type: error.name,
        message: error.message,
        stack: error.stack ?? "",
        code: error.code ?? "",
      }),
    },
  };
}
