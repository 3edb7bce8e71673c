import { present } from "#src/lib/assert.ts";

/** The names of the security profiles, as the sandbox and the command line use them. */
export const profileIds = ["fapi1", "fapi2", "fapi2-message-signing"] as const;
/** The name of a security profile. */
export type ProfileId = (typeof profileIds)[number];

/**
 * The registered members that choose a profile; an absent member is false. Source: RFC 9126 section
 * 6, RFC 9101 section 10.5.
 */
export type ChoosingMembers = {
  require_pushed_authorization_requests: boolean;
  require_signed_request_object?: boolean;
};

/** The addresses that a client assertion may have as its audience. */
type AssertionTargets = {
  issuer: string;
  /** The token endpoint and the called endpoint, each on both hosts. */
  endpoints: readonly string[];
};

/**
 * A security profile: a row with all that differs between clients. A client's registration chooses
 * its profile. See decision 0033.
 */
export type SecurityProfile = {
  id: ProfileId;
  title: string;
  chosenBy: ChoosingMembers;
  /** The profile whose rules the library of the authorization server applies. */
  libraryRules: "1.0 Final" | "2.0";
  /** The members that are stored and shown for its clients, besides the usual ones. */
  registered: Partial<ChoosingMembers>;
  /** Members that may be registered with only this value; they are shown if they are registered. */
  fixed: Readonly<Record<string, unknown>>;
  /** The members that the library reads; they decide how a request arrives. */
  enforced: { require_signed_request_object: boolean; response_modes?: readonly string[] };
  /** The values that `response_types` may contain. */
  responseTypes: readonly string[];
  /** The registered value if the request has no `response_types`. */
  defaultResponseTypes: readonly string[];
  /** The allowed responses, as a message for the TPP lists them. */
  responses: string;
  /** The values of `aud` that a client assertion may have. */
  assertionAudiences(targets: AssertionTargets): string[];
  /** Whether `aud` of a client assertion must be one string instead of a list. */
  isAudienceOneText: boolean;
  /** Whether a sandbox may have clients whose tokens are not bound to a certificate. */
  mayBeUnbound: boolean;
};

const pushed = {
  libraryRules: "2.0",
  // the bank signs everything with PS256, and binds tokens by mutual TLS
  fixed: {
    authorization_signed_response_alg: "PS256",
    tls_client_certificate_bound_access_tokens: true,
    dpop_bound_access_tokens: false,
  },
  responseTypes: ["code"],
  defaultResponseTypes: ["code"],
  assertionAudiences: ({ issuer }: AssertionTargets) => [issuer],
  isAudienceOneText: true,
  mayBeUnbound: false,
} as const;

const unsignedRequests = {
  require_pushed_authorization_requests: true,
  require_signed_request_object: false,
};
const signedRequests = { ...unsignedRequests, require_signed_request_object: true };
const signedModes = ["jwt", "query.jwt", "form_post.jwt"];

/**
 * The security profiles. A registration without the members that choose a profile gets the first
 * one.
 */
export const securityProfiles: readonly SecurityProfile[] = [
  {
    id: "fapi1",
    title: "FAPI 1.0 Advanced",
    chosenBy: { require_pushed_authorization_requests: false },
    libraryRules: "1.0 Final",
    registered: {},
    fixed: {},
    enforced: { require_signed_request_object: true },
    responseTypes: ["code id_token", "code"],
    defaultResponseTypes: ["code id_token"],
    responses:
      "code id_token with fragment, form_post, jwt, fragment.jwt or form_post.jwt; or code with " +
      "jwt, query.jwt, fragment.jwt or form_post.jwt",
    assertionAudiences: ({ issuer, endpoints }) => [issuer, ...endpoints],
    isAudienceOneText: false,
    mayBeUnbound: true,
  },
  {
    ...pushed,
    id: "fapi2",
    title: "FAPI 2.0 Security Profile",
    chosenBy: unsignedRequests,
    registered: unsignedRequests,
    enforced: {
      require_signed_request_object: false,
      response_modes: ["query", "form_post", ...signedModes],
    },
    responses: `code with query, form_post, ${signedModes.join(" or ")}`,
  },
  {
    ...pushed,
    id: "fapi2-message-signing",
    title: "FAPI 2.0 Message Signing",
    chosenBy: signedRequests,
    registered: signedRequests,
    enforced: { require_signed_request_object: true, response_modes: signedModes },
    responses: `code with ${signedModes.join(" or ")}`,
  },
];

/** Returns the security profile that a client's metadata selects. */
export function securityProfileOf(metadata: object): SecurityProfile {
  const has = (name: string): boolean =>
    (metadata as Readonly<Record<string, unknown>>)[name] === true;
  const chosen = securityProfiles.find(({ chosenBy }) =>
    Object.entries(chosenBy).every(([name, value]) => has(name) === value),
  );
  return present(chosen, "a profile for every choice of members");
}

/** Returns the security profile with that name. */
export const securityProfileNamed = (id: ProfileId): SecurityProfile =>
  present(
    securityProfiles.find((profile) => profile.id === id),
    id,
  );
