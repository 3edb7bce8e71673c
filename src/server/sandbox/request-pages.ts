import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { sendPage } from "#src/auth/login/page-scope.ts";
import { explanation, explanationsPath } from "#src/pages/explanation.ts";
import { pageHeaders } from "#src/pages/page-headers.ts";
import { requestPage } from "#src/pages/request.ts";
import { hasField, requestsPage, requestsPath } from "#src/pages/requests.ts";
import { whyNotLogged } from "#src/request-log/explain/wire-ids.ts";
import { FilterFault } from "#src/request-log/filter.ts";
import type { LogReader } from "#src/request-log/reader.ts";
import type { Acts } from "#src/sandbox/controls/act-rows.ts";
import type { Gate } from "#src/sandbox/controls/gate.ts";
import { doneIn, resourcePage } from "./act-pages.ts";
import { admitDevelopers } from "./developer-pages.ts";

type PageParts = { bankName: string; gate: Gate; requests: LogReader; acts: Acts };

/** Serves the pages of the log of requests, to callers who may use the sandbox's controls. */
export function registerRequestPages(app: FastifyInstance, parts: PageParts): void {
  const { bankName, gate, requests } = parts;
  void app.register(async (scope) => {
    scope.addHook("onRequest", async (_request, reply) => void reply.headers(pageHeaders));
    admitDevelopers(scope, {
      bankName,
      gate,
      title: "These pages are for the sandbox’s developer",
    });
    scope.get(requestsPath, (request, reply) => sendList(parts, request, reply));
    scope.get<{ Params: { id: string } }>(`${requestsPath}/:id`, async (request, reply) => {
      const found = await requests.show(request.params.id);
      if (found) {
        const explained = await requests.explain(found.logId);
        return reply.send(requestPage({ ...found, bankName }, explained && explanation(explained)));
      }
      const title = "The log does not have this request";
      const message = whyNotLogged(request.params.id);
      const back = { url: requestsPath, text: "Go to the requests" };
      return sendPage(request, reply.code(404), { bankName, title, message, back });
    });
    // the address by analogy to the one of the API
    scope.get<{ Params: { id: string } }>(`${explanationsPath}/:id`, ({ params }, reply) =>
      reply.redirect(`${explanationsPath}?${new URLSearchParams(params)}`, 303),
    );
    scope.get<{ Querystring: Record<string, unknown> }>(
      explanationsPath,
      async ({ query }, reply) => {
        const id = typeof query.id === "string" ? query.id.trim() : "";
        const { isKnown, page } = await resourcePage(parts, id, doneIn(query));
        return reply.code(isKnown ? 200 : 404).send(page);
      },
    );
  });
}

async function sendList(
  { bankName, requests }: PageParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const filter = request.query as Record<string, string>; // `list` refuses anything else
  try {
    const { requests: found, next } = await requests.list(filter);
    return reply.send(requestsPage({ bankName, filter, fault: null, requests: found, next }));
  } catch (error) {
    if (!(error instanceof FilterFault)) throw error;
    const { message } = error;
    reply.code(400);
    if (hasField(error.parameter)) {
      const page = { bankName, filter, fault: error, requests: [], next: null };
      return reply.send(requestsPage(page));
    }
    const back = { url: requestsPath, text: "Go to the requests" };
    return sendPage(request, reply, { bankName, title: "We cannot find that", message, back });
  }
}
