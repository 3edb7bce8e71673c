import type { RuleRow } from "./rule.ts";

/**
 * The rules of client-initiated backchannel authentication: OpenID CIBA Core 1.0, FAPI-CIBA, and
 * the section on CIBA of the Read/Write Data API profile.
 */
export const cibaRules: readonly RuleRow[] = [
  // approvals in the bank's app
  ["CB-01", "a journey asks for the factors that the bank's own pages ask for, and for no other"],
  ["CB-02", "the waiting page names the app, what is approved and until when, and can be left"],
  ["CB-03", "it works without scripts, and the core is asked every 2 seconds at most"],
  ["CB-04", "page and app show the same, and an answer counts only for what was shown"],
  ["CB-05", "the app asks for the two digits that the page shows"],
  ["CB-06", "a refusal in the app is access_denied, and rejects the consent with U033"],
  ["CB-07", "if nobody answers in time, only the customer asks for another request"],
  ["CB-08", "an answer counts once, and a late one changes nothing"],
  [
    "CB-09",
    "requests that a customer does not approve are limited, for each client and for all together",
  ],
  ["CB-10", "an approval authorises nothing while the customer must still choose in the browser"],
  ["CB-11", "the five minutes after the authentication begin when the app answered"],
  ["CB-12", "the evidence says who, when and how, with the hash of what was shown"],
  [
    "CB-13",
    "the page asks only for an identifier if the app has both factors",
    "whoever knows an identifier could send requests to a stranger's phone; a customer without a " +
      "password approves in the app alone, or at the bank's own provider",
  ],
  ["CB-14", "Aldgate asks the core for each answer, so nobody has to call the bank with it"],
  ["CB-15", "while the core cannot be reached, the page waits, and no answer is lost"],
  // app-to-app
  ["CB-20", "the app opens in place of the browser, with the details of the request"],
  ["CB-21", "without the app, the same URL works in the browser"],
  ["CB-22", "the customer can use the biometrics of the app"],
  ["CB-23", "the link is the authorization endpoint of the discovery document, by https"],
  ["CB-24", "the host of the authorization endpoint serves the association files"],
  ["CB-25", "each brand has a host of its own, whose files and discovery document are its own"],
  ["CB-26", "the app hands the URL on unchanged, and the bank judges it as in a browser"],
  ["CB-27", "the app shows the words of the pages, and the accounts with why they are unavailable"],
  ["CB-28", "a decision carries customer, accounts, evidence and the hash of what was shown"],
  ["CB-29", "the app opens the TPP's redirect URI as it is, with its fragment"],
  ["CB-30", "an app cannot take over a journey of a browser by its id, nor the other way round"],
  ["CB-31", "the waiting page has a link that opens the app, for phones that have not opened it"],
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
  // the official plan
  ["CB-150", "in a sandbox, a test tool can leave out the consent"],
  ["CB-151", "the tokens of the plan work at the resource"],
  ["CB-152", "in a sandbox, a request can be answered by its auth_req_id"],
  ["CB-153", "in a sandbox, a test tool names the customer in each request by the same hint"],
  ["CB-154", "the endpoint has an alias for mutual TLS"],
  ["CB-155", "the auth_req_id is random, and errors have the form that the plan demands"],
];
