import { createHmac } from "node:crypto";
import { generateEcKey } from "#src/sandbox/directory/keys.ts";
import {
  type Bed,
  type Changes,
  legacySubject,
  organisationId,
  type Sent,
  softwareId,
} from "./bed.ts";

/** A bad request: nobody is registered, and the first rule that it breaks is this one. */
export type Hostile = {
  name: string;
  rule: string;
  /** Default: 400. */
  status?: number;
  make(bed: Bed): Promise<Sent>;
};

const now = (): number => Math.floor(Date.now() / 1000);

const claim = (rule: string, name: string, change: Changes): Hostile => ({
  name,
  rule,
  make: async (bed) => ({ body: await bed.request(change) }),
});

const statement = (rule: string, name: string, change: Changes): Hostile => ({
  name: `a statement with ${name}`,
  rule,
  make: async (bed) => ({
    body: await bed.request({ software_statement: await bed.statement(change) }),
  }),
});

/** Wrong types, for a claim that is a text. */
const notText: [string, unknown][] = [
  ["absent", undefined],
  ["null", null],
  ["a number", 7],
  ["a list", ["x"]],
  ["an object", { x: 1 }],
  ["true", true],
  ["empty", ""],
];

const each = (
  make: (rule: string, name: string, change: Changes) => Hostile,
  rule: string,
  member: string,
  values: [string, unknown][],
): Hostile[] => values.map(([what, value]) => make(rule, `${member} ${what}`, { [member]: value }));

const notList: [string, unknown][] = [
  ["null", null],
  ["a text", "authorization_code"],
  ["a number", 7],
  ["an object", {}],
  ["an empty list", []],
  ["a list of numbers", [1]],
];

const tls = (dn: unknown): Changes => ({
  token_endpoint_auth_method: "tls_client_auth",
  tls_client_auth_subject_dn: dn,
});

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
    ["with CIBA", ["client_credentials", "urn:openid:params:grant-type:ciba"]],
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
];

const signedWith = (
  name: string,
  rule: string,
  given: (bed: Bed) => Promise<{ header?: Changes; key?: Bed["keys"]["other"] }>,
): Hostile => ({
  name,
  rule,
  make: async (bed) => ({ body: await bed.request({}, await given(bed)) }),
});

const raw = (name: string, rule: string, change: (jws: string) => string | Buffer): Hostile => ({
  name,
  rule,
  make: async (bed) => ({ body: change(await bed.request()) }),
});

const part = (value: string): string => Buffer.from(value).toString("base64url");
const replaced = (jws: string, index: number, value: string): string =>
  jws
    .split(".")
    .map((one, at) => (at === index ? value : one))
    .join(".");

const envelopes: Hostile[] = [
  raw("an empty body", "R-069", () => ""),
  raw("a word", "R-069", () => "hello"),
  raw("an unsigned JSON object", "R-069", () => '{"iss":"x"}'),
  raw("two parts", "R-069", (jws) => jws.split(".").slice(0, 2).join(".")),
  raw("four parts", "R-069", (jws) => `${jws}.x`),
  raw("an empty signature", "R-069", (jws) => replaced(jws, 2, "")),
  raw("base64 with padding", "R-069", (jws) => replaced(jws, 2, "abc=")),
  raw("bytes that are not text", "R-069", () => Buffer.from([0xff, 0xfe, 0, 1])),
  raw("a header that is not JSON", "R-069", (jws) => replaced(jws, 0, part("{"))),
  raw("a header that is a list", "R-069", (jws) => replaced(jws, 0, part("[]"))),
  raw("a payload that is not JSON", "R-069", (jws) => replaced(jws, 1, part("x"))),
  raw("a payload that is null", "R-069", (jws) => replaced(jws, 1, part("null"))),
  raw("a payload with a repeated member", "R-069", (jws) =>
    replaced(jws, 1, part('{"iss":"a","iss":"b"}')),
  ),
  raw("a payload that is nested 10,000 deep", "R-069", (jws) =>
    replaced(jws, 1, part(`{"x":${"[".repeat(10_000)}${"]".repeat(10_000)}}`)),
  ),
  raw("a payload with NUL", "R-069", (jws) => replaced(jws, 1, part('{"iss":"\\u0000"}'))),
  raw("a payload with half a surrogate", "R-069", (jws) =>
    replaced(jws, 1, part('{"iss":"\\ud800"}')),
  ),
  {
    name: "a body of more than 64 kB",
    rule: "none",
    status: 413,
    make: async () => ({ body: "x".repeat(70_000) }),
  },
  ...["application/json", "text/plain", "application/x-www-form-urlencoded", ""].map(
    (type): Hostile => ({
      name: `the content type "${type}"`,
      rule: type === "" ? "none" : "R-015",
      status: 415,
      make: async (bed) => ({
        body: await bed.request(),
        headers: { "content-type": type },
      }),
    }),
  ),
  signedWith("a request signed with RS256", "R-040", async () => ({ header: { alg: "RS256" } })),
  signedWith("a request signed with PS512", "R-040", async () => ({ header: { alg: "PS512" } })),
  {
    name: "a request signed with ES256, which is not set",
    rule: "R-040",
    make: async (bed) => ({
      body: await bed.request({}, { header: { alg: "ES256" }, key: await generateEcKey() }),
    }),
  },
  {
    name: "a request without a signature algorithm (none)",
    rule: "R-040",
    make: async (bed) => {
      const header = part(JSON.stringify({ alg: "none", kid: bed.kid }));
      return { body: replaced(replaced(await bed.request(), 0, header), 2, "AA") };
    },
  },
  {
    name: "a request signed with HS256 and the public key as the secret",
    rule: "R-040",
    make: async (bed) => {
      const header = part(JSON.stringify({ alg: "HS256", kid: bed.kid }));
      const payload = (await bed.request()).split(".")[1];
      const mac = createHmac("sha256", bed.keys.signing.publicKeyPem);
      const signature = mac.update(`${header}.${payload}`).digest("base64url");
      return { body: `${header}.${payload}.${signature}` };
    },
  },
  signedWith("a request with an unknown kid", "R-041", async () => ({ header: { kid: "nobody" } })),
  signedWith("a request without a kid", "R-041", async () => ({ header: { kid: undefined } })),
  signedWith("a request with a kid that is a number", "R-041", async () => ({
    header: { kid: 7 },
  })),
  signedWith("a request with crit", "R-040", async () => ({ header: { b64: true } })),
  signedWith("a request signed with another key", "R-042", async ({ keys }) => ({
    key: keys.other,
  })),
  signedWith("a request whose header brings its own key", "R-042", async ({ keys, jwk }) => ({
    header: { jwk },
    key: keys.other,
  })),
  signedWith("a request whose header names the address of its key", "R-041", async ({ keys }) => ({
    header: { jku: "https://evil.example/keys.jwks", x5u: "https://evil.example", kid: "evil" },
    key: keys.other,
  })),
  raw("a changed signature", "R-042", (jws) => replaced(jws, 2, part("x".repeat(256)))),
  raw("a short signature", "R-042", (jws) => replaced(jws, 2, part("x"))),
  {
    name: "a payload that was changed after signing",
    rule: "R-042",
    make: async (bed) => {
      const payload = part(JSON.stringify(await bed.claims({ scope: "openid payments" })));
      return { body: replaced(await bed.request(), 1, payload) };
    },
  },
];

const statements: Hostile[] = [
  ...each(statement, "R-103", "iat", [
    ["absent", undefined],
    ["a text", "today"],
    ["ten minutes from now", now() + 600],
    ["two hours ago", now() - 7200],
  ]),
  ...each(statement, "R-104", "jti", notText),
  ...each(statement, "R-043", "software_id", [
    ...notText,
    ["of 23 characters", "x".repeat(23)],
    ["with a slash", "a/b"],
  ]),
  ...each(statement, "R-101", "org_id", [...notText, ["with a slash", "a/b"]]),
  ...each(statement, "R-111", "software_client_name", [
    ...notText,
    ["of 41 characters", "x".repeat(41)],
    ["with a hidden change of direction", "Sav\u202evvy"],
  ]),
  ...each(statement, "R-111", "software_on_behalf_of_org", [
    ["a number", 7],
    ["of 41 characters", "x".repeat(41)],
  ]),
  ...each(statement, "R-105", "org_status", [
    ...notText,
    ["Revoked", "Revoked"],
    ["Withdrawn", "Withdrawn"],
  ]),
  ...each(statement, "R-107", "software_mode", [
    ["Demo", "Demo"],
    ["a number", 7],
  ]),
  ...each(statement, "R-108", "software_environment", [
    ["sandbox", "sandbox"],
    ["null", null],
  ]),
  ...each(statement, "R-049", "software_redirect_uris", [
    ["absent", undefined],
    ["a text", "https://tpp.example/callback"],
    ["an empty list", []],
  ]),
  ...each(statement, "R-059", "software_roles", [
    ["absent", undefined],
    ["an empty list", []],
    ["a text", "AISP"],
    ["without AISP", ["PISP"]],
  ]),
  ...each(statement, "R-109", "software_jwks_endpoint", [
    ...notText,
    ["on another host", "https://evil.example/keys.jwks"],
    ["over http", "http://localhost/keys.jwks"],
    ["on a metadata address", "https://169.254.169.254/keys.jwks"],
    ["a file", "file:///etc/passwd"],
  ]),
  ...each(statement, "R-109", "software_jwks_revoked_endpoint", [
    ["on another host", "https://evil.example/keys.jwks"],
    ["null", null],
  ]),
  ...each(statement, "R-106", "organisation_competent_authority_claims", [
    ["absent", undefined],
    ["a text", "FCA"],
    [
      "not active",
      { status: "Revoked", authorisations: [{ member_state: "GB", roles: ["AISP"] }] },
    ],
    [
      "of another country",
      { status: "Active", authorisations: [{ member_state: "FR", roles: ["AISP"] }] },
    ],
    [
      "without the role",
      { status: "Active", authorisations: [{ member_state: "GB", roles: ["PISP"] }] },
    ],
    ["with authorisations that are a text", { status: "Active", authorisations: "GB" }],
  ]),
  ...each(statement, "R-101", "iss", [
    ...notText,
    ["unknown", "Somebody"],
    ["of the bank's own sandbox, with another key", "Aldgate Sandbox Directory"],
  ]),
];

const signedStatement = (
  name: string,
  rule: string,
  given: (bed: Bed) => Promise<string>,
): Hostile => ({
  name,
  rule,
  make: async (bed) => ({ body: await bed.request({ software_statement: await given(bed) }) }),
});

const statementEnvelopes: Hostile[] = [
  signedStatement("a statement that is signed by the software itself", "R-101", (bed) =>
    bed.statement({}, { key: bed.keys.signing, header: { kid: bed.kid } }),
  ),
  signedStatement("a statement whose kid is the directory's and whose key is not", "R-101", (bed) =>
    bed.statement({}, { key: bed.keys.other }),
  ),
  signedStatement("a statement signed with RS256", "R-101", (bed) =>
    bed.statement({}, { header: { alg: "RS256" } }),
  ),
  signedStatement("a statement without a kid", "R-101", (bed) =>
    bed.statement({}, { header: { kid: undefined } }),
  ),
  signedStatement("a statement without a signature (none)", "R-101", async (bed) => {
    const [, payload] = (await bed.statement()).split(".");
    return `${part('{"alg":"none"}')}.${payload}.AA`;
  }),
  signedStatement("a statement that is a word", "R-101", async () => "statement"),
  signedStatement("a statement that was changed", "R-101", async (bed) => {
    const claims = JSON.stringify({ iss: "Test Directory", software_id: softwareId });
    return replaced(await bed.statement(), 1, part(claims));
  }),
  signedStatement("a statement that is the request of another", "R-101", (bed) => bed.request()),
];

const certificates: Hostile[] = [
  {
    name: "no client certificate",
    rule: "R-012",
    status: 401,
    make: async (bed) => ({ body: await bed.request(), transport: null }),
  },
  {
    name: "a certificate for signing",
    rule: "R-012",
    status: 401,
    make: async (bed) => ({
      body: await bed.request(),
      transport: {
        privateKeyPem: bed.keys.transport.privateKeyPem,
        certificatePem: await bed.leaf(legacySubject(), bed.keys.transport, "signing"),
      },
    }),
  },
  ...(
    [
      ["other software", legacySubject("otherSoftware")],
      ["another organisation", legacySubject(softwareId, "0015800001OTHER001")],
      ["a bank", [{ attribute: "CN", value: "bank.example" }]],
      ["another organisation by CN", [{ attribute: "CN", value: "0015800001OTHER001" }]],
      [
        "software and organisation the wrong way round",
        [
          { attribute: "OU", value: softwareId },
          { attribute: "CN", value: `${organisationId}x` },
        ],
      ],
      ["software in another case", legacySubject(softwareId.toLowerCase())],
    ] as const
  ).map(
    ([what, subject]): Hostile => ({
      name: `a certificate of ${what}`,
      rule: "R-087",
      make: async (bed) => ({
        body: await bed.request(),
        transport: await bed.certificate([...subject]),
      }),
    }),
  ),
];

/** Every hostile request. */
export const hostileRequests: readonly Hostile[] = [
  ...requestClaims,
  ...envelopes,
  ...statements,
  ...statementEnvelopes,
  ...certificates,
];
