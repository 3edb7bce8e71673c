import type { CryptoKey } from "jose";
import * as oidc from "openid-client";
import { openKeys, type PublishedKeys, readDocument } from "./bank-keys.ts";
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

/** How openid-client knows the bank and the client, and the keys that the bank publishes. */
export type OpenedConfiguration = {
  config: oidc.Configuration;
  /** Makes a configuration for an exchange whose answer is signed. */
  configForSigned(): Promise<oidc.Configuration>;
  keys: PublishedKeys;
};

/** Reads the bank's discovery document, unless its contents are given. */
export async function openConfiguration(
  { issuer, client, timeoutMs }: ConnectOptions,
  authentication: oidc.ClientAuth,
  { deps, prepare }: { deps: ServerDeps; prepare: (config: oidc.Configuration) => void },
): Promise<OpenedConfiguration> {
  const { fetch } = deps;
  const metadata = { use_mtls_endpoint_aliases: client.transport !== undefined };
  const timeout = timeoutMs ? { timeout: timeoutMs / 1000 } : {};
  const discover: oidc.CustomFetch = (url, init) => readDocument(deps, url, init);
  const server =
    typeof issuer === "string"
      ? await oidc
          .discovery(new URL(issuer), client.id, metadata, authentication, {
            [oidc.customFetch]: discover,
            execute: isLoopback(new URL(issuer)) ? [oidc.allowInsecureRequests] : [],
            ...timeout,
          })
          .then((config) => config.serverMetadata(), asOurs)
      : issuer;
  if (server.jwks_uri === undefined)
    throw new TypeError("The bank's discovery document has no jwks_uri.");
  const keys = openKeys(server.jwks_uri, deps);
  // the library for OAuth reads the keys, and posts everything else
  const send: oidc.CustomFetch = async (url, init) =>
    init.method === "GET"
      ? Response.json(await keys.fetchAgain())
      : inUsualForm(await fetch(url, init));
  const make = (): oidc.Configuration => {
    const config = new oidc.Configuration(server, client.id, metadata, authentication);
    config[oidc.customFetch] = send;
    // TLS is missing only at a bank on this machine
    if (isLoopback(new URL(server.issuer))) oidc.allowInsecureRequests(config);
    prepare(config);
    return Object.assign(config, timeout);
  };
  return {
    config: make(),
    async configForSigned() {
      const config = make();
      const uat = Math.floor(Date.now() / 1000) - unpinnedSeconds;
      oidc.setJwksCache(config, { jwks: await keys.known(), uat });
      return config;
    },
    keys,
  };
}

// The library for OAuth takes keys for the bank's only ones until they are a minute old. A bank may
// sign with a key that it has just published, so we say that they are older.
const unpinnedSeconds = 61;

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
