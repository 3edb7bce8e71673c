import { BlockList } from "node:net";
import { accessRow } from "#src/auth/access-row.ts";
import { grantDeletions, tokenDeletion, tokensOfClient } from "#src/auth/grant-deletions.ts";
import type { Config } from "#src/config/config.ts";
import { clientConsentDeletion } from "#src/consents/delete-consent.ts";
import type { ConsentKind } from "#src/consents/kind.ts";
import { clientRegistrationDeletion } from "#src/events/registration.ts";
import type { Why } from "#src/history/change.ts";
import { createAddressGuard } from "#src/http/outgoing/address-guard.ts";
import { createFetcher } from "#src/http/outgoing/guarded-get.ts";
import { createBuckets } from "#src/http/refusal/rate-limit.ts";
import { createDirectoryKeys } from "#src/registration/directory-keys.ts";
import { createManagementToken } from "#src/registration/management-token.ts";
import { createKeyRefresh } from "#src/registration/refresh-keys.ts";
import { registrationSettingsOf } from "#src/registration/registration-settings.ts";
import { type RegistrationDeps, registerRegistration } from "#src/registration/routes.ts";
import { readIssuers, type StatementIssuer } from "#src/registration/statement-issuer.ts";
import { purgeUsedIds } from "#src/registration/store-registration.ts";
import { statementIssuer } from "#src/sandbox/directory/create-tpp.ts";
import type { Queryable } from "#src/storage/database.ts";
import type { Parts } from "./parts.ts";
import type { Registration } from "./registration.ts";

type RegistrationParts = Pick<
  Parts,
  | "app"
  | "config"
  | "database"
  | "clock"
  | "machineClock"
  | "keys"
  | "publicUrl"
  | "mtlsUrl"
  | "consentKinds"
  | "sandbox"
>;

/** The URL at which clients register. */
export const registrationUrlOf = (mtlsUrl: string): string => `${mtlsUrl}/register`;

/**
 * Opens the registration of clients; null if no issuer of software statements is configured. A
 * sandbox trusts its own directory.
 */
export function openRegistration(parts: RegistrationParts): Registration | null {
  const { app, config, database, clock, machineClock, publicUrl, mtlsUrl } = parts;
  const issuers = [
    ...(parts.sandbox ? [ownIssuer(config, publicUrl)] : []),
    ...(config.REGISTRATION_ISSUERS ? readIssuers(config.REGISTRATION_ISSUERS) : []),
  ];
  if (issuers.length === 0) return null;
  const registrationUrl = registrationUrlOf(mtlsUrl);
  const settings = registrationSettingsOf(config, { publicUrl, registrationUrl });
  const { perMinute } = settings;
  const guard = createAddressGuard(parts.sandbox !== null, new BlockList());
  const directoryKeys = createDirectoryKeys({
    fetcher: createFetcher(guard, parts.keys.clientCa),
    clock: machineClock,
    onStale: (url, reason) =>
      app.log.warn({ url, reason }, "a directory's keys cannot be read; the last copy is used"),
  });
  const keys = createKeyRefresh({
    database,
    issuers,
    directoryKeys,
    machineClock,
    onFailure: (softwareId, error) =>
      app.log.warn({ softwareId, err: error }, "the keys of software cannot be read"),
  });
  const deps: RegistrationDeps = {
    issuers,
    settings,
    database,
    clock,
    machineClock,
    profile: config.ALDGATE_PROFILE,
    directoryKeys,
    checkToken: createManagementToken({ database, clock, accessRow, tokenDeletion }),
    closeAccess: (on, clientId, why) => closeAccess(on, clientId, why, parts.consentKinds),
    limit:
      perMinute === 0
        ? null
        : createBuckets("register", {
            perSecond: perMinute / 60,
            burst: perMinute * burstFactor,
            headers: false,
          }),
  };
  return {
    deps,
    keys,
    register: (scope) => registerRegistration(scope, deps),
    async sweep() {
      await keys.sweep();
      await purgeUsedIds(database, machineClock.now());
    },
  };
}

const burstFactor = 3;

/** Ends everything that a client may do. Consents that an order uses up stay as they are. */
async function closeAccess(
  on: Queryable,
  clientId: string,
  why: Why,
  consentKinds: readonly ConsentKind[],
): Promise<void> {
  const lasting = consentKinds.filter(({ course }) => course.use !== "once").map(({ id }) => id);
  await on.query(tokensOfClient(clientId));
  await on.query(clientConsentDeletion(clientId, lasting, why, grantDeletions));
  await on.query(clientRegistrationDeletion(clientId, why.at));
}

/** The sandbox's own directory, which the bank reaches over loopback whatever its public name. */
function ownIssuer(config: Config, publicUrl: string): StatementIssuer {
  const local = `${config.PUBLIC_TLS ? "https" : "http"}://127.0.0.1:${config.PUBLIC_PORT}`;
  return {
    iss: statementIssuer,
    jwks: { url: `${publicUrl}/directory/directory.jwks` },
    environment: "sandbox",
    hosts: [new URL(publicUrl).host],
    mirror: { from: `${publicUrl}/directory/`, to: `${local}/directory/` },
  };
}
