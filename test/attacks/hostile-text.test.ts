import assert from "node:assert/strict";
import * as http from "node:http";
import { after, before, describe, test } from "node:test";
import { Visitor } from "#test/auth/visitor.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { lodge } from "#test/journeys/payments.ts";

let bank: TestBank;
let token: string;
before(async () => {
  bank = await openBank();
  token = await (await bank.createTpp()).clientToken("accounts");
});
after(() => bank?.close());

type Sent = { method?: string; path: string; headers?: Record<string, string>; body?: string };
type Got = { status: number; type: string; text: string };

/** Sends a request as it is. `fetch` would correct its path. */
function send({ method = "GET", path, headers = {}, body }: Sent): Promise<Got> {
  const { port } = new URL(bank.publicUrl);
  return new Promise((resolve, reject) => {
    const request = http.request({ host: "localhost", port, method, path, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => {
        const type = response.headers["content-type"] ?? "";
        resolve({ status: response.statusCode ?? 0, type, text });
      });
    });
    request.on("error", reject);
    request.end(body);
  });
}

const pisp = "/api/open-banking/v4.0/pisp";
const aisp = "/api/open-banking/v3.1/aisp";
const page = { accept: "text/html" };
const form = { "content-type": "application/x-www-form-urlencoded" };
const json = { "content-type": "application/json" };
const jwt = (claims: object): string =>
  ["{}", JSON.stringify(claims), "x"]
    .map((part) => Buffer.from(part).toString("base64url"))
    .join(".");
const basic = (text: string): string => `Basic ${Buffer.from(text).toString("base64")}`;

/** Text that is not UTF-8 without NUL, as it is encoded in a URL or form. */
const hostile = ["%00", "a%00b", "%ff", "%c3%28", "%ed%a0%80"];

/** The places where such text can arrive, and the format of the 400 there. */
const doors: {
  name: string;
  channel: "api" | "oauth" | "page" | "plain";
  send(text: string): Sent;
}[] = [
  {
    name: "the id of a payment",
    channel: "api",
    send: (text) => ({ path: `${pisp}/domestic-payments/${text}` }),
  },
  {
    name: "a ConsentId",
    channel: "api",
    send: (text) => ({ path: `${aisp}/account-access-consents/${text}`, method: "DELETE" }),
  },
  {
    name: "an AccountId, with a token",
    channel: "api",
    send: (text) => ({
      path: `${aisp}/accounts/${text}/transactions`,
      headers: { authorization: `Bearer ${token}` },
    }),
  },
  {
    name: "a query of an API",
    channel: "api",
    send: (text) => ({ path: `${aisp}/accounts?page=${text}` }),
  },
  {
    name: "the name of a query parameter",
    channel: "api",
    send: (text) => ({ path: `${aisp}/accounts?${text}=1` }),
  },
  {
    name: "client_id at the authorization endpoint",
    channel: "page",
    send: (text) => ({ path: `/auth?client_id=${text}&scope=openid`, headers: page }),
  },
  {
    name: "client_id at the authorization endpoint, from a program",
    channel: "oauth",
    send: (text) => ({ path: `/auth?client_id=${text}` }),
  },
  {
    name: "the uid of a resumed authorization",
    channel: "page",
    send: (text) => ({ path: `/auth/${text}`, headers: page }),
  },
  ...["/token", "/token/revocation", "/token/introspection", "/request"].map((path) => ({
    name: `client_id at ${path}`,
    channel: "oauth" as const,
    send: (text: string) => ({
      method: "POST",
      path,
      headers: form,
      body: `grant_type=client_credentials&token=a&client_id=${text}`,
    }),
  })),
  {
    name: "the code at the token endpoint",
    channel: "oauth",
    send: (text) => ({
      method: "POST",
      path: "/token",
      headers: form,
      body: `grant_type=authorization_code&code=${text}&client_id=a`,
    }),
  },
  {
    name: "the URL of the journey",
    channel: "page",
    send: (text) => ({ path: `/journey/${text}`, headers: page }),
  },
  {
    name: "a field of the journey",
    channel: "page",
    send: (text) => ({
      method: "POST",
      path: "/journey/abc",
      headers: { ...form, ...page },
      body: `login=${text}&password=x`,
    }),
  },
  {
    name: "the login of the bank's own pages",
    channel: "page",
    send: (text) => ({
      method: "POST",
      path: "/bank/login",
      headers: { ...form, ...page },
      body: `login=${text}&password=x`,
    }),
  },
  {
    name: "an order on the bank's own pages",
    channel: "page",
    send: (text) => ({ path: `/bank/approvals/${text}`, headers: page }),
  },
  {
    name: "an organisation in the directory",
    channel: "plain",
    send: (text) => ({ path: `/directory/${text}/a.jwks` }),
  },
  {
    name: "a piece of software in the directory",
    channel: "plain",
    send: (text) => ({ path: `/directory/a/${text}.jwks` }),
  },
  {
    name: "a TPP in the sandbox's interface",
    channel: "plain",
    send: (text) => ({ path: `/sandbox/v1/tpps/${text}` }),
  },
  {
    name: "an order in the sandbox's interface",
    channel: "plain",
    send: (text) => ({
      method: "POST",
      path: `/sandbox/v1/multi-authorisations/${text}`,
      headers: json,
      body: '{"decision":"approve"}',
    }),
  },
];

function assertChannel({ status, type, text }: Got, channel: string): void {
  assert.equal(status, 400, text);
  if (channel === "page") {
    assert.match(type, /^text\/html/);
    assert.match(text, /<h1/);
    return;
  }
  assert.match(type, /^application\/json/);
  const body = JSON.parse(text);
  if (channel === "oauth") {
    assert.equal(body.error, "invalid_request");
    assert.match(body.error_description, /^[\x20-\x7e]+$/);
  } else if (channel === "api") {
    assert.ok(body.Errors[0].ErrorCode && body.Errors[0].Path && body.Errors[0].Message, text);
  } else {
    assert.ok(body.message, text);
  }
}

describe("text that is not UTF-8 without NUL gets the 400 of its channel", () => {
  for (const { name, channel, send: make } of doors) {
    test(name, async () => {
      for (const text of hostile) {
        const got = await send(make(text));
        assertChannel(got, channel);
        assert.ok(!got.text.includes("\0"));
      }
    });
  }

  test("hostile text as a client's name in Basic credentials", async () => {
    const body = "grant_type=client_credentials";
    for (const text of ["\0:x", "a%00:x", "%ff:x"]) {
      const headers = { ...form, authorization: basic(text) };
      assertChannel(await send({ method: "POST", path: "/token", headers, body }), "oauth");
    }
  });

  test("hostile text in a claim of a client assertion or a Request Object", async () => {
    for (const claims of [
      { iss: "\0", sub: "a" },
      { iss: "a", sub: "\ud800" },
      { a: [{ "\0": 1 }] },
    ]) {
      // decoders of base64 skip the characters that do not belong there
      for (const skipped of ["", "%20", "!", "%0a", "%C3%A9"]) {
        const token = jwt(claims).replaceAll(/(?<=^.)|(?=\.)/g, skipped);
        const body = `grant_type=client_credentials&client_assertion=${token}`;
        assertChannel(await send({ method: "POST", path: "/token", headers: form, body }), "oauth");
        const path = `/auth?client_id=a&request=${token}`;
        assertChannel(await send({ path, headers: page }), "page");
      }
    }
  });

  test("hostile text in the JSON of the parameter claims", async () => {
    const intent = { id_token: { openbanking_intent_id: { value: "\0" } } };
    for (const before of ["", " ", "\n\t"]) {
      const claims = encodeURIComponent(before + JSON.stringify(intent));
      const body = `client_id=a&claims=${claims}`;
      const pushed = { method: "POST", path: "/request", headers: form, body };
      assertChannel(await send(pushed), "oauth");
      assertChannel(await send({ path: `/auth?${body}`, headers: page }), "page");
    }
  });

  test("a claim of a client assertion that cannot be text", async () => {
    for (const value of [{ toString: 1 }, [{ toString: 1, valueOf: 1 }]]) {
      for (const name of ["iss", "sub", "jti", "aud", "exp"]) {
        const all = { iss: "a", sub: "a", jti: "a", aud: "a", exp: 4e9, [name]: value };
        const type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
        const body = `grant_type=client_credentials&client_id=a&client_assertion_type=${type}&client_assertion=${jwt(all)}`;
        const got = await send({ method: "POST", path: "/token", headers: form, body });
        assert.ok([400, 401].includes(got.status), `${name}: ${got.text}`);
      }
    }
  });

  test("hostile text in a body of the sandbox's interface, including member names", async () => {
    for (const text of ['"\\u0000"', '"\\ud800x"', '[{"\\u0000":1}]']) {
      const body = `{"name":${text},"roles":["AISP"],"redirectUris":["http://localhost/"]}`;
      const sent = { method: "POST", path: "/sandbox/v1/tpps", headers: json, body };
      assertChannel(await send(sent), "plain");
    }
  });

  test("hostile text in an API body, at any depth", async () => {
    const client = await bank.createTpp();
    const payments = await client.clientToken("payments");
    for (const text of ["\0", "a\0", "\udc00"]) {
      for (const body of [
        { Data: { Initiation: { InstructionIdentification: text } } },
        { Data: { Initiation: { CreditorAccount: { Identification: text } } } },
        { Data: { Initiation: {} }, Risk: { [text]: 1 } },
      ]) {
        const path = "/v4.0/pisp/domestic-payment-consents";
        const answer = await client.call({ method: "POST", path, token: payments, body });
        assert.equal(answer.status, 400);
        const [fault] = (answer.body as { Errors: Record<string, string>[] }).Errors;
        assert.equal(fault?.ErrorCode, "U002");
        assert.match(fault?.Path ?? "", /^(Data\.Initiation|Risk)/);
      }
    }
  });
});

describe("unusual request headers and parameters do not cause a failure", () => {
  const odd = [
    "",
    "/",
    "text",
    "text/",
    ";",
    "application/json;;=",
    "a/b/c",
    "\u00ff",
    "multipart/x",
  ];
  const addresses = [
    "/nowhere",
    "/api/nowhere",
    `${pisp}/nowhere`,
    "/token",
    "/bank/login",
    "/sandbox/v1/x",
  ];
  for (const path of addresses) {
    test(`an odd Content-Type at ${path}`, async () => {
      for (const type of odd) {
        const headers = { "content-type": type };
        const { status, text } = await send({ method: "POST", path, headers, body: "x" });
        assert.ok(status >= 400 && status < 500, `${status} ${text}`);
      }
    });
  }

  test("an odd response_type or response_mode in a Request Object is refused", async () => {
    const client = await bank.createTpp();
    const odds = [
      "",
      "x",
      "code",
      "none",
      "__proto__",
      "jwt",
      "query",
      5,
      null,
      true,
      [],
      ["code"],
      {},
    ];
    for (const value of odds) {
      for (const name of ["response_type", "response_mode"]) {
        const overrides = { [name]: value };
        const url = new URL(
          await client.authorizationUrl({ scope: "payments", consentId: "none", overrides }),
        );
        for (const extra of ["", `&${name}=${encodeURIComponent(String(value))}`]) {
          const path = `${url.pathname}${url.search}${extra}`;
          const { status, text } = await send({ path, headers: page });
          assert.ok(status < 500, `${name} ${JSON.stringify(value)} ${status} ${text}`);
        }
        const pushed = new URLSearchParams(url.search);
        pushed.set("client_assertion", "x");
        const sent = { method: "POST", path: "/request", headers: form, body: String(pushed) };
        const { status, text } = await send(sent);
        assert.ok(status < 500, `${name} ${JSON.stringify(value)} ${status} ${text}`);
      }
    }
  });

  test("an odd response_type or response_mode is refused", async () => {
    const client = await bank.createTpp();
    const odds = [
      "",
      "x",
      "code",
      "none",
      "id_token%20token",
      "__proto__",
      "constructor",
      "jwt",
      "query",
    ];
    for (const value of odds) {
      for (const name of ["response_type", "response_mode"]) {
        for (const extra of ["", "&response_mode=jwt", "&response_type=code", `&${name}=again`]) {
          const path = `/auth?client_id=${client.tpp.clientId}&scope=openid&${name}=${value}${extra}`;
          const { status, text } = await send({ path, headers: page });
          assert.ok(status < 500, `${path} ${status} ${text}`);
        }
      }
    }
  });
});

test("a login that is cut within a pictograph is a wrong login, in a journey and at the bank", async () => {
  const client = await bank.createTpp();
  const { consentId } = await lodge(client);
  const urls = [
    await client.authorizationUrl({ scope: "payments", consentId }),
    `${bank.publicUrl}/bank/login`,
  ];
  for (const url of urls) {
    const visitor = new Visitor(bank);
    await visitor.open(url);
    const login = "a".repeat(99) + "\u{1f469}".repeat(9);
    await visitor.submit({ login, password: "wrong", decision: "continue" });
    assert.equal(visitor.shown.status, 200, visitor.shown.body);
    assert.equal(visitor.step, "login");
  }
});
