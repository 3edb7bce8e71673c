import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import { signingJwk } from "#src/sandbox/directory/keys.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { expectStatus } from "#test/harness.ts";
import { quickPayee } from "#test/journeys/payments.ts";
import type { Json } from "#test/payments/answer-check.ts";
import { limitsOnAnyDay, vrpConsent, vrpOrder } from "#test/payments/limits/vrp-bed.ts";
import { type Bed, legacySubject, openRegistrationBed, organisationId } from "./bed.ts";
import type { Changes } from "./request-claims.ts";

let bed: Bed;
before(async () => {
  bed = await openRegistrationBed();
});
after(() => bed?.close());

const identifier = "PSDGB-FCA-123456";
/** The subject of an eIDAS-type certificate of the same organisation. */
const nextSubject = [
  { attribute: "C", value: "GB" },
  { attribute: "O", value: "Savvy Ltd" },
  { attribute: "2.5.4.97", value: identifier },
  { attribute: "CN", value: organisationId },
] as const;
const nextName = `CN=${organisationId},organizationIdentifier=${identifier},O=Savvy Ltd,C=GB`;

/** Registers a client of separate software, so that no test changes the keys of another. */
async function register(software: string, changes: Changes) {
  const at = `/${software}.jwks`;
  bed.served.set(at, { body: { keys: [bed.jwk] } });
  const statement = await bed.statement({
    software_id: software,
    software_jwks_endpoint: `https://${bed.host}${at}`,
  });
  const transport = await bed.certificate(legacySubject(software));
  const claims = {
    iss: software,
    software_statement: statement,
    scope: "openid accounts payments",
    ...changes,
  };
  const answer = await bed.send({ body: await bed.request(claims), transport });
  assert.equal(answer.status, 201, answer.text);
  const clientOf = (given: Partial<Parameters<Bed["client"]>[1]> = {}): TppClient => {
    const client = bed.client(answer.body, { transport, caPem: bed.caPem, ...given });
    client.tpp.softwareId = software;
    return client;
  };
  const client = clientOf();
  const token = await client.clientToken("accounts");
  return { answer, at, claims, clientOf, client, transport, token };
}

type Registered = Awaited<ReturnType<typeof register>>;

/** Changes a client, over the connection and with the token of its first certificate. */
const put = async (
  { answer, claims, token, transport }: Registered,
  changes: Changes,
  signed: Parameters<Bed["request"]>[1] = {},
) =>
  bed.send({
    method: "PUT",
    url: `${bed.url}/${answer.body.client_id}`,
    headers: { authorization: `Bearer ${token}` },
    transport,
    body: await bed.request({ ...claims, ...changes }, signed),
  });

const methods: [method: string, software: string, registered: Changes][] = [
  ["private_key_jwt", "nextOfJwt", {}],
  [
    "tls_client_auth",
    "nextOfTls",
    {
      token_endpoint_auth_method: "tls_client_auth",
      token_endpoint_auth_signing_alg: undefined,
      tls_client_auth_subject_dn: `CN=nextOfTls,OU=${organisationId},O=OpenBanking,C=GB`,
    },
  ],
];

for (const [method, software, registered] of methods) {
  test(`R-027, R-028, R-086: after a client names an OBWAC and new keys in PUT, its refresh token works with them, and payments under its VRP consent still work (${method})`, async () => {
    const tpp = await register(software, registered);
    const { client, clientOf } = tpp;
    const body = vrpConsent((given) => {
      given.Data.Initiation = { CreditorAccount: quickPayee };
      given.Data.ControlParameters.PeriodicLimits = limitsOnAnyDay;
    });
    const stem = "/v4.0/pisp/domestic-vrp";
    const lodged = await client.call<Json>({
      path: `${stem}-consents`,
      token: await client.clientToken("payments"),
      body,
    });
    expectStatus(lodged, 201);
    const consentId = String(lodged.body.Data.ConsentId);
    const { accountId } = present((await bed.bank.currentAccounts("amara"))[0], "an account");
    const given = { scope: "payments" as const, consentId, customer: "amara" };
    const tokens = await bed.bank.approve(client, { ...given, accounts: [accountId] });

    const jwk = await signingJwk(bed.keys.other.publicKeyPem);
    bed.served.set(tpp.at, { body: { keys: [jwk] } });
    const signed = { header: { kid: jwk.kid }, key: bed.keys.other };
    const changed = await put(tpp, { tls_client_auth_subject_dn: nextName }, signed);
    assert.equal(changed.status, 200, changed.text);

    const next = clientOf({
      transport: await bed.certificate([...nextSubject], bed.keys.other),
      signing: bed.keys.other,
      kid: jwk.kid,
    });
    const refresh = { grant_type: "refresh_token", refresh_token: tokens.refresh_token ?? "" };
    expectStatus(await client.tokenAnswer(refresh), 401);
    const fresh = await next.refresh(tokens.refresh_token ?? "");
    const paid = await next.call<Json>({
      path: `${stem}s`,
      token: fresh.access_token,
      body: vrpOrder(consentId, body),
    });
    expectStatus(paid, 201);
    const url = `${bed.url}/${tpp.answer.body.client_id}`;
    const read = await next.send(url, "GET", undefined, {
      authorization: `Bearer ${await next.clientToken("accounts")}`,
    });
    expectStatus(read, 200);
    assert.deepEqual(read.body, changed.body);
  });
}

test("R-086, R-087: PUT of a private_key_jwt client refuses the certificate of another organisation", async () => {
  const tpp = await register("nextOfOther", {});
  const stranger = nextName.replace("123456", "654321").replace(organisationId, "0015800001OTHER");
  const refused = await put(tpp, { tls_client_auth_subject_dn: stranger });
  assert.equal(refused.status, 400);
  assert.match(
    String(refused.body.error_description),
    /^tls_client_auth_subject_dn is .* must name the subject of the client certificate/,
  );
  assert.ok(await tpp.client.clientToken("accounts"));
});
