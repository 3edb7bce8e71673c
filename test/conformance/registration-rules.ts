import type { RuleRow } from "./rule.ts";

/** The rules of client registration v3.3, in the order of their ids. */
export const registrationRules: readonly RuleRow[] = [
  // endpoints and protocol
  ["R-014", "client_credentials with an empty or missing scope is 200"],
  ["R-024", "token_endpoint accepts client certificates"],
  ["R-025", "discovery is served to a caller without a client certificate"],
  // certificate names
  ["R-080", "four notations of organizationIdentifier match one certificate"],
  ["R-081", "attributes may be in the order of the certificate or the reverse"],
  ["R-082", "escapes, white space, letter case and string types make no difference"],
  ["R-083", "a multi-valued RDN in a registered name matches nothing"],
  ["R-084", "a legal name with a comma or brackets is registered with escapes"],
  ["R-085", "identifier, CN and C of an eIDAS-type certificate must match; O may differ"],
  ["R-086", "each token request compares the certificate with the registered name"],
  ["R-089", "a certificate renewed under the same registration touches no consent"],
  ["R-091", "a refresh with a renewed certificate binds the new tokens to it"],
  ["R-092", "a certificate for seals is refused for TLS"],
  ["R-094", "RSA keys under 2,048 bits, SHA-1 signatures and wrong dates are refused"],
  ["R-095", "a certificate that a proxy hands on counts only from the configured proxies"],
  // trust anchors and revocation
  ["R-123", "anchors are files and folders, reloaded without a restart and logged"],
  ["R-124", "the chain is built from the certificate and the configured issuing authorities"],
  ["R-125", "lists are fetched ahead, a responder is the fallback, no request waits for a call"],
  ["R-126", "without list and responder, soft uses the last status and hard refuses after a time"],
  ["R-127", "a revoked certificate gets 401, and consents continue with the next one"],
  // the conformance tool
  ["R-144", "a client assertion without kid verifies with any fitting key of the client"],
  ["R-145", "a client assertion may name either token endpoint or the issuer, and last 30 minutes"],
  ["R-146", "both authentication methods work with the URLs that discovery gives"],
];
