import { type BlockList, isIPv6 } from "node:net";
import type { FastifyRequest } from "fastify";
import type { Addresses } from "#src/config/addresses.ts";
import { type Config, ConfigError } from "#src/config/config.ts";
import { listOf, readNetworks } from "#src/config/networks.ts";
import { credentialsOf } from "#src/http/connection/listeners.ts";
import { ownNames } from "#src/http/outgoing/address-guard.ts";
import { sha256 } from "#src/lib/hash.ts";

/** Why a caller is refused: the message names the setting to change. */
type GateRefusal = { status: 401 | 403; message: string };

/**
 * Decides which callers reach a sandbox. A browser on the sandbox's machine may have a hostile page
 * open, so the caller's address is not enough: the host name and the calling page are checked too.
 */
export type Gate = {
  /**
   * Checks the host name of a request, against DNS rebinding. Null means that the request may pass.
   */
  judgeHost(request: FastifyRequest): GateRefusal | null;
  /**
   * Checks the caller who opens a page of the controls, by whatever link. Null means that the
   * request may pass.
   */
  judgeVisit(request: FastifyRequest): GateRefusal | null;
  /**
   * Checks everything that protects the sandbox's controls. Null means that the request may pass.
   */
  judge(request: FastifyRequest): GateRefusal | null;
};

/** The gate's settings. */
type GateOptions = Addresses &
  Pick<Config, "SANDBOX_HOSTS" | "SANDBOX_CONTROLS_NETWORKS" | "SANDBOX_CONTROLS_TOKEN">;

const hostForm = /^([a-z0-9_.-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/;

/** Creates the gate of a sandbox. Throws ConfigError if its settings are not usable. */
export function createGate(options: GateOptions): Gate {
  const { publicUrl, mtlsUrl } = options;
  const urls = [new URL(publicUrl), new URL(mtlsUrl)];
  const origins = urls.map(({ origin }) => origin);
  const hosts = new Set([
    ...ownNames,
    ...urls.map(({ hostname }) => hostname),
    ...listOf(options.SANDBOX_HOSTS).map((host) => host.toLowerCase()),
  ]);
  // a bank with a public name may be behind a proxy, which makes all its callers look local
  const isLocal = urls.every(({ hostname }) => ownNames.includes(hostname));
  const networks = networksOf(options);
  const token = options.SANDBOX_CONTROLS_TOKEN;
  const tokenHash = token === undefined ? null : sha256(token);

  function judgeHost({ headers }: FastifyRequest): GateRefusal | null {
    const host = headers.host?.toLowerCase() ?? "";
    if (hosts.has(hostForm.exec(host)?.[1] ?? "")) return null;
    const shown = JSON.stringify(host.slice(0, 255));
    return refuse(
      `${shown} is not a host name of this sandbox. If it should be one, ` +
        "add it to SANDBOX_HOSTS, or set PUBLIC_URL.",
    );
  }

  function judgePage(request: FastifyRequest): GateRefusal | null {
    const { origin, host, "sec-fetch-site": site } = request.headers;
    // judgeHost has checked the host name before
    const own = origin === `${request.protocol}://${host}` || origins.includes(origin ?? "");
    if (origin === undefined ? !/^(cross|same)-site$/.test(String(site)) : own) {
      if (site !== "cross-site") return null;
    }
    return refuse(
      "The sandbox's controls accept calls from programs and from the sandbox's own pages, not " +
        `from pages of another origin. Open the page at ${publicUrl}/docs, or call without a browser.`,
    );
  }

  function judgeCaller({ raw }: FastifyRequest): GateRefusal | null {
    const credentials = credentialsOf(raw);
    if (isLocal && credentials.loopback) return null;
    if (networks === null || tokenHash === null) return refuse(closed);
    const address = raw.socket.remoteAddress ?? "";
    if (!networks.check(address, isIPv6(address) ? "ipv6" : "ipv4")) {
      return refuse(`${address} is not in any of the networks of SANDBOX_CONTROLS_NETWORKS.`);
    }
    if (credentials.tokenHash === tokenHash) return null;
    return { status: 401, message: tokenNeeded };
  }

  return {
    judgeHost,
    judgeVisit: (request) => judgeHost(request) ?? judgeCaller(request),
    judge: (request) => judgeHost(request) ?? judgePage(request) ?? judgeCaller(request),
  };
}

const closed =
  "The sandbox's controls accept calls only from the bank's own machine, without a proxy, and " +
  "only if PUBLIC_URL and MTLS_URL name that machine as localhost. To open them to other callers, set " +
  "SANDBOX_CONTROLS_NETWORKS (such as 172.16.0.0/12) and SANDBOX_CONTROLS_TOKEN.";
const tokenNeeded =
  "From this network, the sandbox's controls need a token: send `Authorization: Bearer` and " +
  "the value of SANDBOX_CONTROLS_TOKEN.";

const refuse = (message: string): GateRefusal => ({ status: 403, message });

/** Returns the networks that may use the controls, or null if none is set. Throws ConfigError. */
function networksOf(options: GateOptions): BlockList | null {
  const { SANDBOX_CONTROLS_NETWORKS: named, SANDBOX_CONTROLS_TOKEN: token } = options;
  if ((named === undefined) !== (token === undefined)) {
    const missing = named === undefined ? "SANDBOX_CONTROLS_NETWORKS" : "SANDBOX_CONTROLS_TOKEN";
    throw new ConfigError([
      `${missing}: set SANDBOX_CONTROLS_NETWORKS and SANDBOX_CONTROLS_TOKEN together, or neither`,
    ]);
  }
  if (named === undefined) return null;
  return readNetworks("SANDBOX_CONTROLS_NETWORKS", named);
}
