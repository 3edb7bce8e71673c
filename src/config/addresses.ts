import type { Config } from "./config.ts";

/** Base URLs that browsers and TPPs see, without a slash at the end; the first is the issuer. */
export type Addresses = { publicUrl: string; mtlsUrl: string };

/**
 * Port of the management listener: as configured, or 1,000 above the public port, so that banks on
 * one machine do not collide. 0 picks a free port.
 */
export function managementPortOf(config: Pick<Config, "MANAGEMENT_PORT" | "PUBLIC_PORT">): number {
  const { MANAGEMENT_PORT: given, PUBLIC_PORT: port } = config;
  if (given !== undefined) return given;
  if (port === 0) return 0;
  return port + apart > highestPort ? port - apart : port + apart;
}

const apart = 1000;
const highestPort = 65_535;

/** The bank's addresses, derived from the ports unless the configuration gives URLs. */
export function addressesOf(
  config: Pick<Config, "PUBLIC_URL" | "MTLS_URL" | "PUBLIC_TLS" | "PUBLIC_PORT" | "MTLS_PORT">,
): Addresses {
  const scheme = config.PUBLIC_TLS ? "https" : "http";
  return {
    publicUrl: withoutLastSlashes(
      config.PUBLIC_URL ?? `${scheme}://localhost:${config.PUBLIC_PORT}`,
    ),
    mtlsUrl: withoutLastSlashes(config.MTLS_URL ?? `https://localhost:${config.MTLS_PORT}`),
  };
}

/** Removes the slashes at the end of a URL or path. */
export function withoutLastSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === "/") end -= 1;
  return text.slice(0, end);
}
