/** What a bank does differently. About the rest, the library does what the standard says. */
export type Deviations = {
  /** `http://openbanking.org.uk/iss` of requests: one of the two forms, or another text. */
  signatureIssuer: "organisation/software" | "organisation" | (string & {});
  /** The `kid` of requests' signatures, if it is not that of the key. */
  signatureKeyId: string | null;
  /** Whether requests are signed as before v3.1.4: over the plain body, with `b64: false`. */
  signatureB64: boolean;
  /** `typ` of requests' signatures; null leaves it out. */
  signatureType: string | null;
  /** `cty` of requests' signatures; null leaves it out. */
  signatureContentType: string | null;
  /** `http://openbanking.org.uk/tan` of requests. */
  trustAnchor: string;
  /** Whether the bank signs its answers where the standard says so. */
  answerSignatures: "always" | "sometimes" | "never";
  /** `aud` of request objects; null is the issuer. */
  requestObjectAudience: string | null;
  /** Parameters that are repeated beside the request object. */
  repeatedParameters: readonly string[];
  /** `response_mode` of authorization requests; null is that of the profile. */
  responseMode: string | null;
  /** `aud` of client assertions: one of the two, or another text. */
  assertionAudience: "issuer" | "token endpoint" | (string & {});
  /** Claims of the id_token that must be as requested. */
  checkedClaims: readonly ("openbanking_intent_id" | "acr")[];
  /** Whether id_tokens name the `nonce`; only an answer with a code alone can do without. */
  idTokenNonce: "required" | "absent";
  /** Seconds that a new consent needs before the customer can be sent. */
  consentDelaySeconds: number;
  /** Whether `Links.Next` is called as given, or on the host and base path that you configured. */
  pageLinks: "as given" | "on the configured host";
  /** The media type of registration requests. */
  registrationContentType: "application/jose" | "application/jwt";
  /** `aud` of registration requests; null is the issuer. */
  registrationAudience: string | null;
  /** Whether `jti` of registration requests is in lower or upper case. */
  registrationIdCase: "lower" | "upper";
  /** The scope of the token with which a registration is managed; null sends none. */
  registrationScope: string | null;
};

/** What the standard says. */
export const standard: Deviations = {
  signatureIssuer: "organisation/software",
  signatureKeyId: null,
  signatureB64: false,
  signatureType: null,
  signatureContentType: null,
  trustAnchor: "openbanking.org.uk",
  answerSignatures: "always",
  requestObjectAudience: null,
  repeatedParameters: [],
  responseMode: null,
  assertionAudience: "issuer",
  checkedClaims: ["openbanking_intent_id", "acr"],
  idTokenNonce: "required",
  consentDelaySeconds: 0,
  pageLinks: "as given",
  registrationContentType: "application/jose",
  registrationAudience: null,
  registrationIdCase: "lower",
  registrationScope: null,
};
