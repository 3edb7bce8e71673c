import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { type Listeners, openListeners } from "#src/http/connection/listeners.ts";
import { makeAuthority } from "./certificates.ts";
import { addConsent, type FakeBank, openFakeBank } from "./fake-bank.ts";

// Every run sends the same requests, so a failure can be repeated.
const seed = 20_260_721;

const things = "/api/open-banking/v4.0/thing";
const views = "/api/open-banking/v3.1/view";

let bank: FakeBank;
let listeners: Listeners;
let payToken: string;
let viewToken: string;

before(async () => {
  bank = await openFakeBank();
  const ca = await makeAuthority("CN=Test CA");
  listeners = await openListeners({
    app: bank.app,
    host: "127.0.0.1",
    publicPort: 0,
    mtlsPort: 0,
    publicTls: null,
    mtls: { ...(await ca.issue("CN=localhost")), ca: ca.cert },
  });
  payToken = await bank.addToken({});
  const { grantId } = await addConsent(bank);
  viewToken = await bank.addToken({ kind: "authorization_code", scope: "accounts", grantId });
});
after(async () => {
  await listeners.close(0);
  await bank.close();
});

type Answer = { status: number; headers: Map<string, string>; body: string };

/** Sends bytes as they are, without an HTTP client, and reads until the connection ends. */
function send(request: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(listeners.publicPort, "127.0.0.1", () => socket.write(request));
    socket.setEncoding("utf8");
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("error", reject);
    socket.on("close", () => {
      const [head = "", body = ""] = text.split("\r\n\r\n");
      const [first = "", ...lines] = head.split("\r\n");
      const headers = lines.map((line): [string, string] => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      });
      resolve({ status: Number(first.split(" ")[1]), headers: new Map(headers), body });
    });
  });
}

/** Checks what must be true of every response of the APIs. */
function assertCivil({ status, headers, body }: Answer): void {
  assert.ok(status >= 200 && status < 500, `${status} ${body}`);
  assert.match(headers.get("x-fapi-interaction-id") ?? "", /^[\x20-\x7e]{1,128}$/);
  assert.equal(headers.get("cache-control"), "no-store");
  if (body === "") return;
  assert.equal(headers.get("content-type"), "application/json; charset=utf-8");
  const told = JSON.parse(body);
  if (status >= 400) assert.ok(told.Errors[0].ErrorCode && told.Errors[0].Message, body);
}

const byte = (from: number, to: number) =>
  fc.integer({ min: from, max: to }).map((code) => String.fromCharCode(code));
// characters that a header value may contain: tab, and everything from space on except DEL
const headerText = fc.string({
  unit: fc.oneof(byte(0x20, 0x7e), byte(0x80, 0xff), fc.constant("\t")),
  maxLength: 100,
});
const targetText = fc.string({
  unit: fc.oneof(byte(0x21, 0x7e), byte(0x80, 0xff), fc.constantFrom("%", "/", "?", "&", ".")),
  maxLength: 60,
});

const target = fc.oneof(
  targetText,
  targetText.map((text) => `/${text}`),
  targetText.map((text) => `/api/${text}`),
  targetText.map((text) => `${views}/views?${text}`),
  targetText.map((text) => `${things}/things/${text}`),
  fc.constantFrom(`${views}/views`, `${things}/things`, `${views}/view-consents/1`),
);
const headerName = fc.constantFrom(
  "Accept",
  "Content-Type",
  "Content-Encoding",
  "Expect",
  "Authorization",
  "X-FAPI-Interaction-Id",
  "X-FAPI-Auth-Date",
  "X-FAPI-Customer-IP-Address",
  "X-Idempotency-Key",
  "X-JWS-Signature",
  "X-Forwarded-For",
  "__proto__",
);
const headers = fc.array(fc.tuple(headerName, headerText), { maxLength: 6 });
const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "get"];

const head = (method: string, url: string, lines: readonly (readonly [string, string])[]): string =>
  [`${method} ${url} HTTP/1.1`, "Host: bank", "Connection: close"]
    .concat(lines.map(([name, value]) => `${name}: ${value}`))
    .join("\r\n");

const request = (text: string, body = Buffer.alloc(0)): Buffer =>
  Buffer.concat([Buffer.from(`${text}\r\nContent-Length: ${body.length}\r\n\r\n`, "latin1"), body]);

test("no request causes a failure, and every response below /api has an interaction id", async () => {
  const body = fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...methods),
      target,
      headers,
      fc.constantFrom("", payToken, viewToken),
      body,
      async (method, url, lines, token, bytes) => {
        const authorised = token ? [["Authorization", `Bearer ${token}`] as const] : [];
        const answer = await send(request(head(method, url, [...authorised, ...lines]), bytes));
        assert.ok(answer.status < 500, `${answer.status} ${answer.body}`);
        // paths outside /api/ are not served by the API kit
        if (url.startsWith("/api/")) assertCivil(answer);
      },
    ),
    { seed, numRuns: 300 },
  );
});

test("no body causes a failure", async () => {
  const json = fc.oneof(fc.json(), fc.string({ unit: "binary" }), fc.constant('{"Data":{}}'));
  const jose = fc.oneof(
    headerText,
    fc.tuple(fc.json(), headerText).map(([header, end]) => {
      return `${Buffer.from(header).toString("base64url")}..${end}`;
    }),
    fc.constant(`${Buffer.from('{"__proto__":{"alg":"PS256"}}').toString("base64url")}..AA`),
  );
  await fc.assert(
    fc.asyncProperty(json, jose, async (text, signature) => {
      const lines = [
        ["Authorization", `Bearer ${payToken}`],
        ["Content-Type", "application/json"],
        ["X-Idempotency-Key", "k"],
        ["X-JWS-Signature", signature],
      ] as const;
      const url = `${things}/things`;
      const answer = await send(request(head("POST", url, lines), Buffer.from(text)));
      assertCivil(answer);
      assert.equal(answer.status, 400);
      assert.match(JSON.parse(answer.body).Errors[0].ErrorCode, /^U01[5-9]$/);
      assert.ok(answer.headers.has("x-jws-signature"));
    }),
    { seed, numRuns: 150 },
  );
});

function isDecodable(text: string): boolean {
  try {
    return text.split(/[&=]/).every((part) => !/[\0\ufffd]/.test(decodeURIComponent(part)));
  } catch {
    return false;
  }
}

test("links repeat the query as a valid URI, and leave it out if it cannot be decoded", async () => {
  // Node itself answers requests with other characters
  const seen = fc.string({ unit: byte(0x21, 0x7e), maxLength: 30 });
  const token = await bank.addToken({ scope: "accounts" });
  await fc.assert(
    fc.asyncProperty(seen, async (text) => {
      const url = `${views}/self?${text}`;
      const answer = await send(request(head("GET", url, [["Authorization", `Bearer ${token}`]])));
      if (!isDecodable(text)) return assert.equal(answer.status, 400, answer.body);
      assert.equal(answer.status, 200, answer.body);
      const { Self } = JSON.parse(answer.body);
      assert.match(Self, /^http:\/\/bank\.test\/(?:[\w\-.~:/?@!$&'()*+,;=]|%[\dA-Fa-f]{2})*$/);
      // compares the bytes that were sent, regardless of how they are escaped now
      const plain = (spelled: string) =>
        spelled.replace(/%([\dA-Fa-f]{2})/g, (_, hex) => String.fromCharCode(Number(`0x${hex}`)));
      assert.equal(plain(Self.split("?").slice(1).join("?")), plain(text));
    }),
    { seed, numRuns: 200 },
  );
});
