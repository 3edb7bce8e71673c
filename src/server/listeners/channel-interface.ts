import type { FastifyInstance } from "fastify";
import type { Auth } from "#src/auth/authorization-server.ts";
import { appJourneyRows } from "#src/channels/app-journey-rows.ts";
import type { AppJourneys } from "#src/channels/app-journey-shapes.ts";
import type { ConsentChannel } from "#src/channels/consent-channel.ts";
import { channelsPath, consentRows } from "#src/channels/consent-rows.ts";
import { channelsOpenApi } from "#src/sandbox/controls/interface-document.ts";
import type { Parts } from "#src/server/parts.ts";
import { serveGuarded } from "./guarded-rows.ts";

/** What a listener serves to the bank's own channels, and the token of those who may use it. */
export type ChannelInterface = {
  consents: ConsentChannel;
  journeys: AppJourneys;
  /** Nobody may use them without a token. */
  token: string | undefined;
};

/** What the management listener serves to the bank's own channels. */
export const channelsOf = (
  { app, consents, config }: Pick<Parts, "app" | "consents" | "config">,
  auth: Auth,
): ChannelInterface => ({
  consents,
  journeys: auth.inApp(app),
  token: config.CHANNELS_TOKEN,
});

/** Serves consents to the bank's own channels, to callers with the token. */
export const registerChannels = (
  app: FastifyInstance,
  { consents, journeys, token }: ChannelInterface,
  url: () => string,
): void =>
  serveGuarded<ConsentChannel & { journeys: AppJourneys }>(app, {
    prefix: channelsPath,
    rows: [...consentRows, ...appJourneyRows],
    functions: { ...consents, journeys },
    token,
    setting: "CHANNELS_TOKEN",
    closed: "The bank's own channels cannot use consents here",
    document: () => channelsOpenApi(url()),
  });
