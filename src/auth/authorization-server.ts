// How a TPP gets a token, and where to read on:
// 1. A customer's browser arrives with a signed request. provider/ (oidc-provider with our rules)
//    checks client, request object and the consent that it names (provider/intent.ts).
// 2. journey/ takes over: steps/journey-steps.ts lists the steps, each a row (journey-step.ts), and
//    journey.ts runs them. login/ is the login itself, which the customer's own pages (own-pages/)
//    use too.
// 3. An approval authorises the consent with a new grant, and the browser goes back with a code.
// 4. The TPP exchanges the code for tokens. provider/sql-adapter.ts stores their hashes.
// 5. At each API request access-row.ts reads token, client and consent in one row.
import type { FastifyInstance } from "fastify";
import type { Bank } from "#src/bank/port.ts";
import type { AppJourneys } from "#src/channels/app-journey-shapes.ts";
import { type AttachedData, purgeAttachedData } from "#src/consents/attached-data.ts";
import { purgeUnauthorisedConsents } from "#src/consents/sweep-consents.ts";
import type { Sender } from "#src/http/outgoing/guarded-request.ts";
import { filesOfConsents } from "#src/payments/files/store-file.ts";
import { hasWaitingPayment } from "#src/payments/order/payment-order.ts";
import { createAppJourneys } from "./app-journeys.ts";
import { backchannelCalls } from "./backchannel/app-calls.ts";
import { type Backchannel, createBackchannel } from "./backchannel/backchannel.ts";
import { createPings } from "./backchannel/pings.ts";
import { createPingSeal } from "./backchannel/sealed-ping.ts";
import { createJourney, type Journey } from "./journey/journey.ts";
import { journeysOfConsents } from "./journey/journey-row.ts";
import type { JourneyStep, JourneyTools, SandboxHints } from "./journey/journey-step.ts";
import { registerJourney } from "./journey/routes.ts";
import { stepsOf } from "./journey/steps/journey-steps.ts";
import type { BankLogin } from "./login/bank-login.ts";
import type { Devices } from "./login/browser.ts";
import type { Login } from "./login/methods/login.ts";
import { purgeSessions } from "./own-pages/session.ts";
import { createDryRun, type DryRun } from "./provider/dry-run.ts";
import { audiencesOf } from "./provider/endpoints.ts";
import { createProvider } from "./provider/provider.ts";
import { deriveSecret, type ProviderDeps } from "./provider/provider-configuration.ts";
import { purgeArtifacts } from "./provider/sql-adapter.ts";
import { registerAuthorizationServer } from "./register.ts";

type AuthDeps = Omit<ProviderDeps, "startJourney" | "backchannelJourneys"> & {
  bank: Bank;
  login: Login;
  devices: Devices;
  /** After how many days a consent that nobody authorised is deleted. */
  unauthorisedConsentDays: number;
  /** Absent in production. */
  sandboxHints?: SandboxHints;
  /** The bank's own login, if customers log in and confirm there. */
  bankLogin?: BankLogin | null;
  /** Sends to TPPs, if they may begin journeys without a browser; else absent. */
  backchannelSender?: Sender | null;
  /** The steps of the customer's journey. Default: `stepsOf`. */
  steps?: readonly JourneyStep[];
  log: { warn(details: object, text: string): void };
  /** Keeps what the core attaches to consents; absent if it attaches nothing. */
  attachedData?: AttachedData | null;
};

/** The authorization server with the customer's journey, ready to be mounted. */
export type Auth = {
  journey: Journey;
  /** Journeys that TPPs begin without a browser; null if the bank does not offer them. */
  backchannel: Backchannel | null;
  /** Runs the checks on a JWT that nobody has sent. */
  dryRun: DryRun;
  /** The journey for the bank's app, given the listener of browsers. */
  inApp(app: FastifyInstance): AppJourneys;
  /** Mounts the endpoints and the journey's pages. */
  register(app: FastifyInstance): void;
  /** Ends overdue journeys and deletes what has expired: to be called now and then. */
  sweep(): Promise<void>;
};

function openBackchannel(
  { backchannelSender: sender, ...deps }: AuthDeps,
  journey: Journey,
  tools: JourneyTools,
): Backchannel | null {
  if (!sender) return null;
  const seal = createPingSeal(deriveSecret(deps.cookieSecret, "pings"));
  const { database, clock, log } = tools;
  const pings = createPings({ database, clock, log, seal, sender });
  return createBackchannel({ journey, tools, seal, pings });
}

/** Joins the authorization server and the journey. */
export function createAuth(deps: AuthDeps): Auth {
  const { bank, bankName, clock, cookieSecret, database } = deps;
  const { devices, login, sandboxHints, bankLogin = null, steps = stepsOf(bankLogin) } = deps;
  const tools: JourneyTools = {
    ...{ database, clock, bank, login, bankName, log: deps.log },
    attachedData: deps.attachedData ?? null,
    ...(sandboxHints ? { sandboxHints } : {}),
  };
  const journey = createJourney({ ...deps, ...tools, steps });
  const backchannel = openBackchannel(deps, journey, tools);
  const provider = createProvider({
    ...deps,
    startJourney: (on, begun) => journey.start(on, begun),
    backchannelJourneys: backchannel,
  });
  return {
    journey,
    backchannel,
    dryRun: createDryRun(provider, {
      ...deps,
      backchannelJourneys: backchannel,
      audiences: (ctx) => audiencesOf(deps, ctx),
    }),
    inApp: (app) => {
      const { publicUrl } = deps;
      const parts = { app, provider, journey, tools, publicUrl, cookieSecret };
      const journeys = createAppJourneys(parts);
      return { ...journeys, ...backchannelCalls(backchannel, journeys, tools) };
    },
    register(app) {
      registerAuthorizationServer(app, provider, { withBackchannel: backchannel !== null });
      const pages = { provider, journey, devices, clock, cookieSecret, bankName };
      registerJourney(app, { ...pages, ...(sandboxHints ? { sandboxHints } : {}) });
    },
    async sweep() {
      await journey.sweep();
      await login.sweep();
      await purgeSessions(database, clock.now());
      await purgeArtifacts(database, deps);
      const period = { hours: deps.unauthorisedConsentDays * 24 };
      const before = clock.now().subtract(period);
      await purgeUnauthorisedConsents(database, before, [filesOfConsents, journeysOfConsents]);
      await purgeAttachedData(database, clock.now(), hasWaitingPayment);
    },
  };
}
