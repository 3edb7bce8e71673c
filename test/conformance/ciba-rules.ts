import type { RuleRow } from "./rule.ts";

/**
 * The rules of client-initiated backchannel authentication: OpenID CIBA Core 1.0, FAPI-CIBA, and
 * the section on CIBA of the Read/Write Data API profile.
 */
export const cibaRules: readonly RuleRow[] = [
  // approvals in the bank's app
  ["CB-07", "if nobody answers in time, only the customer asks for another request"],
  ["CB-08", "an answer counts once, and a late one changes nothing"],
  [
    "CB-09",
    "requests that a customer does not approve are limited, for each client and for all together",
  ],
  // CIBA Core
  ["CB-40", "a request has openid in its scope and at most one hint; the client is authenticated"],
  ["CB-41", "the signed request has aud, iss, exp, iat, nbf and jti, which is used once"],
  ["CB-42", "requested_expiry is a positive whole number, as a number or as text"],
  ["CB-43", "an accepted request has an unguessable auth_req_id, expires_in and interval"],
  ["CB-44", "each error of the endpoint has its code, and unknown customers cannot be told apart"],
  ["CB-45", "a faulty signed request is invalid_request"],
  ["CB-46", "tokens are bound to the client's certificate"],
  [
    "CB-47",
    "polls are authorization_pending, slow_down, expired_token, access_denied or invalid_grant",
  ],
  ["CB-48", "an auth_req_id gives tokens once, also if several polls come at once"],
  [
    "CB-49",
    "the bank pings after an approval and a refusal, follows no redirect, and the client may poll",
  ],
  ["CB-50", "tokens are pushed to the client", "forbidden by FAPI-CIBA"],
  ["CB-51", "discovery has the endpoint, its alias, the modes, the algorithms and the grant"],
  ["CB-52", "a client registers its mode, its notification endpoint and its algorithm"],
  ["CB-53", "a client that only uses CIBA needs no redirect URI", "registration needs one"],
  ["CB-54", "the id_token is that of the code flow"],
  // FAPI-CIBA
  ["CB-60", "clients are authenticated by private_key_jwt or by their certificates"],
  ["CB-61", "poll and ping are offered, push is not"],
  ["CB-62", "the consent is the context of the request, and binding_message is optional"],
  ["CB-63", "hints name only the customer, and the consent has a member of its own"],
  ["CB-64", "acr is in the id_token if it was requested"],
  ["CB-65", "exp of the signed request is at most 60 minutes after nbf"],
  ["CB-66", "an unsigned request is refused, for every security profile"],
  ["CB-67", "request_context is a JSON object"],
  ["CB-68", "requests are signed with PS256, or ES256 if that is configured"],
  ["CB-69", "a customer who is known to the client only by name cannot be asked"],
  ["CB-70", "the app shows the binding message, which tells two requests apart"],
  ["CB-72", "discovery names the types of login_hint_token", "only in a draft of FAPI-CIBA"],
  // Read/Write Data API profile
  ["CB-80", "CIBA is offered only if customers can approve in the bank's app"],
  ["CB-81", "openbanking-intent-id in the signed request names the consent"],
  ["CB-82", "the tokens belong to this consent and to one customer"],
  ["CB-83", "a consent has at most one open request"],
  [
    "CB-84",
    "login_hint_token with sub names a customer of the client; email and phone_number are refused",
  ],
  [
    "CB-85",
    "login_hint_token with ephemeral_sub names a customer by an identifier of the bank's app",
  ],
  ["CB-86", "without a hint, the customer scans the consent's id in the app"],
  ["CB-87", "id_token_hint names the customer of the client's own id_token"],
  ["CB-90", "a refusal, or the end of the time, rejects a consent that was never authorised"],
  ["CB-91", "a consent that cannot be authorised is invalid_request, and no customer is disturbed"],
  ["CB-92", "the scope is openid and that of the consent"],
  [
    "CB-93",
    "a request lives 300 seconds, or as asked for from 10 to 600; the interval is 5 seconds",
  ],
  ["CB-94", "an authorised access consent can be authorised again"],
];
