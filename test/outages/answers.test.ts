import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import fastify from "fastify";
import { answerPageFailures } from "#src/auth/login/page-scope.ts";
import { appOptions } from "#src/http/connection/listeners.ts";
import { type Part, Unavailable, unavailableOf } from "#src/lib/unavailable.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { Database } from "#src/storage/database.ts";
import { Visitor } from "#test/auth/visitor.ts";
import { copySeeded, openBank, type TestBank } from "#test/harness.ts";
import { lodge, lodgeAccess } from "#test/journeys/payments.ts";

let isDown = false;
let bank: TestBank;
let client: TppClient;

const unlessDown = <T>(run: () => Promise<T>): Promise<T> =>
  isDown
    ? Promise.reject(new Unavailable("database", "the database is down", { retryAfterSeconds: 7 }))
    : run();

/** Wraps a database so that it can be switched off. */
const switched = (database: Database): Database => ({
  ...database,
  query: (statement) => unlessDown(() => database.query(statement)),
  read: (statement) => unlessDown(() => database.read(statement)),
  readOnStandby: (statement) => unlessDown(() => database.readOnStandby(statement)),
  transaction: (work) => unlessDown(() => database.transaction(work)),
});

/** Runs `work` while the database is switched off. */
async function whileDown<T>(work: () => Promise<T>): Promise<T> {
  isDown = true;
  try {
    return await work();
  } finally {
    isDown = false;
  }
}

before(async () => {
  bank = await openBank({}, switched(await copySeeded()));
  client = await bank.createTpp();
});
after(() => bank.close());

describe("while the database is out of service", () => {
  test("a payment request gets 503, Retry-After and a signed v4.0 error", async () => {
    const token = await client.clientToken("payments");
    const { consentId } = await lodge(client);
    const path = `/v4.0/pisp/domestic-payment-consents/${consentId}`;
    const answer = await whileDown(() => client.call<Fault>({ path, token }));
    assert.deepEqual([answer.status, answer.headers["retry-after"]], [503, "7"]);
    assert.equal(answer.body.Errors[0]?.ErrorCode, "U000");
    assert.ok(await client.verifySignature(answer));
    assert.equal((await client.call({ path, token })).status, 200);
  });

  test("an account request gets 503, Retry-After and a v3.1 error", async () => {
    const token = await client.clientToken("accounts");
    const path = `/v3.1/aisp/account-access-consents/${await lodgeAccess(client)}`;
    const answer = await whileDown(() => client.call<Fault>({ path, token }));
    assert.deepEqual([answer.status, answer.headers["retry-after"]], [503, "7"]);
    assert.equal(answer.body.Code, "503 ServiceUnavailable");
    assert.equal(answer.body.Errors[0]?.ErrorCode, "UK.OBIE.UnexpectedError");
  });

  test("the token endpoint answers temporarily_unavailable with 503 and Retry-After", async () => {
    const form = { grant_type: "client_credentials", scope: "accounts" };
    const answer = await whileDown(() => client.tokenAnswer(form));
    assert.deepEqual([answer.status, answer.headers["retry-after"]], [503, "7"]);
    assert.equal((answer.body as { error: string }).error, "temporarily_unavailable");
  });

  test("the authorization endpoint answers with a page, 503 and Retry-After", async () => {
    const consentId = await lodgeAccess(client);
    const url = await client.authorizationUrl({ scope: "accounts", consentId });
    const shown = await whileDown(() => new Visitor(bank).open(url));
    assert.deepEqual([shown.status, shown.headers.get("retry-after")], [503, "7"]);
    assert.match(shown.body, /not responding/);
  });

  test("the consent journey answers with a page that has a reference", async () => {
    const consentId = await lodgeAccess(client);
    const visitor = new Visitor(bank);
    await visitor.open(await client.authorizationUrl({ scope: "accounts", consentId }));
    const { url } = visitor.shown;
    assertPage(await whileDown(() => visitor.open(url)));
    assert.equal((await visitor.open(url)).status, 200);
  });

  test("the bank's own pages answer with a page that has a reference", async () => {
    const visitor = new Visitor(bank);
    await visitor.open(`${bank.publicUrl}/bank/login`);
    assertPage(await whileDown(() => visitor.submit({ login: "anna", password: "wrong" })));
  });

  test("the sandbox's interface answers 503 in JSON", async () => {
    const answer = await whileDown(() => fetch(`${bank.publicUrl}/sandbox/v1/customers`));
    assert.deepEqual([answer.status, answer.headers.get("retry-after")], [503, "7"]);
    assert.match(((await answer.json()) as { message: string }).message, /not responding/);
  });
});

type Fault = { Code?: string; Errors: { ErrorCode: string }[] };

function assertPage({ status, headers, body }: Visitor["shown"]): void {
  assert.deepEqual([status, headers.get("retry-after")], [503, "7"]);
  assert.match(String(headers.get("content-type")), /^text\/html/);
  assert.match(body, /Reference <code>[\w-]{36}<\/code>/);
}

test("the reference on the page of an outage is in the log", async () => {
  const lines: string[] = [];
  const options = appOptions({ logLevel: "error", bodyLimit: 1024 });
  const stream = { write: (line: string) => void lines.push(line) };
  const app = fastify({ ...options, logger: { ...(options.logger as object), stream } });
  answerPageFailures(app, "Test Bank");
  app.get("/page", () => {
    throw new Error("outer", { cause: new Unavailable("core", "no answer", {}) });
  });
  const { body } = await app.inject({ url: "/page", headers: { accept: "text/html" } });
  const [, reference] = /Reference <code>([\w-]{36})</.exec(body) ?? [];
  assert.equal(JSON.parse(lines[0] ?? "{}").reference, reference);
  assert.match(body, /One of our systems is not responding/);
});

test("an outage is recognised by its marker, even from another copy of the class", () => {
  const part: Part = "core";
  const copy = Object.assign(new Error("down"), {
    [Symbol.for("aldgate.unavailable")]: true,
    part,
    retryAfterSeconds: 3,
  });
  assert.equal(unavailableOf(new Error("outer", { cause: copy }))?.retryAfterSeconds, 3);
  const circle: Error & { cause?: unknown } = new Error("a");
  circle.cause = circle;
  assert.equal(unavailableOf(circle), null);
});
