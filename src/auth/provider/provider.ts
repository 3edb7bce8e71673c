import type { EventEmitter } from "node:events";
import type { IncomingMessage } from "node:http";
import type { KoaContextWithOIDC } from "oidc-provider";
import { jwkSetType, withCertificates } from "#src/http/connection/certificate-chain.ts";
import { interactionHeader } from "#src/http/headers/request-headers.ts";
import { ownNames } from "#src/http/outgoing/address-guard.ts";
import { pollSeconds } from "./backchannel.ts";
import { type DescriptionRules, describeFailure } from "./describe-failure.ts";
import { audiencesOf, buildUrlsFromConfiguration, clientPaths } from "./endpoints.ts";
import { errors, insideOf, type Provider } from "./library.ts";
import { allowResponseMode } from "./profile-of-request.ts";
import { type ProviderDeps, providerConfiguration } from "./provider-configuration.ts";
import { refuseOddRequestObjects } from "./request-object.ts";
import { createSqlStore, type SqlStore } from "./sql-adapter.ts";
import { addRetryAfter, failAsOAuth } from "./temporarily-unavailable.ts";
import { createWordedProvider } from "./worded-provider.ts";

/**
 * Makes the authorization server: FAPI 1.0 Advanced as Open Banking UK profiles it, and FAPI 2.0
 * for clients whose registration chooses it (src/clients/security-profile.ts). Its paths are /auth,
 * /token, /request, /me, /token/revocation, /token/introspection, /jwks and the discovery document.
 */
export function createProvider(given: ProviderDeps): Provider {
  const deps = { ...given, database: failAsOAuth(given.database) };
  const store = createSqlStore(deps.database, deps);
  const rules = { ...deps, audiences: (ctx: KoaContextWithOIDC) => audiencesOf(deps, ctx) };
  const configuration = providerConfiguration(deps, store, rules);
  const provider = createWordedProvider({ issuer: deps.publicUrl, configuration, rules });
  buildUrlsFromConfiguration(provider, deps);
  refuseOddRequestObjects(provider, deps.machineClock);
  if (deps.sandbox) allowLoopbackRedirects(provider);
  shapeAnswers(provider, deps, store);
  nameIssuer(provider);
  provider.on("authorization.error", allowResponseMode);
  reportFailures(provider, deps, { ...rules, sandbox: true });
  return provider;
}

// The library documents this way of allowing loopback URIs. Redirect URIs must still match exactly.
function allowLoopbackRedirects(provider: Provider): void {
  const schema = insideOf(provider).Client.Schema.prototype;
  const { invalidate } = schema;
  schema.invalidate = function (message, code) {
    const isAboutLoopback = code === "implicit-force-https" || code === "implicit-forbid-localhost";
    if (isAboutLoopback && (this.redirect_uris ?? []).every(isHttpsOrLoopback)) return;
    invalidate.call(this, message, code);
  };
}

/** Whether a redirect URI is https, or http to this machine. */
function isHttpsOrLoopback(uri: string): boolean {
  const parsed = URL.parse(uri);
  if (parsed?.protocol === "https:") return true;
  return parsed?.protocol === "http:" && ownNames.includes(parsed.hostname);
}

function shapeAnswers(provider: Provider, deps: ProviderDeps, store: SqlStore): void {
  const secure = deps.publicUrl.startsWith("https:");
  provider.use(async (ctx, next) => {
    ctx.cookies.secure = secure; // TLS may end at a proxy
    await next();
    await store.finish(ctx as KoaContextWithOIDC);
    if (ctx.path === "/.well-known/openid-configuration") correctDiscovery(ctx.body as Discovery);
    if (ctx.path === clientPaths.backchannel_authentication && ctx.status === 200) {
      Object.assign(ctx.body as object, { interval: pollSeconds });
    }
    if (ctx.path === "/jwks" && ctx.status === 200) listKeys(ctx, deps);
    dropSessionCookie(ctx.response, provider.cookieName("session"));
  });
}

// The library omits `iss` if there is an id_token. A strict client still expects `iss`, because
// discovery announces it. A JWT response has its own. Source: RFC 9207 section 2.
function nameIssuer(provider: Provider): void {
  provider.on("authorization.success", (ctx, answer) => {
    if (answer && !ctx.oidc.responseMode?.includes("jwt")) answer.iss = provider.issuer;
  });
}

type Answer = { body: unknown; set(name: string, value: string): void };

// A new key is published long before its first signature, so clients may keep the set for a while.
const jwksSeconds = 300;

// Keys and certificates change while the bank runs; the library would keep the first ones.
function listKeys(ctx: Answer, { keyRing }: ProviderDeps): void {
  ctx.body = {
    keys: keyRing.published().map(({ jwk, certificatesPem }) => {
      const pem = certificatesPem();
      return pem === "" ? jwk : withCertificates(jwk, pem);
    }),
  };
  ctx.set("content-type", jwkSetType);
  ctx.set("cache-control", `public, max-age=${jwksSeconds}`);
}

type Discovery = {
  grant_types_supported: string[];
  backchannel_user_code_parameter_supported?: boolean;
};

// A grant and a parameter that the library lists, but that no client can use here.
function correctDiscovery(document: Discovery | undefined): void {
  if (!document?.grant_types_supported) return;
  const { grant_types_supported: grants } = document;
  document.grant_types_supported = grants.filter((grant) => grant !== "implicit");
  if (document.backchannel_user_code_parameter_supported !== undefined) {
    document.backchannel_user_code_parameter_supported = false;
  }
}

type Headers = { get(name: string): string | string[]; set(name: string, value: string[]): void };

function dropSessionCookie(response: Headers & { remove(name: string): void }, name: string): void {
  const cookies = [response.get("set-cookie") ?? []].flat().filter((cookie) => cookie !== "");
  const kept = cookies.filter(
    (cookie) => !cookie.startsWith(`${name}=`) && !cookie.startsWith(`${name}.sig=`),
  );
  if (kept.length === cookies.length) return;
  response.remove("set-cookie");
  if (kept.length > 0) response.set("set-cookie", kept);
}

function reportFailures(provider: Provider, deps: ProviderDeps, rules: DescriptionRules): void {
  const report = (event: string) => (ctx: KoaContextWithOIDC, error: Error) => {
    addRetryAfter(ctx, error);
    deps.onFailure?.({
      event,
      path: ctx.path,
      clientId: ctx.oidc?.client?.clientId ?? null,
      error,
      detail: error instanceof errors.OIDCProviderError ? (error.error_detail ?? null) : null,
      description: (ctx.oidc && describeFailure(rules, ctx, error)) ?? null,
      reference: ctx.response.get(interactionHeader),
      request: ctx.req as IncomingMessage,
    });
  };
  provider.on("server_error", report("server_error"));
  // the library prints errors without a listener; a peer that left is not a failure of the bank
  (provider as EventEmitter).on("error", (error: NodeJS.ErrnoException, ctx) => {
    if (error.code === "EPIPE" || error.code === "ECONNRESET") return;
    if (ctx) report("server_error")(ctx, error);
  });
  provider.on("authorization.error", report("authorization.error"));
  provider.on("grant.error", report("grant.error"));
  provider.on("pushed_authorization_request.error", report("pushed_authorization_request.error"));
  provider.on("userinfo.error", report("userinfo.error"));
  provider.on("revocation.error", report("revocation.error"));
  provider.on("introspection.error", report("introspection.error"));
  provider.on("backchannel_authentication.error", report("backchannel_authentication.error"));
}
