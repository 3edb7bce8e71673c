import type { RuleRow } from "./rule.ts";

/**
 * The rules of FAPI 2.0, for clients whose registration chooses it: the Security Profile, and
 * Message Signing on top of it.
 */
export const fapi2Rules: readonly RuleRow[] = [
  // the choice of the profile
  ["S-001", "require_pushed_authorization_requests chooses FAPI 2.0, and nothing else does"],
  ["S-002", "require_signed_request_object chooses Message Signing among the profiles of FAPI 2.0"],
  ["S-003", "response_types is code for FAPI 2.0, also by default"],
  ["S-004", "members that contradict the chosen profile are refused"],
  ["S-005", "a change of the profile keeps consents, codes and refresh tokens"],
  // authorization requests
  ["S-010", "an authorization request that was not pushed is refused"],
  ["S-011", "a pushed request needs client authentication"],
  ["S-012", "only clients of the Security Profile may push a request without a signature"],
  ["S-013", "a request object is signed by the client, for the issuer, for at most an hour"],
  ["S-014", "PKCE with S256 is required, and the code needs its verifier"],
  ["S-015", "redirect_uri is required and must be registered"],
  ["S-016", "a request_uri is valid for a minute, for its client, until it is used"],
  ["S-017", "parameters outside of a pushed request change nothing"],
  ["S-018", "response_type is code, in a response mode of the profile"],
  ["S-019", "a request has either a request object or a request_uri, not both"],
  // responses
  ["S-020", "responses and errors have iss, and state if the request has it"],
  ["S-021", "responses and errors of Message Signing are signed"],
  // client authentication, codes and tokens
  ["S-030", "aud of a client assertion is the issuer, as one string"],
  ["S-031", "a code is used once, within a minute, by its client, with its redirect_uri"],
  ["S-032", "tokens are bound to the client certificate"],
  ["S-033", "refresh tokens do not rotate"],
  [
    "S-034",
    "client assertions are signed with PS256 or ES256, and may be issued ten seconds in the future",
  ],
  ["S-035", "tokens are bound by DPoP", "optional: tokens are bound by mutual TLS"],
  ["S-036", "messages are signed as in HTTP Message Signatures", "x-jws-signature signs messages"],
  // metadata, and clients of FAPI 1.0 Advanced
  ["S-040", "discovery has the members that clients of FAPI 2.0 need"],
  ["S-050", "registrations and requests of FAPI 1.0 Advanced keep their meaning"],
];
