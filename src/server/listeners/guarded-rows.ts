import type { FastifyInstance } from "fastify";
import { answerFailures } from "#src/http/failure.ts";
import { type InterfaceRow, serveRows } from "#src/http/interface-row.ts";
import { sha256 } from "#src/lib/hash.ts";
import { outageTexts } from "#src/pages/outage-texts.ts";

/** A token that opens an interface, and the setting with its value. */
type Key = {
  token: string | undefined;
  setting: "CHANNELS_TOKEN" | "APP_TOKEN" | "BANK_TOKEN";
};

/** What the management listener has for the bank's own programs, which need a token. */
type GuardedInterface = {
  prefix: string;
  /** Each of them opens it. Nobody may use it without a token. */
  keys: readonly Key[];
  /** What happens without a token, before "because CHANNELS_TOKEN is not set". */
  closed: string;
};

const bearer = /^Bearer +(\S+)$/i;

/** Serves rows to callers with the token. */
export const serveGuarded = <Functions>(
  app: FastifyInstance,
  guarded: GuardedInterface & {
    rows: readonly InterfaceRow<Functions>[];
    functions: Functions;
  },
): void => serveBehind(app, guarded, (scope) => serveRows(scope, guarded.rows, guarded.functions));

/** Serves to callers with one of the tokens what `serve` registers. */
export function serveBehind(
  app: FastifyInstance,
  { prefix, keys, closed }: GuardedInterface,
  serve: (scope: FastifyInstance) => void,
): void {
  const hashes = keys.flatMap(({ token }) => (token === undefined ? [] : [sha256(token)]));
  const names = keys.map(({ setting }) => setting).join(" or ");
  const notSet =
    `${closed}, because ${names} is not set. Set it, and send its value as ` +
    "`Authorization: Bearer`.";
  const bearerOf = `send \`Authorization: Bearer\` and the value of ${names}`;
  const tokenNeeded = `This interface needs a token: ${bearerOf}.`;
  void app.register(
    async (scope) => {
      scope.addHook("onRequest", async (request, reply) => {
        reply.header("cache-control", "no-store");
        if (hashes.length === 0) return reply.code(403).send({ message: notSet, faults: [] });
        const [, sent] = bearer.exec(request.headers.authorization ?? "") ?? [];
        // the comparison of hashes takes the same time for every wrong token
        if (sent !== undefined && hashes.includes(sha256(sent))) return undefined;
        reply.header("www-authenticate", "Bearer");
        return reply.code(401).send({ message: tokenNeeded, faults: [] });
      });
      answerFailures(scope, ({ error, status, outage, headers }, _request, reply) => {
        const message = outage ? outageTexts[outage.part] : (messages[status] ?? error.message);
        return reply.code(status).headers(headers).send({ message, faults: [] });
      });
      serve(scope);
    },
    { prefix },
  );
}

const messages: Record<number, string> = {
  415: "The body must be JSON: send `Content-Type: application/json`.",
  500: "The bank failed. The log gives the reason.",
};
