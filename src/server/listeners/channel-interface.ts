import type { FastifyInstance } from "fastify";
import type { Auth } from "#src/auth/authorization-server.ts";
import { appJourneyRows } from "#src/channels/app-journey-rows.ts";
import type { AppJourneys } from "#src/channels/app-journey-shapes.ts";
import type { ConsentChannel } from "#src/channels/consent-channel.ts";
import { channelsPath, consentRows } from "#src/channels/consent-rows.ts";
import { channelsOpenApi } from "#src/sandbox/controls/interface-document.ts";
import type { Parts } from "#src/server/parts.ts";
import { serveBehind, serveGuarded } from "./guarded-rows.ts";

/**
 * What a listener serves to the bank's own channels. Those who may stop consents, such as a call
 * centre, may not approve for customers, so the app has a token of its own. Nobody may use what has
 * no token.
 */
export type ChannelInterface = {
  consents: ConsentChannel;
  token: string | undefined;
  journeys: AppJourneys;
  appToken: string | undefined;
};

/** What the management listener serves to the bank's own channels. */
export const channelsOf = (
  { app, consents, config }: Pick<Parts, "app" | "consents" | "config">,
  auth: Auth,
): ChannelInterface => ({
  consents,
  journeys: auth.inApp(app),
  token: config.CHANNELS_TOKEN,
  appToken: config.APP_TOKEN,
});

/** Serves consents to the bank's own channels, and journeys to its app. */
export const registerChannels = (
  app: FastifyInstance,
  { consents, token, journeys, appToken }: ChannelInterface,
  url: () => string,
): void => {
  const ofApp = { token: appToken, setting: "APP_TOKEN" } as const;
  const ofChannels = { token, setting: "CHANNELS_TOKEN" } as const;
  serveGuarded<{ journeys: AppJourneys }>(app, {
    prefix: channelsPath,
    rows: appJourneyRows,
    functions: { journeys },
    keys: [ofApp],
    closed: "The bank's app cannot take customers through journeys here",
  });
  serveGuarded<ConsentChannel>(app, {
    prefix: channelsPath,
    rows: consentRows,
    functions: consents,
    keys: [ofChannels],
    closed: "The bank's own channels cannot use consents here",
  });
  // whoever may call one of them may read how
  const document = {
    prefix: channelsPath,
    keys: [ofChannels, ofApp],
    closed: "The bank's own programs cannot read this document",
  };
  serveBehind(app, document, (scope) => {
    scope.get("/openapi.json", async () => channelsOpenApi(url()));
  });
};
