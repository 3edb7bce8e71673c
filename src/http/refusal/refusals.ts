/** The column of the table that gives a refusal's text. */
export type Profile = "sandbox" | "production";

/**
 * The values that a text may quote. The first group was sent by the caller or is public, and may
 * be in every text. The second group is registered or stored: only a sandbox
 * shows it.
 */
export const quotable = {
  public: [
    "address",
    "alg",
    "algorithms",
    "attribute",
    "aud",
    "audiences",
    "certificate",
    "clientId",
    "detail",
    "exp",
    "found",
    "iat",
    "iss",
    "issuer",
    "jti",
    "jwt",
    "kid",
    "limit",
    "nbf",
    "now",
    "paths",
    "problem",
    "profile",
    "pushUrl",
    "redirectUri",
    "responseMode",
    "responseType",
    "responses",
    "scope",
    "scopes",
    "sub",
    "subject",
    "supported",
    "token",
    "usages",
  ],
  sandbox: ["expected", "kids", "method", "redirectUris", "registeredSubject", "status"],
} as const;

/** The name of something that a text quotes. */
type FactName = (typeof quotable)["public" | "sandbox"][number];

/** The values that texts quote; a function is called only if the chosen text quotes it. */
export type FailureFacts = Partial<Record<FactName, string | (() => string)>>;

/** A text for both profiles, or one for each. */
export type Texts = string | { sandbox: string; production: string };

const unknownToken = {
  production:
    "The access token is unknown or revoked, or it is bound to another client certificate. The " +
    "connection's certificate is: {certificate}.",
};

/** What to do if a code or its tokens no longer work; true for every kind of consent. */
export const afterCode =
  "Ask the customer to authorise the consent again. If it is for a single order, it cannot be " +
  "authorised again: create a new consent.";

/**
 * Every reason of an OAuth refusal with the text that `error_description` gives: what was checked,
 * what was expected and what was found. No text quotes a token, a code or a secret; texts for
 * production quote only values that the caller sent or that are public. Source: decision 0016.
 */
export const refusals = {
  // the client certificate
  certificateMissing:
    "The connection has no client certificate. Use the mutual TLS address, {address}, and present " +
    "the transport certificate of the client.",
  certificateUntrusted:
    "The client certificate is not accepted ({problem}). Its chain must lead to a root that the " +
    "bank trusts. Each certificate in it must be valid now, and within the limits that those " +
    "above it set.",
  certificateUsage:
    "The client certificate is not for client authentication. It needs the extended key usage " +
    "clientAuth and the key usage digitalSignature; it has {usages}. Use the transport " +
    "certificate, not the signing certificate.",
  certificateSeal:
    "The client certificate is for electronic seals. Use a certificate for web site " +
    "authentication (QWAC or OBWAC).",
  certificateRevoked:
    "The client certificate has been revoked by its issuer. Use another certificate of the client.",
  certificateUnchecked:
    "The bank cannot currently check whether the client certificate has been revoked. Try again " +
    "later.",
  certificateSubject: {
    sandbox:
      "The client certificate is not a certificate of this client: {attribute} in its subject " +
      "is {found}; it must be {expected}.",
    production:
      "The client certificate is not a certificate of this client: {attribute} in its subject " +
      "is {found}.",
  },
  certificateSubjectUnregistered:
    "No certificate subject is registered for the client, so no certificate is accepted.",
  certificateNotRegistered: {
    sandbox:
      "The certificate's subject is {subject}; the registered subject is {registeredSubject}.",
    production: "The certificate's subject is {subject}, which is not the registered subject.",
  },
  unboundClient:
    "The tokens of this client are not bound to a certificate. Only a sandbox serves such a " +
    "client, and only from the sandbox's own machine.",

  // client authentication
  clientUnknown: {
    sandbox:
      "No active client has the client_id {clientId}. Send the client_id that the registration " +
      "returned.",
    production: "The client is unknown.",
  },
  clientMethod: {
    sandbox:
      "The client is registered for {method}; the request uses another method. For " +
      "private_key_jwt, send client_assertion and client_assertion_type; for tls_client_auth, " +
      "send client_id without them.",
    production: "The request does not use the authentication method registered for the client.",
  },
  clientNotNamed:
    "The request does not name a client. Send client_assertion, or client_id over a connection " +
    "with the client certificate.",

  // client assertions and Request Objects
  jwtMalformed:
    "The {jwt} is not a JWT in compact form. Sign it with {algorithms}, and send its header, " +
    "payload and signature in base64url, joined by dots.",
  jwtAlgorithm: "The {jwt} is signed with alg {alg}; it must be {algorithms}.",
  jwtKey: {
    sandbox:
      "The {jwt} names kid {kid} with alg {alg}; the client has no such key. Its keys: {kids}.",
    production: "The {jwt} names kid {kid} with alg {alg}; the client has no such key.",
  },
  jwtSignature: {
    sandbox:
      "The signature of the {jwt} does not verify with the client's key (kid {kid}). Sign with the " +
      "private key of one of the client's keys, and name it in kid: {kids}.",
    production: "The signature of the {jwt} does not verify with the client's key (kid {kid}).",
  },
  jwtPadding: {
    sandbox: "The {jwt} is not signed with PS256, which alg names. {detail}",
    production: "The signature of the {jwt} does not verify with the client's key (kid {kid}).",
  },
  jwtIncomplete: "The {jwt} lacks a claim: {detail}.",
  jwtClaim:
    "A claim of the {jwt} has the wrong type: {detail}. exp, nbf and iat must be numbers of " +
    "seconds since 1970; iss, sub and jti must be strings.",
  jwtIssuer: "iss of the {jwt} is {iss}; it must be the client_id, {clientId}.",
  jwtSubject: "sub of the {jwt} is {sub}; it must be the client_id, {clientId}.",
  jwtAudience: "aud of the {jwt} is {aud}; it must be or contain one of {audiences}.",
  jwtAudienceOne:
    "aud of the client assertion is {aud}; for {profile} it must be the issuer of the bank as one " +
    "string: {issuer}.",
  requestUriOfOther: "The request_uri was issued to another client.",
  jwtAudienceList:
    "aud of the client assertion is a list, {aud}; for {profile} it must be one string, the " +
    "issuer of the bank: {issuer}.",
  jwtExpired: "exp of the {jwt} is {exp}, which has passed; the server's time is {now}.",
  jwtNotYet: "nbf of the {jwt} is {nbf}, which is in the future; the server's time is {now}.",
  jwtIssuedLater: "iat of the {jwt} is {iat}, which is in the future; the server's time is {now}.",
  jwtTooLong:
    "exp of the {jwt} is {exp}; it must be at most {limit} minutes after the server's time, {now}.",
  jwtSpan: "exp of the {jwt} is {exp} and nbf is {nbf}; exp must be 1 to 3600 seconds after nbf.",
  jwtReplayed: "jti of the {jwt} is {jti}, which was used before. Use a new jti for each request.",
  jwtResponseType:
    "response_type of the {jwt} must equal the response_type parameter; {profile} allows: " +
    "{responses}.",
  jwtClient: "client_id of the {jwt} must equal the client_id parameter, {clientId}.",

  // the form of an authorization request
  requestNotPushed:
    "The client is registered for {profile}: POST the request to the pushed authorization " +
    "request endpoint, {pushUrl}. Then send only client_id, and the request_uri that this endpoint " +
    "returned.",
  requestUnsigned:
    "The request is not signed. {profile} needs a signed Request Object in the parameter " +
    "request: a JWT, signed with {algorithms}, whose payload has iss and client_id, both " +
    "{clientId}; aud, {issuer}; nbf and exp; every other parameter of the request; and claims, " +
    "{id_token: {openbanking_intent_id: {value: CONSENT_ID}}} with quotation marks, where " +
    "CONSENT_ID is the ConsentId that the bank returned.",
  backchannelUnsigned:
    "The request is not signed. It needs a signed Request Object in the parameter request: a JWT, " +
    "signed with {algorithms}, whose payload has iss, {clientId}; aud, {issuer}; iat, nbf and exp; " +
    "jti, a new one for each request; every other parameter of the request; openbanking-intent-id, " +
    "the ConsentId that the bank returned; and the customer in login_hint_token or id_token_hint, " +
    "or in neither if the customer scans the ConsentId in the app.",
  challengeMissing:
    "code_challenge is missing; a pushed request must have it, with code_challenge_method S256.",
  dpopNotOffered:
    "dpop_jkt is present, but the bank does not offer DPoP: it binds tokens to the client " +
    "certificate. Send the request without dpop_jkt.",
  responseNotAllowed:
    "response_type is {responseType} and response_mode is {responseMode}; {profile} allows: " +
    "{responses}.",

  // codes and refresh tokens
  codeUnknown:
    "The code is unknown. It was never issued, or it has expired, or it was used twice and then " +
    `revoked. ${afterCode}`,
  codeExpired: `The code expired at {exp}; {detail}. Exchange a code within 60 seconds. ${afterCode}`,
  codeReplayed: `The code was used before. Its tokens are revoked now. ${afterCode}`,
  codeRedirect:
    "redirect_uri is {redirectUri}; it must be the redirect_uri of the authorization request.",
  codeVerifierMissing: "code_verifier is missing; the authorization request had a code_challenge.",
  codeVerifierWrong: "code_verifier does not match: its SHA-256 must be the code_challenge.",
  challengeMethod: "code_challenge_method is {found}; it must be S256.",
  maxAge: "max_age is {found}; it must be a number of seconds.",
  grantUnknown: "grant_type is {found}; it must be one of {supported}.",
  requestUriUnknown:
    "The request_uri is unknown, has expired or was used before. Push the request again, and send " +
    "the customer to /auth within 60 seconds.",
  refreshScope:
    "scope is {scope}; a refresh token gives at most the scope of its own grant. Leave scope out.",
  requestObjectLacks:
    "The Request Object lacks {detail}. Parameters outside the Request Object do not count: add " +
    "{detail} to it, and sign it again.",
  scopeOpenid: "scope is {scope}; it must contain openid.",
  codeVerifierUnasked:
    "code_verifier was sent, but the authorization request lacked a code_challenge (method S256).",
  refreshUnknown:
    "The refresh token is unknown: it was never issued, it was revoked, or it expired some time " +
    "ago. Ask the customer to authorise again.",
  refreshExpired:
    "The refresh token has expired: it is valid for as long as the customer's consent.",
  otherClient: {
    sandbox:
      "The code or refresh token belongs to another client. Authenticate as the client that got " +
      "it, or send one that this client got.",
    production: "The code or refresh token is unknown.",
  },
  grantEnded: "The consent has ended: it was revoked, deleted or replaced, or it has expired.",

  // the consent of an authorization request
  consentUnnamed:
    "The claims must name exactly one consent. Name it in the claim openbanking_intent_id of " +
    "id_token, of userinfo, or of both. In the member or parameter claims, send this JSON, with " +
    "quotation marks: {id_token: {openbanking_intent_id: {value: CONSENT_ID}}}, where CONSENT_ID " +
    "is the ConsentId that the bank returned when it created the consent.",
  consentUnknown:
    "The consent {found} does not exist, or it belongs to another client. Name the ConsentId that " +
    "POST {paths} returned to this client.",
  consentScope: "scope is {scope}; the consent needs: {scopes}.",
  consentStatus:
    "The consent cannot be authorised: its status is {found}. {detail} Create a new consent.",
  consentUnanswered:
    "The consent was not authorised within {limit} of its creation: this time ended at {exp}; the " +
    "bank's time is {now}. Create a new consent.",
  consentExpired:
    "The consent has expired: its own ExpirationDateTime (ValidToDateTime in a VRP consent) was " +
    "{exp}; the bank's time is {now}. Create a new consent.",
  consentNotInRequest:
    "The Request Object must name one consent in the member openbanking-intent-id: the ConsentId that " +
    "the bank returned when it created the consent. If claims names a consent too, it must be the same.",

  // requests without a browser
  consentBusy:
    "A request for the consent {found} goes on. Poll it, or wait for its end, before you send another.",
  noConsentForTool:
    "The client has no consent for this scope that this customer can authorise now. Create one first.",
  unscannedTooMany:
    "The client has {limit} open requests without a hint, which are all that are allowed. Wait until " +
    "one is scanned or ends, or send a hint.",
  hintNotOffered:
    "The customer cannot be named in this way. Send id_token_hint, or login_hint_token with " +
    "ephemeral_sub or sub, or no hint if the customer scans the ConsentId in the app.",
  hintToken:
    "login_hint_token must be a JWT with exactly one of ephemeral_sub and sub, which must be a string.",
  idTokenHint:
    "id_token_hint must be an id_token that the bank has issued to this client, exactly as the bank " +
    "sent it.",
  hintsTwo:
    "The request has more than one hint. Send only one of id_token_hint and login_hint_token.",
  requestedExpiry:
    "requested_expiry is {found}; it must be a whole number of seconds. The shortest time is 10, " +
    "and the longest 600.",
  hintUnknown:
    "The hint names no customer of this client. sub must be that of a customer who has given this " +
    "client a consent; ephemeral_sub comes from the bank's app.",
  hintExpired:
    "The hint has expired, or it was used before. Ask the customer for a new one from the bank's app.",
  bindingMessage:
    "binding_message must have 1 to 20 characters: letters of A to Z, digits, spaces and - . : , + / ! ? # _",
  userCodeNotOffered: "The bank does not use user codes. Send the request without user_code.",
  customerNotAsked:
    "The bank does not ask this customer in its app now. Try again later, or send the customer's " +
    "browser to the authorization endpoint.",
  requestReplayed:
    "jti of the Request Object was used before. Sign a new Request Object for each request.",
  pollTooEarly: "The poll came too early. Wait 5 seconds longer between two polls from now on.",
  pollPending: "The customer has not decided yet. Poll again after the interval.",
  pollExpired: "The time of the request is over. The customer has not decided in time.",
  pollExpiredByClock: "The time of the request is over. {detail}",
  requestUnknown:
    "The auth_req_id is unknown: it was never issued to this client, or it ended a day ago or earlier.",
  requestUsed: "The tokens for this auth_req_id have been issued. Use the refresh token, if any.",
  authenticationContext: "acr is essential and asks for {found}; this bank offers {supported}.",

  // redirect URIs and scopes
  redirectUnregistered: {
    sandbox: "redirect_uri is {redirectUri}, which is not registered. Registered: {redirectUris}.",
    production: "redirect_uri is {redirectUri}, which is not registered for the client.",
  },
  scopeUnknown: "scope is {scope}, which contains an unknown value. Send one or more of: {scopes}.",
  scopeNotAllowed: "scope is {scope}; the client's roles do not include all of it.",

  unexplained: "The request was refused ({detail}). Quote the interaction id when you report it.",
  bankFailed: "The bank had an internal error. Quote the interaction id when you report it.",

  // access tokens
  tokenMalformed: "The Authorization header must be: Bearer, a space, and the access token.",
  tokenUnknown: {
    ...unknownToken,
    sandbox:
      "The access token is unknown: it was never issued, it was revoked, or it expired some time ago.",
  },
  tokenClient: { ...unknownToken, sandbox: "The client of the access token is {status}." },
  tokenCertificate: {
    ...unknownToken,
    sandbox:
      "The access token is bound to the client certificate that was used to get it: call {address} " +
      "with that certificate, or use another one to get a new token. The connection's certificate " +
      "is: {certificate}.",
  },
  tokenUnbound: {
    ...unknownToken,
    sandbox:
      "The access token is not bound to a certificate: it is accepted only from the " +
      "sandbox's own machine.",
  },
  tokenExpired: "The access token expired at {exp}; the bank's time is {now}.",
  tokenConsent: {
    sandbox: "The consent of the access token is no longer in use: {status}.",
    production: "The consent of the access token is no longer in use.",
  },
  tokenGrant: "The access token was issued by the grant {found}; this operation needs {token}.",
  tokenScope: "The access token has the scope {found}; this API needs {scope}.",
} as const satisfies Record<string, Texts>;

/** The reason of a refusal. */
export type RefusalReason = keyof typeof refusals;

const longest = 200;

/**
 * Returns the text of a refusal for a profile. It fits `error_description`: printable ASCII, no
 * quotes.
 */
export function describe(
  reason: RefusalReason,
  profile: Profile,
  facts: FailureFacts = {},
): string {
  const texts: Texts = refusals[reason];
  const text = typeof texts === "string" ? texts : texts[profile];
  return text.replace(/\{(\w+)\}/g, (_, name: FactName) => {
    const fact = facts[name];
    return plain((typeof fact === "function" ? fact() : fact) || "absent");
  });
}

/**
 * Converts a text to the characters that `error_description` allows, and shortens it. Source: RFC
 * 6749 section 5.2, RFC 6750 section 3.
 */
export const plain = (text: string, atMost = longest): string =>
  text
    .slice(0, atMost)
    .replace(/["\\]/g, "'")
    .replace(/[^\x20-\x7e]/g, "?");

/** The `WWW-Authenticate` of a refused access token. Source: RFC 6750 section 3. */
export const challenge = (error: string, description: string, scope?: string): string =>
  [
    `Bearer error="${error}"`,
    `error_description="${description}"`,
    ...(scope === undefined ? [] : [`scope="${scope}"`]),
  ].join(", ");
