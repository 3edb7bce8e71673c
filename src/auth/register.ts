import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import type Provider from "oidc-provider";
import { interactionHeader, takeInteractionId } from "#src/http/interaction-id.ts";

const paths: { method: "GET" | "POST"; url: string }[] = [
  { method: "GET", url: "/.well-known/openid-configuration" },
  { method: "GET", url: "/.well-known/oauth-authorization-server" },
  { method: "GET", url: "/jwks" },
  { method: "GET", url: "/auth" },
  { method: "GET", url: "/auth/:uid" },
  { method: "POST", url: "/token" },
  { method: "POST", url: "/token/revocation" },
  { method: "POST", url: "/request" },
  { method: "GET", url: "/me" },
  { method: "POST", url: "/me" },
];

/**
 * Serves the authorization server. It reads the request and writes the answer itself; every answer
 * carries the interaction id. Source: security digest 7.7, trap 21.
 */
export function registerAuthorizationServer(app: FastifyInstance, provider: Provider): void {
  const callback = provider.callback() as (
    request: IncomingMessage,
    response: ServerResponse,
  ) => Promise<void>; // Koa's listener
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, _payload, done) => done(null)); // left unread
    for (const { method, url } of paths) {
      scope.route({
        method,
        url,
        handler: async (request, reply) => {
          reply.hijack();
          const given = request.headers[interactionHeader];
          reply.raw.setHeader(interactionHeader, takeInteractionId(given, "uuid").value);
          await callback(request.raw, reply.raw);
        },
      });
    }
  });
}
