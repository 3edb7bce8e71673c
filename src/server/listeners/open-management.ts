import { type AddressInfo, isIP } from "node:net";
import Fastify, { type FastifyInstance } from "fastify";
import { type CoreFunctions, corePath, coreRows } from "#src/connector/core-rows.ts";
import { appOptions } from "#src/http/connection/listeners.ts";
import { type Metrics, type Readiness, registerHealth } from "#src/http/connection/observe.ts";
import { whyNotLogged, whyUnknown } from "#src/request-log/explain/wire-ids.ts";
import { FilterFault } from "#src/request-log/filter.ts";
import type { LogReader } from "#src/request-log/reader.ts";
import { type ChannelInterface, registerChannels } from "./channel-interface.ts";
import { serveGuarded } from "./guarded-rows.ts";
import { watchMethods } from "./refuse-method.ts";

// The settings of the listeners. This file opens the listener for operators. The public listener
// and the mutual TLS listener are in http/connection/. free-ports.ts picks ports for port 0,
// connection-limits.ts limits the connections, and strict-transport.ts tells browsers to use only
// TLS.

/** The management listener, open. */
export type Management = { url: string; close(): Promise<void> };

/** Where it listens, and what it shows. */
type ManagementOptions = {
  host: string;
  /** The names by which it is called, besides `host`, localhost and IP addresses. */
  hosts: readonly string[];
  /** 0 picks a free port. */
  port: number;
  readiness: () => Promise<Readiness>;
  metrics: Metrics;
  /** The log of requests; null if it is switched off. */
  requests: LogReader | null;
  /** The consents of customers, for the bank's own channels. */
  channels: ChannelInterface;
  /** What the bank's own core may call; null if the bank has none. */
  core: { functions: CoreFunctions | null; token: string | undefined };
};

const mostConnections = 100;

/**
 * Opens the listener for operators: liveness, readiness with figures, metrics, the log of
 * requests; for the bank's own channels: consents; and for its core: account data. It uses plain
 * HTTP, and only the last two need a token, so it belongs on loopback or a closed network. Foreign
 * host names are refused.
 */
export async function openManagement(options: ManagementOptions): Promise<Management> {
  const { host, hosts, port, readiness, metrics } = options;
  const app = Fastify({
    ...appOptions({ logLevel: "silent", bodyLimit: 4096 }),
    requestTimeout: 10_000,
    connectionTimeout: 30_000,
    forceCloseConnections: true,
    http: { headersTimeout: 10_000, connectionsCheckingInterval: 1000 },
  });
  app.server.maxConnections = mostConnections;
  const names = new Set(["localhost", host, ...hosts].map((name) => name.toLowerCase()));
  app.addHook("onRequest", async ({ headers }, reply) => {
    if (isAllowedHost(headers.host, names)) return;
    const shown = JSON.stringify(headers.host?.slice(0, 255));
    const message =
      `${shown} is not a host name of the management listener. Call it by its IP address, or ` +
      "add the name to MANAGEMENT_HOSTS.";
    await reply.code(403).send({ message });
  });
  const refuseMethod = watchMethods(app);
  app.setNotFoundHandler((request, reply) => {
    const wrong = refuseMethod(request, reply);
    if (wrong === null) reply.code(404);
    return reply.send({ message: wrong ?? "There is nothing at this address." });
  });
  registerHealth(app, readiness, { figures: true });
  app.get("/metrics", async (_request, reply) => {
    reply.type(metrics.registry.contentType);
    return metrics.render();
  });
  if (options.requests) serveRequests(app, options.requests);
  registerChannels(app, options.channels, () => urlOf(app, host));
  const { functions, token } = options.core;
  if (functions) {
    serveGuarded(app, {
      functions,
      keys: [{ token, setting: "BANK_TOKEN" }],
      prefix: corePath,
      rows: coreRows,
      closed: "The bank's core cannot send anything here",
    });
  }
  try {
    await app.listen({ host, port });
  } catch (error) {
    await app.close();
    throw error;
  }
  return { url: urlOf(app, host), close: () => app.close() };
}

function urlOf(app: FastifyInstance, host: string): string {
  const address = app.server.address() as AddressInfo; // it listens on a port, not a pipe
  return `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`;
}

/** Serves the log of requests. */
function serveRequests(app: FastifyInstance, requests: LogReader): void {
  app.get("/requests", async ({ query }, reply) => {
    try {
      return await requests.list(query as Record<string, unknown>);
    } catch (error) {
      if (!(error instanceof FilterFault)) throw error;
      return reply.code(400).send({ message: error.message });
    }
  });
  app.get<{ Params: { id: string } }>("/requests/:id", async ({ params: { id } }, reply) => {
    const found = await requests.show(id);
    return found ?? reply.code(404).send({ message: whyNotLogged(id) });
  });
  app.get<{ Params: { id: string } }>("/explanations/:id", async ({ params: { id } }, reply) => {
    const explained = await requests.explain(id);
    return explained ?? reply.code(404).send({ message: whyUnknown(id) });
  });
}

/**
 * Whether a request may have this host name. A page of a browser can make its own name lead to this
 * machine (DNS rebinding), but it cannot send an IP address, and cannot omit the host.
 */
function isAllowedHost(given: string | undefined, names: ReadonlySet<string>): boolean {
  if (given === undefined) return true;
  const { hostname = "" } = URL.parse(`http://${given}`) ?? {};
  return isIP(hostname.replace(/^\[(.*)\]$/, "$1")) !== 0 || names.has(hostname.toLowerCase());
}
