import assert from "node:assert/strict";
import type { IncomingHttpHeaders } from "node:http";
import { Agent, request } from "node:https";
import { after, before, suite, test } from "node:test";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { examplesIn } from "#src/server/examples/examples.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { lodge } from "#test/journeys/payments.ts";
import { until } from "#test/until.ts";
import { blockUntilLate } from "./block-loop.ts";

const agent = new Agent({ keepAlive: true, maxSockets: 40 });
after(() => agent.destroy());

type Refusal = { Errors: { ErrorCode: string; Path?: string; Message: string }[] };

suite("the work for one request is limited", () => {
  let bank: TestBank;
  let tpp: TppClient;
  before(async () => {
    bank = await openBank();
    tpp = await bank.createTpp();
  });
  after(() => bank?.close());

  test("a JSON body of more than 128 kB is 413, and the message gives the limit", async () => {
    const body = { Data: { Note: "x".repeat(131_072) }, Risk: {} };
    const path = "/v4.0/pisp/domestic-payment-consents";
    const token = await tpp.clientToken("payments");
    const answer = await tpp.call<Refusal>({ path, token, body });
    assert.equal(answer.status, 413);
    const [fault] = answer.body.Errors;
    assert.equal(fault?.ErrorCode, "U010");
    assert.match(fault?.Message ?? "", /131072 bytes/);
  });

  test("100 lines of remittance information are accepted, and 101 are refused", async () => {
    const lines = (count: number) => Array.from({ length: count }, (_, line) => `Line ${line}`);
    const initiation = (count: number) => ({
      initiation: { RemittanceInformation: { Unstructured: lines(count) } },
    });
    await lodge(tpp, initiation(100));
    await assert.rejects(lodge(tpp, initiation(101)), /an array of at most 100 members/);
  });

  for (const kind of paymentKinds) {
    test(`every array in a consent of the kind ${kind.id} is limited`, async () => {
      const token = await tpp.clientToken("payments");
      for (const { version } of Object.values(kind.formats)) {
        const { sample } = examplesIn(kind, version.id);
        const { consent } = sample(Temporal.PlainDate.from("2027-01-01"));
        for (const { path, array } of arraysIn(consent)) {
          const [item] = array;
          array.push(...Array(1000).fill(item));
          const { basePath } = version;
          const answer = await tpp.call<Refusal>({
            path: `${basePath.replace("/api/open-banking", "")}/${kind.id}-consents`,
            token,
            body: consent,
          });
          array.length = 1;
          assert.equal(answer.status, 400, `${path} ${answer.raw}`);
          const paths = answer.body.Errors.map(({ Path }) => Path);
          assert.ok(paths.includes(path), `${path} is not in ${paths.join(", ")}`);
        }
      }
    });
  }

  for (const [name, path, scope, body] of [
    [
      "Data.Permissions",
      "/v3.1/aisp/account-access-consents",
      "accounts",
      { Data: { Permissions: Array(101).fill("ReadAccountsBasic") }, Risk: {} },
    ],
    ["ack", "/v4.0/events", "payments", { ack: Array(1001).fill("a") }],
  ] as const) {
    test(`the array ${name} is limited`, async () => {
      const token = await tpp.clientToken(scope);
      const answer = await tpp.call<Refusal>({ path, token, body });
      assert.equal(answer.status, 400, String(answer.raw));
      assert.match(answer.body.Errors[0]?.Message ?? "", /an array of (at most|1 to) \d+ members/);
    });
  }
});

type Found = { path: string; array: unknown[] };

/** Every array inside a body that is not empty, with its path. */
function arraysIn(value: unknown, path = ""): Found[] {
  if (typeof value !== "object" || value === null) return [];
  const own = Array.isArray(value) && value.length > 0 ? [{ path, array: value }] : [];
  const below = Object.entries(value).flatMap(([name, member]) =>
    arraysIn(member, Array.isArray(value) ? `${path}[${name}]` : path ? `${path}.${name}` : name),
  );
  return [...own, ...below];
}

suite("each caller has a budget over all endpoints", () => {
  let bank: TestBank;
  let hostile: TppClient;
  let honest: TppClient;
  before(async () => {
    bank = await openBank({
      RATE_LIMIT_PER_SECOND: 5,
      RATE_LIMIT_PER_CALLER: 12,
      BYTES_PER_SECOND: 4096,
      REQUESTS_IN_PROGRESS: 30,
    });
    hostile = await bank.createTpp();
    honest = await bank.createTpp();
  });
  after(() => bank?.close());

  /** Floods until an answer is 429, however slow the machine is. */
  const floodUntilRefused = (client: TppClient, path: string, body?: string) =>
    until(
      () => flood(client, path, 100, body),
      (answers) => answers.has(429),
    );

  /** Sends the same request many times at once; returns the answers by status. */
  async function flood(client: TppClient, path: string, many: number, body?: string) {
    const answers = await Promise.all(
      Array.from({ length: many }, () => sendOverTls(bank, client, path, body)),
    );
    for (const { status, headers } of answers) {
      assert.ok(status < 500, `${path} is answered with ${status}`);
      if (status === 429) assert.match(String(headers["retry-after"]), /^\d+$/);
    }
    return Map.groupBy(answers, ({ status }) => status);
  }

  for (const path of ["/token", "/request", "/token/introspection", "/token/revocation"]) {
    test(`${path} has a limit for each caller, and its refusal has the form of OAuth`, async () => {
      const answers = await floodUntilRefused(hostile, path, "grant_type=client_credentials");
      const [refused] = answers.get(429) ?? [];
      assert.equal(JSON.parse(refused?.text ?? "").error, "slow_down");
      assert.equal(refused?.headers["cache-control"], "no-store");
      assert.equal((await flood(honest, path, 1, "grant_type=x")).has(429), false);
    });
  }

  test("the registration endpoint has a limit for each caller", async () => {
    const [refused] = (await floodUntilRefused(hostile, "/register/anyone")).get(429) ?? [];
    assert.equal(JSON.parse(refused?.text ?? "").error, "slow_down");
  });

  test("requests without a valid token are limited before the token is looked up", async () => {
    const path = "/api/open-banking/v3.1/aisp/accounts";
    const answers = await floodUntilRefused(hostile, path);
    assert.ok(answers.has(401));
    const [refused] = answers.get(429) ?? [];
    assert.equal(refused?.text, "");
    assert.match(String(refused?.headers["x-fapi-interaction-id"]), /^[\w-]{36}$/);
    assert.ok((await flood(honest, path, 1)).has(401));
  });

  test("bytes are limited: a caller sends few large bodies per second", async () => {
    const client = await bank.createTpp();
    const token = await client.clientToken("payments");
    const body = { Data: { Note: "x".repeat(30_000) }, Risk: {} };
    const path = "/v4.0/pisp/domestic-payment-consents";
    const statuses: number[] = [];
    for (let sent = 0; sent < 8; sent += 1) {
      statuses.push((await client.call({ path, token, body })).status);
    }
    assert.ok(statuses.includes(400) && statuses.includes(429), statuses.join());
  });

  test("a caller over its limit changes nothing for health, metrics and other callers", async () => {
    await floodUntilRefused(hostile, "/token", "x=y");
    assert.equal((await fetch(`${bank.publicUrl}/health/live`)).status, 200);
    const metrics = await (await fetch(`${bank.managementUrl}/metrics`)).text();
    for (const cause of ["requests", "group", "bytes"]) {
      assert.match(metrics, new RegExp(`aldgate_refused_requests_total\\{cause="${cause}"\\} \\d`));
    }
    await lodge(honest);
  });
});

suite("a late process sheds load", () => {
  let bank: TestBank;
  let tpp: TppClient;
  before(async () => {
    bank = await openBank({ LATE_AFTER_MILLISECONDS: 50 });
    tpp = await bank.createTpp();
  });
  after(() => bank?.close());

  test("it refuses TPPs with 503 and Retry-After, serves the others, and recovers by itself", async () => {
    const path = "/api/open-banking/v3.1/aisp/accounts";
    const sendMany = () =>
      Promise.all(Array.from({ length: 40 }, () => sendOverTls(bank, tpp, path)));
    // on connections that stay open; on a busy machine, opening them makes the process late
    await until(sendMany, (served) => served.every(({ status }) => status === 401));
    await blockUntilLate(); // the bank shares its event loop with this test
    const answers = await sendMany();
    const refused = answers.filter(({ status }) => status === 503);
    assert.ok(refused.length > 0, answers.map(({ status }) => status).join());
    for (const { headers, text } of refused) {
      assert.deepEqual([headers["retry-after"], text], ["1", ""]);
    }
    await blockUntilLate();
    const pages = ["/health/live", "/health/ready", "/", "/bank/login"].map(async (page) => {
      const { status } = await fetch(bank.publicUrl + page);
      return [page, status];
    });
    for (const [page, status] of await Promise.all(pages)) assert.equal(status, 200, String(page));
    assert.equal((await fetch(`${bank.managementUrl}/health/ready`)).status, 200);
    const statuses = async () => new Set((await sendMany()).map(({ status }) => status));
    await until(statuses, (seen) => seen.size === 1 && seen.has(401));
  });
});

type Sent = { status: number; text: string; headers: IncomingHttpHeaders };

/** Sends a request over mutual TLS with the certificate of a TPP, without a token. */
function sendOverTls(bank: TestBank, { tpp }: TppClient, path: string, body?: string) {
  const form = { "content-type": "application/x-www-form-urlencoded" };
  return new Promise<Sent>((resolve, reject) => {
    const options = {
      method: body === undefined ? "GET" : "POST",
      headers: body === undefined ? { authorization: "Bearer stolen" } : form,
      ca: tpp.caPem,
      key: tpp.transport.privateKeyPem,
      cert: tpp.transport.certificatePem,
      agent,
    };
    const sent = request(bank.mtlsUrl + path, options, (response) => {
      let text = "";
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("error", reject);
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, text, headers: response.headers }),
      );
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
