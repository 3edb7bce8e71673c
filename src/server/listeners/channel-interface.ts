import type { FastifyInstance } from "fastify";
import type { ConsentChannel } from "#src/channels/consent-channel.ts";
import { channelsPath, consentRows } from "#src/channels/consent-rows.ts";
import { answerFailures } from "#src/http/failure.ts";
import { serveRows } from "#src/http/interface-row.ts";
import { sha256 } from "#src/lib/hash.ts";
import { outageTexts } from "#src/pages/outage-texts.ts";
import { channelsOpenApi } from "#src/sandbox/controls/interface-document.ts";

/** The consents that a listener serves, and the token of those who may use them. */
export type ChannelInterface = {
  consents: ConsentChannel;
  /** Nobody may use them without a token. */
  token: string | undefined;
};

const bearer = /^Bearer +(\S+)$/i;

const closed =
  "The bank's own channels cannot use consents here, because CHANNELS_TOKEN is not set. Set it, and " +
  "send its value as `Authorization: Bearer`.";
const tokenNeeded =
  "This interface needs a token: send `Authorization: Bearer` and the value of CHANNELS_TOKEN.";

/** Serves consents to the bank's own channels, to callers with the token. */
export function registerChannels(
  app: FastifyInstance,
  { consents, token }: ChannelInterface,
  url: () => string,
): void {
  const tokenHash = token === undefined ? null : sha256(token);
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
      serveRows(scope, consentRows, consents);
      scope.get("/openapi.json", async () => channelsOpenApi(url()));
    },
    { prefix: channelsPath },
  );
}

const messages: Record<number, string> = {
  415: "The body must be JSON: send `Content-Type: application/json`.",
  500: "The bank failed. The log gives the reason.",
};
