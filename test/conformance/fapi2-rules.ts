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
  ["S-050", "registrations and requests of FAPI 1.0 Advanced keep their meaning"],
];
