import { organisationId, softwareId } from "./bed.ts";
import { envelopes } from "./hostile-envelopes.ts";
import { profileClaims } from "./hostile-profiles.ts";
import { claim, each, type Hostile, notList, notText, now, tls } from "./hostile-row.ts";
import { certificates, statementEnvelopes, statements } from "./hostile-statements.ts";

const ciba = "urn:openid:params:grant-type:ciba";
// the members of a client that begins approvals without a browser
const backchannel = {
  grant_types: ["authorization_code", "client_credentials", ciba],
  backchannel_token_delivery_mode: "ping",
  backchannel_client_notification_endpoint: "https://tpp.example/decided",
  backchannel_authentication_request_signing_alg: "PS256",
};

const backchannelClaims: Hostile[] = (
  [
    ["R-064", "backchannel_token_delivery_mode", undefined],
    ["R-064", "backchannel_token_delivery_mode", "push"],
    ["R-065", "backchannel_client_notification_endpoint", undefined],
    ["R-065", "backchannel_client_notification_endpoint", "http://tpp.example/decided"],
    ["R-065", "backchannel_client_notification_endpoint", "https://tpp.example/decided#here"],
    ["R-065", "backchannel_client_notification_endpoint", ["https://tpp.example/decided"]],
    ["R-066", "backchannel_authentication_request_signing_alg", undefined],
    ["R-066", "backchannel_authentication_request_signing_alg", "RS256"],
    ["R-066", "backchannel_authentication_request_signing_alg", "none"],
    ["R-067", "backchannel_user_code_parameter", true],
    ["R-067", "backchannel_user_code_parameter", "false"],
  ] as const
).map(([rule, name, value]) =>
  claim(rule, `${name} ${JSON.stringify(value)}`, { ...backchannel, [name]: value }),
);

const requestClaims: Hostile[] = [
  ...each(claim, "R-043", "iss", [
    ...notText,
    ["foo.is/invalid", "foo.is/invalid"],
    ["of 30 digits", "1".repeat(30)],
    ["of other software", "otherSoftware"],
    ["in another case", softwareId.toLowerCase()],
  ]),
  ...each(claim, "R-044", "iat", [
    ["absent", undefined],
    ["a text", "now"],
    ["a fraction", now() + 0.5],
    ["negative", -1],
    ["in milliseconds", Date.now() * 1000],
    ["five minutes from now", now() + 300],
  ]),
  ...each(claim, "R-045", "exp", [
    ["absent", undefined],
    ["null", null],
    ["a text", String(now() + 60)],
    ["an hour ago", now() - 3600],
    ["a minute ago", now() - 60],
    ["zero", 0],
    ["two hours from now", now() + 7200],
    ["in milliseconds", Date.now()],
    ["infinite", 1e300],
  ]),
  claim("R-045", "a life of an hour from an iat two hours from now", {
    iat: now() + 7200,
    exp: now() + 10_800,
  }),
  ...each(claim, "R-046", "aud", [
    ...notText,
    ["of another bank", "https://other.example"],
    ["a list of other banks", ["https://other.example"]],
  ]),
  ...each(claim, "R-047", "jti", [
    ...notText,
    ["not a UUID", "1"],
    ["a UUID of version 1", "6fa459ea-ee8a-11e8-8a3d-0800200c9a66"],
    ["with a quote", "6fa459ea-ee8a-4ca4-894e-db77e160355'"],
  ]),
  ...each(claim, "R-048", "client_id", [
    ["of 37 characters", "x".repeat(37)],
    ["a number", 7],
    ["empty", ""],
    ["null", null],
  ]),
  ...each(claim, "R-049", "redirect_uris", [
    ...notList.filter(([what]) => what !== "a text"),
    ["a text", "https://tpp.example/callback"],
    ["an unregistered URI", ["https://tpp.example/callback2"]],
    ["with a query added", ["https://tpp.example/callback?x=1"]],
    ["in another case", ["https://tpp.example/Callback"]],
    ["twice the same", ["https://tpp.example/callback", "https://tpp.example/callback"]],
  ]),
  claim("R-049", "redirect_uris whose second element is not registered", {
    redirect_uris: ["https://tpp.example/callback", "https://evil.example/"],
  }),
  ...each(claim, "R-051", "token_endpoint_auth_method", [
    ...notText,
    ["none", "none"],
    ["client_secret_basic", "client_secret_basic"],
    ["client_secret_post", "client_secret_post"],
    ["client_secret_jwt", "client_secret_jwt"],
    ["self_signed_tls_client_auth", "self_signed_tls_client_auth"],
  ]),
  ...each(claim, "R-052", "token_endpoint_auth_signing_alg", [
    ...notText,
    ["RS256", "RS256"],
    ["none", "none"],
    ["ES256, which is not set", "ES256"],
  ]),
  ...[...notText, ["of 129 characters", `CN=${"x".repeat(126)}`] as [string, unknown]].map(
    ([what, dn]) => claim("R-053", `tls_client_auth_subject_dn ${what}`, tls(dn)),
  ),
  ...(
    [
      ["of other software", `CN=other,OU=${organisationId},O=OpenBanking,C=GB`],
      ["of another organisation", `CN=${softwareId},OU=other,O=OpenBanking,C=GB`],
      ["without the country", `CN=${softwareId},OU=${organisationId},O=OpenBanking`],
      ["with a multi-valued part", `CN=${softwareId}+OU=${organisationId},O=OpenBanking,C=GB`],
      ["that is not a name", "this is not a name"],
      ["with line breaks", `C=GB\nO=OpenBanking\nOU=${organisationId}\nCN=${softwareId}`],
    ] as [string, string][]
  ).map(([what, dn]) => claim("R-053", `tls_client_auth_subject_dn ${what}`, tls(dn))),
  ...each(claim, "R-054", "grant_types", [
    ["absent", undefined],
    ...notList,
    ["without client_credentials", ["authorization_code"]],
    ["without authorization_code", ["client_credentials"]],
    ["with implicit", ["authorization_code", "client_credentials", "implicit"]],
    ["with password", ["authorization_code", "client_credentials", "password"]],
    ["with CIBA alone", ["client_credentials", ciba]],
    [
      "with jwt-bearer",
      ["authorization_code", "client_credentials", "urn:ietf:params:oauth:grant-type:jwt-bearer"],
    ],
    ["with a repetition", ["authorization_code", "client_credentials", "client_credentials"]],
  ]),
  ...each(claim, "R-055", "response_types", [
    ...notList.filter(([what]) => what !== "a text"),
    ["a text", "code"],
    ["id_token and token", ["id_token", "token"]],
    ["code token", ["code token"]],
    ["id_token code", ["id_token code"]],
  ]),
  ...each(claim, "R-057", "software_id", [
    ["of other software", "other"],
    ["null", null],
    ["empty", ""],
  ]),
  ...each(claim, "R-058", "scope", [
    ...notText,
    ["with an unknown word", "openid accounts everything"],
    ["with a word that contains a scope", "openid accountsx"],
    ["in capitals", "OPENID ACCOUNTS"],
    ["with two spaces", "openid  accounts"],
    ["with a tab", "openid\taccounts"],
    ["with a comma", "openid,accounts"],
    ["of 257 characters", `openid ${"accounts ".repeat(30)}`.slice(0, 257)],
  ]),
  claim("R-059", "scope openid without an API", { scope: "openid" }),
  ...each(claim, "R-060", "software_statement", notText),
  ...each(claim, "R-061", "application_type", [...notText, ["desktop", "desktop"]]),
  ...each(claim, "R-062", "id_token_signed_response_alg", [
    ...notText,
    ["RS256", "RS256"],
    ["none", "none"],
    ["ES256", "ES256"],
  ]),
  ...each(claim, "R-063", "request_object_signing_alg", [
    ...notText,
    ["RS256", "RS256"],
    ["none", "none"],
  ]),
  ...backchannelClaims,
  ...profileClaims,
];

/** Every hostile request. */
export const hostileRequests: readonly Hostile[] = [
  ...requestClaims,
  ...envelopes,
  ...statements,
  ...statementEnvelopes,
  ...certificates,
];
