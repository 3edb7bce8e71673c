import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import { pathOf } from "#src/sandbox/test-tpp/tpp-client.ts";
import { pispV40 } from "#src/standard/pisp-v4.0/version.ts";
import { sql } from "#src/storage/sql.ts";
import { Visitor } from "#test/auth/visitor.ts";
import type { TestBank } from "#test/harness.ts";
import { lodge, lodgeAccess } from "#test/journeys/payments.ts";
import { type Bed, openRegistrationBed } from "#test/registration/bed.ts";

// Plays every kind of journey with known secrets, and looks for them in all that the log stored.

let bed: Bed;
let bank: TestBank;
before(async () => {
  bed = await openRegistrationBed();
  ({ bank } = bed);
});
after(() => bed?.close());

/** Everything that the log has stored, as it is and with all base64url decoded. */
async function stored(): Promise<string> {
  await bank.control("GET", "/requests"); // writes what waits
  const rows = await bank.database.query<{ entries: string; bodies: string | null }>(
    sql`select entries, bodies from request_log_chunk`,
  );
  const text = rows.map(({ entries, bodies }) => `${entries}\n${bodies}`).join("\n");
  const decoded = text.replace(/[\w-]{8,}/g, (word) => Buffer.from(word, "base64url").toString());
  return `${text}\n${decoded}`;
}

/** A secret that nobody could have by chance. */
const secret = (): string => `s${randomBytes(16).toString("hex")}`;

/** The secrets of the parts of a URL: its last step, and the values of its parameters. */
function secretsIn(url: string): string[] {
  const { pathname, searchParams, hash } = new URL(url, "http://bank");
  const values = [...searchParams.values(), ...new URLSearchParams(hash.slice(1)).values()];
  return [pathname.split("/").at(-1) ?? "", ...values.map((one) => one.split(".").at(-1) ?? one)];
}

const passwordOf = (login: string): string =>
  present(
    bank.sandbox?.personas.find((one) => one.login === login),
    login,
  ).password;

/** Goes through a journey in a browser. Returns every handle, cookie and field that it met. */
async function browse(url: string, login: string, secrets: string[]): Promise<Visitor> {
  const visitor = new Visitor(bank);
  const note = (): void => {
    const { shown, hidden } = visitor;
    const cookies = visitor.cookiesFor(shown.url).split("; ").filter(Boolean);
    secrets.push(...cookies.map((pair) => pair.split("=")[1] ?? ""));
    secrets.push(...Object.values(hidden), ...secretsIn(shown.url));
  };
  await visitor.open(url);
  note();
  await visitor.submit({ login, password: passwordOf(login), decision: "continue" });
  note();
  return visitor;
}

type Play = (secrets: string[]) => Promise<void>;

const accepts = ["application/json", "text/plain", "text/html", "*/*", "image/png", ""];

const journeys: Record<string, Play> = {
  "the start of a journey with any Accept": async (secrets) => {
    const tpp = await bank.createTpp();
    for (const accept of accepts) {
      const { consentId } = await lodge(tpp);
      const url = await tpp.authorizationUrl({ scope: "payments", consentId });
      const headers = accept === "" ? {} : { accept };
      const answer = await fetch(url, { redirect: "manual", headers });
      secrets.push(...secretsIn(present(answer.headers.get("location"), "the journey")));
      secrets.push(...answer.headers.getSetCookie().map((one) => one.split(/[=;]/)[1] ?? ""));
    }
  },
  "a redirect in a browser": async (secrets) => {
    const tpp = await bank.createTpp({ profile: "fapi2" });
    const { consentId } = await lodge(tpp);
    const url = await tpp.authorizationUrl({ scope: "payments", consentId });
    secrets.push(new URL(url).searchParams.get("request_uri") ?? "");
    const visitor = await browse(url, "amara", secrets);
    for (let page = 0; page < 5 && visitor.step !== "page"; page += 1) {
      const account = /name="account" value="([^"]+)"/.exec(visitor.shown.body)?.[1] ?? "";
      if (visitor.step === "factor") await visitor.confirm();
      else if (visitor.step === "returning") await visitor.goBack().catch(() => "");
      else await visitor.submit({ account, decision: visitor.go });
      if (!visitor.shown.url.startsWith(bank.publicUrl)) break;
    }
    assert.match(visitor.shown.url, /[?#&]code=/);
    secrets.push(...secretsIn(visitor.shown.url), passwordOf("amara"));
  },
  "an approval in the bank's app": async (secrets) => {
    const tpp = await bank.createTpp();
    const consentId = await lodgeAccess(tpp);
    const url = await tpp.authorizationUrl({ scope: "accounts", consentId });
    const visitor = await browse(url, "test_app", secrets);
    assert.ok(visitor.isInApp, visitor.shown.body);
    const { approvals } = await bank.control<{
      approvals: { approvalId: string; digits: string }[];
    }>("GET", "/approvals");
    const one = present(approvals[0], "what waits");
    secrets.push(one.approvalId, passwordOf("test_app"));
    const path = `/approvals/${one.approvalId}`;
    await bank.control("POST", path, { decision: "approve", digits: one.digits });
  },
  "a decision without a browser, its code and its tokens": async (secrets) => {
    for (const profile of ["fapi1", "fapi2", "fapi2-message-signing"] as const) {
      const tpp = await bank.createTpp({ profile });
      const consentId = await lodgeAccess(tpp);
      const url = await tpp.authorizationUrl({ scope: "accounts", consentId });
      secrets.push(...new URL(url).searchParams.getAll("request_uri"));
      const { redirectUrl: back } = await bank.decide({
        authorizationUrl: url,
        customer: "amara",
        decision: "approve",
      });
      secrets.push(...secretsIn(back));
      const tokens = await tpp.exchangeCode(back);
      const { access_token, refresh_token, id_token } = tokens;
      secrets.push(access_token, refresh_token ?? "", String(id_token).split(".")[2] ?? "");
      await tpp.exchangeCode(back).catch(() => undefined); // a code works once
      // without the scheme that it needs
      const path = `${pathOf(pispV40)}/domestic-payments/1`;
      for (const authorization of [
        access_token,
        `Bearer${access_token}`,
        `Token ${access_token}`,
      ]) {
        await tpp.call({ path, token: "x", headers: { authorization } });
      }
    }
  },
  "an approval that the TPP asks for": async (secrets) => {
    const token = secret();
    const notificationEndpoint = "http://localhost:1/decided";
    const tpp = await bank.createTpp({ notificationEndpoint });
    const customer = { customer: "amara" };
    const { identifier } = await bank.control<{ identifier: string }>(
      "POST",
      "/approvals/one-time-identifiers",
      customer,
    );
    const hint = Buffer.from(JSON.stringify({ ephemeral_sub: identifier })).toString("base64url");
    const asked = async (more: Record<string, unknown>) => {
      const { consentId } = await lodge(tpp);
      const claims = {
        client_notification_token: token,
        login_hint_token: `eyJhbGciOiJub25lIn0.${hint}.`,
        ...more,
      };
      return tpp.backchannel({ scope: "payments", consentId, claims });
    };
    const answer = await asked({});
    assert.equal(answer.status, 200, answer.raw.toString());
    const { auth_req_id: id } = answer.body as { auth_req_id: string };
    secrets.push(id, token, identifier);
    await tpp.poll(id);
    for (const name of ["user_code", "login_hint", "id_token_hint", "password", "pin", "x"]) {
      const value = secret();
      secrets.push(value);
      await asked({ [name]: value });
      await asked({ [name]: { nested: value } });
    }
  },
  "a registration, its changes and its end": async (secrets) => {
    const privateKey = {
      kty: "RSA",
      e: "AQAB",
      n: "public",
      d: secret(),
      p: secret(),
      q: secret(),
    };
    const pem = secret();
    const marks = Object.fromEntries(["client_secret", "token", "x"].map((one) => [one, secret()]));
    const body = await bed.request({
      ...marks,
      jwks: { keys: [privateKey] },
      software_note: `-----BEGIN PRIVATE KEY-----\n${pem}\n-----END PRIVATE KEY-----`,
    });
    const header = { jwk: privateKey, note: secret() };
    const withHeader = await bed.request({}, { header });
    secrets.push(privateKey.d, privateKey.p, privateKey.q, pem, ...Object.values(marks));
    secrets.push(header.note);
    const right = await bed.request();
    for (const one of [body, withHeader, right]) {
      const answer = await bed.send({ body: one });
      secrets.push(one.split(".")[2] ?? "");
      if (one !== right) continue;
      assert.equal(answer.status, 201, answer.text);
      const client = bed.client(answer.body as Record<string, unknown>, bed);
      const token = await client.clientToken("accounts");
      secrets.push(
        token,
        String((answer.body as { software_statement?: string }).software_statement).split(".")[2] ??
          "",
      );
      const url = `${bed.url}/${client.tpp.clientId}`;
      for (const method of ["GET", "PUT", "DELETE"]) {
        await bed.send({
          method,
          url,
          headers: { authorization: `Bearer ${token}` },
          ...(method === "PUT" ? { body: await bed.request() } : {}),
        });
      }
    }
  },
  "secrets that a TPP sends to the wrong place": async (secrets) => {
    const tpp = await bank.createTpp();
    tpp.onAnswer = null;
    const jwt = await tpp.assertion();
    const pem = secret();
    const values = Object.fromEntries(
      ["access_token", "password", "client_secret", "code_verifier", "d"].map((one) => [
        one,
        secret(),
      ]),
    );
    secrets.push(jwt.split(".")[2] ?? "", pem, ...Object.values(values));
    const note = `-----BEGIN RSA PRIVATE KEY-----\n${pem}\n-----END RSA PRIVATE KEY-----`;
    const token = await tpp.clientToken("payments");
    const encrypted = `${jwt.split(".").slice(0, 2).join(".")}.${secret()}.${secret()}.${secret()}`;
    secrets.push(...encrypted.split(".").slice(2));
    await tpp.call({
      path: `${pathOf(pispV40)}/domestic-payment-consents`,
      token,
      body: { Data: { jwt, note, encrypted, ...values }, Risk: {} },
    });
    for (const path of [`/callback?code=${values.d}`, `/x/${jwt}`, `/journey/${values.d}`]) {
      await tpp.send(bank.mtlsUrl + path, "PATCH", undefined, { referer: `http://x/${values.d}` });
    }
  },
};

const harmless = new Set([
  "callback",
  "code",
  "S256",
  "openid",
  "payments",
  "accounts",
  "undefined",
]);

for (const [title, play] of Object.entries(journeys)) {
  test(`the log has no secret of ${title}`, async () => {
    const secrets: string[] = [];
    await play(secrets);
    const known = new Set(
      secrets.filter((one) => one.length >= 8 && !harmless.has(one) && !one.startsWith("http")),
    );
    assert.ok(known.size > 4, `${known.size} secrets: ${[...known]}`);
    const text = await stored();
    for (const one of known) {
      const at = text.indexOf(one);
      const around = text.slice(Math.max(0, at - 300), at + 80);
      assert.ok(at < 0, `the log has ${one}: ${around}`);
    }
  });
}
