import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type ProxyTracerProvider, trace } from "@opentelemetry/api";
import type { FastifyInstance } from "fastify";
import type { Bank } from "#src/bank/port.ts";
import { type Config, ConfigError } from "#src/config/config.ts";
import { textOf } from "#src/lib/plain-text.ts";
import type { RequestLog } from "#src/request-log/request-log.ts";
import type { Served } from "#src/request-log/shown-request.ts";
import type { Database } from "#src/storage/database.ts";
import { traceBank } from "./traced-bank.ts";
import { traceDatabase } from "./traced-database.ts";
import { traceLog, traceRequests } from "./traced-requests.ts";

/** What a bank traces. Without an SDK, each part is as it was. */
export type Tracing = {
  database(database: Database): Database;
  bank(bank: Bank): Bank;
  requests(app: FastifyInstance): void;
  log(log: RequestLog, served: Served): RequestLog;
  /** Lets the SDK send what it holds. */
  close(): Promise<void>;
};

const off: Tracing = {
  database: (database) => database,
  bank: (bank) => bank,
  requests: () => undefined,
  log: (log) => log,
  close: async () => undefined,
};

type Module = { close?: () => Promise<void> };

/** Whether an SDK has registered itself, whose copy of the interface is not older than ours. */
function hasSdk(): boolean {
  const provider = trace.getTracerProvider() as Partial<ProxyTracerProvider>;
  return provider.getDelegateTracer?.("aldgate") !== undefined;
}

/** Loads the bank's OpenTelemetry SDK, if TRACING_MODULE names one. Throws ConfigError. */
export async function openTracing(config: Pick<Config, "TRACING_MODULE">): Promise<Tracing> {
  if (config.TRACING_MODULE === undefined) return off;
  const path = resolve(config.TRACING_MODULE);
  const refuse = (fault: string): never => {
    throw new ConfigError([`TRACING_MODULE: ${path} ${fault}`]);
  };
  const module: Module = await import(pathToFileURL(path).href).catch((error) =>
    refuse(`cannot be loaded: ${textOf(error)}`),
  );
  if (!hasSdk()) {
    const wanted = "register one when it is loaded, with @opentelemetry/api 1.9 or later";
    return refuse(`registers no provider of tracers. It must ${wanted}.`);
  }
  return {
    database: traceDatabase,
    bank: traceBank,
    requests: traceRequests,
    log: traceLog,
    close: async () => module.close?.(),
  };
}
