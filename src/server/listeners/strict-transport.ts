import type { FastifyInstance } from "fastify";
import { ownNames } from "#src/http/outgoing/address-guard.ts";

const seconds = 365 * 24 * 3600;

/**
 * Adds Strict-Transport-Security to every response if the pages use TLS. It is left out on this
 * machine's own names, because other programs use these names too. Source: RFC 6797 section 7.1.
 */
export function requireTransportSecurity(app: FastifyInstance, publicUrl: string): void {
  const { protocol, hostname } = new URL(publicUrl);
  if (protocol !== "https:" || ownNames.includes(hostname)) return;
  app.addHook("onRequest", async (_request, reply) => {
    // on the raw answer: the authorization server writes its answers itself
    reply.raw.setHeader("strict-transport-security", `max-age=${seconds}`);
  });
}
