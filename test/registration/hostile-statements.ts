import { generateKeyPairSync } from "node:crypto";
import { type Bed, legacySubject, organisationId, softwareId } from "./bed.ts";
import { part, replaced } from "./hostile-envelopes.ts";
import { each, type Hostile, notText, now, statement } from "./hostile-row.ts";

const { publicKey: made } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const publicKey = { n: "", ...made.export({ format: "jwk" }), kid: "stated", use: "sig" };

/** Requests whose statement has a wrong claim. */
export const statements: Hostile[] = [
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
    ["an object that cannot be text", { toString: 1 }],
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
  ...each(statement, "R-109", "jwks", [
    ["a text", "keys"],
    ["null", null],
    ["beside the endpoints", { keys: [publicKey] }],
    ["an empty set", { keys: [] }],
    ["a list", [publicKey]],
    ["a key without kid", { keys: [{ ...publicKey, kid: undefined }] }],
    ["a private key", { keys: [{ ...publicKey, d: "AQAB" }] }],
    ["two keys with one kid", { keys: [publicKey, publicKey] }],
    ["a key for TLS only", { keys: [{ ...publicKey, use: "tls" }] }],
    ["a short key", { keys: [{ ...publicKey, n: publicKey.n.slice(0, 171) }] }],
    ["21 keys", { keys: Array.from({ length: 21 }, (_, at) => ({ ...publicKey, kid: `${at}` })) }],
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

/** Requests whose statement is not signed by its issuer. */
export const statementEnvelopes: Hostile[] = [
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

/** Requests over a connection with a wrong certificate. */
export const certificates: Hostile[] = [
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
