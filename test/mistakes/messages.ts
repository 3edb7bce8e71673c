import { randomUUID } from "node:crypto";
import { longSalt, resigned } from "#test/registration/sign-any.ts";
import type { Mistake, Place } from "./place.ts";
import { changed, sampleConsent } from "./place.ts";

const path = "/v4.0/pisp/domestic-payment-consents";
const body = () => sampleConsent("domestic-payment");
const bytes = () => Buffer.from(JSON.stringify(body()));

/** A consent request whose signature is made in a wrong way. */
const signed = (
  name: string,
  sign: (place: Place) => Promise<string | null> | string | null,
  ...says: Mistake["says"]
): Mistake => ({
  name: `signature: ${name}`,
  async send(place) {
    const signature = await sign(place);
    return place.tpp.call({
      path,
      token: place.tokens.payments,
      body: bytes(),
      signed: false,
      headers: signature === null ? {} : { "x-jws-signature": signature },
    });
  },
  says,
});

/** A consent request whose JOSE header has other members; no library would sign it. */
const forged = (
  name: string,
  change: (jose: Record<string, unknown>) => void,
  ...says: Mistake["says"]
): Mistake =>
  signed(
    name,
    async ({ tpp }) => {
      const [head = "", , end] = (await tpp.signature(bytes())).split(".");
      const jose = JSON.parse(Buffer.from(head, "base64url").toString());
      change(jose);
      return `${Buffer.from(JSON.stringify(jose)).toString("base64url")}..${end}`;
    },
    ...says,
  );

const claim = (name: string, value: Record<string, unknown>, ...says: Mistake["says"]): Mistake =>
  signed(name, ({ tpp }) => tpp.signature(bytes(), value), ...says);

/** A consent request with wrong headers. */
const header = (
  name: string,
  headers: Record<string, string | null>,
  ...says: Mistake["says"]
): Mistake => ({
  name: `headers: ${name}`,
  send: ({ tpp, tokens }) => tpp.call({ path, token: tokens.payments, body: body(), headers }),
  says,
});

const ob = "http://openbanking.org.uk";
const now = Math.floor(Date.now() / 1000);

const signatureParts = ["Sign the exact bytes", "two dots", "PS256", "kid", "/iat", "/iss", "crit"];

export const signatureMistakes: readonly Mistake[] = [
  signed(
    "with a long salt",
    async ({ tpp }) => {
      const made = await tpp.signature(bytes());
      return resigned(made, tpp.tpp.signing.privateKeyPem, longSalt, bytes());
    },
    "U015",
    "salt of another length than 32",
    "PS256",
  ),
  signed("absent", () => null, "U019", "x-jws-signature", ...signatureParts),
  signed("not base64url", () => "hello", "U018", "x-jws-signature", "two dots"),
  signed(
    "with the body between the dots",
    async ({ tpp }) => (await tpp.signature(bytes())).replace("..", ".e30."),
    "U018",
    "x-jws-signature",
    "two dots",
  ),
  signed("with a JOSE header that is not JSON", () => "YWJj..YWJj", "U018", /JOSE header .*JSON/),
  signed(
    "with a repeated member of the JOSE header",
    () => `${Buffer.from('{"alg":"PS256","alg":"PS256"}').toString("base64url")}..YWJj`,
    "U018",
    '\\"alg\\" twice',
  ),
  forged(
    "alg RS256",
    (jose) => {
      jose.alg = "RS256";
    },
    "U016",
    "alg",
    "is RS256: sign with PS256",
  ),
  claim("without kid", { kid: undefined }, "U017", "kid", "Add kid"),
  claim("unknown kid", { kid: "wrong" }, "U016", "kid", "JWKS", /[\w-]{43}/),
  claim("typ JWT", { typ: "JWT" }, "U016", "typ", "is JWT: send JOSE", "leave it out"),
  claim("cty text/plain", { cty: "text/plain" }, "U016", "cty", "application/json"),
  claim("b64 true", { b64: true }, "U016", "b64", "leave it out"),
  claim("an unknown member", { jku: "https://x.example" }, "U016", "jku", "leave it out"),
  forged(
    "without iat",
    (jose) => {
      delete jose[`${ob}/iat`];
    },
    "U017",
    `${ob}/iat`,
    "Add",
  ),
  claim("iat as text", { [`${ob}/iat`]: String(now) }, "U016", `${ob}/iat`, "number of seconds"),
  claim("iat in milliseconds", { [`${ob}/iat`]: now * 1000 }, "U016", "seconds, not milliseconds"),
  claim("iat in the future", { [`${ob}/iat`]: now + 7200 }, "U016", /future.*time is 20\d\d/),
  claim("iat two days ago", { [`${ob}/iat`]: now - 172_800 }, "U016", "older than a day"),
  claim("iss of another form", { [`${ob}/iss`]: "TPP" }, "U016", `${ob}/iss`, /0015\w+\/\w+/),
  forged(
    "without tan",
    (jose) => {
      delete jose[`${ob}/tan`];
    },
    "U017",
    `${ob}/tan`,
    "Add",
  ),
  claim("another tan", { [`${ob}/tan`]: "example.org" }, "U016", `${ob}/tan`, "openbanking.org.uk"),
  forged(
    "crit with one name only",
    (jose) => {
      jose.crit = [`${ob}/iat`];
    },
    "U016",
    "crit",
    `${ob}/tan`,
  ),
  signed(
    "of the body with white space",
    ({ tpp }) => tpp.signature(Buffer.from(JSON.stringify(body(), null, 2))),
    "U015",
    "indented by two spaces",
    "serialised again",
  ),
  signed(
    "of another body",
    ({ tpp }) => tpp.signature(Buffer.from("{}")),
    "U015",
    "does not match",
    /SHA-256 [0-9a-f]{64}/,
  ),
  signed(
    "made with the key of another client",
    async ({ tpp, other }) =>
      other.signature(bytes(), {
        kid: tpp.tpp.signing.kid,
        [`${ob}/iss`]: `${tpp.tpp.organisationId}/${tpp.tpp.softwareId}`,
      }),
    "U015",
    "private key does not belong to the kid",
  ),
  signed(
    "as another client, in its own name",
    ({ other }) => other.signature(bytes()),
    "U016",
    `${ob}/iss`,
    "this is not the caller",
    /0015\w+\/\w+/,
    "this is not a key of the caller",
    /the bank knows [\w-]{43}/,
  ),
];

export const headerMistakes: readonly Mistake[] = [
  header("no idempotency key", { "x-idempotency-key": null }, "U007", "x-idempotency-key", "Send"),
  header(
    "an idempotency key of 41 characters",
    { "x-idempotency-key": "k".repeat(41) },
    "U006",
    "x-idempotency-key",
    "40",
  ),
  header(
    "an interaction id that is not a UUID",
    { "x-fapi-interaction-id": "42" },
    "U006",
    "x-fapi-interaction-id",
    "UUID",
  ),
  header(
    "x-fapi-auth-date as ISO 8601",
    { "x-fapi-auth-date": "2026-11-24T09:00:00Z" },
    "U006",
    "x-fapi-auth-date",
    /Sun|Tue|GMT/,
  ),
  header("accept XML", { accept: "application/xml" }, "406", "Accept", "application/json"),
  header(
    "body as text",
    { "content-type": "text/plain" },
    "415",
    "Content-Type",
    "application/json",
  ),
  header(
    "body in Latin-1",
    { "content-type": "application/json; charset=iso-8859-1" },
    "415",
    "UTF-8",
  ),
  header("no content type", { "content-type": null }, "415", "Content-Type", "application/json"),
  header("no token", { authorization: null }, "401", 'Bearer scope="payments"'),
  header("token without Bearer", { authorization: "abc" }, "401", "Bearer, a space"),
  header("basic authentication", { authorization: "Basic YTpi" }, "401", "Bearer, a space"),
  header("an unknown token", { authorization: "Bearer abc" }, "401", "unknown"),
  {
    name: "headers: a token of another scope",
    send: ({ tpp, tokens }) => tpp.call({ path, token: tokens.accounts, body: body() }),
    says: ["403", "payments", "accounts"],
  },
  {
    name: "headers: the customer's token on a consent",
    send: ({ tpp, authorised }) => tpp.call({ path, token: authorised.token, body: body() }),
    says: ["403", "client_credentials", "authorization_code"],
  },
  {
    name: "headers: a token of another client",
    send: ({ other, tokens }) => other.call({ path, token: tokens.payments, body: body() }),
    says: ["401", "bound to the client certificate", "get a new token", "another one"],
  },
  {
    name: "headers: client credentials for account data",
    send: ({ tpp, tokens }) => tpp.call({ path: "/v3.1/aisp/accounts", token: tokens.accounts }),
    says: ["401", "client_credentials", "authorization_code"],
  },
  {
    name: "headers: client credentials for account data in v4.0",
    send: ({ tpp, tokens }) => tpp.call({ path: "/v4.0/aisp/accounts", token: tokens.accounts }),
    says: [/40[13]/, "client_credentials", "authorization_code"],
  },
];

const at = (name: string, method: string, path: string, ...says: Mistake["says"]): Mistake => ({
  name: `paths: ${name}`,
  send: ({ tpp, tokens }) =>
    tpp.send(`${tpp.base}${path}`, method, method === "GET" ? undefined : Buffer.from("{}"), {
      authorization: `Bearer ${tokens.payments}`,
      accept: "application/json",
      "content-type": "application/json",
      "x-idempotency-key": randomUUID(),
    }),
  says,
});

const api = "/api/open-banking";
const missing = `${randomUUID()}`;

export const pathMistakes: readonly Mistake[] = [
  at("a misspelt resource", "GET", `${api}/v4.0/aisp/account`, "404", "/accounts"),
  at("a version that nobody serves", "GET", `${api}/v4/aisp/accounts`, "404", "v4.0"),
  at("a patch release", "GET", `${api}/v4.0.1/pisp/domestic-payments/1`, "404", "v4.0"),
  at(
    "an older version of one API",
    "POST",
    `${api}/v2.0/pisp/domestic-payment-consents`,
    "404",
    "v4.0",
  ),
  at("an unknown API", "GET", `${api}/v4.0/xisp/accounts`, "404", "/api/open-banking/v4.0/aisp"),
  at(
    "without /open-banking",
    "GET",
    "/api/v4.0/aisp/accounts",
    "404",
    "/api/open-banking/v4.0/aisp",
  ),
  at(
    "a method that the path does not have",
    "PUT",
    `${api}/v4.0/pisp/domestic-payment-consents`,
    "405",
    "POST",
  ),
  at("DELETE of an order", "DELETE", `${api}/v4.0/pisp/domestic-payments/${missing}`, "405", "GET"),
  at(
    "a consent that does not exist",
    "GET",
    `${api}/v4.0/pisp/domestic-payment-consents/${missing}`,
    "U011",
    "ConsentId",
    "Check the id",
    "POST /domestic-payment-consents returned",
  ),
  at(
    "an order that does not exist",
    "GET",
    `${api}/v4.0/pisp/domestic-payments/${missing}`,
    "U011",
    "DomesticPaymentId",
    "Check the id",
    "POST /domestic-payments returned",
  ),
  {
    name: "paths: the consent of another kind",
    send: ({ tpp, tokens, authorised }) =>
      tpp.call({
        path: `/v4.0/pisp/international-payment-consents/${authorised.lodged.consentId}`,
        token: tokens.payments,
      }),
    says: ["U011", "ConsentId", "Send the request to /domestic-payment-consents"],
  },
  {
    name: "paths: a consent of another client",
    send: async ({ other, authorised }) =>
      other.call({
        path: `/v4.0/pisp/domestic-payment-consents/${authorised.lodged.consentId}`,
        token: await other.clientToken("payments"),
      }),
    says: ["403", "U011", "ConsentId", "Another client created"],
  },
  {
    name: "paths: a consent of v4.0 read on v3.1",
    send: ({ tpp, tokens, vrp }) =>
      tpp.call({
        path: `/v3.1/pisp/domestic-vrp-consents/${vrp.consentId}`,
        token: tokens.payments,
      }),
    says: ["Send the request to /api/open-banking/v4.0/pisp."],
  },
  {
    name: "paths: an account that the consent does not have",
    send: ({ tpp, access }) =>
      tpp.call({ path: "/v3.1/aisp/accounts/1234/balances", token: access.token }),
    says: [/403|400/, "AccountId", "GET /accounts"],
  },
  {
    name: "paths: data for which the consent has no permission",
    send: ({ tpp, access }) =>
      tpp.call({
        path: `/v3.1/aisp/accounts/${access.accountId}/beneficiaries`,
        token: access.token,
      }),
    says: ["403", "ReadBeneficiaries", "Ask the customer"],
  },
  {
    name: "paths: a query date that is not a date",
    send: ({ tpp, access }) =>
      tpp.call({
        path: `/v3.1/aisp/accounts/${access.accountId}/transactions?fromBookingDateTime=yesterday`,
        token: access.token,
      }),
    says: ["400", "fromBookingDateTime", "such as 20"],
  },
];

export const jsonMistakes: readonly Mistake[] = [
  ...(
    [
      ["not JSON", "{", "JSON"],
      ["a list", "[]", "object"],
      ["empty", "", "JSON"],
      ["a repeated member", '{"Data":{},"Data":{}}', '\\"Data\\" twice'],
      ["NUL in a text", '{"Data":{"x":"\\u0000"},"Risk":{}}', "NUL"],
      ["not UTF-8", Buffer.from([0x7b, 0xff, 0x7d]), "UTF-8"],
      [
        "nested too deeply",
        `${"[".repeat(80)}${"]".repeat(80)}`.replace(/^/, '{"a":').concat("}"),
        "64",
      ],
      ["larger than 128 kB", JSON.stringify({ a: "x".repeat(140_000) }), "131072"],
    ] as const
  ).map(
    ([name, text, says]): Mistake => ({
      name: `body: ${name}`,
      send: ({ tpp, tokens }) =>
        tpp.call({ path, token: tokens.payments, body: Buffer.from(text), signed: true }),
      says: [/U010|U002/, says],
    }),
  ),
  {
    name: "idempotency: the same key with another body",
    async send({ tpp, tokens }) {
      const idempotencyKey = randomUUID();
      const call = { path, token: tokens.payments, idempotencyKey };
      await tpp.call({ ...call, body: body() });
      return tpp.call({
        ...call,
        body: changed(body(), { "Data.Initiation.InstructedAmount.Amount": "11.00" }),
      });
    },
    says: ["U029", "x-idempotency-key", "Use a new key"],
  },
];
