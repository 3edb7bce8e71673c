/** Usual words for something that the portal calls differently, and where it is. */
type Synonym = { words: readonly string[]; finds: readonly string[] };

const guide = (name: string): string => `/docs/guides/${name}`;

/** Words that developers look for, each with the pages about them, the best first. */
export const synonyms: readonly Synonym[] = [
  {
    words: ["webhook", "webhooks", "callback", "push notification", "real-time event"],
    finds: [
      guide("events#receiving-events-at-a-url"),
      "/docs/api/events-v4.0/callback-urls",
      "/docs/api/events-v4.0/event-subscriptions",
    ],
  },
  {
    words: ["sandbox key", "sandbox keys", "api key", "api keys", "credentials", "client secret"],
    finds: [guide("sandbox#keys-and-tpps"), guide("build-a-tpp#certificates-and-keys")],
  },
  {
    words: ["mtls", "client certificate", "qwac", "qseal", "eidas", "obwac", "obseal"],
    finds: [guide("certificates#requirements-for-a-client-certificate"), guide("certificates")],
  },
  {
    words: ["sca", "strong customer authentication", "2fa", "otp", "one-time code"],
    finds: [guide("sandbox#act-for-a-customer-without-a-browser"), guide("backchannel")],
  },
  {
    words: ["ciba", "decoupled", "qr code", "till"],
    finds: [guide("backchannel")],
  },
  {
    words: ["refund", "refunds", "chargeback", "reversal"],
    finds: [guide("sandbox#act-on-one-order-consent-account-customer-or-request")],
  },
  {
    words: ["onboarding", "sign up", "dcr", "dynamic client registration", "ssa"],
    finds: [guide("registration")],
  },
  {
    words: ["oauth", "hybrid flow", "jarm", "scope", "scopes", "request object", "id token"],
    finds: [guide("build-a-tpp-fapi1"), guide("build-a-tpp-fapi2")],
  },
  {
    words: ["redirect uri", "redirect uris", "redirect_uri", "redirect_uris", "redirect url"],
    finds: [guide("build-a-tpp-fapi1"), guide("build-a-tpp-fapi2"), guide("registration")],
  },
  {
    words: ["client id", "client_id"],
    finds: [guide("registration"), guide("sandbox#keys-and-tpps")],
  },
  {
    words: [
      "client assertion",
      "client authentication",
      "well-known",
      "discovery",
      "token lifetime",
    ],
    finds: [guide("build-a-tpp#audiences-and-lifetimes")],
  },
  {
    words: ["kid", "jwks", "jwks_uri", "signing key"],
    finds: [
      guide("build-a-tpp#certificates-and-keys"),
      guide("certificates#the-keys-that-the-bank-publishes"),
    ],
  },
  {
    words: ["access token", "refresh token", "token expiry", "token expired", "expires_in"],
    finds: [guide("build-a-tpp#refresh-and-know-when-access-ends")],
  },
  {
    words: ["reauthentication", "reauthenticate", "90 days", "180 days", "consent expired"],
    finds: [guide("build-a-tpp#refresh-and-know-when-access-ends")],
  },
  {
    words: ["revoke consent", "revoked consent", "revocation", "withdraw consent"],
    finds: [
      guide("build-a-tpp#learn-of-changes"),
      guide("sandbox#act-on-one-order-consent-account-customer-or-request"),
    ],
  },
  {
    words: ["401", "403", "invalid_client", "invalid_grant", "invalid_request", "unauthorized"],
    finds: [guide("ten-mistakes"), guide("ask-it-why#why-was-it-rejected")],
  },
  { words: ["permissions"], finds: ["/docs/api/aisp-v4.0/account-access"] },
  { words: ["error code", "error codes"], finds: ["/docs/errors"] },
  { words: ["status codes", "payment status"], finds: [guide("payments#statuses")] },
  { words: ["pagination", "paging", "next page"], finds: [guide("account-data")] },
  { words: ["v3", "deprecated", "migrate to v4"], finds: [guide("payment-versions")] },
  { words: ["par", "pushed authorization"], finds: [guide("build-a-tpp-fapi2")] },
  {
    words: ["jws", "x-jws-signature", "message signing", "detached signature", "digital signature"],
    finds: [guide("build-a-tpp#sign-a-body")],
  },
  {
    words: ["retry", "retries", "duplicate"],
    finds: [guide("build-a-tpp#repeat-without-paying-twice")],
  },
  {
    words: ["time travel", "test clock", "simulate time", "fast forward"],
    finds: [guide("sandbox#set-the-clock-forward")],
  },
  {
    words: ["mock", "simulator", "test data", "magic values", "test cards"],
    finds: ["/docs/scenarios", guide("sandbox#make-a-payment-fail")],
  },
  {
    words: ["test user", "test users", "test customer", "test accounts", "persona", "password"],
    finds: [guide("sandbox#customers-and-their-logins")],
  },
  { words: ["chaos", "fault injection", "resilience", "timeout"], finds: [guide("robust-client")] },
  { words: ["reset", "snapshot", "isolated"], finds: [guide("worlds")] },
  { words: ["debug", "logs", "request log", "troubleshooting"], finds: [guide("ask-it-why")] },
  {
    words: ["ci", "github actions", "integration test", "python", "java", "dotnet"],
    finds: [guide("worlds#in-a-test-in-any-language"), guide("testing")],
  },
  { words: ["sdk", "client library", "node", "typescript"], finds: [guide("build-a-tpp")] },
  { words: ["docker", "npm", "npx"], finds: [guide("installing")] },
  { words: ["base url", "sandbox url", "endpoints"], finds: [guide("first-calls")] },
  { words: ["rate limit", "throttling", "quota"], finds: ["/docs/headers#response"] },
  { words: ["bulk", "batch", "payroll", "pain.001"], finds: [guide("files")] },
  { words: ["fx", "swift", "cross-border"], finds: [guide("international-payments")] },
  {
    words: ["subscription payment", "sweeping", "commercial vrp", "cvrp", "mandate"],
    finds: [guide("variable-recurring-payments")],
  },
  { words: ["cof", "cbpii", "card issuer"], finds: [guide("funds-confirmations")] },
  { words: ["cop", "name check"], finds: [guide("sandbox#payees-whose-names-do-not-match")] },
  { words: ["insomnia", "postman", "bruno"], finds: [guide("collections")] },
  { words: ["swagger", "openapi", "spec"], finds: ["/docs#reference"] },
];

/** Where a query is answered that has one of these words. */
export function placesOf(query: string): string[] {
  const asked = ` ${query.toLowerCase().split(/\s+/).join(" ")} `;
  const rows = synonyms.filter(({ words }) => words.some((word) => asked.includes(` ${word} `)));
  return [...new Set(rows.flatMap(({ finds }) => finds))];
}
