import { type FastifyReply, type FastifyServerOptions, LogController } from "fastify";
import { interactionIdOf } from "#src/http/headers/interaction-id.ts";
import { decodablePath } from "#src/http/hostile-text.ts";
import { printableInteractionId } from "#src/standard/shared/header-forms.ts";
import { loggerOptions } from "./observe.ts";

// Routes have no Fastify schemas, so its compilers, which take a tenth of a second to load, are not
// loaded.
const noCompiler = () => () => {
  throw new Error("a route's schema is validated by the kit, not by Fastify");
};
const noCompilers = { buildValidator: noCompiler, buildSerializer: noCompiler };

/**
 * Fastify's options for the bank: our own log lines, path parameters of any length that the
 * standard allows, and 404 without a body for a URL that cannot be decoded.
 */
export const appOptions = (options: {
  logLevel: string;
  bodyLimit: number;
  world?: { name: string } | undefined;
}): FastifyServerOptions => ({
  logger: loggerOptions(options.logLevel, options.world) ?? false,
  schemaController: { compilersFactory: noCompilers },
  logController: new LogController({ disableRequestLogging: true }),
  bodyLimit: options.bodyLimit,
  exposeHeadRoutes: true,
  routerOptions: { maxParamLength: 512 },
  rewriteUrl: ({ url = "/" }) => decodablePath(url),
  frameworkErrors: (_error, request, answer) => {
    const reply = answer as FastifyReply; // no schema of a route narrows this answer
    const { value: interactionId } = interactionIdOf(request.raw, reply, printableInteractionId);
    const { method } = request.raw;
    request.log.info({ method, route: "unknown", status: 404, interactionId }, "answered");
    reply.code(404).header("cache-control", "no-store").send();
  },
});
