import { accessRow } from "#src/auth/access-row.ts";
import { grantDeletions, tokenDeletion, tokensOfClient } from "#src/auth/grant-deletions.ts";
import type { Bank } from "#src/bank/port.ts";
import type { Addresses } from "#src/config/addresses.ts";
import { type Config, ConfigError } from "#src/config/config.ts";
import { readNetworks } from "#src/config/networks.ts";
import { clientConsentDeletion } from "#src/consents/delete-consent.ts";
import { isUsedUpByOrder } from "#src/consents/states.ts";
import { clientRegistrationDeletion } from "#src/events/registration.ts";
import { prepareAccess } from "#src/http/access/access.ts";
import type { Metrics } from "#src/http/connection/observe.ts";
import { createAddressGuard } from "#src/http/outgoing/address-guard.ts";
import { createFetcher } from "#src/http/outgoing/guarded-request.ts";
import { createBuckets, type RateBuckets } from "#src/http/refusal/rate-limit.ts";
import type { Clock } from "#src/lib/clock.ts";
import type { PaymentKind } from "#src/payments/definitions/payment-kind.ts";
import { createSchemeList } from "#src/payments/limits/scheme-list.ts";
import { createClientOperator } from "#src/registration/client-operator.ts";
import { createDirectoryClient } from "#src/registration/directory-client.ts";
import { createKeyRefresh } from "#src/registration/refresh-keys.ts";
import { createStatusRefresh } from "#src/registration/refresh-status.ts";
import {
  type RegistrationSettings,
  registrationSettingsOf,
} from "#src/registration/registration-settings.ts";
import { registerRegistration } from "#src/registration/routes.ts";
import {
  createDirectoryKeys,
  readIssuers,
  type StatementIssuer,
} from "#src/registration/statement-issuer.ts";
import {
  type CloseAccess,
  purgeAttempts,
  purgeUsedIds,
} from "#src/registration/store-registration.ts";
import { verifyManually, verifyRegistration } from "#src/registration/verify-registration.ts";
import { statementIssuer } from "#src/sandbox/directory/create-tpp.ts";
import { observeSchemeList } from "#src/server/health/observe-scheme.ts";
import { scopes as allScopes, type Scope } from "#src/standard/api-version.ts";
import type { Database } from "#src/storage/database.ts";
import { accessKinds } from "./access-kinds.ts";
import { offersBackchannel } from "./backchannel.ts";
import type { OpenRegistration } from "./registration.ts";

/** The parts of the registration of clients, in a server or on the command line. */
type RegistrationOptions = Addresses & {
  config: Config;
  database: Database;
  clock: Clock;
  machineClock: Clock;
  /** The roots that a directory's TLS certificate may chain to, besides the public ones. */
  clientCa: string;
  /** The payment kinds that the bank offers. */
  kinds: readonly PaymentKind[];
  /** The scopes of the APIs that the bank offers; absent on the command line, for all. */
  scopes?: readonly Scope[];
  /** The core; absent on the command line, which allows what only the core decides. */
  bank?: Pick<Bank, "challengeResult">;
  log: { warn(details: object, text: string): void };
  /** Absent on the command line, which serves no requests. */
  metrics?: Pick<Metrics, "unidentified" | "registry">;
};

const schemeListMinutes = 5;

/** The URL at which clients register. */
export const registrationUrlOf = (mtlsUrl: string): string => `${mtlsUrl}/register`;

/**
 * Opens the registration of clients. TPPs can register only if an issuer of software statements is
 * configured. A sandbox trusts its own directory.
 */
export function openRegistration(options: RegistrationOptions): OpenRegistration {
  const { config, database, clock, machineClock } = options;
  const isSandbox = config.ALDGATE_PROFILE === "sandbox";
  const issuers = [
    ...(isSandbox ? [ownIssuer(config, options.publicUrl)] : []),
    ...(config.REGISTRATION_ISSUERS ? readIssuers(config.REGISTRATION_ISSUERS) : []),
  ];
  const registrationUrl = registrationUrlOf(options.mtlsUrl);
  const { scopes = allScopes } = options;
  const settings = registrationSettingsOf(config, {
    ...{ publicUrl: options.publicUrl, scopes, registrationUrl },
    backchannel: options.bank === undefined || offersBackchannel(config, options.bank),
  });
  const reading = readingOf(options, issuers);
  const { directoryKeys, keys, status, schemeList } = reading;
  const { metrics } = options;
  if (metrics && config.VRP_SCHEME_LIST_URL) observeSchemeList(metrics, schemeList, machineClock);
  const verification = { issuers, directoryKeys, settings, machineClock };
  const closeAccess = accessCloser(options.kinds);
  const store = { database, settings, machineClock, clock, closeAccess };
  return {
    isOffered: issuers.length > 0,
    keys,
    operator: createClientOperator({
      ...store,
      status,
      verification: issuers.length > 0 ? verification : null,
    }),
    lint: (request) => verifyRegistration(verification, request, { everything: true }),
    lintStatement: (statement) =>
      verifyManually(verification, { statement, method: "private_key_jwt", subject: null }),
    register(scope) {
      if (issuers.length === 0) return;
      registerRegistration(scope, {
        ...verification,
        ...store,
        profile: config.ALDGATE_PROFILE,
        registrationUrl,
        loadAccess: prepareAccess(accessRow),
        tokenDeletion,
        limit: limitOf(settings),
        onUnidentified: () => metrics?.unidentified(),
      });
    },
    async sweep() {
      await keys.sweep();
      await status.sweep();
      await schemeList.sweep();
      const now = machineClock.now();
      await purgeUsedIds(database, now);
      await purgeAttempts(database, now);
    },
  };
}

/** The parts that read documents of directories. */
function readingOf(
  { config, database, clock, machineClock, clientCa, log }: RegistrationOptions,
  issuers: readonly StatementIssuer[],
) {
  const guard = createAddressGuard(
    config.ALDGATE_PROFILE === "sandbox",
    readNetworks("REGISTRATION_NETWORKS", config.REGISTRATION_NETWORKS),
  );
  const fetcher = createFetcher(guard, clientCa);
  const { VRP_SCHEME_CLIENT: client, VRP_SCHEME_LIST_URL: listUrl } = config;
  if (client !== undefined && listUrl === undefined) {
    throw new ConfigError(["VRP_SCHEME_CLIENT: set VRP_SCHEME_LIST_URL too, or neither"]);
  }
  const directoryKeys = createDirectoryKeys({
    fetcher,
    clock: machineClock,
    onStale: (url, reason) =>
      log.warn({ url, reason }, "a directory's keys cannot be read; the last copy is used"),
  });
  const shared = { database, issuers, fetcher, clock, machineClock };
  return {
    directoryKeys,
    keys: createKeyRefresh({
      ...shared,
      directoryKeys,
      onFailure: (softwareId, error) =>
        log.warn({ softwareId, err: error }, "the keys of software cannot be read"),
    }),
    status: createStatusRefresh({
      ...shared,
      onFailure: (softwareId, reason) =>
        log.warn({ softwareId, reason }, "the status of software cannot be read"),
    }),
    schemeList: createSchemeList({
      ...shared,
      fetcher:
        client === undefined ? fetcher : createDirectoryClient(client, { fetcher, machineClock }),
      url: listUrl,
      everyMinutes: schemeListMinutes,
      onFailure: (url, reason) => log.warn({ url, reason }, "the scheme's list cannot be read"),
    }),
  };
}

const limitOf = ({ perMinute }: RegistrationSettings): RateBuckets | null => {
  if (perMinute === 0) return null;
  const perSecond = perMinute / 60;
  return createBuckets("register", { perSecond, burst: perMinute * burstFactor });
};

const burstFactor = 3;

/** Ends everything that a client may do. Consents that an order uses up do not change. */
function accessCloser(kinds: readonly PaymentKind[]): CloseAccess {
  const lasting = [
    ...accessKinds.map(({ id }) => id),
    ...kinds.filter(({ consent }) => !isUsedUpByOrder(consent)).map(({ id }) => id),
  ];
  return async (on, clientId, why) => {
    await on.query(tokensOfClient(clientId));
    await on.query(clientConsentDeletion(clientId, lasting, why, grantDeletions));
    await on.query(clientRegistrationDeletion(clientId, why.at));
  };
}

/** The sandbox's own directory, which the bank reaches over loopback whatever its public name. */
function ownIssuer(config: Config, publicUrl: string): StatementIssuer {
  const local = `${config.PUBLIC_TLS ? "https" : "http"}://127.0.0.1:${config.PUBLIC_PORT}`;
  return {
    iss: statementIssuer,
    jwks: { url: `${publicUrl}/directory/directory.jwks` },
    environment: "sandbox",
    hosts: [new URL(publicUrl).host],
    statusUrl: `${publicUrl}/directory/status/{org_id}/{software_id}`,
    mirror: { from: `${publicUrl}/directory/`, to: `${local}/directory/` },
  };
}
