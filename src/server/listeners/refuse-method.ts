import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isAt } from "#src/http/refusal/likely-paths.ts";

/**
 * Judges a request that no route has answered. If its path has routes, but none for its method,
 * makes the response a 405 and returns its text; otherwise null.
 */
export type RefuseMethod = (request: FastifyRequest, reply: FastifyReply) => string | null;

const listed = new Intl.ListFormat("en-GB", { type: "conjunction" });

/** Notes the methods of every route that is added later, except of routes that only refuse. */
export function watchMethods(app: FastifyInstance): RefuseMethod {
  const methodsOf = new Map<string, Set<string>>();
  app.addHook("onRoute", ({ method, url, config }) => {
    if ((config as { onlyRefuses?: boolean } | undefined)?.onlyRefuses) return;
    const methods = methodsOf.get(url) ?? new Set();
    for (const one of [method].flat()) methods.add(one);
    methodsOf.set(url, methods);
  });
  return (request, reply) => {
    const [sent = ""] = request.url.split("?", 1);
    // Fastify reports only some routes of a scope's own path a second time, with a slash
    const path = methodsOf.has(sent) ? sent.replace(/(?<=.)\/$/, "") : sent;
    const segments = path.split("/");
    const found = [...methodsOf].filter(([url]) => isServed(path, segments, url));
    const methods = [...new Set(found.flatMap(([, served]) => [...served]))].sort();
    // a route may itself find that there is nothing
    if (methods.length === 0 || methods.includes(request.method)) return null;
    reply.code(405).header("allow", methods.join(", "));
    return `This address takes only ${listed.format(methods)} requests.`;
  };
}

const isServed = (path: string, segments: readonly string[], url: string): boolean =>
  url.endsWith("/*") ? path.startsWith(url.slice(0, -1)) : isAt(segments, url.split("/"));
