import { createPrivateKey, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import type { FastifyBaseLogger } from "fastify";
import { type Auth, createAuth } from "#src/auth/authorization-server.ts";
import type { Backchannel } from "#src/auth/backchannel/backchannel.ts";
import { returnPath } from "#src/auth/journey/routes.ts";
import { type BankLogin, createBankLogin } from "#src/auth/login/bank-login.ts";
import { createDevices } from "#src/auth/login/browser.ts";
import { createLogin } from "#src/auth/login/methods/login.ts";
import { registerOwnPages } from "#src/auth/own-pages/register-own-pages.ts";
import {
  type AuthorizationFailure,
  deriveSecret,
} from "#src/auth/provider/provider-configuration.ts";
import { bankLoginFaults } from "#src/config/bank-login-settings.ts";
import { ConfigError } from "#src/config/config.ts";
import { credentialsOf } from "#src/http/connection/listeners.ts";
import { judgedCertificateOf } from "#src/http/connection/peers.ts";
import { isLoopbackHost } from "#src/http/outgoing/address-guard.ts";
import { clientAlgorithms } from "#src/registration/registration-settings.ts";
import { isLockedLogin } from "#src/sandbox/personas/outcome-users.ts";
import { accessKinds } from "#src/server/opening/access-kinds.ts";
import { offersBackchannel } from "#src/server/opening/backchannel.ts";
import { registrationUrlOf } from "#src/server/opening/open-registration.ts";
import { versionWords } from "#src/server/opening/version-words.ts";
import type { Parts } from "#src/server/parts.ts";

// the logins that may wait for each one that the core checks
const waitingPerPlace = 8;

/** Serves the authorization server, the consent journey and the bank's own pages. */
export function registerAuth(parts: Parts): Auth {
  const { app, config, database, clock, bank, keys, sandbox, engine } = parts;
  const devices = createDevices(deriveSecret(keys.cookieSecret, "devices"), parts.publicUrl);
  const login = createLogin({
    ...{ database, clock, bank },
    coreClock: sandbox?.core ? parts.machineClock : clock,
    mayLinkTo: (url) =>
      url.protocol === "https:" ||
      (sandbox !== null && (isLoopbackHost(url) || url.href.startsWith(`${parts.publicUrl}/`))),
    limits: {
      concurrency: config.LOGIN_CONCURRENCY,
      queue: config.LOGIN_CONCURRENCY * waitingPerPlace,
      failuresPerMinute: config.LOGIN_FAILURES_PER_MINUTE,
    },
    ...(sandbox && !sandbox.core ? { isLocked: isLockedLogin } : {}),
  });
  const bankLogin = openBankLogin(parts);
  const auth = createAuth({
    database,
    clock,
    machineClock: parts.machineClock,
    bank,
    ...{ login, bankLogin, attachedData: parts.attachedData },
    backchannelSender: offersBackchannel(config, bank) ? parts.eventSender : null,
    log: app.log,
    devices,
    publicUrl: parts.publicUrl,
    mtlsUrl: parts.mtlsUrl,
    refreshKeys: parts.registration.keys.refresh,
    registrationUrl: parts.registration.isOffered ? registrationUrlOf(parts.mtlsUrl) : null,
    bankName: config.BANK_NAME,
    sandbox: sandbox !== null,
    keyRing: parts.keyRing,
    algorithms: clientAlgorithms(config),
    cookieSecret: keys.cookieSecret,
    consentKinds: parts.consentKinds,
    statusWord: versionWords(parts.kinds).consent,
    scopes: parts.scopes,
    consentLifetimeSeconds: config.CONSENT_LIFETIME_SECONDS,
    unauthorisedConsentDays: 90,
    judgedCertificateOf,
    mayBeUnbound: (request) => sandbox !== null && credentialsOf(request).loopback,
    onFailure: (failure) => logFailure(app.log, failure),
    ...(sandbox ? { sandboxHints: sandbox.hints } : {}),
  });
  auth.register(app);
  runBackchannel(parts, auth.backchannel);
  registerOwnPages(app, {
    database,
    bank,
    kinds: parts.kinds,
    config,
    clock,
    ...{ login, bankLogin, devices, log: app.log },
    cookieSecret: keys.cookieSecret,
    publicUrl: parts.publicUrl,
    bankName: config.BANK_NAME,
    homeUrl: config.BANK_HOME_URL ?? null,
    accessKinds,
    wakeEngine: () => engine.wake(),
    sandbox: sandbox?.hints ?? null,
    passkeys: sandbox?.passkeys ?? null,
  });
  return auth;
}

// as often as the core may be asked for an answer
const backchannelMs = 2000;

/** Takes the answers of customers whom no page waits for. */
function runBackchannel({ app, pace }: Parts, backchannel: Backchannel | null): void {
  if (!backchannel) return;
  const end = pace.every(backchannelMs, () =>
    backchannel.run().catch((error) => {
      app.log.error({ err: error }, "the journeys without a browser cannot go on");
    }),
  );
  app.addHook("onClose", async () => {
    await end();
    await backchannel.stop();
  });
}

/**
 * The bank's own OpenID provider, as the settings name it; null if they name none. Throws
 * ConfigError.
 */
function openBankLogin({ config, keys, publicUrl, machineClock }: Parts): BankLogin | null {
  const { BANK_LOGIN_ISSUER: issuer, BANK_LOGIN_CLIENT_ID: clientId } = config;
  const { BANK_LOGIN_KEY: keyFile, BANK_LOGIN_ACR: acr, BANK_LOGIN_CONFIRMS: confirms } = config;
  const faults = bankLoginFaults(config);
  if (faults.length > 0) throw new ConfigError(faults);
  if (issuer === undefined || clientId === undefined || keyFile === undefined) return null;
  return createBankLogin({
    ...{ issuer, clientId, acr, confirms },
    key: loginKey(keyFile),
    redirectUri: `${publicUrl}${returnPath}`,
    secret: deriveSecret(keys.cookieSecret, "bank login"),
    now: machineClock.now,
  });
}

/** Reads a key that can sign. Throws ConfigError. */
function loginKey(path: string): KeyObject {
  const refuse = (fault: string) => new ConfigError([`BANK_LOGIN_KEY: ${path} ${fault}`]);
  let key: KeyObject;
  try {
    key = createPrivateKey(readFileSync(path, "utf8"));
  } catch (error) {
    throw refuse(`must be a private key in PEM: ${(error as Error).message}`);
  }
  const { modulusLength = 0, namedCurve } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === "rsa" && modulusLength >= 2048) return key;
  if (namedCurve === "prime256v1") return key;
  throw refuse("must hold an RSA key of 2048 bits or more, or a P-256 key");
}

/**
 * Logs a bug of the authorization server with its stack, and a refusal without: anyone can cause a
 * refusal, and its words say where it comes from.
 */
export function logFailure(
  log: Pick<FastifyBaseLogger, "error" | "info">,
  {
    event,
    path,
    clientId,
    error,
    detail,
    description,
    reference: interactionId,
  }: AuthorizationFailure,
): void {
  const facts = { event, path, clientId, detail, description, interactionId };
  if (event === "server_error") log.error({ err: error, ...facts }, "authorization failed");
  else log.info({ reason: error.message, ...facts }, "authorization refused");
}
