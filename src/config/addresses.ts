import type { Config } from "./config.ts";

/** Base URLs that browsers and TPPs see, without a slash at the end; the first is the issuer. */
export type Addresses = { publicUrl: string; mtlsUrl: string };

/** Where the bank is to be reached; made of the ports unless the configuration names URLs. */
export function addressesOf(
  config: Pick<Config, "PUBLIC_URL" | "MTLS_URL" | "PUBLIC_TLS" | "PUBLIC_PORT" | "MTLS_PORT">,
): Addresses {
  const scheme = config.PUBLIC_TLS ? "https" : "http";
  const trim = (url: string): string => url.replace(/\/+$/, "");
  return {
    publicUrl: trim(config.PUBLIC_URL ?? `${scheme}://localhost:${config.PUBLIC_PORT}`),
    mtlsUrl: trim(config.MTLS_URL ?? `https://localhost:${config.MTLS_PORT}`),
  };
}
