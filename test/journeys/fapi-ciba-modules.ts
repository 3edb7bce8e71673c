import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { expectError, type Suite, secondAcr, type Variant } from "./fapi-ciba-suite.ts";

// The modules of the plan fapi-ciba-id1-test-plan that apply to openbanking_uk, in its order.

/** A module: its name in the suite, without the prefix that all share, and what the suite does. */
export type SuiteModule = {
  name: string;
  /** The only variants that have the module. */
  only?: Partial<Variant>;
  play(suite: Suite): Promise<void>;
};

/** The prefix of all names. */
export const prefix = "fapi-ciba-id1";

const seconds = () => Math.floor(Date.now() / 1000);
const invalid = (name: string, claims: () => Record<string, unknown>): SuiteModule => ({
  name,
  play: async (suite) =>
    expectError(await suite.send({ claims: claims() }), [400], ["invalid_request"]),
});
const clientErrors = ["access_denied", "invalid_request", "invalid_client"];
const clientStatuses = [400, 401, 403];

const longMessage =
  "1234 \u{1F44D}\u{1F3FF} 品川 Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do " +
  "eiusmod tempor incididunt ut labore et dolore magna aliqua.";

async function discovery({ one, bank, variant }: Suite): Promise<void> {
  const url = `${bank.publicUrl}/.well-known/openid-configuration`;
  const answer = await one.send(url, "GET", undefined, {});
  assert.equal(answer.status, 200);
  const document = answer.body as Record<string, unknown>;
  const has = (member: string, value: string) =>
    assert.ok((document[member] as string[]).includes(value), `${member}: ${value}`);
  assert.equal(document.issuer, bank.publicUrl);
  assert.equal(document.tls_client_certificate_bound_access_tokens, true);
  has("id_token_signing_alg_values_supported", "PS256");
  has("token_endpoint_auth_signing_alg_values_supported", "PS256");
  has("grant_types_supported", "urn:openid:params:grant-type:ciba");
  has("backchannel_token_delivery_modes_supported", variant.mode);
  has("backchannel_authentication_request_signing_alg_values_supported", "PS256");
  has("acr_values_supported", secondAcr.acr_values);
  has(
    "token_endpoint_auth_methods_supported",
    variant.auth === "mtls" ? "tls_client_auth" : variant.auth,
  );
  assert.equal(typeof document.backchannel_user_code_parameter_supported, "boolean");
  const aliases = document.mtls_endpoint_aliases as Record<string, string>;
  assert.ok(aliases.backchannel_authentication_endpoint?.startsWith("https://"));
  assert.ok(aliases.token_endpoint?.startsWith("https://"));
}

/** The module with two clients, which also tries the tokens at the resource. */
async function twoClients(suite: Suite): Promise<void> {
  const { one, two, bank, variant } = suite;
  const first = await suite.approve({ audience: bank.publicUrl });
  await suite.expectAccounts(one, first.tokens.access_token);
  const inQuery = `/v3.1/aisp/accounts?access_token=${first.tokens.access_token}`;
  assert.ok((await one.call({ path: inQuery })).status >= 400);
  for (const accept of [
    "application/json; charset=UTF-8",
    "application/json, application/*+json, */*",
  ]) {
    const headers = { accept, "x-fapi-customer-ip-address": "2001:db8::1893:25c8:1946" };
    await suite.expectAccounts(one, first.tokens.access_token, headers);
  }
  const longToken = { client_notification_token: randomBytes(768).toString("base64url") };
  const { begun, tokens } = await suite.approve(
    {
      audience: `${bank.mtlsUrl}/token`,
      header: { typ: "OautH-auThZ-REQ+jWt" },
      claims: {
        ...(variant.mode === "ping" ? longToken : {}),
        acr_values: secondAcr.acr_values,
        requested_expiry: 300,
      },
    },
    two,
  );
  assert.ok(secondAcr.isGiven(tokens.id_token));
  await suite.expectAccounts(two, tokens.access_token);
  const foreign = await suite.accounts(one, tokens.access_token);
  assert.ok(foreign.status >= 400 && foreign.status < 500, String(foreign.status));
  expectError(await two.poll(begun.id), [400], ["invalid_grant"]);
}

async function refusal(suite: Suite): Promise<void> {
  const begun = await suite.begin();
  await suite.expectPending(begun.id);
  await suite.decide(begun.id, "deny");
  await suite.expectPing(begun);
  expectError(await suite.one.poll(begun.id), [400], ["access_denied"]);
}

async function manyPolls(suite: Suite): Promise<void> {
  const begun = await suite.begin();
  for (let turn = 0; turn < 20; turn += 1) {
    const answer = await suite.one.poll(begun.id);
    expectError(answer, [400], ["authorization_pending", "slow_down"]);
  }
  await suite.tidyUp(begun);
}

async function expiry(suite: Suite): Promise<void> {
  const begun = await suite.begin({ claims: { requested_expiry: 10 } });
  assert.equal(begun.expiresIn, 10);
  await suite.expectPending(begun.id);
  await suite.bank.advance("PT11S");
  expectError(await suite.one.poll(begun.id), [400], ["expired_token"]);
}

/** The refresh tokens of two clients; the first cannot use that of the second. */
async function refreshTokens(suite: Suite): Promise<void> {
  const { one, two, bank } = suite;
  const first = await suite.approve({ audience: bank.publicUrl });
  const { refresh_token = "" } = first.tokens;
  assert.match(refresh_token, /^[\x20-\x7e]{16,}$/);
  await suite.expectAccounts(one, (await one.refresh(refresh_token)).access_token);
  const second = await suite.approve({ audience: `${bank.mtlsUrl}/token` }, two);
  const theirs = second.tokens.refresh_token ?? "";
  await suite.expectAccounts(two, (await two.refresh(theirs)).access_token);
  const stolen = { grant_type: "refresh_token", refresh_token: theirs };
  expectError(await one.tokenAnswer(stolen), [400], ["invalid_grant"]);
}

async function noCertificate(suite: Suite): Promise<void> {
  const begun = await suite.begin();
  // the bank may also drop the connection
  const answer = await suite
    .withoutCertificate(suite.one)
    .poll(begun.id)
    .catch(() => null);
  if (answer) {
    expectError(answer, [400, 401], ["invalid_client", "invalid_grant", "invalid_request"]);
  }
  await suite.tidyUp(begun);
}

/** A faulty poll of a request that goes on. */
const faultyPoll =
  (poll: (suite: Suite, id: string) => Promise<void>) =>
  async (suite: Suite): Promise<void> => {
    const begun = await suite.begin();
    await poll(suite, begun.id);
    await suite.tidyUp(begun);
  };

const grant = (id: string) => ({
  grant_type: "urn:openid:params:grant-type:ciba",
  auth_req_id: id,
});
// so that the client sends no assertion of its own
const noAssertion = { client_assertion: "" };

const wellBehaved: SuiteModule[] = [
  { name: "discovery-end-point-verification", play: discovery },
  { name: "", play: twoClients },
  { name: "user-rejects-authentication", play: refusal },
  { name: "multiple-call-to-token-endpoint", play: manyPolls },
  { name: "auth-req-id-expired", play: expiry },
  {
    name: "ensure-authorization-request-with-binding-message-succeeds",
    play: (suite) => suite.succeed(),
  },
  {
    name: "ensure-other-scope-order-succeeds",
    play: (suite) => suite.succeed({ claims: { scope: "accounts openid" } }),
  },
  {
    name: "ensure-requested-expiry-as-string-succeeds",
    play: (suite) => suite.succeed({ claims: { requested_expiry: "30" } }),
  },
  {
    name: "ensure-authorization-request-with-potentially-bad-binding-message",
    play: async (suite) =>
      expectError(
        await suite.send({ claims: { binding_message: longMessage } }),
        [400],
        ["invalid_binding_message"],
      ),
  },
];

const signedRequests: SuiteModule[] = [
  invalid("ensure-request-object-missing-aud-fails", () => ({ aud: undefined })),
  invalid("ensure-request-object-bad-aud-fails", () => ({
    aud: "https://www.other1.example.com/",
  })),
  invalid("ensure-request-object-missing-iss-fails", () => ({ iss: undefined })),
  invalid("ensure-request-object-bad-iss-fails", () => ({ iss: "another client" })),
  invalid("ensure-request-object-missing-exp-fails", () => ({ exp: undefined })),
  invalid("ensure-request-object-expired-exp-fails", () => ({ exp: seconds() - 300 })),
  invalid("ensure-request-object-exp-is-70-minutes-in-future-fails", () => ({
    exp: seconds() + 4200,
  })),
  invalid("ensure-request-object-missing-iat-fails", () => ({ iat: undefined })),
  invalid("ensure-request-object-missing-nbf-fails", () => ({ nbf: undefined })),
  invalid("ensure-request-object-nbf-is-10-minutes-in-future-fails", () => ({
    nbf: seconds() + 600,
  })),
  invalid("ensure-request-object-nbf-is-70-minutes-in-past-fails", () => ({
    nbf: seconds() - 4200,
  })),
  invalid("ensure-request-object-missing-jti-fails", () => ({ jti: undefined })),
  {
    name: "ensure-request-object-signature-algorithm-is-none-fails",
    async play(suite) {
      const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
      const request = `${encode({ alg: "none" })}.${encode(suite.claims(suite.one))}.`;
      expectError(await suite.send({ form: { request } }), [400], ["invalid_request"]);
    },
  },
  {
    name: "ensure-request-object-signature-algorithm-is-bad-fails",
    async play(suite) {
      const signed = await suite.sign(suite.one, suite.claims(suite.one));
      const [head = "", body = "", signature = ""] = signed.split(".");
      const bytes = Buffer.from(signature, "base64url").map((byte) => byte ^ 0x5a);
      const request = `${head}.${body}.${Buffer.from(bytes).toString("base64url")}`;
      expectError(await suite.send({ form: { request } }), [400], ["invalid_request"]);
    },
  },
  {
    name: "ensure-request-object-signature-algorithm-is-RS256-fails",
    play: async (suite) =>
      expectError(await suite.send({ header: { alg: "RS256" } }), [400], ["invalid_request"]),
  },
  {
    name: "ensure-request-object-signed-by-other-client-fails",
    play: async (suite) =>
      expectError(await suite.send({ signer: suite.two }), [400], ["invalid_request"]),
  },
];

const clientsAndHints: SuiteModule[] = [
  invalid("ensure-authorization-request-with-multiple-hints-fails", () => ({
    login_hint: "join@example.com",
    login_hint_token: "xxxxxxxxxxxxxxxxxxxx",
  })),
  {
    name: "ensure-wrong-auth-req-id-in-token-endpoint-request",
    play: faultyPoll(async ({ two }, id) =>
      expectError(await two.poll(id), [400], ["invalid_grant"]),
    ),
  },
  {
    name: "ensure-different-client-id-and-issuer-in-backchannel-authorization-request",
    only: { auth: "mtls" },
    async play(suite) {
      const request = await suite.sign(suite.one, suite.claims(suite.one));
      await suite.consent();
      const answer = await suite.asSecondClient().backchannelForm({ request });
      expectError(answer, [401], ["invalid_client"]);
    },
  },
  {
    name: "ensure-wrong-client-id-in-token-endpoint-request",
    only: { auth: "mtls" },
    play: faultyPoll(async (suite, id) =>
      expectError(await suite.asSecondClient().poll(id), [400, 401], ["invalid_client"]),
    ),
  },
  {
    name: "ensure-wrong-client-id-in-backchannel-authorization-request",
    only: { auth: "mtls" },
    async play(suite) {
      await suite.consent(suite.two);
      const other = suite.asSecondClient();
      const request = await suite.sign(suite.one, suite.claims(suite.two));
      expectError(await other.backchannelForm({ request }), clientStatuses, clientErrors);
    },
  },
];

const assertions: Omit<SuiteModule, "only">[] = [
  {
    name: "ensure-without-client-assertion-in-token-endpoint-request",
    play: faultyPoll(async ({ one }, id) => {
      const answer = await one.tokenAnswer({ ...grant(id), ...noAssertion });
      expectError(answer, [400, 401], ["invalid_client", "invalid_request"]);
    }),
  },
  {
    name: "ensure-without-client-assertion-in-backchannel-authorization-request",
    play: async (suite) =>
      expectError(
        await suite.send({ form: { client_assertion: "", client_assertion_type: "" } }),
        clientStatuses,
        clientErrors,
      ),
  },
  {
    name: "ensure-client-assertion-signature-algorithm-in-backchannel-authorization-request-is-RS256-fails",
    async play(suite) {
      const form = await suite.assertion(suite.one, `${suite.bank.mtlsUrl}/backchannel`, "RS256");
      expectError(await suite.send({ form }), clientStatuses, clientErrors);
    },
  },
  {
    name: "ensure-client-assertion-signature-algorithm-in-token-endpoint-request-is-RS256-fails",
    play: faultyPoll(async (suite, id) => {
      const form = await suite.assertion(suite.one, `${suite.bank.mtlsUrl}/token`, "RS256");
      const answer = await suite.one.tokenAnswer({ ...grant(id), ...form });
      expectError(answer, [400, 401], ["invalid_client"]);
    }),
  },
  {
    name: "ensure-client-assertion-with-iss-aud-to-token-endpoint-succeeds",
    play: faultyPoll(async (suite, id) => {
      const form = await suite.assertion(suite.one, suite.bank.publicUrl);
      const answer = await suite.one.tokenAnswer({ ...grant(id), ...form });
      expectError(answer, [400], ["authorization_pending", "slow_down"]);
    }),
  },
];

/** A ping that the client answers in this way: there is no second one, and the tokens are there. */
const answered = (name: string, pingReply: Suite["pingReply"]): SuiteModule => ({
  name,
  only: { mode: "ping" },
  async play(suite) {
    suite.pingReply = pingReply;
    try {
      await suite.succeed();
      // the next attempt would be due within a second
      await suite.bank.advance("PT5S");
      assert.equal(suite.pings.length, 0);
    } finally {
      suite.pingReply = { status: 204 };
    }
  },
});

const pings: SuiteModule[] = [
  answered("ping-backchannel-notification-endpoint-response-has-body", {
    status: 200,
    headers: { "content-type": "text/plain" },
    body: "a body that the bank ignores",
  }),
  answered("ping-backchannel-notification-endpoint-response-401", { status: 401 }),
  answered("ping-backchannel-notification-endpoint-response-403", { status: 403 }),
  answered(
    "ping-with-mtls-ciba-notification-endpoint-response-401-and-require-server-does-not-retry",
    { status: 401 },
  ),
  answered("ping-backchannel-notification-endpoint-return-redirect-request", {
    status: 301,
    headers: { location: "/test/a/aldgate/invalid-ciba-notification-endpoint" },
  }),
];

/** Every module that the plan has for openbanking_uk. */
export const suiteModules: readonly SuiteModule[] = [
  ...wellBehaved,
  ...signedRequests,
  ...clientsAndHints,
  ...assertions.map((row) => ({ ...row, only: { auth: "private_key_jwt" as const } })),
  ...pings,
  {
    name: "ensure-unsigned-backchannel-authorization-request-fails",
    async play(suite) {
      const claims = Object.entries(suite.claims(suite.one));
      const form = Object.fromEntries(claims.map(([name, value]) => [name, String(value)]));
      await suite.consent();
      const assertion = await suite.assertion(suite.one, `${suite.bank.mtlsUrl}/backchannel`);
      const answer = await suite.one.backchannelForm({ ...form, ...assertion });
      expectError(answer, [400], ["invalid_request"]);
    },
  },
  { name: "refresh-token", play: refreshTokens },
  { name: "ensure-mtls-holder-of-key-required", play: noCertificate },
];
