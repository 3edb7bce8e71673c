import { claim, each, type Hostile } from "./hostile-row.ts";

const flags: [string, unknown][] = [
  ["null", null],
  ["a text", "true"],
  ["a number", 1],
  ["a list", [true]],
  ["an object", {}],
];

const mixed = (rule: string, name: string, change: object): Hostile =>
  claim(rule, `FAPI 2.0 and ${name}`, {
    require_pushed_authorization_requests: true,
    response_types: ["code"],
    ...change,
  });

/** Requests whose members do not choose one security profile. */
export const profileClaims: readonly Hostile[] = [
  ...each(claim, "S-001", "require_pushed_authorization_requests", flags),
  ...each(claim, "S-002", "require_signed_request_object", flags),
  ...each(mixed, "R-055", "response_types", [
    ["code id_token", ["code id_token"]],
    ["code and code id_token", ["code", "code id_token"]],
    ["an empty list", []],
    ["a text", "code"],
    ["null", null],
  ]),
  ...each(mixed, "S-002", "require_signed_request_object", flags),
  ...each(mixed, "S-004", "authorization_signed_response_alg", [
    ["ES256", "ES256"],
    ["none", "none"],
    ["null", null],
  ]),
  ...each(mixed, "S-004", "tls_client_certificate_bound_access_tokens", [
    ["false", false],
    ["a text", "true"],
  ]),
  ...each(mixed, "S-004", "dpop_bound_access_tokens", [
    ["true", true],
    ["null", null],
  ]),
];
