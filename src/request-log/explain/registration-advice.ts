import { type Advice, advise } from "./advice-row.ts";

const errors = "RFC 7591 section 3.2.2";
const signed = "RFC 7515 section 5.2";
const metadata = "RFC 7591 section 2";
const statement = "RFC 7591 section 2.3";

type Words = [where: string, expected: string, next: string, ...sections: string[]];

const rows: Readonly<Record<string, Words>> = {
  "R-012": [
    "client certificate",
    "a client certificate of a trusted issuer",
    "Call the mutual TLS address with the transport certificate and its key.",
    "RFC 8705 section 2.1",
  ],
  "R-013": [
    "Authorization",
    "a client credentials token of this client",
    "Get a token with the grant client_credentials as this client.",
    "RFC 6750 section 3.1",
  ],
  "R-015": [
    "content-type",
    "application/jose or application/jwt",
    "Send the signed request with content-type application/jose.",
    errors,
  ],
  "R-016": [
    "content-type",
    "a compact JWS, not a JSON string",
    "Send the JWS itself, without quotation marks.",
    errors,
  ],
  "R-018": [
    "Authorization",
    "`Authorization: Bearer` and a valid token of this client",
    "Get a token with client credentials, and send `Authorization: Bearer TOKEN`.",
    "RFC 6750 section 3.1",
  ],
  "R-019": [
    "Authorization",
    "a token of the client that the path names",
    "Use the path of your own client_id, with a new token: this one was revoked.",
    "RFC 6750 section 3.1",
  ],
  "R-020": [
    "Authorization",
    "a token of a client that was not deleted",
    "Register again: the client was deleted.",
    "RFC 6750 section 3.1",
  ],
  "R-021": [
    "Authorization",
    "a token that may manage the client",
    "Get a token with the grant client_credentials.",
    "RFC 6750 section 3.1",
  ],
  "R-022": [
    "the method",
    "a method of the header Allow",
    "Use a method that the header Allow names.",
    "RFC 9110 section 15.5.6",
  ],
  "R-026": [
    "the rate",
    "fewer requests from this certificate and address",
    "Wait for the number of seconds in Retry-After, then send it again.",
    "RFC 6585 section 4",
  ],
  "R-040": [
    "alg",
    "PS256, or another algorithm that the bank offers",
    "Sign the request with PS256.",
    signed,
  ],
  "R-041": [
    "kid",
    "the kid of a signature key that the directory publishes",
    "Send the kid of a signing key of the software's JWKS, and sign with this key.",
    signed,
  ],
  "R-042": [
    "jwk",
    "no key and no key URL in the header",
    "Leave jwk, jku, x5c and x5u out of the header: only kid counts.",
    signed,
  ],
  "R-043": [
    "iss",
    "the software_id of the software statement",
    "Send the software_id of the statement as iss.",
    signed,
  ],
  "R-044": [
    "iat",
    "the time of signing, in seconds",
    "Set iat to now, in seconds, and check the machine's clock.",
    "RFC 7519 section 4.1.6",
  ],
  "R-045": [
    "exp",
    "a time in seconds after now, at most an hour after iat",
    "Set exp to at most an hour after iat, in seconds.",
    "RFC 7519 section 4.1.4",
  ],
  "R-046": [
    "aud",
    "an audience of the bank",
    "Send the audience that the message names as aud.",
    "RFC 7519 section 4.1.3",
  ],
  "R-047": [
    "jti",
    "a UUID of version 4 that was not used before",
    "Make a new UUID of version 4 as jti for each request.",
    "RFC 7519 section 4.1.7",
  ],
  "R-048": [
    "client_id",
    "no client_id on POST, and that of the path on PUT",
    "Leave client_id out of a new registration; on PUT, send that of the path.",
    metadata,
  ],
  "R-049": [
    "redirect_uris",
    "https URIs that the software statement has too",
    "Register only redirect URIs of the statement, or get a new statement with this one.",
    metadata,
  ],
  "R-051": [
    "token_endpoint_auth_method",
    "private_key_jwt or tls_client_auth",
    "Send private_key_jwt or tls_client_auth.",
    metadata,
  ],
  "R-052": [
    "token_endpoint_auth_signing_alg",
    "an algorithm of the bank, with private_key_jwt",
    "Send PS256 with private_key_jwt.",
    metadata,
  ],
  "R-053": [
    "tls_client_auth_subject_dn",
    "the subject of the client certificate, with tls_client_auth",
    "Copy the subject of the transport certificate.",
    "RFC 8705 section 2.1.2",
  ],
  "R-054": [
    "grant_types",
    "authorization_code and client_credentials",
    "Send authorization_code and client_credentials, and no grant that is not offered.",
    metadata,
  ],
  "R-055": [
    "response_types",
    "code, code id_token or both",
    "Send code, code id_token or both.",
    metadata,
  ],
  "R-057": [
    "software_id",
    "the software_id of the statement",
    "Copy software_id from the statement.",
    statement,
  ],
  "R-058": [
    "scope",
    "one text of known scopes, with spaces between",
    "Send scopes that the message names, in one text.",
    metadata,
  ],
  "R-059": [
    "scope",
    "scopes of the roles of the software statement",
    "Ask for scopes of the statement's roles, or add the role in the directory.",
    statement,
  ],
  "R-060": [
    "software_statement",
    "a software statement as text",
    "Put the statement of the directory into software_statement.",
    statement,
  ],
  "R-061": ["application_type", "web, mobile or native", "Send web, mobile or native.", metadata],
  "R-062": ["id_token_signed_response_alg", "PS256", "Send PS256.", metadata],
  "R-063": [
    "request_object_signing_alg",
    "PS256, or another algorithm that the bank offers",
    "Send PS256.",
    metadata,
  ],
  "R-064": [
    "backchannel_token_delivery_mode",
    "poll or ping",
    "Send poll or ping.",
    "CIBA Core section 4",
  ],
  "R-065": [
    "backchannel_client_notification_endpoint",
    "an https URL",
    "Send an https URL, or choose poll.",
    "CIBA Core section 4",
  ],
  "R-066": [
    "backchannel_authentication_request_signing_alg",
    "PS256, or another algorithm that the bank offers",
    "Send PS256.",
    "CIBA Core section 4",
  ],
  "R-067": [
    "backchannel_user_code_parameter",
    "false",
    "Send false, or leave it out.",
    "CIBA Core section 4",
  ],
  "R-069": [
    "the body",
    "one compact JWS of at most 64 kB whose members have different names",
    "Send one compact JWS: three parts, base64url without padding.",
    errors,
  ],
  "R-087": [
    "client certificate",
    "a certificate of the organisation of the statement",
    "Connect with a certificate of the same organisation as the statement.",
    "RFC 8705 section 2.1",
  ],
  "R-090": [
    "software_statement",
    "a statement of the software that is registered",
    "Register other software with POST.",
    statement,
  ],
  "R-094": [
    "jwks",
    "RSA keys of 2,048 bits or more, and dates that fit",
    "Publish a key of 2,048 bits or more in the directory.",
    "RFC 7518 section 3.5",
  ],
  "R-101": [
    "software_statement",
    "a statement that a trusted directory has signed",
    "Get the statement from a directory that the bank trusts, and send it unchanged.",
    statement,
  ],
  "R-103": [
    "iat of the software statement",
    "a statement that is young enough",
    "Get a new statement from the directory.",
    statement,
  ],
  "R-104": [
    "software_statement",
    "a statement that may be used again",
    "Get a new statement from the directory.",
    statement,
  ],
  "R-105": [
    "org_status",
    "an active organisation",
    "Ask the directory about the status of the organisation.",
    statement,
  ],
  "R-106": [
    "software_roles",
    "a role that the competent authority has authorised in GB",
    "Ask only for scopes of roles that are authorised.",
    statement,
  ],
  "R-107": [
    "software_mode",
    "software in live mode",
    "Set the software to live in the directory, and get a new statement.",
    statement,
  ],
  "R-108": [
    "software_environment",
    "a statement of the bank's environment",
    "Get the statement from the directory of the same environment.",
    statement,
  ],
  "R-109": [
    "software_jwks_endpoint",
    "an https address of a listed host, or keys in the statement",
    "Publish the keys at the directory.",
    statement,
  ],
  "R-111": [
    "software_client_name",
    "names of characters that are safe to display",
    "Change the name in the directory, and get a new statement.",
    statement,
  ],
  "R-112": [
    "client_id",
    "a client that the directory lists as active",
    "Ask the directory about the status of the software.",
    "RFC 7591 section 5",
  ],
  "R-122": ["kid", "a key that is not revoked", "Sign with another key of the software.", signed],
  "R-141": [
    "the bank",
    "a bank and a directory that answer",
    "Nothing to correct: send the same request again later.",
    errors,
  ],
};

/** The advice on each rule that a registration may break. Source: RFC 7519 section 4.1.4. */
export const registrationAdvice: Readonly<Record<string, Advice>> = Object.fromEntries(
  Object.entries(rows).map(([rule, [where, expected, next, ...sections]]) => [
    rule,
    advise(where, expected, next, rule, ...sections),
  ]),
);
