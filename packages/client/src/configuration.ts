import type { CryptoKey } from "jose";
import * as oidc from "openid-client";
import { readDocument } from "./bank-keys.ts";
import type { Deviations } from "./deviations.ts";
import { ProofMaker } from "./dpop.ts";
import { asOurs } from "./oauth-errors.ts";
import { inUsualForm } from "./odd-answers.ts";
import type { Client, ConnectOptions } from "./options.ts";
import type { RetryOptions } from "./retry.ts";
import type { Fetch } from "./transport.ts";

/** What the authorization server shares with the rest of a session. */
export type ServerDeps = {
  fetch: Fetch;
  deviations: Deviations;
  retryOptions: RetryOptions;
  now: () => Date;
};

/** Reads the bank's discovery document, unless its contents are given. */
export async function openConfiguration(
  { issuer, client, timeoutMs }: ConnectOptions,
  authentication: oidc.ClientAuth,
  { fetch, retryOptions }: ServerDeps,
): Promise<oidc.Configuration> {
  const metadata = { use_mtls_endpoint_aliases: client.transport !== undefined };
  const timeout = timeoutMs ? { timeout: timeoutMs / 1000 } : {};
  // the library for OAuth reads the discovery document and the keys, and posts everything else
  const send: oidc.CustomFetch = async (url, init) =>
    init.method === "GET"
      ? readDocument({ fetch, retryOptions }, url, init)
      : inUsualForm(await fetch(url, init));
  if (typeof issuer === "string") {
    const address = new URL(issuer);
    // TLS is missing only at a bank on this machine
    const execute = isLoopback(address) ? [oidc.allowInsecureRequests] : [];
    const options = { [oidc.customFetch]: send, execute, ...timeout };
    return oidc.discovery(address, client.id, metadata, authentication, options).catch(asOurs);
  }
  const config = new oidc.Configuration(issuer, client.id, metadata, authentication);
  config[oidc.customFetch] = send;
  if (isLoopback(new URL(issuer.issuer))) oidc.allowInsecureRequests(config);
  return Object.assign(config, timeout);
}

const isLoopback = ({ protocol, hostname }: URL): boolean =>
  protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(hostname);

/** How the client authenticates. */
export function authenticationOf(
  client: Client,
  key: CryptoKey,
  deps: ServerDeps,
): oidc.ClientAuth {
  const { authentication = "private_key_jwt", secret } = client;
  if (authentication === "tls_client_auth") return oidc.TlsClientAuth();
  if (authentication === "client_secret_basic") return oidc.ClientSecretBasic(secret);
  if (authentication === "client_secret_post") return oidc.ClientSecretPost(secret);
  const { assertionAudience } = deps.deviations;
  const signing = { key, kid: client.signing.keyId };
  if (assertionAudience === "issuer") return oidc.PrivateKeyJwt(signing);
  return (server, ...rest) => {
    const endpoint = server.token_endpoint ?? server.issuer;
    const aud = assertionAudience === "token endpoint" ? endpoint : assertionAudience;
    const change = (_header: object, claims: object): void => void Object.assign(claims, { aud });
    return oidc.PrivateKeyJwt(signing, { [oidc.modifyAssertion]: change })(server, ...rest);
  };
}

/** Tokens are bound by mutual TLS if both sides can do that, otherwise by DPoP. */
export async function openProofs(config: oidc.Configuration, client: Client, { now }: ServerDeps) {
  const server = config.serverMetadata();
  const isBoundByTls = server.tls_client_certificate_bound_access_tokens === true;
  if (client.transport !== undefined && isBoundByTls) return null;
  if (server.dpop_signing_alg_values_supported === undefined) return null;
  const keys = await oidc.randomDPoPKeyPair("ES256", { extractable: true });
  return { maker: new ProofMaker(keys, now), handle: oidc.getDPoPHandle(config, keys) };
}
