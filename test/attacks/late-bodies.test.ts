// A request announces a body and never sends it. The bank says so in the form of the endpoint.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import { connect as connectTls } from "node:tls";
import type { IssuedTpp } from "#src/sandbox/directory/issued-tpp.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { Scope } from "#src/standard/api-version.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { shortTimes } from "./listeners-bed.ts";

const { stallSeconds } = shortTimes;
const words =
  `The rest of the body did not arrive in time. The bank waits at most ${stallSeconds} seconds ` +
  "for the next byte, and 30 seconds plus 1 second per 4,096 bytes for the whole body. Send the " +
  "request again.";

let bank: TestBank;
let tpp: TppClient<IssuedTpp>;
const tokens = new Map<Scope, string>();
before(async () => {
  bank = await openBank({}, undefined, undefined, { times: { stallSeconds } });
  tpp = await bank.createTpp();
  for (const scope of ["accounts", "payments", "fundsconfirmations"] as const) {
    tokens.set(scope, await tpp.clientToken(scope));
  }
});
after(() => bank?.close());

/** An endpoint, and what its answer contains. */
type Row = {
  path: string;
  contentType: string;
  /** Of the token, if the endpoint needs one. */
  scope?: Scope;
  says: string;
};

const v3 = "/api/open-banking/v3.1";
const v4 = "/api/open-banking/v4.0";
const inVersion3 = `"ErrorCode":"UK.OBIE.Resource.InvalidFormat","Message":"${words}"`;
const inVersion4 = `"ErrorCode":"U010","Message":"UK.OBIE.Resource.InvalidFormat - ${words}"`;
const json = "application/json";
const form = "application/x-www-form-urlencoded";
const inOauth = `{"error":"invalid_request","error_description":"${words}"}`;
const inRegistration = `{"error":"invalid_client_metadata","error_description":"${words}"}`;

const ofTpps: Row[] = [
  ["accounts", "/aisp/account-access-consents"],
  ["payments", "/pisp/domestic-payment-consents"],
  ["fundsconfirmations", "/cbpii/funds-confirmation-consents"],
].flatMap(([scope, path]) => {
  const row = { contentType: json, scope: scope as Scope };
  return [
    { ...row, path: `${v3}${path}`, says: inVersion3 },
    { ...row, path: `${v4}${path}`, says: inVersion4 },
  ];
});
ofTpps.push({ path: `${v4}/events`, contentType: json, scope: "accounts", says: inVersion4 });
for (const path of ["/token", "/request", "/token/revocation", "/token/introspection", "/me"]) {
  ofTpps.push({ path, contentType: form, says: inOauth });
}
ofTpps.push({ path: "/register", contentType: "application/jose", says: inRegistration });

const ofOthers: Row[] = [
  { path: "/bank/login", contentType: form, says: "The form did not arrive in time. Nothing was" },
  { path: "/nowhere", contentType: json, says: "We could not read the request. Nothing was done." },
  {
    path: "/sandbox/v1/customers",
    contentType: json,
    says: `{"message":"${words}","faults":[]}`,
  },
];

/** Sends the head of a request and one byte of its body, and reads until the bank closes. */
async function sendLate(url: URL, { contentType, scope }: Row): Promise<string> {
  const lines = [
    `POST ${url.pathname} HTTP/1.1`,
    `host: ${url.host}`,
    `content-type: ${contentType}`,
    "content-length: 1000",
    "accept: application/json, text/html",
    "x-idempotency-key: late",
    ...(scope ? [`authorization: Bearer ${tokens.get(scope)}`] : []),
  ];
  const isSecure = url.protocol === "https:";
  const where = { host: "127.0.0.1", port: Number(url.port) };
  const { privateKeyPem: key, certificatePem: cert } = tpp.tpp.transport;
  const socket = isSecure
    ? connectTls({ ...where, servername: "localhost", ca: tpp.tpp.caPem, key, cert })
    : connect(where);
  await once(socket, isSecure ? "secureConnect" : "connect");
  socket.write(`${lines.join("\r\n")}\r\n\r\n{`);
  let said = "";
  for await (const chunk of socket) said += chunk;
  return said;
}

describe("a body that does not arrive is refused in the form of the endpoint", {
  concurrency: true,
}, () => {
  for (const [base, rows] of [
    ["mtlsUrl", ofTpps],
    ["publicUrl", ofOthers],
  ] as const) {
    for (const row of rows) {
      test(row.path, async () => {
        const said = await sendLate(new URL(bank[base] + row.path), row);
        assert.match(said, /^HTTP\/1\.1 408 /);
        const [head = "", body = ""] = said.split("\r\n\r\n");
        assert.match(head, /\r\nconnection: close/i);
        assert.match(head, /\r\nx-fapi-interaction-id: /i);
        assert.ok(body.includes(row.says), body);
      });
    }
  }
});
