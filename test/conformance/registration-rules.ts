import type { RuleRow } from "./rule.ts";

/** The rules of client registration v3.3, in the order of their ids. */
export const registrationRules: readonly RuleRow[] = [
  // endpoints and protocol
  ["R-014", "client_credentials with an empty or missing scope is 200"],
  ["R-024", "token_endpoint accepts client certificates"],
  ["R-025", "discovery is served to a caller without a client certificate"],
  // the conformance tool
  ["R-144", "a client assertion without kid verifies with any fitting key of the client"],
  ["R-145", "a client assertion may name either token endpoint or the issuer, and last 30 minutes"],
  ["R-146", "both authentication methods work with the URLs that discovery gives"],
];
