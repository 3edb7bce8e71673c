import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { newId, newUuid } from "#src/lib/ids.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { sql } from "#src/storage/sql.ts";
import { openWithRoutes, type Route } from "#test/attacks/collect-routes.ts";
import { expectStatus, type TestBank } from "#test/harness.ts";
import { lodge, lodgeAccess } from "#test/journeys/payments.ts";

let bank: TestBank;
let routes: Route[];
before(async () => {
  ({ bank, routes } = await openWithRoutes());
});
after(() => bank?.close());

/** Everything that the log has stored, as text. */
async function stored(): Promise<string> {
  await bank.control("GET", "/requests"); // writes what waits
  const rows = await bank.database.query<{ entries: string; bodies: string | null }>(
    sql`select entries, bodies from request_log_chunk`,
  );
  return rows.map(({ entries, bodies }) => `${entries}\n${bodies}`).join("\n");
}

const secretMembers = ["access_token", "refresh_token", "id_token", "request_uri", "code"];

/** Notes every secret that a client sends or gets. */
function watch(tpp: TppClient): Set<string> {
  const secrets = new Set<string>();
  const note = (value: unknown): void => {
    if (typeof value !== "string" || value.length < 16) return;
    secrets.add(value);
    // a JWT without its signature proves nothing
    const signature = value.split(".")[2];
    if (signature) secrets.add(signature);
  };
  const { send } = tpp;
  tpp.send = async (url, method, body, headers) => {
    const form = new URLSearchParams(body?.toString());
    for (const name of ["client_assertion", "code", "refresh_token", "code_verifier", "token"]) {
      note(form.get(name));
    }
    note(new URL(url).searchParams.get("request"));
    note(headers.authorization?.slice("Bearer ".length));
    const answer = await send.call(tpp, url, method, body, headers);
    const members = (answer.body ?? {}) as Record<string, unknown>;
    for (const name of secretMembers) note(members[name]);
    return answer;
  };
  return secrets;
}

test("no id, token, hint or identifier of an approval without a browser is in the log", async () => {
  const notificationEndpoint = "http://localhost:1/decided";
  const tpp = await bank.createTpp({ notificationEndpoint });
  const { consentId } = await lodge(tpp);
  const { identifier } = await bank.control<{ identifier: string }>(
    "POST",
    "/approvals/one-time-identifiers",
    { customer: "amara" },
  );
  const token = randomBytes(16).toString("hex");
  const hint = Buffer.from(JSON.stringify({ ephemeral_sub: identifier })).toString("base64url");
  const claims = {
    client_notification_token: token,
    login_hint_token: `eyJhbGciOiJub25lIn0.${hint}.`,
  };
  const answer = await tpp.backchannel({ scope: "payments", consentId, claims });
  assert.equal(answer.status, 200, answer.raw.toString());
  const { auth_req_id: id } = answer.body as { auth_req_id: string };
  await tpp.poll(id);
  const text = await stored();
  assert.ok(text.includes("/backchannel") && text.includes(consentId));
  assert.ok(text.includes("/backchannel") && text.includes(consentId));
  // the log has the claims of the request object in base64url
  const decoded = text.replace(/eyJ[\w-]+/g, (word) => Buffer.from(word, "base64url").toString());
  assert.ok(decoded.includes("client_notification_token"));
  for (const secret of [id, token, hint, identifier]) {
    assert.ok(!text.includes(secret) && !decoded.includes(secret), secret);
  }
});

test("nothing of a request object that cannot be read is in the log", async () => {
  const tpp = await bank.createTpp();
  const token = randomBytes(16).toString("hex");
  const encode = (text: string) => Buffer.from(text).toString("base64url");
  const header = encode('{"alg":"PS256"}');
  const claims = `{"client_notification_token":"${token}","login_hint_token":"${token}"`;
  const faulty: [title: string, request: string][] = [
    ["claims that are cut off", `${header}.${encode(claims)}.AAAA`],
    ["claims in a list", `${header}.${encode(`[${claims}}]`)}.AAAA`],
    ["claims that are not JSON", `${header}.${encode(token)}.AAAA`],
    ["claims that are not encoded", `${header}.${token}.AAAA`],
    ["a header that is cut off", `${encode(claims)}.${encode("{}")}.AAAA`],
    ["more parts", `${header}.${encode(`${claims}}`)}.AAAA.AAAA.AAAA`],
  ];
  for (const [title, request] of faulty) {
    const answer = await tpp.backchannelForm({ request });
    assert.equal(answer.status, 400, `${title}: ${answer.raw}`);
  }
  const text = await stored();
  const decoded = text.replace(/[\w-]{8,}/g, (word) => Buffer.from(word, "base64url").toString());
  assert.ok(text.includes(tpp.tpp.clientId), "the requests are in the log");
  for (const [place, found] of Object.entries({ text, decoded })) {
    assert.ok(!found.includes(token), `${place}: ${aroundFirst(found, token)}`);
  }
});

test("no token, code, assertion, cookie or handle of a whole journey is in the log", async () => {
  for (const profile of ["fapi1", "fapi2", "fapi2-message-signing"] as const) {
    const tpp = await bank.createTpp({ profile });
    const secrets = watch(tpp);
    const { consentId } = await lodge(tpp);
    const url = await tpp.authorizationUrl({ scope: "payments", consentId });
    const query = new URL(url).searchParams;
    for (const value of [query.get("request")?.split(".")[2], query.get("request_uri")]) {
      if (value) secrets.add(value);
    }
    const opened = await fetch(url, { redirect: "manual" });
    const cookies = opened.headers.getSetCookie().map((one) => one.split(/[=;]/)[1] ?? "");
    const { redirectUrl: back } = await bank.decide({
      authorizationUrl: url,
      customer: "amara",
      decision: "approve",
    });
    await tpp.exchangeCode(back);
    const access = await lodgeAccess(tpp);
    const approval = { scope: "accounts", consentId: access, customer: "amara" } as const;
    const tokens = await bank.approve(tpp, approval);
    if (tokens.refresh_token) await tpp.refresh(tokens.refresh_token);
    await tpp.call({ path: "/v4.0/aisp/accounts", token: tokens.access_token });
    assert.ok(secrets.size > 8, `${profile}: ${secrets.size} secrets`);
    assert.ok(cookies.length > 0 && cookies.every((one) => one.length > 8), String(cookies));
    const text = await stored();
    for (const secret of [...secrets, ...cookies]) {
      const isKept = text.includes(secret);
      assert.ok(!isKept, `${profile}: the log has ${secret}: ${aroundFirst(text, secret)}`);
    }
  }
});

test("no opaque token or handle in the path of a wrong address is in the log", async () => {
  const tpp = await bank.createTpp();
  tpp.onAnswer = null;
  const secrets: string[] = [];
  const send = async (method: string, before: string, after = ""): Promise<void> => {
    const secret = randomBytes(15).toString("base64url");
    secrets.push(secret);
    for (const base of [bank.mtlsUrl, bank.publicUrl]) {
      await tpp.send(`${base}${before}${secret}${after}`, method, undefined, {});
    }
  };
  await send("DELETE", "/token/revocation/");
  await send("GET", "/JOURNEY/");
  await send("GET", "//Auth/");
  await send("POST", "/token/refresh_", ".txt");
  await send("GET", "/open-banking/v4.0/pisp/domestic-payment-consents/", "/funds-confirmation");
  await send("GET", "/api/open-banking/v4.0/aisp/nowhere/");
  await send("GET", "/api/open-banking/v9.0/aisp/accounts/");
  const text = await stored();
  for (const secret of secrets) {
    assert.equal(text.split(secret).length - 1, 0, aroundFirst(text, secret));
  }
  for (const path of [
    "/token/revocation/[masked]",
    "/JOURNEY/[masked]",
    // the words of a wrong address show what is wrong with it
    "/open-banking/v4.0/pisp/domestic-payment-consents/[masked]/funds-confirmation",
  ]) {
    assert.ok(text.includes(`"path":"${path}"`), path);
  }
});

test("no opaque token in the path of a served address is in the log, and ids are", async () => {
  const tpp = await bank.createTpp();
  tpp.onAnswer = null;
  const { consentId } = await lodge(tpp);
  const [secret, id, uuid] = [randomBytes(30).toString("base64url"), newId("tpp"), newUuid()];
  const token = await tpp.clientToken("payments");
  const headers = { authorization: `Bearer ${token}` };
  for (const base of [bank.mtlsUrl, bank.publicUrl]) {
    for (const named of [secret, id, uuid]) {
      await tpp.send(`${base}/register/${named}`, "GET", undefined, {});
    }
  }
  const consents = `${bank.mtlsUrl}/api/open-banking/v4.0/pisp/domestic-payment-consents`;
  for (const named of [secret, id, consentId]) {
    await tpp.send(`${consents}/${named}`, "GET", undefined, headers);
    await tpp.send(`${consents}/${named}/funds-confirmation`, "GET", undefined, headers);
    await tpp.send(`${consents.replace("-consents", "s")}/${named}`, "GET", undefined, headers);
  }
  const text = await stored();
  assert.equal(text.split(secret).length - 1, 0, aroundFirst(text, secret));
  for (const path of [
    "/register/[masked]",
    `/register/${id}`,
    `/register/${uuid}`,
    `/domestic-payment-consents/${consentId}`,
    "/domestic-payment-consents/[masked]/funds-confirmation",
  ]) {
    assert.ok(text.includes(`${path}"`), path);
  }
});

test("a JWT that is nested too deeply is masked, and costs no entry of the log", async () => {
  const tpp = await bank.createTpp();
  const encode = (text: string) => Buffer.from(text).toString("base64url");
  const header = encode('{"alg":"PS256"}');
  const levels = 9000;
  const [open, close] = ["[".repeat(levels), "]".repeat(levels)];
  const claims = encode(`{"iss":"${tpp.tpp.clientId}","claims":${open}${close}}`);
  await bank.control("GET", "/requests"); // the next ones are written together
  expectStatus(await tpp.push({ request: `${header}.${claims}.AAAA` }), 400);
  await tpp.clientToken("accounts");
  const { requests } = await bank.control<{ requests: { path: string; logId: string }[] }>(
    "GET",
    `/requests?client=${tpp.tpp.clientId}`,
  );
  assert.deepEqual(requests.map(({ path }) => path).sort(), ["/request", "/token"]);
  const { logId } = requests.find(({ path }) => path === "/request") ?? {};
  const shown = await bank.control<{ bodies: { request: string } }>("GET", `/requests/${logId}`);
  const [, kept = ""] = /request=[^.]+\.([^.]+)/.exec(shown.bodies.request) ?? [];
  const decoded = Buffer.from(kept, "base64url").toString();
  assert.ok(decoded.startsWith(`{"iss":"${tpp.tpp.clientId}","claims":[[`), decoded);
  assert.match(decoded, /\[{20,40}"\[masked\]"\]{20,40}\}$/);
});

const form = "application/x-www-form-urlencoded";
const fields = [
  "access_token",
  "assertion",
  "client_secret",
  "code",
  "code_verifier",
  "id_token_hint",
  "login_hint",
  "nonce",
  "password",
  "refresh_token",
  "request_uri",
  "state",
  "token",
];

test("a mark in every place of a secret, on every route, is in no row", async () => {
  const tpp = await bank.createTpp();
  tpp.onAnswer = null; // most answers are not those of an API
  const mark = `mark${randomBytes(12).toString("hex")}`;
  const jwt = `${(await tpp.assertion()).split(".").slice(0, 2).join(".")}.${mark}`;
  const values = Object.fromEntries(fields.map((name) => [name, mark]));
  const sent = new URLSearchParams({
    ...values,
    [mark]: "the name is the secret",
    client_id: tpp.tpp.clientId,
    client_assertion: jwt,
    request: jwt,
  });
  const headers = {
    authorization: `Bearer ${mark}`,
    cookie: `_session=${mark}; ${mark}=1`,
    "x-api-key": mark,
    "proxy-authorization": mark,
  };
  let count = 0;
  for (const { method, url } of routes) {
    const path = url.replace(/:\w+|\*/g, tpp.tpp.clientId);
    const isBodyless = method === "GET" || method === "HEAD";
    for (const [type, body] of [
      [form, sent.toString()],
      ["application/jose", jwt],
    ] as const) {
      const query = isBodyless ? `?${sent}` : "";
      const typed = isBodyless ? headers : { ...headers, "content-type": type };
      const bytes = isBodyless ? undefined : Buffer.from(body);
      for (const base of [bank.mtlsUrl, bank.publicUrl]) {
        for (const each of new Set([path, path.replaceAll(tpp.tpp.clientId, mark)])) {
          await tpp.send(base + each + query, method, bytes, typed);
          count += 1;
        }
      }
    }
  }
  assert.ok(count > 1000, `${count} requests`);
  const text = await stored();
  assert.ok(text.includes("[masked]"), "the requests are in the log");
  assert.equal(text.split(mark).length - 1, 0, aroundFirst(text, mark));
});

const aroundFirst = (text: string, mark: string): string => {
  const at = text.indexOf(mark);
  return at < 0 ? "" : text.slice(Math.max(0, at - 300), at + 60);
};
