import type { FastifyInstance } from "fastify";
import type { ConsentChannel } from "#src/channels/consent-channel.ts";
import { channelsPath, consentRows } from "#src/channels/consent-rows.ts";
import { channelsOpenApi } from "#src/sandbox/controls/interface-document.ts";
import { serveGuarded } from "./guarded-rows.ts";

/** The consents that a listener serves, and the token of those who may use them. */
export type ChannelInterface = {
  consents: ConsentChannel;
  /** Nobody may use them without a token. */
  token: string | undefined;
};

/** Serves consents to the bank's own channels, to callers with the token. */
export const registerChannels = (
  app: FastifyInstance,
  { consents, token }: ChannelInterface,
  url: () => string,
): void =>
  serveGuarded(app, {
    prefix: channelsPath,
    rows: consentRows,
    functions: consents,
    token,
    setting: "CHANNELS_TOKEN",
    closed: "The bank's own channels cannot use consents here",
    document: () => channelsOpenApi(url()),
  });
