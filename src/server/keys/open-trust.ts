import { X509Certificate } from "node:crypto";
import type { FastifyBaseLogger } from "fastify";
import {
  createClientTrust,
  createRevocation,
  type FetchStatus,
} from "#src/certificates/client-trust.ts";
import type { Config } from "#src/config/config.ts";
import { readNetworks } from "#src/config/networks.ts";
import { parseCertificates } from "#src/http/connection/certificate-chain.ts";
import type { CertificateProxies } from "#src/http/connection/handed-on.ts";
import { createAddressGuard } from "#src/http/outgoing/address-guard.ts";
import { createStatusFetch } from "#src/http/outgoing/status-fetch.ts";
import type { Clock, Pace } from "#src/lib/clock.ts";
import { statusPaths } from "#src/sandbox/directory/authority.ts";
import type { OpenTrust, Sandbox } from "#src/server/parts.ts";
import type { Keys } from "./keys.ts";

type TrustOptions = {
  config: Config;
  keys: Keys;
  machineClock: Clock;
  pace: Pace;
  sandbox: Sandbox | null;
  log: FastifyBaseLogger;
};

const refreshMs = 1000;
const ownPaths: ReadonlySet<string> = new Set(Object.values(statusPaths));

/**
 * Opens the trust in client certificates, and begins to renew the status of those in use. A sandbox
 * reads its own directory's list in advance, without a connection to itself.
 */
export async function openTrust(options: TrustOptions): Promise<OpenTrust> {
  const { config, keys, machineClock, pace, sandbox, log } = options;
  const now = (): Temporal.Instant => machineClock.now();
  const revocation = createRevocation({
    fetch: fetchOf(options),
    now,
    policy: config.REVOCATION_POLICY,
    graceHours: 24,
    onTrouble: (trouble) =>
      log.warn(trouble, "the status of client certificates cannot be read; the last one is used"),
  });
  const trust = createClientTrust(keys.clientCa, { now, revocation });
  logAnchors(log, keys.clientCa);
  for (const { tpp } of sandbox?.readyTpps ?? []) {
    await trust.prepare(new X509Certificate(tpp.transport.certificatePem), []);
  }
  const stop = pace.watch(refreshMs, () => revocation.refresh());
  return { trust, stop: () => void stop() };
}

/** Logs each trust anchor with its subject, thumbprint and expiry. Source: R-123. */
export function logAnchors(log: Pick<FastifyBaseLogger, "info">, pem: string): void {
  for (const { subject, fingerprint256, validToDate } of parseCertificates(pem)) {
    const facts = {
      subject: subject.replaceAll("\n", ", "),
      thumbprint: fingerprint256,
      expires: validToDate.toISOString(),
    };
    log.info(facts, "trusts this authority for client certificates");
  }
}

/** The proxies that forward client certificates; null without a setting. Throws ConfigError. */
export function certificateProxies(config: Config): CertificateProxies | null {
  const { CLIENT_CERTIFICATE_PROXIES: text, CLIENT_CERTIFICATE_HEADER: header } = config;
  if (text === undefined) return null;
  const networks = readNetworks("CLIENT_CERTIFICATE_PROXIES", text);
  return { networks, header: header.toLowerCase() };
}

function fetchOf({ config, keys, sandbox }: TrustOptions): FetchStatus {
  const guard = createAddressGuard(
    sandbox !== null,
    readNetworks("REVOCATION_NETWORKS", config.REVOCATION_NETWORKS),
  );
  const remote = createStatusFetch(guard, keys.clientCa);
  if (sandbox === null) return remote;
  const { status, caPem } = sandbox.directory;
  const own = new X509Certificate(caPem).fingerprint256;
  return (url, request, issuer) => {
    // a copy of a world has certificates that name the directory of the world that issued them
    const isOwn = issuer.fingerprint256 === own && ownPaths.has(new URL(url).pathname);
    if (!isOwn) return remote(url, request);
    return request === null ? status.list() : status.respond(request);
  };
}
