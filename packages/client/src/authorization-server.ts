import { randomBytes } from "node:crypto";
import { type CryptoKey, importPKCS8 } from "jose";
import * as oidc from "openid-client";
import { type BackchannelOptions, signBackchannel } from "./backchannel-request.ts";
import type { BankKeys } from "./bank-keys.ts";
import {
  authenticationOf,
  type OpenedConfiguration,
  openConfiguration,
  openProofs,
  type ServerDeps,
} from "./configuration.ts";
import type { ProofMaker } from "./dpop.ts";
import { AuthorisationError, VerificationError } from "./errors.ts";
import { asOurs, lateAnswer } from "./oauth-errors.ts";
import type { BackchannelRequest, Client, ConnectOptions, Grant, Login } from "./options.ts";
import { type Profile, profiles } from "./profiles.ts";
import { pause, retry } from "./retry.ts";
import type { Scope } from "./scope.ts";

/** Choices for one authorization request. */
export type LoginOptions = {
  /** The default is the client's. */
  redirectUri?: string;
  state?: string;
  /** Further parameters, such as `login_hint`. */
  parameters?: Record<string, string>;
};

type Opened = OpenedConfiguration & {
  profile: Profile;
  key: CryptoKey;
  /** Present if tokens are bound to a key instead of the client certificate. */
  proofs: { maker: ProofMaker; handle: oidc.DPoPHandle } | null;
};

/** An access token, and the headers of a call with it. */
type Authorization = { accessToken: string; headers: Record<string, string> };

/** A 401, and the token with which the call was made. */
type RefusedToken = { url: string; headers: Headers; accessToken: string };

type OwnToken = { accessToken: string; expiresAt: number };

// A token that expires during a call is of no use.
const marginMs = 30_000;
const strongAuthentication = "urn:openbanking:psd2:sca";
const backchannelGrant = "urn:openid:params:grant-type:ciba";

/** Discovers the bank's authorization server, and prepares the client's authentication. */
export async function openAuthorizationServer(
  options: ConnectOptions,
  deps: ServerDeps,
): Promise<AuthorizationServer> {
  const { client } = options;
  const named = options.profile ?? "fapi1";
  const profile: Profile = typeof named === "string" ? profiles[named] : named;
  const { privateKey } = client.signing;
  const key = typeof privateKey === "string" ? await importPKCS8(privateKey, "PS256") : privateKey;
  const prepare = (config: oidc.Configuration): void => {
    oidc.enableNonRepudiationChecks(config);
    if (profile.answer === "code id_token") {
      oidc.useCodeIdTokenResponseType(config);
      oidc.enableDetachedSignatureResponseChecks(config);
    }
    if (profile.answer === "jwt") oidc.useJwtResponseMode(config);
  };
  const authentication = authenticationOf(client, key, deps);
  const opened = await openConfiguration(options, authentication, { deps, prepare });
  const proofs = await openProofs(opened.config, client, deps);
  return new AuthorizationServer(client, deps, { ...opened, profile, key, proofs });
}

const isGrant = (token: Grant | string | null): token is Grant =>
  typeof token === "object" && token !== null;

/** The bank's authorization server, with the tokens that it has given. */
export class AuthorizationServer {
  readonly metadata: oidc.ServerMetadata;
  readonly key: CryptoKey;
  /** The keys with which the bank signs. */
  readonly keys: BankKeys;
  readonly #client: Client;
  readonly #deps: ServerDeps;
  readonly #opened: Opened;
  readonly #own = new Map<string | null, Promise<OwnToken>>();
  readonly #renewing = new WeakMap<Grant, Promise<void>>();
  /** Called when the tokens of a grant were renewed. */
  onRefresh: ((grant: Grant) => void | Promise<void>) | undefined;

  constructor(client: Client, deps: ServerDeps, opened: Opened) {
    this.#client = client;
    this.#deps = deps;
    this.#opened = opened;
    this.key = opened.key;
    this.keys = opened.keys.find;
    this.metadata = opened.config.serverMetadata();
  }

  /** Gets a token, the TPP's own for a scope or a grant's, with the headers that carry it. */
  async authorization(
    token: Grant | string | null,
    method: string,
    url: string,
  ): Promise<Authorization> {
    const accessToken = await this.#accessToken(token);
    const proofs = this.#opened.proofs;
    if (proofs === null)
      return { accessToken, headers: { authorization: `Bearer ${accessToken}` } };
    const dpop = await proofs.maker.prove(method, url, accessToken);
    return { accessToken, headers: { authorization: `DPoP ${accessToken}`, dpop } };
  }

  /**
   * After a 401: gets another token, unless another call has already done so. Returns whether it
   * makes sense to call again.
   */
  async renew(
    token: Grant | string | null,
    { url, headers, accessToken: used }: RefusedToken,
  ): Promise<boolean> {
    if (this.#opened.proofs?.maker.learn(url, headers)) return true;
    if (!isGrant(token)) {
      const held = await this.#own.get(token)?.catch(() => undefined);
      if (held?.accessToken === used) this.#own.delete(token);
      return true;
    }
    if (token.accessToken !== used) return true;
    if (token.refreshToken === null) return false;
    await this.refresh(token);
    return true;
  }

  async #accessToken(token: Grant | string | null): Promise<string> {
    const now = this.#deps.now().getTime();
    if (!isGrant(token)) {
      const known = this.#own.get(token);
      const held = known && (await known.catch(() => undefined));
      if (held && held.expiresAt > now) return held.accessToken;
      const newer = this.#own.get(token);
      // only the first of several callers asks
      const asked = newer && newer !== known ? newer : this.#askOwn(token);
      this.#own.set(token, asked);
      return (await asked).accessToken;
    }
    const isOver = token.expiresAt !== null && Date.parse(token.expiresAt) - marginMs <= now;
    if (isOver && token.refreshToken !== null) await this.refresh(token);
    return token.accessToken;
  }

  async #askOwn(scope: string | null): Promise<OwnToken> {
    const { config } = this.#opened;
    const { access_token, expires_in = 0 } = await this.#ask("always", () =>
      oidc.clientCredentialsGrant(config, scope === null ? {} : { scope }, this.#proof),
    );
    const expiresAt = this.#deps.now().getTime() + expires_in * 1000 - marginMs;
    return { accessToken: access_token, expiresAt };
  }

  /** Asks for new tokens of a grant and puts them into it. Simultaneous calls ask once. */
  refresh(grant: Grant): Promise<void> {
    const running = this.#renewing.get(grant);
    if (running) return running;
    const renewal = this.#refresh(grant).finally(() => this.#renewing.delete(grant));
    this.#renewing.set(grant, renewal);
    return renewal;
  }

  async #refresh(grant: Grant): Promise<void> {
    const { refreshToken } = grant;
    if (refreshToken === null) throw new TypeError("refresh: the grant has no refresh token.");
    const answer = await this.#ask("always", async () =>
      oidc.refreshTokenGrant(await this.#signed(), refreshToken, {}, this.#proof),
    );
    grant.accessToken = answer.access_token;
    grant.expiresAt = this.#expiry(answer);
    grant.refreshToken = answer.refresh_token ?? refreshToken;
    await this.onRefresh?.(grant);
  }

  /** Makes the request with which a customer's browser is sent to the bank. */
  async startLogin(
    consent: { id: string; scope: Scope },
    options: LoginOptions = {},
  ): Promise<Login> {
    const { deviations } = this.#deps;
    await pause(deviations.consentDelaySeconds * 1000);
    const codeVerifier = oidc.randomPKCECodeVerifier();
    const state = options.state ?? oidc.randomState();
    const nonce = oidc.randomNonce();
    const redirectUri = options.redirectUri ?? this.#client.redirectUri;
    const intent = { openbanking_intent_id: { value: consent.id, essential: true } };
    const acr = { essential: true, values: [strongAuthentication] };
    const parameters = {
      scope: `openid ${consent.scope}`,
      redirect_uri: redirectUri,
      state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: "S256",
      claims: JSON.stringify({ id_token: { ...intent, acr }, userinfo: intent }),
      ...(deviations.responseMode ? { response_mode: deviations.responseMode } : {}),
      ...options.parameters,
    };
    const url = await this.#authorizationUrl(parameters);
    const { id: consentId, scope } = consent;
    return { url: url.href, scope, consentId, redirectUri, state, nonce, codeVerifier };
  }

  async #authorizationUrl(parameters: Record<string, string>): Promise<URL> {
    const { config, profile, key } = this.#opened;
    const plain = oidc.buildAuthorizationUrl(config, parameters);
    const signed = profile.signs ? await this.#signedRequest(parameters, key) : plain;
    if (!profile.pushes) {
      if (!profile.signs) return plain;
      // OpenID Connect wants the first three beside the request object too
      const { repeatedParameters } = this.#deps.deviations;
      for (const name of ["response_type", "scope", "redirect_uri", ...repeatedParameters]) {
        signed.searchParams.set(name, plain.searchParams.get(name) ?? "");
      }
      return signed;
    }
    return this.#ask("always", () =>
      oidc.buildAuthorizationUrlWithPAR(config, signed.searchParams, this.#proof),
    );
  }

  #signedRequest(parameters: Record<string, string>, key: CryptoKey): Promise<URL> {
    const { requestObjectAudience: aud } = this.#deps.deviations;
    const { keyId: kid } = this.#client.signing;
    return oidc.buildAuthorizationUrlWithJAR(
      this.#opened.config,
      parameters,
      { key, kid },
      {
        [oidc.modifyAssertion]: (header, claims) => {
          header.typ = "JWT"; // what banks expect of a request object
          claims.exp = Number(claims.nbf) + 300;
          if (aud !== null) claims.aud = aud;
        },
      },
    );
  }

  /** Exchanges the code in the URL to which the bank has sent the browser back. */
  async finishLogin(login: Login, returned: string | URL): Promise<Grant> {
    const { idTokenNonce } = this.#deps.deviations;
    const checks = {
      expectedState: login.state,
      ...(idTokenNonce === "required" ? { expectedNonce: login.nonce } : {}),
      pkceCodeVerifier: login.codeVerifier,
      idTokenExpected: true,
    };
    // a code works once, so the exchange is repeated only if the bank says that it did nothing
    const url = new URL(returned);
    // some banks put the hybrid answer into the query
    if (this.#opened.profile.answer === "code id_token" && url.hash === "") url.hash = url.search;
    const answer = await this.#ask("if not carried out", async () =>
      oidc.authorizationCodeGrant(await this.#signed(), url, checks, undefined, this.#proof),
    );
    return this.#grantOf(answer, login);
  }

  /** Asks for an approval in the bank's app. */
  async startBackchannel(
    { id: consentId, scope }: { id: string; scope: Scope },
    options: BackchannelOptions = {},
  ): Promise<BackchannelRequest> {
    const { config, key } = this.#opened;
    const { deviations, now } = this.#deps;
    await pause(deviations.consentDelaySeconds * 1000);
    const notificationToken = options.ping ? randomBytes(32).toString("base64url") : null;
    const answer = await this.#ask("if not carried out", async () => {
      const request = await signBackchannel(
        { id: consentId, scope },
        { ...options, notificationToken, acr: strongAuthentication },
        {
          key,
          keyId: this.#client.signing.keyId,
          clientId: this.#client.id,
          audience: deviations.requestObjectAudience ?? this.metadata.issuer,
          now: now(),
        },
      );
      return oidc.initiateBackchannelAuthentication(config, { request });
    });
    return {
      id: answer.auth_req_id,
      scope,
      consentId,
      expiresAt: new Date(now().getTime() + answer.expires_in * 1000).toISOString(),
      intervalSeconds: answer.interval ?? 5,
      notificationToken,
    };
  }

  /** Asks once what the customer has decided: the grant, or whether to ask less often. */
  async pollBackchannel(request: BackchannelRequest): Promise<Grant | "pending" | "slow_down"> {
    const parameters = { auth_req_id: request.id };
    try {
      const answer = await this.#ask("always", async () =>
        oidc.genericGrantRequest(await this.#signed(), backchannelGrant, parameters, this.#proof),
      );
      return this.#grantOf(answer, request);
    } catch (error) {
      const code = error instanceof AuthorisationError ? error.error : null;
      if (code === "authorization_pending") return "pending";
      if (code === "slow_down") return code;
      throw error;
    }
  }

  #grantOf(
    answer: oidc.TokenEndpointResponse & oidc.TokenEndpointResponseHelpers,
    asked: Pick<Grant, "scope" | "consentId">,
  ): Grant {
    const claims: Record<string, unknown> = answer.claims() ?? {};
    this.#checkClaims(claims, asked);
    return {
      scope: asked.scope,
      consentId: asked.consentId,
      accessToken: answer.access_token,
      expiresAt: this.#expiry(answer),
      refreshToken: answer.refresh_token ?? null,
      subject: typeof claims.sub === "string" ? claims.sub : null,
    };
  }

  #checkClaims(claims: Record<string, unknown>, { consentId }: Pick<Grant, "consentId">): void {
    const expected = { openbanking_intent_id: consentId, acr: strongAuthentication };
    for (const name of this.#deps.deviations.checkedClaims) {
      if (claims[name] === expected[name]) continue;
      const found = JSON.stringify(claims[name]);
      throw new VerificationError(`${name} of the id_token is ${found}, not ${expected[name]}.`);
    }
  }

  #signed(): Promise<oidc.Configuration> {
    return this.#opened.configForSigned();
  }

  get #proof(): oidc.DPoPOptions {
    const { proofs } = this.#opened;
    return proofs === null ? {} : { DPoP: proofs.handle };
  }

  #expiry({ expires_in }: { expires_in?: number | undefined }): string | null {
    if (expires_in === undefined) return null;
    return new Date(this.#deps.now().getTime() + expires_in * 1000).toISOString();
  }

  /** Sends a request to the authorization server, again if it may be repeated. */
  async #ask<Result>(
    repeat: "always" | "if not carried out",
    send: () => Promise<Result>,
  ): Promise<Result> {
    return retry<Result>(this.#deps.retryOptions, undefined, async () => {
      try {
        return { done: await send() };
      } catch (error) {
        const late = lateAnswer(error);
        const isRepeatable = late && (repeat === "always" || late.isRefused);
        if (!isRepeatable) return asOurs(error);
        return { again: async () => asOurs(error), retryAfterMs: late.retryAfterMs };
      }
    });
  }
}
