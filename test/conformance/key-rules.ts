import type { RuleRow } from "./rule.ts";

/**
 * The rules of the bank's signing keys. Source: FAPI 1.0 Advanced section 8.6; RFC 7517 section 4;
 * OpenID Connect Core section 10.1.1: it leaves the periods of a rotation to the bank.
 */
export const keyRules: readonly RuleRow[] = [
  ["K-001", "each published key has a kid, alg, use and certificate, and no private members"],
  ["K-002", "a key is published for a day before its first signature"],
  ["K-003", "from its date a key signs everything, and TPPs can verify every signature"],
  ["K-004", "a retired key is published for 30 days"],
  ["K-005", "a key that has leaked is withdrawn immediately"],
  ["K-006", "keys have at least 2048 bits, and each has its own kid and certificate"],
  [
    "K-007",
    "a private key may be in another process, and if that process fails, nothing is sent unsigned",
  ],
];
