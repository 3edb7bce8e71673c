import { hkdfSync } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Configuration, KoaContextWithOIDC } from "oidc-provider";
import { accessRow } from "#src/auth/access-row.ts";
import { strongAuthentication } from "#src/auth/login/authentication.ts";
import { isRegisteredName } from "#src/certificates/distinguished-name.ts";
import type { Algorithm, RefreshKeys } from "#src/clients/client-keys.ts";
import type { ConsentStanding } from "#src/consents/consent-standing.ts";
import type { ConsentKind } from "#src/consents/kind.ts";
import { type AccessRow, prepareAccess, readFacts } from "#src/http/access/access.ts";
import type { Clock } from "#src/lib/clock.ts";
import { hmacSha256, isSameText, sha256 } from "#src/lib/hash.ts";
import { textOf } from "#src/lib/plain-text.ts";
import type { KeyRing } from "#src/signing/key-ring.ts";
import { activeStatuses, type Scope } from "#src/standard/api-version.ts";
import { kindNamed } from "#src/standard/kind-id.ts";
import { type Database, first, type Queryable } from "#src/storage/database.ts";
import {
  type BackchannelJourneys,
  backchannelFeature,
  backchannelSeconds,
  isBackchannel,
  judgeBackchannel,
} from "./backchannel.ts";
import type { TestCustomers } from "./backchannel-hints.ts";
import type { MovedClock } from "./clock-note.ts";
import { interactionSeconds } from "./clock-note.ts";
import { type DescriptionRules, describeFailure } from "./describe-failure.ts";
import { endDryRun } from "./dry-run.ts";
import { noteCheck } from "./endpoint-checks.ts";
import { clientPaths, mtlsAliases } from "./endpoints.ts";
import { renderFailure } from "./failure-page.ts";
import {
  consentMember,
  type IntentRules,
  intentClaim,
  judgeAuthentication,
  judgeIntent,
  refreshEndClaim,
  refused,
  supportedClaims,
} from "./intent.ts";
import type { StartJourney } from "./interaction-store.ts";
import {
  type ClientRules,
  certificateSubjectKey,
  judgeAssertionAudience,
  judgeAssertionTimes,
  judgeConnection,
} from "./judge-client.ts";
import { errors, interactionPolicy } from "./library.ts";
import { lifetimeSeconds } from "./lifetimes.ts";
import { metadataOf, profileOfClient } from "./profile-of-request.ts";
import { providerKeys } from "./provider-keys.ts";
import { because } from "./refused.ts";
import type { LoadStanding, SqlStore } from "./sql-adapter.ts";

/** The dependencies of the authorization server. */
export type ProviderDeps = ClientRules & {
  database: Database;
  clock: Clock;
  /**
   * The machine's clock, with which assertions are checked. A sandbox's clock may be ahead of it.
   */
  machineClock: Clock;
  /** The issuer, and the base URL for browsers; without a path or a trailing slash. */
  publicUrl: string;
  /** The base URL for TPPs over mutual TLS. */
  mtlsUrl: string;
  /** The URL at which clients register; null if they cannot. */
  registrationUrl: string | null;
  /** Reads a client's keys again if a request names an unknown one; absent without directories. */
  refreshKeys?: RefreshKeys | undefined;
  bankName: string;
  /** Enables what only a sandbox has: loopback redirect URIs, details on the error page. */
  sandbox: boolean;
  /** Absent in production. */
  sandboxHints?: NonNullable<MovedClock["sandboxHints"]> & TestCustomers;
  /** The algorithms with which clients may sign; the usual one first. */
  algorithms: readonly Algorithm[];
  /** The bank's signing keys. */
  keyRing: KeyRing;
  cookieSecret: string;
  consentKinds: readonly ConsentKind[];
  statusWord: IntentRules["statusWord"];
  /** The scopes of the APIs that the bank offers. */
  scopes: readonly Scope[];
  consentLifetimeSeconds: number;
  startJourney: StartJourney;
  /** Begins a journey without a browser; null if the bank does not offer that. */
  backchannelJourneys: BackchannelJourneys | null;
  /** Called for every refusal and every bug, for log and metrics. */
  onFailure?(failure: AuthorizationFailure): void;
};

/** A refusal of the authorization server (`server_error` is a bug). It never contains a token. */
export type AuthorizationFailure = {
  event: string;
  path: string;
  clientId: string | null;
  error: Error;
  detail: string | null;
  /** The description, with registered values that a bank in production keeps from its callers. */
  description: string | null;
  /** The interaction id, which the answer carries and an error page shows. */
  reference: string;
  request: IncomingMessage;
};

/**
 * How long the grant of a request lives on: until the end of its consent. At least a second,
 * because it was alive a moment ago, and the library accepts no lifetime of none.
 */
const secondsOfGrant = (ctx: KoaContextWithOIDC): number =>
  Math.max(1, ctx.oidc.entities.Grant?.remainingTTL ?? 1);

/** The library's configuration. */
export function providerConfiguration(
  deps: ProviderDeps,
  { adapter, standing }: Pick<SqlStore, "adapter" | "standing">,
  rules: DescriptionRules,
): Configuration {
  return {
    adapter,
    jwks: { keys: providerKeys(deps.keyRing) },
    cookies: {
      names: cookieNames(deps.publicUrl),
      keys: signatureOfCookies(deps.cookieSecret),
      short: { httpOnly: true, sameSite: "lax", signed: true },
      long: { httpOnly: true, sameSite: "lax", signed: true },
    },
    scopes: ["openid", ...deps.scopes],
    claims: { openid: [...supportedClaims] },
    acrValues: [strongAuthentication],
    clientAuthMethods: ["private_key_jwt", "tls_client_auth"],
    responseTypes: ["code id_token", "code"],
    allowOmittingSingleRegisteredRedirectUri: false,
    ...clientRules(deps),
    clockTolerance: 15,
    expiresWithSession: () => false,
    issueRefreshToken: async (_ctx, client, { grantId }) =>
      client.grantTypeAllowed("refresh_token") &&
      grantId !== undefined &&
      isRefreshable(deps, await standing({ grantId })),
    rotateRefreshToken: false,
    loadExistingGrant: async (ctx) => {
      const grantId = ctx.oidc.result?.consent?.grantId;
      return grantId ? ctx.oidc.provider.Grant.find(grantId) : undefined;
    },
    ttl: {
      Session: 60,
      Interaction: interactionSeconds,
      ...lifetimeSeconds,
      // expires_in must not promise more than the consent allows
      AccessToken: (ctx) => Math.min(lifetimeSeconds.AccessToken, secondsOfGrant(ctx)),
      ClientCredentials: lifetimeSeconds.AccessToken,
      BackchannelAuthenticationRequest: backchannelSeconds,
      // a refresh token expires with its grant, and a grant with its consent
      RefreshToken: secondsOfGrant,
    },
    findAccount: accountFinder(deps, standing),
    interactions: { policy: journeyPolicy(), url: (_ctx, { uid }) => `/journey/${uid}` },
    renderError: (ctx, out, error) => {
      const words = describeFailure(rules, ctx, error);
      renderFailure(ctx, { ...out, error_description: words }, deps);
    },
    pkce: { required: (ctx) => ctx.oidc.route === "pushed_authorization_request" },
    clientBasedCORS: () => false,
    routes: { backchannel_authentication: clientPaths.backchannel_authentication },
    extraParams: {
      dpop_jkt: judgeParameters,
      [consentMember]: async (ctx, id) => {
        if (!isBackchannel(ctx)) return;
        await judgeBackchannel({ ...deps, standing }, ctx, id);
        noteCheck(ctx, "consent");
      },
    },
    extraClientMetadata: { properties: [certificateSubjectKey] },
    assertJwtClientAuthClaimsAndHeader: async (ctx, claims, _header, client) => {
      const now = Math.floor(deps.machineClock.now().epochMilliseconds / 1000);
      judgeAssertionTimes(claims, now);
      judgeAssertionAudience(profileOfClient(client), claims);
      endDryRun(ctx);
      judgeConnection(deps, ctx, metadataOf(client));
    },
    discovery: {
      ...(deps.registrationUrl === null ? {} : { registration_endpoint: deps.registrationUrl }),
      mtls_endpoint_aliases: mtlsAliases(deps),
      // the default of every client, unless its registration chooses another profile
      require_signed_request_object: true,
    },
    features: features(deps, standing),
  };
}

// Each has the path of one authorization request. Browsers take the prefix over TLS only.
function cookieNames(publicUrl: string): Record<"session" | "interaction" | "resume", string> {
  const prefix = publicUrl.startsWith("https:") ? "__Secure-" : "";
  return {
    session: `${prefix}_session`,
    interaction: `${prefix}_interaction`,
    resume: `${prefix}_interaction_resume`,
  };
}

function clientRules({
  algorithms,
}: ProviderDeps): Pick<Configuration, "enabledJWA" | "clientDefaults"> {
  return {
    enabledJWA: {
      requestObjectSigningAlgValues: [...algorithms],
      clientAuthSigningAlgValues: [...algorithms],
      // all keys of the bank are RSA keys
      idTokenSigningAlgValues: ["PS256"],
      authorizationSigningAlgValues: ["PS256"],
    },
    clientDefaults: {
      id_token_signed_response_alg: "PS256",
      authorization_signed_response_alg: "PS256",
      token_endpoint_auth_method: "private_key_jwt",
      grant_types: ["authorization_code", "client_credentials", "refresh_token"],
      response_types: ["code id_token"],
      tls_client_certificate_bound_access_tokens: true,
      require_signed_request_object: true,
    },
  };
}

function features(
  deps: ProviderDeps,
  standing: LoadStanding,
): NonNullable<Configuration["features"]> {
  return {
    devInteractions: { enabled: false },
    externalSigningSupport: { enabled: true, ack: "experimental-01" },
    dPoP: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    resourceIndicators: { enabled: false },
    clientCredentials: { enabled: true },
    revocation: {
      enabled: true,
      allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId,
    },
    introspection: {
      enabled: true,
      allowedPolicy: async (ctx, { clientId }, token) => {
        if (token.clientId !== clientId) return false;
        const { grantId } = token as { grantId?: string };
        if (grantId && !isAlive(await standing({ grantId }), deps.clock.now())) return false;
        const value = textOf(ctx.oidc.params?.token ?? "");
        return token.kind === "RefreshToken" || isServed(deps.database, value);
      },
    },
    userinfo: { enabled: true },
    ...(deps.backchannelJourneys ? { ciba: backchannelFeature(deps) } : {}),
    fapi: { enabled: true, profile: (_ctx, client) => profileOfClient(client).libraryRules },
    // the client's profile requires signatures
    requestObjects: { enabled: true, requireSignedRequestObject: false },
    pushedAuthorizationRequests: { enabled: true },
    jwtResponseModes: { enabled: true },
    claimsParameter: {
      enabled: true,
      assertClaimsParameter: async (ctx, claims, client) => {
        noteCheck(ctx, "parameters");
        if (isBackchannel(ctx)) return judgeAuthentication(claims);
        const scope = textOf(ctx.oidc.params?.scope ?? "");
        await judgeIntent({ ...deps, standing }, { clientId: client.clientId, scope, claims });
      },
    },
    mTLS: {
      enabled: true,
      certificateBoundAccessTokens: true,
      tlsClientAuth: true,
      getCertificate: (ctx) => deps.judgedCertificateOf(ctx.req).certificate ?? undefined,
      certificateAuthorized: (ctx) => deps.judgedCertificateOf(ctx.req).certificate !== null,
      certificateSubjectMatches: (ctx, property, expected) => {
        const { facts } = deps.judgedCertificateOf(ctx.req);
        if (property !== "tls_client_auth_subject_dn" || !facts) return false;
        if (ctx.oidc.client) judgeConnection(deps, ctx, metadataOf(ctx.oidc.client));
        if (!isRegisteredName(facts.subject, expected)) return false;
        noteCheck(ctx, "client");
        return true;
      },
    },
  };
}

/**
 * The last check of a request at both endpoints. The library ignores dpop_jkt if the feature is
 * off, and calls the hook that checks `claims` only if there are any. It also ignores parameters
 * beside a Request Object or a request_uri, but a client that sends dpop_jkt there believes that
 * its code will be bound to the key. Source: RFC 9449 section 10.
 */
function judgeParameters(ctx: KoaContextWithOIDC, thumbprint: string | undefined): void {
  noteCheck(ctx, "parameters");
  const beside = { ...ctx.query, ...ctx.oidc.body }.dpop_jkt;
  if (thumbprint !== undefined || beside) throw refused("dpopNotOffered");
  if (isBackchannel(ctx)) return;
  if (ctx.oidc.params?.claims === undefined) throw refused("consentUnnamed");
  noteCheck(ctx, "consent");
}

// One journey answers both prompts; the checks of the library would ask for a second one.
function journeyPolicy(): ReturnType<typeof interactionPolicy.base> {
  const { base, Check, Prompt } = interactionPolicy;
  const policy = base();
  policy.clear();
  const login = new Check(
    "journey",
    "the customer must authenticate",
    (ctx) => ctx.oidc.result?.login === undefined,
  );
  const consent = new Check(
    "consent",
    "the customer must authorise the consent",
    (ctx) => ctx.oidc.result?.consent === undefined,
  );
  policy.add(new Prompt({ name: "login", requestable: true }, login));
  policy.add(new Prompt({ name: "consent", requestable: true }, consent));
  return policy;
}

/**
 * Finds the customer of a code or token, as long as the consent behind its grant is in use. A
 * consent that was revoked, deleted or replaced ends its refresh tokens. Source: A-102, P-008.
 */
function accountFinder(
  deps: ProviderDeps,
  standing: LoadStanding,
): NonNullable<Configuration["findAccount"]> {
  return async (ctx, customerId, token) => {
    // the library lets us decide where an unbound token may be used
    const isUnbound = token?.kind === "AccessToken" && !("x5t#S256" in token && token["x5t#S256"]);
    if (isUnbound && !deps.mayBeUnbound(ctx.req)) {
      throw new errors.InvalidToken(because("tokenUnbound"));
    }
    noteCheck(ctx, "token");
    const grantId = token && "grantId" in token ? token.grantId : undefined;
    if (grantId !== undefined && !isAlive(await standing({ grantId }), deps.clock.now())) {
      return undefined;
    }
    noteCheck(ctx, "consent");
    return {
      accountId: customerId,
      claims: async (use) => ({ sub: customerId, ...(await consentClaims(standing, ctx, use)) }),
    };
  };
}

const isRefreshable = ({ consentKinds }: ProviderDeps, consent: ConsentStanding | undefined) =>
  consent !== undefined && kindNamed(consent.kind, consentKinds).course.refreshTokens;

function isAlive(consent: ConsentStanding | undefined, now: Temporal.Instant): boolean {
  if (!consent || !activeStatuses.includes(consent.status)) return false;
  const end = consent.expiresAt;
  return end === null || Temporal.Instant.compare(end, now) > 0;
}

async function consentClaims(standing: LoadStanding, ctx: KoaContextWithOIDC, use: string) {
  const grantId = ctx.oidc.entities.Grant?.jti;
  const consent = grantId === undefined ? undefined : await standing({ grantId });
  if (!consent) return {};
  const refreshable = use === "id_token" && ctx.oidc.entities.RefreshToken !== undefined;
  const end = refreshable ? consent.expiresAt : null;
  return {
    [intentClaim]: consent.consentId,
    ...(end === null ? {} : { [refreshEndClaim]: Math.floor(end.epochMilliseconds / 1000) }),
  };
}

/** The signature of the library's cookies. */
export const signatureOfCookies = (secret: string) =>
  cookieSignature(deriveSecret(secret, "cookies"));

/** Derives a secret for one purpose from the configured secret. */
export const deriveSecret = (secret: string, purpose: string): string =>
  Buffer.from(hkdfSync("sha256", secret, "", purpose, 32)).toString("base64url");

const statement = prepareAccess(accessRow);

/**
 * Whether the APIs serve the client of an access token for the scope of the token, by the row that
 * they read. Source: RFC 7662 section 2.2.
 */
async function isServed(database: Queryable, token: string): Promise<boolean> {
  const row = await first<AccessRow>(database, statement({ tokenHash: sha256(token) }));
  return row !== undefined && readFacts(row.access).client_status === "active";
}

/**
 * Signs the authorization server's cookies, in the interface of the package `keygrip`. That one
 * hides the time of a comparison by two more MACs under a random key; one comparison in constant
 * time is enough, because all signatures are equally long.
 */
function cookieSignature(secret: string) {
  const sign = hmacSha256(secret);
  const verify = (data: string, given: string): boolean => isSameText(given, sign(data));
  return { sign, verify, index: (data: string, given: string) => (verify(data, given) ? 0 : -1) };
}
