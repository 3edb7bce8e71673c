import type { FastifyInstance } from "fastify";

const seconds = 365 * 24 * 3600;
const loopback = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * Tells browsers to reach the bank over TLS only, with every answer, if its pages have TLS. Not on
 * this machine's own names: they are shared with whatever else runs here. Source: RFC 6797.
 */
export function requireTransportSecurity(app: FastifyInstance, publicUrl: string): void {
  const { protocol, hostname } = new URL(publicUrl);
  if (protocol !== "https:" || loopback.has(hostname)) return;
  app.addHook("onRequest", async (_request, reply) => {
    // on the raw answer: the authorization server writes its answers itself
    reply.raw.setHeader("strict-transport-security", `max-age=${seconds}`);
  });
}
