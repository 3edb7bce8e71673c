import type { KoaContextWithOIDC, Provider } from "oidc-provider";
import { insideOf } from "./library.ts";
import { profileOfRequest } from "./profile-of-request.ts";

/** The base URLs of the two listeners, without a path or a trailing slash. */
type Hosts = { publicUrl: string; mtlsUrl: string };

/** Whether the bank offers journeys without a browser: the function that begins one, or null. */
type Offer = { backchannelJourneys: object | null };

/** The paths of the endpoints that clients call themselves, by the library's name of the route. */
export const clientPaths = {
  token: "/token",
  pushed_authorization_request: "/request",
  userinfo: "/me",
  revocation: "/token/revocation",
  introspection: "/token/introspection",
  backchannel_authentication: "/backchannel",
} as const;

const isClientRoute = (name: string): name is keyof typeof clientPaths => name in clientPaths;

/**
 * The members of `mtls_endpoint_aliases`. They equal the plain members, and are for clients that
 * read only the aliases. Source: RFC 8705 section 5, decision 0030.
 */
export const mtlsAliases = ({
  mtlsUrl,
  backchannelJourneys,
}: Pick<Hosts, "mtlsUrl"> & Offer): Record<string, string> =>
  Object.fromEntries(
    Object.entries(clientPaths)
      .filter(([name]) => backchannelJourneys || name !== "backchannel_authentication")
      .map(([name, path]) => [`${name}_endpoint`, `${mtlsUrl}${path}`]),
  );

/**
 * Makes discovery name the mutual TLS host for endpoints that clients call, and the issuer's host
 * for those that browsers use. The library would make URLs from the Host header. Ours come from the
 * configuration, so that both listeners show one discovery document.
 */
export function buildUrlsFromConfiguration(provider: Provider, hosts: Hosts): void {
  const library = insideOf(provider);
  Object.assign(library.OIDCContext.prototype, {
    urlFor: (name: string, options?: object) =>
      isClientRoute(name) ? `${hosts.mtlsUrl}${clientPaths[name]}` : library.urlFor(name, options),
    clientJwtAuthExpectedAudience(this: { ctx: KoaContextWithOIDC }) {
      return audiencesOf(hosts, this.ctx);
    },
  });
}

/**
 * The allowed audiences of a client assertion, by the security profile of the client. The endpoints
 * are the token endpoint and the called endpoint, each on both hosts.
 */
export function audiencesOf({ publicUrl, mtlsUrl }: Hosts, ctx: KoaContextWithOIDC): Set<string> {
  const endpoints = [publicUrl, mtlsUrl].flatMap((host) => [
    `${host}${clientPaths.token}`,
    `${host}${ctx.path}`,
  ]);
  return new Set(profileOfRequest(ctx).assertionAudiences({ issuer: publicUrl, endpoints }));
}
