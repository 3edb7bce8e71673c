import type { IncomingMessage } from "node:http";
import type { KoaContextWithOIDC } from "oidc-provider";
import { type Algorithm, importKey, type KeyMembers } from "#src/clients/client-keys.ts";
import type { JudgedCertificate } from "#src/http/connection/client-certificate.ts";
import { noteReason, noteRefusal } from "#src/http/connection/observe.ts";
import {
  describe as describeReason,
  type FailureFacts,
  type Profile,
  plain,
  type RefusalReason,
} from "#src/http/refusal/refusals.ts";
import { otherPaddingOfJwt } from "#src/http/signature/other-padding.ts";
import { textOf } from "#src/lib/plain-text.ts";
import { backchannelGrant } from "#src/registration/backchannel-rules.ts";
import { isBackchannel } from "./backchannel.ts";
import { lateNote, type MovedClock } from "./clock-note.ts";
import { clientPaths } from "./endpoints.ts";
import { decode, instantText, namedKey } from "./jwt-facts.ts";
import { errors, type OIDCProviderError } from "./library.ts";
import { profileOfRequest } from "./profile-of-request.ts";
import { AuthorizationRefusal } from "./refused.ts";

/** The values that descriptions are made from. */
export type DescriptionRules = MovedClock & {
  sandbox: boolean;
  /** Base URL of the mutual TLS listener, without a slash at its end. */
  mtlsUrl: string;
  /** The algorithms with which clients may sign. */
  algorithms: readonly Algorithm[];
  /** The audiences that a client assertion may have. */
  audiences(ctx: KoaContextWithOIDC): Iterable<string>;
  judgedCertificateOf(request: IncomingMessage): JudgedCertificate;
};

// The library's own words for a failed check, and our reason. An error without detail is identified
// by its description. An error without a row keeps the library's description.
const reasons: [words: RegExp, reason: RefusalReason][] = [
  [/^could not validate id_token_hint/, "idTokenHint"],
  [/^only one of required parameters login_hint_token/, "hintsTwo"],
  [/^invalid requested_expiry/, "requestedExpiry"],
  [/^client certificate was not provided|^mutual TLS client certificate/, "certificateMissing"],
  [/^certificate subject value/, "certificateNotRegistered"],
  [/^client not found|^client is invalid/, "clientUnknown"],
  [/^the provided authentication mechanism/, "clientMethod"],
  [/^no client authentication mechanism/, "clientNotNamed"],
  [/^invalid client_assertion format|^could not parse Request Object/, "jwtMalformed"],
  [/^Invalid (JWT|Token)|^Failed to (parse|base64url)/i, "jwtMalformed"],
  [/^alg mismatch|^unsupported signed request alg|^the preregistered alg/, "jwtAlgorithm"],
  [/^no applicable key found/, "jwtKey"],
  [/^signature verification failed/, "jwtSignature"],
  [/^aud \(JWT audience\) must be/, "jwtAudience"],
  [/must be (specified|provided) in the client_assertion/, "jwtIncomplete"],
  [/^Request Object is missing/, "jwtIncomplete"],
  [/^invalid (exp|nbf|iat|iss|aud|jti|sub) value|^payload is not/, "jwtClaim"],
  [/^iss \(JWT issuer\) must be|^jwt issuer invalid/, "jwtIssuer"],
  [/^client_id mismatch/, "jwtSubject"],
  [/^(list of )?audience \(aud\) must|^jwt audience missing/, "jwtAudience"],
  [/^jwt expired/, "jwtExpired"],
  [/^jwt not active yet/, "jwtNotYet"],
  [/^jwt issued in the future/, "jwtIssuedLater"],
  [/^Request Object 'exp' claim too far/, "jwtSpan"],
  [/^client assertion tokens must only be used once/, "jwtReplayed"],
  [/^request response_type must equal/, "jwtResponseType"],
  [/^request client_id m/, "jwtClient"],
  [/^Pushed Authorization Request must be used/, "requestNotPushed"],
  [/^Request Object must be used/, "requestUnsigned"],
  [/^Authorization Server policy requires PKCE/, "challengeMissing"],
  [/^requested response_(mode|type) is not allowed/, "responseNotAllowed"],
  [/^not supported value of code_challenge_method/, "challengeMethod"],
  [/^invalid max_age/, "maxAge"],
  [/^unsupported grant_type|^missing required parameter 'grant_type'/, "grantUnknown"],
  [/^request_uri is invalid, expired/, "requestUriUnknown"],
  [/^openid scope must be requested/, "scopeOpenid"],
  [/^refresh token missing requested/, "refreshScope"],
  [/^authorization code not found/, "codeUnknown"],
  [/^(authorization code|AuthorizationCode) already consumed/, "codeReplayed"],
  [/redirect_uri mismatch/, "codeRedirect"],
  [/^code_verifier must be provided/, "codeVerifierMissing"],
  [/^code_verifier does not match/, "codeVerifierWrong"],
  [/^unsupported code_challenge_method/, "codeVerifierUnasked"],
  [/^backchannel authentication request not found/, "requestUnknown"],
  [/^(backchannel authentication request|BackchannelAuthenticationRequest) al/, "requestUsed"],
  [/^backchannel authentication request is expired/, "pollExpired"],
  [/^authorization request is still pending/, "pollPending"],
  [/^refresh token not found/, "refreshUnknown"],
  [/^refresh token is expired/, "refreshExpired"],
  [/^client mismatch/, "otherClient"],
  [/^grant (not found|is expired)|account not found/, "grantEnded"],
  [/^redirect_uri did not match/, "redirectUnregistered"],
  [/^requested scope is not allowed/, "scopeNotAllowed"],
  [/^access token not found/, "tokenUnknown"],
  [/^failed x5t#S256 verification/, "tokenCertificate"],
];

// refusals of what the bank's clock may have ended
const byTime: ReadonlySet<RefusalReason> = new Set<RefusalReason>([
  "codeUnknown",
  "codeExpired",
  "requestUriUnknown",
  "refreshUnknown",
  "refreshExpired",
  "grantEnded",
  "hintExpired",
  "requestUnknown",
  "tokenUnknown",
]);

/** Returns the `error_description` of a failure, and notes it. Every failure has one. */
export function describeFailure(
  rules: DescriptionRules,
  ctx: KoaContextWithOIDC,
  error: unknown,
): string {
  const text = textOfFailure(rules, ctx, error);
  noteRefusal(ctx.req, text);
  return text;
}

/** The description of a failure, whose reason is noted. */
function textOfFailure(rules: DescriptionRules, ctx: KoaContextWithOIDC, error: unknown): string {
  const profile: Profile = rules.sandbox ? "sandbox" : "production";
  const describe = (reason: RefusalReason, facts?: FailureFacts): string => {
    noteReason(ctx.req, reason);
    const text = describeReason(reason, profile, { ...addressesOf(rules, ctx), ...facts });
    return byTime.has(reason) ? text + lateNote(rules) : text;
  };
  if (!(error instanceof errors.OIDCProviderError) || !error.expose) {
    return describe("bankFailed");
  }
  if (error.cause instanceof AuthorizationRefusal) {
    return describe(error.cause.reason, error.cause.facts);
  }
  const { error_detail: detail, error_description: description } = error;
  const isOfHint = description?.includes("id_token_hint") ?? false;
  // the detail of a wrong hint is that of any JWT, and would name the client assertion
  const words = (isOfHint ? description : (detail ?? description)) ?? "";
  const known = reasons.find(([pattern]) => pattern.test(words))?.[1];
  const lacking = lackingIn(ctx, known, description ?? "");
  if (lacking !== null) return describe("requestObjectLacks", { detail: lacking });
  if (known === undefined) {
    return description ? plain(description) : describe("unexplained", { detail: error.error });
  }
  const fault = known === "certificateMissing" ? rules.judgedCertificateOf(ctx.req).fault : null;
  if (fault !== null) return describe(fault.reason, fault.facts);
  if (known === "requestUnsigned") {
    const algorithms = algorithmOf(rules, ctx.oidc.client, false);
    const reason = isBackchannel(ctx) ? "backchannelUnsigned" : known;
    return describe(reason, { ...factsOf(rules, ctx, error), algorithms });
  }
  if (known === "jwtSignature") {
    const detail = paddingOf(ctx, isAssertion(error));
    if (detail !== null) return describe("jwtPadding", { ...factsOf(rules, ctx, error), detail });
  }
  const isOneAudience = known === "jwtAudience" && isAssertionOfFapi2(ctx, error);
  const reason = isOneAudience ? "jwtAudienceOne" : known;
  return describe(reason, { ...factsOf(rules, ctx, error), ...parameterOf(ctx, reason) });
}

/** The addresses that any text may quote. */
const addressesOf = ({ mtlsUrl }: DescriptionRules, ctx: KoaContextWithOIDC): FailureFacts => ({
  issuer: ctx.oidc?.provider.issuer ?? "",
  address: `${mtlsUrl}${ctx.path}`,
  pushUrl: `${mtlsUrl}${clientPaths.pushed_authorization_request}`,
});

/** The parameter that a signed request has, if at all, only outside its Request Object. */
function lackingIn(
  { oidc, query }: KoaContextWithOIDC,
  known: RefusalReason | undefined,
  description: string,
): string | null {
  // the library takes the Request Object out of the parameters
  const sent = { ...query, ...oidc.body } as Record<string, unknown>;
  if (sent.request === undefined) return null;
  const missing = /^missing required parameter '([a-z_]+)'/.exec(description)?.[1];
  const name = known === "scopeOpenid" ? "scope" : missing;
  return name === undefined || oidc.params?.[name] !== undefined ? null : name;
}

/** The parameters that the texts quote as found. */
const parameters: Partial<Record<RefusalReason, string>> = {
  challengeMethod: "code_challenge_method",
  maxAge: "max_age",
  grantUnknown: "grant_type",
  requestedExpiry: "requested_expiry",
};
const grants = "authorization_code, client_credentials, refresh_token";

function parameterOf({ oidc }: KoaContextWithOIDC, reason: RefusalReason): FailureFacts {
  const name = parameters[reason];
  if (name === undefined) return {};
  const polls = oidc.client?.grantTypeAllowed(backchannelGrant) ?? false;
  const supported = polls ? `${grants}, ${backchannelGrant}` : grants;
  return { found: textOf(oidc.params?.[name]), supported };
}

const isAssertion = (error: OIDCProviderError): boolean =>
  !(error instanceof errors.InvalidRequestObject);

const isAssertionOfFapi2 = (ctx: KoaContextWithOIDC, error: OIDCProviderError): boolean =>
  isAssertion(error) && profileOfRequest(ctx).isAudienceOneText;

function factsOf(
  rules: DescriptionRules,
  ctx: KoaContextWithOIDC,
  error: OIDCProviderError,
): FailureFacts {
  const { params, client } = ctx.oidc;
  const ofAssertion = isAssertion(error);
  const jwt = decode(ofAssertion ? params?.client_assertion : params?.request);
  const { header, claims } = jwt;
  const { certificate } = rules.judgedCertificateOf(ctx.req);
  return {
    alg: textOf(header.alg),
    algorithms: algorithmOf(rules, client, ofAssertion),
    kid: textOf(header.kid),
    iss: textOf(claims.iss),
    sub: textOf(claims.sub),
    aud: textOf(claims.aud),
    jti: textOf(claims.jti),
    exp: instantText(claims.exp),
    nbf: instantText(claims.nbf),
    iat: instantText(claims.iat),
    now: () => instantText(Math.floor(Date.now() / 1000)), // the library uses this clock
    jwt: ofAssertion ? "client assertion" : "Request Object",
    detail: error.error_detail ?? error.error_description ?? "",
    audiences: () => (ofAssertion ? [...rules.audiences(ctx)].join(" ") : ctx.oidc.provider.issuer),
    clientId: textOf(params?.client_id ?? client?.clientId),
    subject: certificate?.subject.replaceAll("\n", ", ") ?? "",
    certificate: certificate ? "another one" : "absent",
    redirectUri: textOf(params?.redirect_uri),
    scope: textOf(params?.scope),
    responseType: textOf(params?.response_type),
    responseMode: ctx.oidc.params === undefined ? "" : (ctx.oidc.responseMode ?? ""),
    profile: profileOfRequest(ctx).title,
    responses: profileOfRequest(ctx).responses,
    method: client?.clientAuthMethod ?? "",
    kids: () => kidsOf(client?.metadata().jwks),
    redirectUris: () => client?.redirectUris?.join(" ") ?? "",
    registeredSubject: () => textOf(client?.metadata().tls_client_auth_subject_dn),
  };
}

/** How a signature differs from PS256; null if the key that `kid` names did not make it. */
function paddingOf({ oidc }: KoaContextWithOIDC, ofAssertion: boolean): string | null {
  const text = textOf(ofAssertion ? oidc.params?.client_assertion : oidc.params?.request);
  const jwk = keysOf(oidc.client?.metadata().jwks).find(({ kid }) => kid === namedKey(text));
  const key = jwk ? importKey(jwk, "PS256") : null;
  return key && otherPaddingOfJwt(text, key);
}

const keysOf = (jwks: unknown) =>
  (jwks as { keys?: (KeyMembers & { kid?: string })[] } | undefined)?.keys ?? [];
const kidsOf = (jwks: unknown): string =>
  keysOf(jwks)
    .map(({ kid }) => kid ?? "absent")
    .join(" ");

/** The algorithm that the client has chosen, or else those that the bank offers. */
function algorithmOf(
  { algorithms }: DescriptionRules,
  client: KoaContextWithOIDC["oidc"]["client"],
  ofAssertion: boolean,
): string {
  const { token_endpoint_auth_signing_alg: own, request_object_signing_alg: ofRequests } =
    client?.metadata() ?? {};
  return textOf(ofAssertion ? own : ofRequests) || algorithms.join(" or ");
}
