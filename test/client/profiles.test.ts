import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  AuthorisationError,
  connect,
  type ProfileName,
  profiles,
  register,
} from "#packages/client/src/index.ts";
import { type ClientBed, openClientBed, playing, tenPounds } from "./client-bed.ts";

let bed: ClientBed;
before(async () => {
  bed = await openClientBed();
});
after(() => bed.close());

const methods = ["private_key_jwt", "tls_client_auth"] as const;
const rows = Object.entries(profiles) as [ProfileName, (typeof profiles)[ProfileName]][];

for (const [name, row] of rows) {
  for (const authentication of methods) {
    describe(`a client of ${name} with ${authentication}`, () => {
      test("registers in the directory and at the bank, and a customer approves its payment", async () => {
        const software = await bed.sandbox.enterDirectory({ profile: name, authentication });
        const client = await connect({ ...software, client: await register(software) });
        const payments = client.payments("domestic-payment");
        const consent = await payments.createConsent(tenPounds);
        const login = await client.authorise(consent);
        const { searchParams } = new URL(login.url);
        assert.equal(searchParams.has("request_uri"), row.pushes);
        assert.equal(searchParams.has("request"), row.signs && !row.pushes);
        const { redirectUrl } = await bed.sandbox.approve(login, { customer: "amara" });
        const returned = new URL(redirectUrl);
        const answer = new URLSearchParams((returned.hash || returned.search).slice(1));
        assert.equal(answer.has("response"), row.answer === "jwt");
        assert.equal(answer.has("id_token"), row.answer === "code id_token");
        const grant = await client.finish(login, returned);
        assert.equal(typeof grant.subject, "string");
        const order = await payments.submit(consent, grant);
        assert.equal(order.Data.ConsentId, consent.id);
        client.close();
      });

      test("hears that the customer declined", async () => {
        const client = await bed.connect({}, { profile: name, authentication });
        const consent = await client.payments("domestic-payment").createConsent(tenPounds);
        const login = await client.authorise(consent);
        const decision = { customer: "amara", decision: "deny" } as const;
        const { redirectUrl: returned } = await bed.sandbox.approve(login, decision);
        await assert.rejects(client.finish(login, returned), {
          name: "AuthorisationError",
          error: "access_denied",
          status: null,
        });
      });
    });
  }
}

test("a client of FAPI 1.0 may push its requests too", async () => {
  const profile = { ...profiles.fapi1, pushes: true };
  const client = await bed.connect({ profile });
  const consent = await client.payments("domestic-payment").createConsent(tenPounds);
  const login = await client.authorise(consent);
  assert.ok(new URL(login.url).searchParams.has("request_uri"));
  const { redirectUrl: returned } = await bed.sandbox.approve(login, { customer: "amara" });
  assert.equal((await client.finish(login, returned)).consentId, consent.id);
});

test("a registration is read, replaced and removed", async () => {
  const software = await bed.sandbox.enterDirectory({ roles: ["AISP"] });
  const client = await connect({ ...software, client: await register(software) });
  const { registration } = client;
  assert.equal((await registration.read()).scope, "openid accounts");
  const { software_id } = await registration.replace(software);
  assert.equal(software_id, software.softwareId);
  await registration.remove();
  await assert.rejects(registration.read(), AuthorisationError);
  client.close();
});

test("a refused registration says what the bank says", async () => {
  const software = await bed.sandbox.enterDirectory();
  const claims = { id_token_signed_response_alg: "RS256" };
  await assert.rejects(register({ ...software, claims }), (error: AuthorisationError) => {
    assert.equal(error.error, "invalid_client_metadata");
    assert.equal(error.status, 400);
    assert.match(error.message, /id_token_signed_response_alg/);
    return true;
  });
});

const finishing = async (change: (returned: URL) => void) => {
  const client = await bed.connect();
  const consent = await client.payments("domestic-payment").createConsent(tenPounds);
  const login = await client.authorise(consent);
  const { redirectUrl } = await bed.sandbox.approve(login, { customer: "amara" });
  const returned = new URL(redirectUrl);
  change(returned);
  return client.finish(login, returned);
};

/** Replaces a member of the answer. */
const replaced = (returned: URL, name: string, change: (value: string) => string): void => {
  const answer = new URLSearchParams(returned.hash.slice(1));
  answer.set(name, change(answer.get(name) ?? ""));
  returned.hash = answer.toString();
};

const forgeries: [title: string, change: (returned: URL) => void][] = [
  ["another state", (returned) => replaced(returned, "state", () => "another")],
  ["another code", (returned) => replaced(returned, "code", () => "another")],
  ["another issuer", (returned) => replaced(returned, "iss", () => "https://evil.example")],
  [
    "an id_token with another signature",
    (returned) => replaced(returned, "id_token", (token) => `${token.slice(0, -8)}AAAAAAAA`),
  ],
];
for (const [title, change] of forgeries) {
  test(`an answer with ${title} is not trusted`, async () => {
    await assert.rejects(finishing(change), { name: "VerificationError" });
  });
}

test("the hybrid answer is also read from the query, where some banks put it", async () => {
  const grant = await finishing((returned) => {
    returned.search = returned.hash.slice(1);
    returned.hash = "";
  });
  assert.equal(typeof grant.accessToken, "string");
});

test("a registration deviates as the options say", async () => {
  const software = await bed.sandbox.enterDirectory();
  const played = playing("POST", /\/register$/, () => null);
  const client = await register({
    ...software,
    fetch: played.fetch,
    deviations: {
      registrationContentType: "application/jwt",
      registrationAudience: `${bed.bank.mtlsUrl}/register`,
      registrationIdCase: "upper",
    },
  });
  assert.equal(typeof client.id, "string");
  const [request] = played.seen;
  assert.equal(request?.headers["content-type"], "application/jwt");
  const [, claims = ""] = String(request?.body).split(".");
  const { aud, jti } = JSON.parse(Buffer.from(claims, "base64url").toString());
  assert.equal(aud, `${bed.bank.mtlsUrl}/register`);
  assert.match(jti, /^[0-9A-F-]+$/);
});

test("an id_token that names another consent is not trusted", async () => {
  const client = await bed.connect();
  const payments = client.payments("domestic-payment");
  const [one, other] = [
    await payments.createConsent(tenPounds),
    await payments.createConsent(tenPounds),
  ];
  const login = await client.authorise(one);
  const { redirectUrl: returned } = await bed.sandbox.approve(login, { customer: "amara" });
  await assert.rejects(client.finish({ ...login, consentId: other.id }, returned), {
    name: "VerificationError",
    message: /openbanking_intent_id/,
  });
});

test("a code is exchanged once, and not again after a lost answer", async () => {
  const play = playing("POST", /\/token$/, ({ url, options, send }) =>
    String(options.body).includes("authorization_code")
      ? send(url, options).then(() => {
          throw new TypeError("the line is cut");
        })
      : null,
  );
  const client = await bed.connect({ fetch: play.fetch });
  const consent = await client.payments("domestic-payment").createConsent(tenPounds);
  const login = await client.authorise(consent);
  const { redirectUrl: returned } = await bed.sandbox.approve(login, { customer: "amara" });
  await assert.rejects(client.finish(login, returned), /the line is cut/);
  const exchanges = play.seen.filter(({ body }) => String(body).includes("authorization_code"));
  assert.equal(exchanges.length, 1);
});

for (const authentication of ["client_secret_basic", "client_secret_post"] as const) {
  test(`a bank that wants ${authentication} gets the secret and no assertion`, async () => {
    const played = playing("POST", /\/token$/, async () =>
      Response.json({ access_token: "token", token_type: "Bearer", expires_in: 600 }),
    );
    const { client, ...connection } = await bed.sandbox.createTpp();
    const fetch = played.fetch;
    const secret = "the secret";
    const other = await connect({
      ...connection,
      fetch,
      client: { ...client, authentication, secret },
    });
    // the sandbox knows no such token
    await assert.rejects(other.payments("domestic-payment").createConsent(tenPounds), {
      name: "BankError",
      status: 401,
    });
    const [{ headers = {}, body } = {}] = played.seen;
    const form = new URLSearchParams(String(body));
    assert.equal(form.has("client_assertion"), false);
    const basic = Buffer.from(headers.authorization?.split(" ")[1] ?? "", "base64").toString();
    assert.deepEqual(
      [form.get("client_secret"), basic.split(":")[1]],
      authentication === "client_secret_post" ? [secret, undefined] : [null, "the+secret"],
    );
    other.close();
  });
}

test("a token that the bank is too busy for is asked for again, with a new assertion", async () => {
  const busy = new Response(null, { status: 503, headers: { "retry-after": "0" } });
  const play = playing("POST", /\/token$/, ({ count }) =>
    count === 1 ? Promise.resolve(busy) : null,
  );
  const client = await bed.connect({ fetch: play.fetch });
  await client.payments("domestic-payment").createConsent(tenPounds);
  const assertions = play.seen.map(({ body }) =>
    new URLSearchParams(String(body)).get("client_assertion"),
  );
  assert.equal(assertions.length, 2);
  assert.notEqual(assertions[0], assertions[1]);
});
