import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { FastifyInstance } from "fastify";
import { openBank, type TestBank } from "#test/harness.ts";

/** A route of a bank, with its path as Fastify writes it. */
export type Route = { method: string; url: string };

// the methods that a browser or a client sends; a route that refuses the others has all of them
const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]);

/** Opens a bank, and lists every route of its listeners. */
export async function openWithRoutes(
  ...settings: Parameters<typeof openBank>
): Promise<{ bank: TestBank; routes: Route[] }> {
  const routes: Route[] = [];
  const collect = (message: unknown): void => {
    const { fastify } = message as { fastify: FastifyInstance };
    fastify.addHook("onRoute", ({ method, url }) => {
      for (const one of [method].flat()) if (methods.has(one)) routes.push({ method: one, url });
    });
  };
  subscribe("fastify.initialization", collect);
  try {
    return { bank: await openBank(...settings), routes };
  } finally {
    unsubscribe("fastify.initialization", collect);
  }
}
