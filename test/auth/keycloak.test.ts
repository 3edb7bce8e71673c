import assert from "node:assert/strict";
import { KeyObject } from "node:crypto";
import { after, before, test } from "node:test";
import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from "jose";
import { type BankLogin, createBankLogin } from "#src/auth/login/bank-login.ts";
import type { ChallengeSubject } from "#src/bank/challenge.ts";
import { present } from "#src/lib/assert.ts";
import { systemClock } from "#src/lib/clock.ts";
import { type Keycloak, openKeycloak, whyNoKeycloak } from "./keycloak.ts";
import { Visitor } from "./visitor.ts";

// The hand-over to a real Keycloak, as it is distributed (CONTRIBUTING.md says how to run this). It
// refuses authorization details of types that are not its own, so it can log customers in on the
// bank's own pages, but not confirm a subject. A bank needs an extension of Keycloak that knows
// `aldgate_approval`.

const why = whyNoKeycloak();
const skip = why === null ? {} : { skip: why };

const acr = "urn:openbanking:psd2:sca";
const redirectUri = "http://localhost:9/journey/returned";
let keycloak: Keycloak;
let login: BankLogin;
let key: Awaited<ReturnType<typeof generateKeyPair>>["privateKey"];
before(
  async () => {
    if (why !== null) return;
    const pair = await generateKeyPair("PS256", { extractable: true });
    key = pair.privateKey;
    const jwk = { ...(await exportJWK(pair.publicKey)), kid: "1", alg: "PS256", use: "sig" };
    keycloak = await openKeycloak(realmFor({ keys: [jwk] }));
    login = createBankLogin({
      ...{ issuer: keycloak.issuer, clientId: "aldgate", acr, redirectUri },
      key: KeyObject.from(key),
      secret: "a secret of thirty-two characters",
      now: systemClock.now,
    });
  },
  { timeout: 400_000 },
);
after(() => keycloak?.close());

/** What docs/login-and-approval.md asks of the bank's provider, in Keycloak's words. */
const realmFor = (jwks: object) => ({
  attributes: { "acr.loa.map": JSON.stringify({ [acr]: 1 }) },
  clients: [
    {
      clientId: "aldgate",
      protocol: "openid-connect",
      publicClient: false,
      redirectUris: [redirectUri],
      clientAuthenticatorType: "client-jwt",
      attributes: {
        "use.jwks.string": "true",
        "jwks.string": JSON.stringify(jwks),
        "token.endpoint.auth.signing.alg": "PS256",
        "request.object.signature.alg": "PS256",
        "request.object.required": "request only",
        "pkce.code.challenge.method": "S256",
        "id.token.signed.response.alg": "PS256",
      },
      protocolMappers: [
        {
          name: "the core's id",
          protocol: "openid-connect",
          protocolMapper: "oidc-usermodel-attribute-mapper",
          config: {
            "user.attribute": "username",
            "claim.name": "sub",
            "jsonType.label": "String",
            "id.token.claim": "true",
          },
        },
      ],
    },
  ],
  users: [
    {
      ...{ username: "cust-anna", enabled: true, emailVerified: true },
      ...{ email: "anna@bank.example", firstName: "Anna", lastName: "North" },
      credentials: [{ type: "password", value: "anna-password" }],
    },
  ],
});

const begun = systemClock.now();
const payee = { name: "Acme Ltd", account: "20-00-03 19825731" };
const handOver = (subject: ChallengeSubject = { act: "save payee", id: "b-1", payee }) => ({
  ...{ uid: "a-journey", clientName: "Test TPP", subject },
  age: systemClock.now().since(begun),
});

/** Enters the customer's password on Keycloak's page. */
async function logIn(there: Visitor): Promise<void> {
  const [, action = ""] = /action="([^"]+)"/.exec(there.shown.body) ?? [];
  const given = { username: "cust-anna", password: "anna-password", credentialId: "" };
  await there.open(action.replaceAll("&amp;", "&"), given);
}

const answerOf = ({ shown }: Visitor) => Object.fromEntries(new URL(shown.url).searchParams);

test(
  "Keycloak refuses details of a type that it does not know, and nothing is approved",
  skip,
  async () => {
    const there = new Visitor({ publicUrl: keycloak.url });
    await there.open(await login.urlFor(handOver()));
    const answer = answerOf(there);
    assert.equal(answer.error, "invalid_request");
    assert.match(answer.error_description ?? "", /aldgate_approval/);
    const result = await login.judge(handOver(), answer);
    assert.deepEqual(result, { state: "failed", reason: "invalid_request" });
  },
);

test("Keycloak logs in a customer of the bank's own pages", skip, async () => {
  const there = new Visitor({ publicUrl: keycloak.url });
  const plain = handOver({ act: "login" });
  await there.open(await login.urlFor(plain));
  await logIn(there);
  const result = await login.judge(handOver(plain.subject), answerOf(there));
  assert.equal(result.state, "approved", JSON.stringify(result));
  assert.equal("customerId" in result && result.customerId, "cust-anna");
});

test("a login at Keycloak that was not shown the details is no approval", skip, async () => {
  const there = new Visitor({ publicUrl: keycloak.url });
  const url = new URL(await login.urlFor(handOver()));
  const request = present(url.searchParams.get("request"), "the request");
  const { authorization_details: _, ...others } = decodeJwt(request);
  const signed = await new SignJWT(others).setProtectedHeader({ alg: "PS256" }).sign(key);
  url.searchParams.set("request", signed);
  await there.open(url.href);
  await logIn(there);
  // signature, issuer, audience, acr, time and nonce are right: only the details are missing
  const answer = answerOf(there);
  assert.equal(answer.iss, keycloak.issuer);
  assert.ok(answer.code, there.shown.url);
  assert.deepEqual(await login.judge(handOver(), answer), { state: "altered" });
});

test("a code that Keycloak has not given is refused there", skip, async () => {
  const there = new Visitor({ publicUrl: keycloak.url });
  await there.open(await login.urlFor(handOver()));
  const { error: _, ...answer } = answerOf(there);
  const result = await login.judge(handOver(), { ...answer, code: "not-a-code" });
  assert.equal(result.state, "failed");
  assert.match("reason" in result ? result.reason : "", /token endpoint answered/);
});
