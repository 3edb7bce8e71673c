// The members of JSON and JWTs outside the APIs whose values the log keeps. None of them is secret.

const kept: ReadonlySet<string> = new Set([
  // of a JWT
  "aud",
  "azp",
  "exp",
  "iat",
  "iss",
  "jti",
  "nbf",
  "sub",
  // of an event token
  "events",
  "toe",
  "txn",
  // of an authorization request
  "acr_values",
  "binding_message",
  "claims",
  "claims_locales",
  "client_id",
  "code_challenge",
  "code_challenge_method",
  "display",
  "max_age",
  "openbanking-intent-id",
  "prompt",
  "redirect_uri",
  "requested_expiry",
  "response_mode",
  "response_type",
  "scope",
  "ui_locales",
  // of answers
  "acr",
  "active",
  "amr",
  "auth_time",
  "cnf",
  "error",
  "error_description",
  "expires_in",
  "faults",
  "interval",
  "message",
  "openbanking_intent_id",
  "token_type",
  // of a registration
  "application_type",
  "client_id_issued_at",
  "client_name",
  "client_secret_expires_at",
  "client_uri",
  "contacts",
  "grant_types",
  "jwks",
  "jwks_uri",
  "logo_uri",
  "policy_uri",
  "redirect_uris",
  "require_pushed_authorization_requests",
  "require_signed_request_object",
  "response_types",
  "tls_client_auth_subject_dn",
  "tls_client_certificate_bound_access_tokens",
  "tos_uri",
]);

// further members of a registration and of the software statement in it
const keptFamilies =
  /^(?:backchannel|ob|org|organisation|software)_[a-z_]{1,60}$|^[a-z_]{1,60}_(?:alg|enc|method)$/;

/** Whether the log keeps the value of a member or a claim. */
export const isKeptMember = (name: string): boolean => kept.has(name) || keptFamilies.test(name);

const jwtHeaders: ReadonlySet<string> = new Set([
  "alg",
  "b64",
  "crit",
  "cty",
  "enc",
  "jku",
  "jwk",
  "kid",
  "typ",
  "x5c",
  "x5t",
  "x5t#S256",
  "x5u",
]);

/** Whether the log keeps a member of the header of a JWT. */
export const isKeptHeaderOfJwt = (name: string): boolean =>
  jwtHeaders.has(name) || name.startsWith("http://openbanking.org.uk/");

const publicMembers: ReadonlySet<string> = new Set([
  "alg",
  "crv",
  "e",
  "key_ops",
  "kid",
  "kty",
  "n",
  "use",
  "x",
  "x5c",
  "x5t",
  "x5t#S256",
  "x5u",
  "y",
]);

/** Whether a member of a JSON Web Key is public. */
export const isPublicMemberOfKey = (name: string): boolean => publicMembers.has(name);
