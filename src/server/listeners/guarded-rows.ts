import type { FastifyInstance } from "fastify";
import { answerFailures } from "#src/http/failure.ts";
import { type InterfaceRow, serveRows } from "#src/http/interface-row.ts";
import { sha256 } from "#src/lib/hash.ts";
import { outageTexts } from "#src/pages/outage-texts.ts";

/** An interface of the management listener for the bank's own programs, which need a token. */
type GuardedInterface<Functions> = {
  prefix: string;
  rows: readonly InterfaceRow<Functions>[];
  functions: Functions;
  /** Nobody may use it without a token. */
  token: string | undefined;
  /** The setting with the token. */
  setting: "CHANNELS_TOKEN" | "APP_TOKEN" | "BANK_TOKEN";
  /** What happens without a token, before "because CHANNELS_TOKEN is not set". */
  closed: string;
  /** The document of the interface; null if it is part of another one. */
  document: (() => object) | null;
};

const bearer = /^Bearer +(\S+)$/i;

/** Serves the rows to callers with the token. */
export function serveGuarded<Functions>(
  app: FastifyInstance,
  { prefix, rows, functions, token, setting, ...rest }: GuardedInterface<Functions>,
): void {
  const tokenHash = token === undefined ? null : sha256(token);
  const closed =
    `${rest.closed}, because ${setting} is not set. Set it, and send its value as ` +
    "`Authorization: Bearer`.";
  const bearerOf = `send \`Authorization: Bearer\` and the value of ${setting}`;
  const tokenNeeded = `This interface needs a token: ${bearerOf}.`;
  void app.register(
    async (scope) => {
      scope.addHook("onRequest", async (request, reply) => {
        reply.header("cache-control", "no-store");
        if (tokenHash === null) return reply.code(403).send({ message: closed, faults: [] });
        const [, sent] = bearer.exec(request.headers.authorization ?? "") ?? [];
        // the comparison of hashes takes the same time for every wrong token
        if (sent !== undefined && sha256(sent) === tokenHash) return undefined;
        reply.header("www-authenticate", "Bearer");
        return reply.code(401).send({ message: tokenNeeded, faults: [] });
      });
      answerFailures(scope, ({ error, status, outage, headers }, _request, reply) => {
        const message = outage ? outageTexts[outage.part] : (messages[status] ?? error.message);
        return reply.code(status).headers(headers).send({ message, faults: [] });
      });
      serveRows(scope, rows, functions);
      const { document } = rest;
      if (document) scope.get("/openapi.json", async () => document());
    },
    { prefix },
  );
}

const messages: Record<number, string> = {
  415: "The body must be JSON: send `Content-Type: application/json`.",
  500: "The bank failed. The log gives the reason.",
};
